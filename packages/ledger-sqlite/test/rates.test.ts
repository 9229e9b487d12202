import { type Clock, type RateLimit, rateUsedAt, systemClock } from '@searchgate/core/ledger';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type SqliteLedger, sqliteLedger } from '../src/index.js';
import { DRIVERS, type Handle } from './drivers.js';
import { chargeOf, grantOf, holdOf, times } from './requests.js';
import { createStorage, type Storage } from './storage.js';
import { watched } from './watched-database.js';

const NOW_MS = Date.UTC(2026, 10, 22, 12);
/** A third of a request drains in a millisecond that no double can tell exactly. */
const odd: RateLimit = { requests: 7, periodMs: 13_000 };
const organizationRateLimit: RateLimit = { requests: 3, periodMs: 86_400_000 };

let storage: Storage;
let database: Handle;
let ledger: SqliteLedger;
let nowMs: number;
const clock: Clock = { ...systemClock, now: () => nowMs };

beforeEach(async () => {
  nowMs = NOW_MS;
  storage = createStorage();
  database = storage.open();
  ledger = await storage.connect({ clock });
  await ledger.grant(grantOf({ amount: 10_000n }));
});
afterEach(() => storage.dispose());

function rowsOf(table: 'organization' | 'key'): unknown[] {
  return database.prepare(`SELECT id FROM searchgate_${table}_totals ORDER BY id`).all();
}

describe('a rate that is kept in the row of its key', () => {
  it('leaves no row behind for keys that were only refused', async () => {
    const request = (index: number) => ({ organizationId: 'acme', keyId: `key-${index}`, organizationRateLimit });
    for (const index of [1, 2, 3]) await ledger.admit(request(index));
    const rows = rowsOf('key');
    const limits = { keyRateLimit: odd, keyMaxConcurrent: 1 };
    const refused = await Promise.all([
      ...times(20, (index) => ledger.admit({ ...request(10 + index), ...limits })),
      ...times(20, (index) => ledger.hold(holdOf({ holdId: `hold-${index}`, ...request(30 + index), ...limits }))),
      ...times(20, (index) => ledger.hold(holdOf({ keyId: `poor-${index}`, amount: 20_000n, ...limits }))),
    ]);
    expect(refused.map(({ status }) => status)).toEqual(times(60, () => 'refused'));
    expect(rowsOf('key')).toEqual(rows);
    expect(rowsOf('organization')).toHaveLength(1);
  });

  it('leaves no row behind for requests without a limit', async () => {
    await ledger.admit({ organizationId: 'globex', keyId: 'key-1' });
    expect([rowsOf('organization').length, rowsOf('key').length]).toEqual([1, 0]);
  });

  it('stays there through holds, settles and expiries that name no rate', async () => {
    const request = { organizationId: 'acme', keyId: 'key-1', keyRateLimit: odd, organizationRateLimit };
    await ledger.admit(request);
    await ledger.hold(holdOf({ holdId: 'expires', expiresAtMs: 1 }));
    await ledger.hold(holdOf());
    await ledger.settle('hold-1', chargeOf());
    await ledger.expireHolds(1);
    await ledger.adjust({ adjustmentId: 'a', organizationId: 'acme', keyId: 'key-1', amount: 1n, note: '' });
    expect(await ledger.ratesUsed(request)).toEqual({ key: 1, organization: 1 });
  });

  it('counts on from what is stored where many requests share a transaction', async () => {
    const request = { organizationId: 'acme', keyId: 'key-1', keyRateLimit: { requests: 10, periodMs: 86_400_000 } };
    await ledger.admit(request);
    const results = await Promise.all(times(200, () => ledger.admit(request)));
    expect(results.filter(({ status }) => status === 'admitted')).toHaveLength(9);
    expect((await ledger.ratesUsed(request)).key).toBe(10);
  });
});

describe('what is used of a rate', () => {
  it('is read without a transaction that writes', async () => {
    const { database: seen, watch } = watched(database);
    const other = sqliteLedger({ database: seen, clock });
    await other.organizationTotals('acme');
    watch.statements.length = 0;
    await other.ratesUsed({ organizationId: 'acme', keyId: 'key-1', keyRateLimit: odd, organizationRateLimit });
    expect(watch.statements.map((sql) => sql.split(' ')[0])).toEqual(['BEGIN', 'SELECT', 'SELECT', 'SELECT', 'COMMIT']);
  });

  it.each(DRIVERS)('is the same to the last bit as in memory, over $name', async (driver) => {
    const own = createStorage(driver, clock);
    const handles = [await own.connect(), await own.connect()] as const;
    const request = { organizationId: 'acme', keyId: 'key-1', keyRateLimit: odd, organizationRateLimit: odd };
    let kept = { used: 0, atMs: nowMs };
    for (let turn = 0; turn < 120; turn += 1) {
      nowMs += (turn * turn * 37) % 1_901;
      const used = rateUsedAt(kept, odd, nowMs);
      const result = await handles[turn % 2 === 0 ? 0 : 1].admit(request);
      if (result.status === 'admitted') kept = { used: used + 1, atMs: nowMs };
      const expected = result.status === 'admitted' ? kept.used : used;
      expect(result.ratesUsed).toEqual({ key: expected, organization: expected });
    }
    await own.dispose();
  });
});
