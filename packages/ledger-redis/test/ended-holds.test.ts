import { createFakeClock } from '@searchgate/testing';
import { describe, expect, test } from 'vitest';
import type { RedisLedger } from '../src/index.js';
import { CHARGE, grantOf, holdOf, openLedger } from './open-ledger.js';
import { serverOrReason } from './with-redis.js';

const { server, suffix } = await serverOrReason();
const KEEP_MS = 60_000;
const LOSS = { model: 'exa/answer', provider: 'exa', cost: 3n, reason: 'upstream_error' };
const unknown = { reason: 'unknown_hold' };

describe.skipIf(server === undefined)(`ended holds${suffix}`, () => {
  if (server === undefined) return;
  const open = async () => {
    const clock = createFakeClock();
    const opened = await openLedger(server.url, { clock, endedHoldRetentionMs: KEEP_MS });
    await opened.ledger.grant(grantOf(1_000_000n));
    const remembered = async () => Number(await opened.command('HLEN', `{${opened.prefix}}:holds`)) - 1;
    const call = async (holdId: string) => {
      await opened.ledger.hold(holdOf(holdId, { expiresAtMs: clock.now() + KEEP_MS }));
      return opened.ledger.settle(holdId, CHARGE);
    };
    /** Ended holds are forgotten as others end, some at a time. */
    const callOthers = async (count: number) => {
      const name = `other-${clock.now()}`;
      for (let index = 0; index < count; index += 1) await call(`${name}-${index}`);
    };
    return { ...opened, clock, call, callOthers, remembered };
  };

  test('are remembered for as long as asked, and then forgotten as others end', async () => {
    const { ledger, clock, call, callOthers } = await open();
    await call('early');
    await clock.advance(KEEP_MS - 1);
    await call('later');
    await callOthers(8);
    expect(await ledger.settle('early', CHARGE)).toEqual({ status: 'settled', cost: 7n, first: false });
    await clock.advance(1);
    await callOthers(8);
    await expect(ledger.settle('early', CHARGE)).rejects.toMatchObject(unknown);
    expect((await ledger.settle('later', CHARGE)).first).toBe(false);
  });

  test('are forgotten as fast as others end, also after a rush', async () => {
    const { clock, call, callOthers, remembered } = await open();
    await Promise.all(Array.from({ length: 200 }, (_, index) => call(`rush-${index}`)));
    expect(await remembered()).toBe(200);
    await clock.advance(KEEP_MS);
    await callOthers(104);
    expect(await remembered()).toBe(104);
  });

  test.each([
    ['settle', (ledger: RedisLedger) => ledger.settle('late', CHARGE)],
    ['release', (ledger: RedisLedger) => ledger.release('late', { reason: 'failed', losses: [LOSS] })],
  ])('are remembered from their late %s on, not from their expiry', async (_, end) => {
    const { ledger, clock, callOthers } = await open();
    await ledger.hold(holdOf('late', { expiresAtMs: clock.now() }));
    await ledger.expireHolds(clock.now());
    await clock.advance(KEEP_MS - 1);
    expect((await end(ledger)).first).toBe(true);
    await clock.advance(1);
    await callOthers(8);
    expect((await end(ledger)).first).toBe(false);
    await clock.advance(KEEP_MS);
    await callOthers(8);
    await expect(end(ledger)).rejects.toMatchObject(unknown);
  });

  test('of a sweep are forgotten too, and open ones never', async () => {
    const { ledger, clock, callOthers, remembered } = await open();
    await ledger.hold(holdOf('open', { expiresAtMs: clock.now() + 10 * KEEP_MS }));
    await ledger.hold(holdOf('expired', { expiresAtMs: clock.now() }));
    expect(await ledger.expireHolds(clock.now())).toBe(1);
    // What the sweep itself has done is remembered as a hold is.
    expect(await remembered()).toBe(3);
    await clock.advance(KEEP_MS);
    await callOthers(8);
    expect(await remembered()).toBe(9);
    expect((await ledger.settle('open', CHARGE)).first).toBe(true);
    expect((await ledger.audit()).differences).toEqual([]);
  });
});
