import { isLedgerError } from '@searchgate/core/ledger';
import { createFakeClock, type FakeClock } from '@searchgate/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Handle } from '../../test/drivers.js';
import { chargeOf, grantOf, holdOf, times } from '../../test/requests.js';
import { createStorage, type Storage } from '../../test/storage.js';
import { type Watch, watched } from '../../test/watched-database.js';
import { type SqliteLedger, sqliteLedger } from '../index.js';

let storage: Storage;
let clock: FakeClock;
let ledger: SqliteLedger;
let database: Handle;
let watch: Watch;

beforeEach(async () => {
  clock = createFakeClock();
  storage = createStorage();
  ({ database, watch } = watched(storage.open()));
  ledger = sqliteLedger({ database, clock, busyTimeoutMs: 200 });
  await ledger.migrate();
  await ledger.grant(grantOf({ amount: 10_000n }));
  watch.statements.length = 0;
});

afterEach(async () => {
  await ledger.close();
  await storage.dispose();
});

const commits = () => watch.statements.filter((sql) => sql === 'COMMIT').length;
const totals = () => ledger.organizationTotals('acme');
const hold = (index: number) => ledger.hold(holdOf({ holdId: `hold-${index}` }));

/** What became of each, as a word. */
function outcomesOf(promises: readonly Promise<unknown>[]): Promise<unknown[]> {
  const word = (error: unknown) => (isLedgerError(error) ? error.reason : (error as Error).message);
  return Promise.all(promises.map((promise) => promise.then(() => 'done', word)));
}

/** Another process that is in the middle of a transaction. */
function lock(): Handle {
  const other = storage.open();
  other.exec('BEGIN IMMEDIATE');
  return other;
}

/** Until the ledger has found the database busy and waits for a timer. */
async function untilItWaits(): Promise<void> {
  for (let turn = 0; turn < 100 && clock.pendingTimers === 0; turn += 1) await new Promise(setImmediate);
  expect(clock.pendingTimers).toBe(1);
}

describe('group commit', () => {
  it('commits what is asked for in the same turn at once, and reads and writes each counter once', async () => {
    await Promise.all(times(64, hold));
    expect(commits()).toBe(1);
    const ofCounters = watch.statements.filter((sql) => sql.includes('_totals'));
    expect(ofCounters.map((sql) => sql.slice(0, 6))).toEqual(['SELECT', 'SELECT', 'INSERT', 'INSERT']);
    expect(await totals()).toEqual({ credits: 10_000n, usage: 0n, held: 640n });
  });

  it('shares a transaction between all kinds of operations that write', async () => {
    const claim = { keyId: 'key-1', idempotencyKey: 'order-17', claimId: 'claim-1' };
    const window = { nowMs: clock.now(), expiresAtMs: clock.now() + 60_000 };
    await Promise.all([
      ledger.grant(grantOf({ grantId: 'grant-2' })),
      hold(1),
      ledger.settle('hold-1', chargeOf()),
      ledger.apiKeys.insertOrganization({ id: 'acme', name: null, createdAtMs: 1, suspendedAtMs: null }),
      ledger.idempotency.claim({ ...claim, fingerprint: 'a'.repeat(64), ...window }),
    ]);
    expect(commits()).toBe(1);
  });

  it('commits many in batches, so that the event loop has turns in between', async () => {
    let turns = 0;
    const holds = times(300, hold);
    const all = Promise.all(holds);
    const count = (): void => {
      turns += 1;
      if (turns < 100) setImmediate(count);
    };
    void holds[0]?.then(() => setImmediate(count));
    await holds[299];
    expect(turns).toBeGreaterThan(0);
    await all;
    expect(commits()).toBe(3);
  });

  it('answers only after the commit', async () => {
    const seen: number[] = [];
    await Promise.all(times(3, (index) => hold(index).then(() => seen.push(commits()))));
    expect(seen).toEqual([1, 1, 1]);
  });

  it('lets a refused operation take no other with it', async () => {
    const holds = [
      hold(1),
      hold(1),
      ledger.settle('unknown', chargeOf()),
      hold(2),
      ledger.hold(holdOf({ amount: 20_000n, holdId: 'x' })),
    ];
    expect(await outcomesOf(holds)).toEqual(['done', 'duplicate_hold', 'unknown_hold', 'done', 'done']);
    expect(commits()).toBe(1);
    expect((await totals()).held).toBe(20n);
  });

  it('counts within a batch as it does between batches', async () => {
    const results = await Promise.all(
      times(200, (index) => ledger.hold(holdOf({ holdId: `hold-${index}`, keyLimit: 100n }))),
    );
    expect(results.filter(({ status }) => status === 'held')).toHaveLength(10);
  });
});

