import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { SqliteLedger } from '../src/index.js';
import { grantOf, times } from './requests.js';
import { createStorage, type Storage } from './storage.js';
import { allEntries } from './sums-of-log.js';

const CHILD = fileURLToPath(new URL('charge-until-killed.ts', import.meta.url));
const RUN_SOURCE = ['--conditions=@searchgate/source', '--import', 'tsx/esm'];
/** The log merges the sums of a hundred appends: once or twice. */
const ENOUGH_CHARGES = 120;

let storage: Storage;
let ledger: SqliteLedger;
const children: ChildProcess[] = [];

beforeEach(async () => {
  storage = createStorage();
  ledger = await storage.connect();
  await ledger.grant(grantOf({ amount: 10n ** 15n }));
});
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await storage.dispose();
});

/** Lets a process charge and kills it in the middle. @returns the holds whose charges it reported. */
async function killWhileCharging(prefix: string): Promise<string[]> {
  const child = spawn(process.execPath, [...RUN_SOURCE, CHILD, storage.file, prefix], {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  let written = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    written += text;
    if (written.split('\n').length > ENOUGH_CHARGES) child.kill('SIGKILL');
  });
  const [, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  expect(signal).toBe('SIGKILL');
  return written.split('\n').slice(0, -1);
}

it('loses no charge that was acknowledged to processes that are killed, and doubles none', async () => {
  const acknowledged = (await Promise.all(times(2, (index) => killWhileCharging(`process-${index}`)))).flat();
  const charged = (await allEntries(ledger)).filter(({ kind }) => kind === 'charge').map(({ id }) => id);
  expect(new Set(charged).size).toBe(charged.length);
  expect(acknowledged.length).toBeGreaterThanOrEqual(2 * ENOUGH_CHARGES);
  expect(acknowledged.filter((id) => !charged.includes(id))).toEqual([]);
  expect(await ledger.organizationTotals('acme')).toMatchObject({ usage: 7n * BigInt(charged.length) });
  const [team] = await ledger.budgetTotals('acme', [{ id: 'team', limitReset: null }]);
  expect(team).toMatchObject({ usage: 7n * BigInt(charged.length) });
  const logged = await Promise.all(acknowledged.map((id) => ledger.requests.get(id)));
  expect(logged).not.toContain(undefined);
  let calls = 0;
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await ledger.requests.find({}, { limit: 1_000, cursor });
    calls += page.rows.length;
    cursor = page.nextCursor;
  }
  for (const step of ['hour', 'day'] as const) {
    const [sum] = await ledger.requests.statistics({ of: 'calls', step, sinceMs: 0, untilMs: Date.now(), by: [] });
    expect(sum?.count).toBe(calls);
  }
  const { openHolds, differences } = await ledger.audit();
  expect(differences).toEqual([]);
  expect(await ledger.expireHolds(Date.now() + 1)).toBe(openHolds);
  expect(await ledger.organizationTotals('acme')).toMatchObject({ held: 0n });
}, 40_000);
