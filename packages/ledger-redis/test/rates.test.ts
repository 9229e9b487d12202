import { type AdmitRequest, type RateLimit, rateUsedAt } from '@searchgate/core/ledger';
import { createFakeClock } from '@searchgate/testing';
import { describe, expect, test } from 'vitest';
import { CHARGE, grantOf, holdOf, openLedger } from './open-ledger.js';
import { serverOrReason } from './with-redis.js';

const { server, suffix } = await serverOrReason();
/** What drains of it in a millisecond no double can tell exactly. */
const odd: RateLimit = { requests: 7, periodMs: 13_000 };
const threeADay: RateLimit = { requests: 3, periodMs: 86_400_000 };
const acme = { organizationId: 'acme', keyId: 'key-1' };
const HOUR_MS = 3_600_000;

describe.skipIf(server === undefined)(`a rate in the book of its subject${suffix}`, () => {
  if (server === undefined) return;
  const open = async () => {
    // A clock that can be set back as well.
    let nowMs = Date.UTC(2026, 10, 22, 12);
    const clock = { ...createFakeClock(), now: () => nowMs };
    const opened = await openLedger(server.url, { clock });
    await opened.ledger.grant(grantOf(10_000n));
    const rateOf = async (book: 'org-counters' | 'key-counters', id: string) =>
      String(await opened.command('HGET', `{${opened.prefix}}:${book}`, id)).split(' ')[2];
    const pass = (ms: number) => {
      nowMs += ms;
    };
    return { ...opened, rateOf, pass, now: () => nowMs };
  };
  const admit = async ({ ledger }: Awaited<ReturnType<typeof open>>, request: AdmitRequest) => {
    const result = await ledger.admit(request);
    return result.status === 'refused' ? result.by : result.status;
  };

  test('is the same to the last bit as in memory', async () => {
    const { ledger, pass, now } = await open();
    const request = { ...acme, keyRateLimit: odd, organizationRateLimit: odd };
    let kept = { used: 0, atMs: now() };
    for (let turn = 0; turn < 120; turn += 1) {
      pass((turn * turn * 37) % 1_901);
      const used = rateUsedAt(kept, odd, now());
      const held = turn % 2 === 0;
      const result = held ? await ledger.admit(request) : await ledger.hold(holdOf(`hold-${turn}`, request));
      const isIn = result.status !== 'refused';
      if (isIn) kept = { used: used + 1, atMs: now() };
      const expected = isIn ? kept.used : used;
      expect(result.ratesUsed).toEqual({ key: expected, organization: expected });
      expect(await ledger.ratesUsed(request)).toEqual({ key: expected, organization: expected });
    }
  });

  test('makes no book for a key that was only refused, nor for requests without a limit', async () => {
    const opened = await open();
    const { ledger, prefix, command } = opened;
    for (const keyId of ['a', 'b', 'c']) await ledger.admit({ ...acme, keyId, organizationRateLimit: threeADay });
    const limits = { keyRateLimit: odd, organizationRateLimit: threeADay, keyMaxConcurrent: 1 };
    for (const keyId of ['d', 'e', 'f']) {
      expect(await admit(opened, { ...acme, keyId, ...limits })).toBe('organization_rate');
      expect(await ledger.hold(holdOf('hold-1', { keyId, ...limits }))).toMatchObject({ by: 'organization_rate' });
      const dear = holdOf('hold-1', { keyId, amount: 20_000n, keyRateLimit: odd });
      expect(await ledger.hold(dear)).toMatchObject({ by: 'organization_credits', ratesUsed: { key: 0 } });
    }
    await ledger.admit({ organizationId: 'globex', keyId: 'g' });
    // Each has a field that keeps it there.
    expect(await command('HLEN', `{${prefix}}:key-counters`)).toBe(1);
    expect(await command('HLEN', `{${prefix}}:org-counters`)).toBe(2);
  });

  test('stays through holds, endings and corrections that name no rate', async () => {
    const { ledger, rateOf } = await open();
    const request = { ...acme, keyRateLimit: odd, organizationRateLimit: threeADay };
    await ledger.admit(request);
    const before = [await rateOf('key-counters', 'key-1'), await rateOf('org-counters', 'acme')];
    await ledger.hold(holdOf('expires', { expiresAtMs: 1 }));
    for (const holdId of ['settled', 'released']) await ledger.hold(holdOf(holdId));
    await ledger.settle('settled', CHARGE);
    await ledger.release('released', { reason: 'failed' });
    await ledger.expireHolds(1);
    await ledger.adjust({ adjustmentId: 'a', ...acme, amount: 1n, note: '' });
    await ledger.grant(grantOf(1n, 'grant-2'));
    expect([await rateOf('key-counters', 'key-1'), await rateOf('org-counters', 'acme')]).toEqual(before);
  });

  /** One an hour drains of it. */
  const hourly = { ...acme, keyRateLimit: { requests: 3, periodMs: 3 * 3_600_000 } };
  const useAll = async (opened: Awaited<ReturnType<typeof open>>) => {
    for (let time = 0; time < 3; time += 1) expect(await admit(opened, hourly)).toBe('admitted');
  };

  test('drains nothing when the clock is set back, then from its new time on, although requests were refused', async () => {
    const opened = await open();
    await useAll(opened);
    opened.pass(-24 * HOUR_MS);
    expect(await opened.ledger.ratesUsed(hourly)).toEqual({ key: 3, organization: null });
    expect(await admit(opened, hourly)).toBe('key_rate');
    opened.pass(HOUR_MS - 1_000);
    expect(await admit(opened, hourly)).toBe('key_rate');
    opened.pass(1_000);
    expect(await admit(opened, hourly)).toBe('admitted');
    expect(await admit(opened, hourly)).toBe('key_rate');
  });

  for (const [refuser, changes] of [
    ['organization_credits', { amount: 20_000n }],
    ['key_limit', { keyLimit: 1n }],
    ['organization_rate', { organizationRateLimit: { requests: 1, periodMs: 86_400_000 } }],
    ['key_concurrency', { keyMaxConcurrent: 1 }],
  ] as const) {
    test(`drains from the new time of a clock that was set back where ${refuser} refused a hold`, async () => {
      const opened = await open();
      const { ledger, pass } = opened;
      await useAll(opened);
      await ledger.hold(holdOf('open', { organizationRateLimit: threeADay }));
      pass(-24 * HOUR_MS);
      const higher = { requests: 4, periodMs: 4 * 3_600_000 };
      const refused = await ledger.hold(holdOf('new', { keyRateLimit: higher, ...changes }));
      expect(refused).toMatchObject({ by: refuser, ratesUsed: { key: 3 } });
      pass(2 * HOUR_MS);
      expect((await ledger.ratesUsed(hourly)).key).toBe(1);
    });
  }
});
