import { createFakeClock, type FakeClock } from '@searchgate/testing';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { chargeOf, grantOf, holdOf, times } from '../../test/requests.js';
import { createStorage, type Storage } from '../../test/storage.js';
import type { SqliteLedger } from '../index.js';

const DAY_MS = 86_400_000;
let storage: Storage;
let clock: FakeClock;
let ledger: SqliteLedger;

beforeEach(async () => {
  clock = createFakeClock();
  storage = createStorage();
  ledger = await storage.connect({ clock, endedHoldRetentionMs: DAY_MS });
  await ledger.grant(grantOf({ amount: 100_000n }));
});
afterEach(() => storage.dispose());

const rowsOf = (table: string) =>
  (storage.open().prepare(`SELECT count(*) AS rows FROM ${table}`).get() as { rows: number }).rows;

it('ends more holds than fit into one transaction, each once, while another process sweeps too', async () => {
  const expiresAtMs = clock.now() + 1_000;
  await Promise.all(
    times(450, (index) => ledger.hold(holdOf({ holdId: `hold-${index}`, expiresAtMs: expiresAtMs + (index % 3) }))),
  );
  const other = await storage.connect({ clock });
  const counts = await Promise.all([
    ledger.expireHolds(expiresAtMs + 1),
    other.expireHolds(expiresAtMs + 1),
    ledger.expireHolds(expiresAtMs + 1),
  ]);
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(300);
  expect(await ledger.organizationTotals('acme')).toMatchObject({ held: 1_500n });
  expect((await ledger.entries({ limit: 1_000 })).entries).toHaveLength(301);
  expect((await ledger.audit()).differences).toEqual([]);
});

it('remembers ended holds for as long as configured, then forgets them', async () => {
  for (const holdId of ['settled', 'released', 'expired', 'open']) {
    await ledger.hold(holdOf({ holdId, ...(holdId === 'expired' && { expiresAtMs: clock.now() }) }));
  }
  await ledger.settle('settled', chargeOf());
  await ledger.release('released', { reason: 'failed' });
  await ledger.expireHolds(clock.now());
  await clock.advance(DAY_MS);
  await ledger.expireHolds(clock.now());
  expect(await ledger.settle('settled', chargeOf())).toMatchObject({ status: 'settled', first: false });
  expect(await ledger.findHold('settled')).toMatchObject({ status: 'settled', provider: 'exa' });
  await clock.advance(1);
  await ledger.expireHolds(clock.now());
  for (const holdId of ['settled', 'released', 'expired']) {
    await expect(ledger.settle(holdId, chargeOf())).rejects.toMatchObject({ reason: 'unknown_hold' });
    expect(await ledger.findHold(holdId)).toBeUndefined();
  }
  expect(rowsOf('searchgate_holds')).toBe(1);
  expect(await ledger.settle('open', chargeOf())).toMatchObject({ first: true });
  expect((await ledger.audit()).differences).toEqual([]);
});

/** Holds that ended long ago, each in a millisecond of its own. */
function addOldHolds(count: number): void {
  storage.open().exec(`WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count})
    INSERT INTO searchgate_holds (id, organization_id, key_id, model, amount, expires_at_ms, status, created_at_ms, ended_at_ms)
      SELECT 'old-' || n, 'acme', 'key-1', 'exa/answer', 1, 1, 'released', n, n FROM numbers`);
}

it('forgets old holds in bounded batches, the rest with later sweeps', async () => {
  addOldHolds(2_500);
  await ledger.expireHolds(clock.now());
  expect(rowsOf('searchgate_holds')).toBe(500);
  await ledger.expireHolds(clock.now());
  expect(rowsOf('searchgate_holds')).toBe(0);
});

it('forgets two old holds for each new one, so that no rate is too high', async () => {
  addOldHolds(10_000);
  const holdIds = times(1_000, (index) => `hold-${index}`);
  await Promise.all(holdIds.map((holdId) => ledger.hold(holdOf({ holdId }))));
  await Promise.all(holdIds.map((holdId) => ledger.release(holdId, { reason: 'failed' })));
  expect(rowsOf('searchgate_holds')).toBeLessThanOrEqual(9_000);
});

it('forgets no more with a transaction than it has operations, and a few that were in those before', async () => {
  addOldHolds(1_000);
  await Promise.all(times(128, (index) => ledger.hold(holdOf({ holdId: `hold-${index}` }))));
  expect(rowsOf('searchgate_holds')).toBeGreaterThanOrEqual(1_128 - 227);
  await Promise.all(times(99, (index) => ledger.hold(holdOf({ holdId: `more-${index}` }))));
  expect(rowsOf('searchgate_holds')).toBeGreaterThanOrEqual(1_227 - 227);
});

it('forgets twice what it ends where a process only sweeps', async () => {
  addOldHolds(10_000);
  const expiresAtMs = clock.now();
  await Promise.all(times(3_000, (index) => ledger.hold(holdOf({ holdId: `hold-${index}`, expiresAtMs }))));
  const other = await storage.connect({ clock, endedHoldRetentionMs: DAY_MS });
  const before = rowsOf('searchgate_holds');
  expect(await other.expireHolds(expiresAtMs)).toBe(3_000);
  expect(before - rowsOf('searchgate_holds')).toBeGreaterThanOrEqual(6_000);
});

it('forgets claims and responses some time after they have ended', async () => {
  const name = { keyId: 'key-1', idempotencyKey: 'order-17', claimId: 'claim-1', fingerprint: 'a'.repeat(64) };
  const nowMs = clock.now();
  const request = { ...name, nowMs, expiresAtMs: nowMs + 1_000 };
  await ledger.idempotency.claim(request);
  await ledger.idempotency.claim({ ...request, idempotencyKey: 'order-18' });
  await ledger.idempotency.complete(name, { status: 200, body: '{}' }, nowMs + DAY_MS);
  await clock.advance(DAY_MS - 1);
  await ledger.expireHolds(clock.now());
  expect(rowsOf('searchgate_claims')).toBe(1);
  expect(await ledger.idempotency.claim({ ...request, claimId: 'late', nowMs: clock.now() })).toMatchObject({
    status: 'finished',
  });
  await clock.advance(DAY_MS);
  await ledger.expireHolds(clock.now());
  expect(rowsOf('searchgate_claims')).toBe(0);
});
