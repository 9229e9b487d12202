import { createFakeClock } from '@searchgate/testing';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { PostgresLedger } from '../src/index.js';
import { migratedDatabase } from './migrated-database.js';
import { adjustmentOf, chargeOf, grantOf, holdOf } from './requests.js';

const database = migratedDatabase();
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

afterEach(() => {
  vi.useRealTimers();
});

/** Lets this process believe that it is earlier or later than the server says; timers go on as before. */
function shiftProcessClock(byMs: number): void {
  const realNow = performance.timeOrigin + performance.now();
  vi.useFakeTimers({ toFake: ['Date'], now: Math.round(realNow + byMs) });
}

async function serverNow(): Promise<number> {
  const [row] = await database().run('SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::text AS now');
  return Number(row?.['now']);
}

describe('the clock of the server', () => {
  it.each([-HOUR_MS, HOUR_MS])('stamps entries although the process is %i ms off', async (byMs) => {
    const ledger = database().ledger();
    const beforeMs = await serverNow();
    shiftProcessClock(byMs);
    await ledger.grant(grantOf());
    const [entry] = (await ledger.entries()).entries;
    expect(entry?.atMs).toBeGreaterThanOrEqual(beforeMs);
    expect(entry?.atMs).toBeLessThanOrEqual(await serverNow());
  });

  it('keeps a process that is ahead from ending the holds of others early', async () => {
    const ledger = database().ledger();
    await ledger.grant(grantOf());
    await ledger.hold(holdOf({ expiresAtMs: Date.now() + 60_000 }));
    shiftProcessClock(HOUR_MS);
    expect(await ledger.expireHolds(Date.now())).toBe(0);
    expect(await ledger.expireHolds(Date.now() + 120_000)).toBe(1);
  });

  it('lets the holds of a process that is ahead or behind end when they would anyway', async () => {
    const ledger = database().ledger();
    await ledger.grant(grantOf());
    for (const byMs of [HOUR_MS, -HOUR_MS]) {
      shiftProcessClock(byMs);
      await ledger.hold(holdOf({ holdId: `hold-${byMs}`, expiresAtMs: Date.now() + 60_000 }));
      vi.useRealTimers();
    }
    expect(await ledger.expireHolds(Date.now())).toBe(0);
    expect(await ledger.expireHolds(Date.now() + 120_000)).toBe(2);
  });

  it('drains rates, whatever a process believes', async () => {
    const ledger = database().ledger();
    const request = { organizationId: 'acme', keyId: 'key-1', keyRateLimit: { requests: 1, periodMs: 600_000 } };
    expect((await ledger.admit(request)).status).toBe('admitted');
    for (const byMs of [HOUR_MS, -HOUR_MS]) {
      shiftProcessClock(byMs);
      expect((await ledger.admit(request)).status).toBe('refused');
      expect((await ledger.ratesUsed(request)).key).toBeGreaterThan(0.9);
    }
  });

  it('decides when a claim is over, whatever the process believes', async () => {
    const { idempotency } = database().ledger();
    const claimOf = (claimId: string, nowMs = Date.now()) => ({
      keyId: 'key-1',
      idempotencyKey: 'order-17',
      claimId,
      fingerprint: 'a'.repeat(64),
      nowMs,
      expiresAtMs: nowMs + 60_000,
    });
    expect(await idempotency.claim(claimOf('claim-1'))).toEqual({ status: 'claimed' });
    shiftProcessClock(HOUR_MS);
    expect(await idempotency.claim(claimOf('claim-2'))).toEqual({ status: 'in_progress' });
    expect(await idempotency.claim(claimOf('claim-3', Date.now() + 120_000))).toEqual({ status: 'claimed' });
  });
});

describe('a clock that is set back', () => {
  it('sets back neither the times of entries nor the windows of a limit', async () => {
    const clock = createFakeClock(Date.UTC(2026, 10, 21, 0, 30));
    const ledger = database().ledger({ clock });
    await ledger.grant(grantOf());
    await ledger.hold(holdOf());
    await ledger.settle('hold-1', chargeOf());
    const behind = createFakeClock(clock.now() - HOUR_MS);
    const other = database().ledger({ clock: behind });
    await other.adjust(adjustmentOf({ keyId: 'key-1' }));
    expect(await other.keyTotals('key-1', 'daily')).toEqual({
      usage: 12n,
      held: 0n,
      windowUsage: 12n,
      resetsAtMs: expect.any(Number) as number,
    });
    const refused = await other.hold(holdOf({ holdId: 'next', keyLimit: 20n, keyLimitReset: 'daily' }));
    expect(refused).toMatchObject({ status: 'refused', usage: 12n, resetsAtMs: Date.UTC(2026, 10, 22) });
    await other.hold(holdOf({ holdId: 'behind' }));
    await other.settle('behind', chargeOf());
    const times = (await ledger.entries({ organizationId: 'acme' })).entries.map(({ atMs }) => atMs - clock.now());
    expect(times).toEqual([0, 0, 0, 0]);
    expect((await ledger.audit()).differences).toEqual([]);
  });
});

