import { afterEach, beforeEach, expect, it } from 'vitest';
import { type SqliteLedger, sqliteLedger } from '../src/index.js';
import { loggedOf } from './every-operation.js';
import { chargeOf, grantOf, holdOf, times } from './requests.js';
import { createStorage, type Storage } from './storage.js';
import { type Watch, watched } from './watched-database.js';

let storage: Storage;
let watch: Watch;
let ledger: SqliteLedger;

beforeEach(async () => {
  storage = createStorage();
  const seen = watched(storage.open());
  watch = seen.watch;
  ledger = sqliteLedger({ database: seen.database });
  await ledger.migrate();
});
afterEach(() => storage.dispose());

it('writes what a vendor billed to a tenant by no further statement, and no column for calls without', async () => {
  await ledger.grant(grantOf());
  const written: string[][] = [];
  for (const [index, tenantCost] of [undefined, 5n, undefined, 0n].entries()) {
    await ledger.hold(holdOf({ holdId: `${index}` }));
    watch.statements.length = 0;
    await ledger.settle(`${index}`, chargeOf({ tenantCost }));
    written.push(watch.statements.map((sql) => sql.replace(/, tenant_cost|, \?/g, '')));
    expect(watch.statements.some((sql) => sql.includes('tenant_cost'))).toBe(tenantCost !== undefined);
  }
  expect(written[1]).toEqual(written[2]);
  const { entries } = await ledger.entries();
  expect(entries.map((entry) => ('tenantCost' in entry ? entry.tenantCost : null))).toEqual([null, null, 5n, null, 0n]);
});

it('takes a budget out of more calls than fit into one transaction, whatever their budgets are', async () => {
  const budgets = [['user'], [], ['a', 'user', 'b'], ['user:ada', 'null'], ['b', 'user'], ['user', 'a']];
  const calls = times(3_000, (index) => ({ ...loggedOf(`req_${index}`), budgets: budgets[index % 6] ?? [] }));
  await ledger.requests.append(calls);
  watch.statements.length = 0;
  expect([
    await ledger.requests.eraseBudget('busy', 'null'),
    await ledger.requests.eraseBudget('busy', 'user'),
  ]).toEqual([500, 2_000]);
  const transactions = watch.statements
    .join(';')
    .split('BEGIN')
    .map((text) => text.split('UPDATE').length - 1);
  expect(Math.max(...transactions)).toBeLessThanOrEqual(500);
  const left = await Promise.all(times(6, (index) => ledger.requests.get(`req_${index}`)));
  expect(left.map((call) => call?.budgets)).toEqual([[], [], ['a', 'b'], ['user:ada'], ['b'], ['a']]);
});