it('neither reads nor writes where the schema is not this package’s', async () => {
  storage.open().exec('UPDATE searchgate_schema SET version = 99, readable_from = 99');
  expect(await outcomesOf([hold(1), totals()])).toEqual(['schema_mismatch', 'schema_mismatch']);
});

describe('an error of the engine', () => {
  it('fails only the operation at fault', async () => {
    database.exec(`CREATE TRIGGER guilty BEFORE INSERT ON searchgate_holds WHEN NEW.id = 'hold-3'
      BEGIN SELECT RAISE (ABORT, 'not this one'); END`);
    expect(await outcomesOf(times(5, hold))).toEqual(['done', 'done', 'done', 'not this one', 'done']);
    expect(await totals()).toEqual({ credits: 10_000n, usage: 0n, held: 40n });
    expect((await ledger.audit()).differences).toEqual([]);
  });

  it('leaves nothing of an operation that found no room on the disk, and stops nothing after it', async () => {
    const { page_count: pages } = database.prepare('PRAGMA page_count').get() as { page_count: number };
    database.exec(`PRAGMA max_page_count = ${pages}`);
    const note = 'x'.repeat(1_000);
    const grants = times(20, (index) => ledger.grant(grantOf({ grantId: `note-${index}`, note })));
    const outcomes = await outcomesOf(grants);
    expect(outcomes).toContain('database or disk is full');
    database.exec('PRAGMA max_page_count = 1000000');
    const applied = outcomes.filter((outcome) => outcome === 'done').length;
    expect((await totals()).credits).toBe(10_000n + 100n * BigInt(applied));
    expect((await ledger.audit()).differences).toEqual([]);
    const again = await Promise.all(times(20, (index) => ledger.grant(grantOf({ grantId: `note-${index}`, note }))));
    expect(again.filter((result) => result.applied)).toHaveLength(20 - applied);
  });

  it('may come with the commit itself: then nothing has happened, and the operation may be repeated', async () => {
    let failures = 0;
    watch.before = (sql) => {
      if (sql === 'COMMIT' && failures++ < 2) throw new Error('disk I/O error');
    };
    // The first failure is of the batch, the second of the first operation's own transaction.
    expect(await outcomesOf([hold(1), hold(2)])).toEqual(['disk I/O error', 'done']);
    expect((await totals()).held).toBe(10n);
    expect(await outcomesOf([hold(1)])).toEqual(['done']);
  });
});

describe('while another process writes', () => {
  it('waits without blocking the event loop, and collects what is asked for in that time', async () => {
    const other = lock();
    const early = hold(1);
    await untilItWaits();
    const late = hold(2);
    other.exec('COMMIT');
    await clock.advance(100);
    expect(await outcomesOf([early, late])).toEqual(['done', 'done']);
    expect(commits()).toBe(1);
  });

  it('gives up in the end with the engine’s own error, having changed nothing', async () => {
    const other = lock();
    const outcome = outcomesOf([hold(1)]);
    await untilItWaits();
    for (let waited = 0; waited < 300; waited += 10) await clock.advance(10);
    expect(await outcome).toEqual(['database is locked']);
    other.exec('COMMIT');
    expect((await totals()).held).toBe(0n);
    expect(await outcomesOf([hold(1)])).toEqual(['done']);
  });

  it('stays away longer each time, up to 8 ms', async () => {
    const delays: number[] = [];
    const schedule: FakeClock['schedule'] = (delayMs, work) => {
      delays.push(delayMs);
      return clock.schedule(delayMs, work);
    };
    const waiting = sqliteLedger({ database: storage.open(), clock: { ...clock, schedule }, busyTimeoutMs: 200 });
    const other = lock();
    const granted = waiting.grant(grantOf({ grantId: 'grant-2' }));
    await untilItWaits();
    for (let waited = 0; waited < 30; waited += 1) await clock.advance(1);
    other.exec('COMMIT');
    await clock.advance(8);
    await granted;
    // Half of each is random.
    for (const [index, longest] of [1, 2, 4, 8, 8].entries()) {
      expect(delays[index]).toBeGreaterThanOrEqual(longest / 2);
      expect(delays[index]).toBeLessThanOrEqual(longest);
    }
  });

  it('goes on reading', async () => {
    const other = lock();
    expect((await totals()).credits).toBe(10_000n);
    expect((await ledger.entries()).entries).toHaveLength(1);
    other.exec('COMMIT');
  });

  it('flushes on close what still waits', async () => {
    const other = lock();
    const held = hold(1);
    await untilItWaits();
    const closing = ledger.close();
    await expect(hold(2)).rejects.toMatchObject({ reason: 'ledger_closed' });
    other.exec('COMMIT');
    await clock.advance(100);
    await closing;
    expect(await outcomesOf([held])).toEqual(['done']);
  });
});