describe('a rate, where the clock is set back', () => {
  const limits = {
    keyRateLimit: { requests: 3, periodMs: 3_000 },
    organizationRateLimit: { requests: 3, periodMs: 3_000 },
  };
  /** With room for more, and as fast. */
  const loose = {
    keyRateLimit: { requests: 6, periodMs: 6_000 },
    organizationRateLimit: { requests: 6, periodMs: 6_000 },
  };
  const request = { organizationId: 'acme', keyId: 'key-1', ...limits };

  async function useAll() {
    const ahead = createFakeClock();
    const behind = createFakeClock(ahead.now() - HOUR_MS);
    const ledger = database().ledger({ clock: ahead });
    await ledger.grant(grantOf());
    for (let count = 0; count < 3; count += 1) await ledger.admit(request);
    return { behind, ledger: database().ledger({ clock: behind }) };
  }

  it.each<[string, (ledger: PostgresLedger) => Promise<{ readonly status: string }>]>([
    ['an admission', (ledger) => ledger.admit(request)],
    ['a hold that its rate refuses', (ledger) => ledger.hold(holdOf(limits))],
    ['a hold that its limit refuses', (ledger) => ledger.hold(holdOf({ ...limits, ...loose, keyLimit: 0n }))],
  ])('drains from the new time on once %s is refused', async (_name, ask) => {
    const { ledger, behind } = await useAll();
    expect(await ledger.ratesUsed(request)).toEqual({ key: 3, organization: 3 });
    expect((await ask(ledger)).status).toBe('refused');
    await behind.advance(1_000);
    expect(await ledger.ratesUsed(request)).toEqual({ key: 2, organization: 2 });
    expect((await ledger.admit(request)).status).toBe('admitted');
    expect((await ledger.admit(request)).status).toBe('refused');
  });
});

describe('endedHoldRetentionMs', () => {
  it('is how long a repeated ending gets the first one; a charge is never made twice', async () => {
    const clock = createFakeClock();
    const ledger = database().ledger({ clock, endedHoldRetentionMs: DAY_MS });
    await ledger.grant(grantOf());
    const expiresAtMs = clock.now() + 30 * DAY_MS;
    for (const holdId of ['settled', 'released', 'open']) await ledger.hold(holdOf({ holdId, expiresAtMs }));
    await ledger.settle('settled', chargeOf());
    await ledger.release('released', { reason: 'failed' });
    await clock.advance(DAY_MS);
    await ledger.expireHolds(clock.now());
    expect(await ledger.settle('settled', chargeOf())).toMatchObject({ status: 'settled', first: false });

    await clock.advance(1);
    await ledger.expireHolds(clock.now());
    for (const holdId of ['settled', 'released']) {
      await expect(ledger.settle(holdId, chargeOf())).rejects.toMatchObject({ reason: 'unknown_hold' });
    }
    await expect(ledger.hold(holdOf({ holdId: 'settled' }))).rejects.toMatchObject({ reason: 'duplicate_hold' });
    expect(await ledger.settle('open', chargeOf())).toMatchObject({ status: 'settled', first: true });
    expect((await ledger.audit()).differences).toEqual([]);
  });

  it('forgets more than one batch in a sweep, and claims that are over', async () => {
    const clock = createFakeClock();
    const ledger = database().ledger({ clock, endedHoldRetentionMs: 0 });
    await database().run(`INSERT INTO searchgate.holds (hold_id, organization_id, key_id, amount, model, expires_at_ms, token, status, ended_at_ms, created_at_ms)
      SELECT 'old-' || n, 'acme', 'key-1', 0, 'm', 1, gen_random_uuid(), 'released', 1, 1 FROM generate_series(1, 2500) n`);
    await database().run(
      `INSERT INTO searchgate.claims (key_id, idempotency_key, claim_id, fingerprint, until_ms)
      SELECT 'key-1', 'name-' || n, 'claim', 'f', CASE WHEN n = 1 THEN $1::int8 + 1 ELSE $1 - 1 END FROM generate_series(1, 1200) n`,
      [clock.now()],
    );
    await ledger.expireHolds(clock.now());
    expect(await database().run('SELECT FROM searchgate.holds')).toEqual([]);
    expect(await database().run('SELECT idempotency_key FROM searchgate.claims')).toEqual([
      { idempotency_key: 'name-1' },
    ]);
  });
});
