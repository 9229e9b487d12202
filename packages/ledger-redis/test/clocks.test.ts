import { describe, expect, test, vi } from 'vitest';
import { CHARGE, grantOf, holdOf, openLedger } from './open-ledger.js';
import { serverOrReason } from './with-redis.js';

const { server, suffix } = await serverOrReason();
const HOUR_MS = 3_600_000;
const realNow = Date.now;

/** Does something as a process whose clock is wrong. */
async function skewedBy<T>(skewMs: number, act: () => Promise<T>): Promise<T> {
  vi.spyOn(Date, 'now').mockImplementation(() => realNow() + skewMs);
  try {
    return await act();
  } finally {
    vi.restoreAllMocks();
  }
}

describe.skipIf(server === undefined)(`where clocks disagree${suffix}`, () => {
  if (server === undefined) return;
  const open = async () => {
    const opened = await openLedger(server.url);
    await opened.ledger.grant(grantOf(100n));
    return opened.ledger;
  };

  for (const skewMs of [-HOUR_MS, HOUR_MS]) {
    test(`a hold of a process ${skewMs} ms off lasts as long as it asked for, on the clock of every process`, async () => {
      const ledger = await open();
      await skewedBy(skewMs, () => ledger.hold(holdOf('hold-1', { expiresAtMs: Date.now() + 60_000 })));
      expect(await ledger.expireHolds(Date.now() + 50_000)).toBe(0);
      expect(await skewedBy(-skewMs, () => ledger.expireHolds(Date.now() + 50_000))).toBe(0);
      expect(await ledger.expireHolds(Date.now() + 70_000)).toBe(1);
    });

    test(`a sweep of a process ${skewMs} ms off ends what is due and nothing else`, async () => {
      const ledger = await open();
      await ledger.hold(holdOf('due', { expiresAtMs: Date.now() - 1 }));
      await ledger.hold(holdOf('not-due', { expiresAtMs: Date.now() + 60_000 }));
      expect(await skewedBy(skewMs, () => ledger.expireHolds(Date.now()))).toBe(1);
    });

    test(`entries of a process ${skewMs} ms off carry the server's time`, async () => {
      const ledger = await open();
      await skewedBy(skewMs, async () => {
        await ledger.hold(holdOf('hold-1'));
        await ledger.settle('hold-1', CHARGE);
      });
      const { entries } = await ledger.entries();
      for (const { atMs } of entries) expect(Math.abs(atMs - realNow())).toBeLessThan(HOUR_MS / 2);
    });

    test(`a claim of a process ${skewMs} ms off runs out for all processes at the same time`, async () => {
      const { idempotency } = await open();
      const claimAt = (claimId: string, laterMs: number) =>
        idempotency.claim({
          keyId: 'key-1',
          idempotencyKey: 'order-17',
          claimId,
          fingerprint: 'a'.repeat(64),
          nowMs: Date.now() + laterMs,
          expiresAtMs: Date.now() + laterMs + 60_000,
        });
      expect(await skewedBy(skewMs, () => claimAt('one', 0))).toEqual({ status: 'claimed' });
      expect(await claimAt('two', 50_000)).toEqual({ status: 'in_progress' });
      expect(await claimAt('two', 70_000)).toEqual({ status: 'claimed' });
    });
  }

  test('claims and responses are forgotten by themselves', async () => {
    const { ledger, prefix, command } = await openLedger(server.url);
    const lifeOf = async (name: string) => Number(await command('PTTL', `{${prefix}}:${name}`));
    const claim = { keyId: 'key-1', idempotencyKey: 'order-17', claimId: 'one', fingerprint: 'a'.repeat(64) };
    const nowMs = Date.now();
    await ledger.idempotency.claim({ ...claim, nowMs, expiresAtMs: nowMs + HOUR_MS });
    expect(await lifeOf('claim:key-1 order-17')).toBeGreaterThan(HOUR_MS - 60_000);
    await ledger.idempotency.complete(claim, { status: 200, body: '' }, nowMs + 24 * HOUR_MS);
    expect(await lifeOf('claim:key-1 order-17')).toBeGreaterThan(23 * HOUR_MS);
  });
});
