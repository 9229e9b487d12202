import { systemClock } from '@searchgate/core/ledger';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type SqliteLedger, sqliteLedger } from '../src/index.js';
import type { Handle } from './drivers.js';
import { EVERY_OPERATION, FIRST_GRANT, NOW_MS } from './every-operation.js';
import { fillLedger } from './fill-ledger.js';
import { createStorage, type Storage } from './storage.js';
import { watched } from './watched-database.js';

/**
 * What SQLite answers by looking only where an index says. It also says SEARCH without an index, where it walks a table from its end until it finds
 * a row: https://www.sqlite.org/eqp.html (2026-11-22).
 */
const BY_INDEX =
  /^(SEARCH \S+ USING .*(INDEX|PRIMARY KEY)|(CORRELATED )?SCALAR SUBQUERY|LIST SUBQUERY|COMPOUND QUERY|LEFT-MOST|UNION ALL|CO-ROUTINE|SCAN \(subquery)/;

/** A page looks through so many calls at most. */
const PAGE_OF_REQUESTS =
  /FROM \(SELECT \* FROM searchgate_requests WHERE TRUE ORDER BY at_ms DESC, request_id DESC LIMIT 10000\)/;
const BY_TIME =
  'CO-ROUTINE (subquery-1); SCAN searchgate_requests USING INDEX searchgate_requests_by_time; SCAN (subquery-1)';

/** All other statements, and why they are right. */
const OTHERS = {
  // Small, whatever the ledger holds.
  'SELECT version, readable_from FROM searchgate_schema': 'SCAN searchgate_schema',
  // Once for each handle, as small.
  "SELECT 1 AS found FROM pragma_table_info('searchgate_schema') WHERE name = 'readable_from'":
    'SCAN pragma_table_info VIRTUAL TABLE INDEX 0:',
  // Without a condition the last row is the largest.
  // At most 100.
  'SELECT max(seq) AS seq FROM searchgate_entries': 'SEARCH searchgate_entries',
  'SELECT at_ms FROM searchgate_entries WHERE seq = (SELECT max(seq) FROM searchgate_entries)':
    'SEARCH searchgate_entries USING INTEGER PRIMARY KEY (rowid=?); SCALAR SUBQUERY 1; SEARCH searchgate_entries',
  'INSERT INTO searchgate_clock_setbacks (seq) SELECT coalesce(max(seq), 0) + 1 FROM searchgate_entries':
    'SEARCH searchgate_entries',
  // From the beginning of an index, up to a limit.
  'SELECT id, hash, organization_id, label, spend_limit, limit_reset, allowed_models, budgets, domains, rate_requests, rate_period_ms, max_concurrent, created_at_ms, expires_at_ms, revoked_at_ms FROM searchgate_api_keys ORDER BY created_at_ms, id LIMIT ?':
    'SCAN searchgate_api_keys USING INDEX searchgate_api_keys_by_creation',
  'SELECT id, name, created_at_ms, suspended_at_ms, rate_requests, rate_period_ms, max_concurrent, operator_pays, domains FROM searchgate_organizations ORDER BY created_at_ms, id LIMIT ?':
    'SCAN searchgate_organizations USING INDEX searchgate_organizations_by_creation',
  // From the end of an index, up to a limit.
  "SELECT organization_id, calls FROM searchgate_request_counts WHERE organization_id > '' ORDER BY calls DESC LIMIT ?":
    'SCAN searchgate_request_counts USING COVERING INDEX searchgate_request_counts_by_calls',
  // An audit wants all open holds of one moment: as many as there are calls in flight.
  'SELECT organization_id, key_id, amount, uses_slot, budgets FROM searchgate_holds INDEXED BY searchgate_open_holds_by_expiry WHERE ended_at_ms IS NULL':
    'SCAN searchgate_holds USING INDEX searchgate_open_holds_by_expiry',
};

let storage: Storage;
let database: Handle;
let ledger: SqliteLedger;
let statements: ReadonlySet<string>;

beforeEach(async () => {
  storage = createStorage();
  database = storage.open();
  statements = await executeEveryStatement();
});
afterEach(() => storage.dispose());

it('looks at no more rows than it wants, in every statement', () => {
  const plans = [...statements].map((sql) => [sql.replaceAll(/\s+/g, ' '), planOf(sql)] as const);
  expect(plans.filter(([, plan]) => plan.includes('TEMP B-TREE'))).toEqual([]);
  const others = plans.filter(([, plan]) => plan.split('; ').some((step) => step !== '' && !BY_INDEX.test(step)));
  const isPage = ([sql, plan]: readonly [string, string]) => PAGE_OF_REQUESTS.test(sql) && plan === BY_TIME;
  expect(Object.fromEntries(others.filter((each) => !isPage(each)))).toEqual(OTHERS);
});

it('numbers no parameter, since better-sqlite3 binds none of these by its place', () => {
  expect([...statements].filter((sql) => /\?\d/.test(sql))).toEqual([]);
});

it('keeps to these plans after the host has let SQLite analyze the tables', async () => {
  const before = [...statements].map(planOf);
  // With statistics of a single row SQLite would not care how it reads that table.
  database.exec('INSERT INTO searchgate_clock_setbacks SELECT seq FROM searchgate_entries WHERE seq % 10 = 0');
  database.exec("INSERT INTO searchgate_pending_request_sums (sums) SELECT '[]' FROM searchgate_entries; ANALYZE");
  expect([...statements].map(planOf)).toEqual(before);
});

it('knows every operation there is', () => {
  const { apiKeys, tenantKeys, idempotency, requests, changes, instances, ...money } = ledger;
  const { texts, ...calls } = requests;
  const operations = [money, apiKeys, tenantKeys, idempotency, calls, texts, changes, instances].flatMap((port) =>
    Object.keys(port),
  );
  const looked = Object.keys(EVERY_OPERATION).map((name) => name.split(':')[0]);
  expect(new Set([...looked, 'migrate', 'audit', 'close'])).toEqual(new Set(operations));
});

/** What a ledger executes for everything it can be asked, the clock being set back once. */
async function executeEveryStatement(): Promise<Set<string>> {
  const { database: seen, watch } = watched(database);
  let nowMs = NOW_MS + 1;
  ledger = sqliteLedger({ database: seen, clock: { ...systemClock, now: () => nowMs } });
  await ledger.migrate();
  fillLedger(database, 1_000, NOW_MS);
  watch.statements.length = 0;
  await ledger.grant(FIRST_GRANT);
  nowMs = NOW_MS;
  for (const [name, operation] of Object.entries(EVERY_OPERATION)) await operation(ledger, name.replaceAll(' ', '-'));
  await ledger.audit();
  return new Set(watch.statements.filter((sql) => /^(SELECT|INSERT|UPDATE|DELETE)/.test(sql)));
}

function planOf(sql: string): string {
  const steps = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all() as { detail: string }[];
  return steps.map(({ detail }) => detail).join('; ');
}
