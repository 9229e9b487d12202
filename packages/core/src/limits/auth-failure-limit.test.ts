import { createFakeClock, type FakeClock } from '@searchgate/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isRequestError, RequestError } from '../base/errors/request-error.js';
import { createAuthFailureLimit } from './auth-failure-limit.js';

const TIMEOUT_MS = 5_000;
const HERE = '192.0.2.1';

function start(failuresPerMinute: number, clock: FakeClock = createFakeClock()) {
  return { clock, limit: createAuthFailureLimit({ failuresPerMinute, timeoutMs: TIMEOUT_MS, clock }) };
}

const FAILURE = new RequestError('invalid_api_key');
const fail = () => Promise.reject(FAILURE);
const succeed = () => Promise.resolve('in');

/** What an attempt came to: `in`, or the reason of its error. */
const came = (attempt: Promise<string>): Promise<string> =>
  attempt.catch((error: unknown) => (isRequestError(error) ? error.reason : String(error)));

/** Attempts that a test ends one by one. */
function held() {
  const ends: { succeed(): void; fail(): void }[] = [];
  const attempt = () =>
    new Promise<string>((resolve, reject) => {
      ends.push({ succeed: () => resolve('in'), fail: () => reject(new RequestError('invalid_api_key')) });
    });
  return { ends, attempt };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

function tally(outcomes: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const outcome of outcomes) counts[outcome] = (counts[outcome] ?? 0) + 1;
  return counts;
}

describe('createAuthFailureLimit', () => {
  it('says to those who fail beyond the limit when to come again, and lets those in who do not', async () => {
    const { limit, clock } = start(3);
    for (let failure = 0; failure < 3; failure += 1) expect(await came(limit.run(HERE, fail))).toBe('invalid_api_key');
    const refused = limit.run(HERE, fail);
    await expect(refused).rejects.toMatchObject({ reason: 'auth_rate_limited', status: 429, retryAfterMs: 20_000 });
    expect(limit.refuse(HERE, FAILURE)).toMatchObject({ reason: 'auth_rate_limited', retryAfterMs: 20_000 });
    expect(await came(limit.run(HERE, succeed))).toBe('in');
    await clock.advance(19_999);
    expect(await came(limit.run(HERE, fail))).toBe('auth_rate_limited');
    await clock.advance(1);
    expect(limit.refuse(HERE, FAILURE)).toBe(FAILURE);
    expect(await came(limit.run(HERE, fail))).toBe('auth_rate_limited');
  });

  it('counts each group on its own', async () => {
    const { limit } = start(1);
    expect(await came(limit.run(HERE, fail))).toBe('invalid_api_key');
    expect(await came(limit.run('192.0.2.2', fail))).toBe('invalid_api_key');
    expect(await came(limit.run(HERE, fail))).toBe('auth_rate_limited');
  });

  it.each([
    ['a good caller', succeed, 'in'],
    ['a suspended organization', refuse('organization_suspended'), 'organization_suspended'],
    ['a store that is down', refuse('ledger_unavailable'), 'ledger_unavailable'],
    ['a hook that fails', refuse('hook_failed'), 'hook_failed'],
    ['a bug', () => Promise.reject(new Error('bug')), 'Error: bug'],
  ])('does not count %s', async (_name, attempt: () => Promise<string>, outcome) => {
    const { limit } = start(1);
    for (let call = 0; call < 5; call += 1) expect(await came(limit.run(HERE, attempt))).toBe(outcome);
  });

  it('lets those who do not fail in, however many fail before them, and never more than 16 beyond the limit at once', async () => {
    const { limit, clock } = start(3);
    let underWay = 0;
    let most = 0;
    const counted = (attempt: () => Promise<string>) => async () => {
      most = Math.max(most, (underWay += 1));
      return turn()
        .then(attempt)
        .finally(() => (underWay -= 1));
    };
    const failing = Array.from({ length: 1_000 }, () => came(limit.run(HERE, counted(fail))));
    const good = Array.from({ length: 100 }, () => came(limit.run(HERE, counted(succeed))));
    await clock.advance(2_000);
    expect(tally(await Promise.all(failing))).toEqual({ invalid_api_key: 3, auth_rate_limited: 997 });
    expect(tally(await Promise.all(good))).toEqual({ in: 100 });
    expect(most).toBe(3 + 16);
  });

  it('begins no more than 1,000 a second beyond the limit, in the order they came', async () => {
    const { limit, clock } = start(1);
    await came(limit.run(HERE, fail));
    const begun: number[] = [];
    for (let index = 0; index < 1_500; index += 1) void limit.run(HERE, () => (begun.push(index), succeed()));
    await clock.advance(999);
    expect(begun).toEqual(Array.from({ length: begun.length }, (_, index) => index));
    expect(begun.length).toBeGreaterThan(900);
    expect(begun.length).toBeLessThanOrEqual(1_008);
  });

  it('gives each group its turn: a flood of one makes no other wait', async () => {
    const { limit, clock } = start(1);
    for (const group of [HERE, 'other']) await came(limit.run(group, fail));
    for (let index = 0; index < 1_900; index += 1) void came(limit.run(HERE, fail));
    const other = came(limit.run('other', succeed));
    await clock.advance(16);
    expect(await Promise.race([other, turn()])).toBe('in');
  });

  it('gives up on a turn that does not come in time, and gives the next to those in line', async () => {
    const { limit, clock } = start(1);
    await came(limit.run(HERE, fail));
    const { ends, attempt } = held();
    for (let index = 0; index < 16; index += 1) void limit.run(HERE, attempt);
    const late = limit.run(HERE, attempt).catch((error: unknown) => error);
    await clock.advance(1_000);
    const next = came(limit.run(HERE, attempt));
    await clock.advance(TIMEOUT_MS - 1_000);
    expect(await late).toMatchObject({ reason: 'overloaded', retryAfterMs: 1_000 });
    ends[0]?.succeed();
    await turn();
    expect(ends).toHaveLength(17);
    ends[16]?.succeed();
    expect(await next).toBe('in');
  });

  it('lets a bounded number wait, of one group and of all', async () => {
    const { limit, clock } = start(1);
    const never = () => new Promise<never>(() => undefined);
    const flood = (group: string, length: number) => Array.from({ length }, () => came(limit.run(group, never)));
    const [first = [], ...more] = ['a', 'b', 'c', 'd', 'e'].map((group) => flood(group, 1 + 16 + 2_001));
    expect(await first.at(-1)).toBe('overloaded');
    expect(await flood('f', 2)[1]).toBe('overloaded');
    await clock.advance(TIMEOUT_MS);
    expect(await more[0]?.at(5)).toBe('overloaded');
  });

  it('never lets more fail in any span of time than the limit and what that time drains', async () => {
    const step = fc.record({ waitMs: fc.nat(30_000), failures: fc.nat(12) });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 9 }), fc.array(step, { maxLength: 30 }), async (perMinute, steps) => {
        const { limit, clock } = start(perMinute);
        const failedAt: number[] = [];
        for (const { waitMs, failures } of steps) {
          await clock.advance(waitMs);
          const outcomes = Array.from({ length: failures }, () => came(limit.run(HERE, fail)));
          await clock.advance(16);
          const failed = (await Promise.all(outcomes)).filter((outcome) => outcome === 'invalid_api_key');
          failedAt.push(...failed.map(() => clock.monotonic()));
        }
        for (const [first, from] of failedAt.entries()) {
          for (const [last, to] of failedAt.entries()) {
            if (last < first) continue;
            const most = perMinute + ((to - from) * perMinute) / 60_000;
            expect(last - first + 1).toBeLessThanOrEqual(most + 1e-6);
          }
        }
      }),
      { numRuns: 50 },
    );
  });

  it('forgets no failure because of any number of good callers', async () => {
    const { limit } = start(1);
    await came(limit.run(HERE, fail));
    for (let number = 0; number < 11_000; number += 1) await limit.run(`198.51.${number}`, succeed);
    expect(await came(limit.run(HERE, fail))).toBe('auth_rate_limited');
  });

  it('forgets the oldest of very many addresses, and none of the newest', async () => {
    const { limit } = start(1);
    const addressOf = (number: number) => `198.51.${number}`;
    const addresses = 100_000;
    for (let number = 0; number < addresses; number += 1) await came(limit.run(addressOf(number), fail));
    const again = (number: number) => came(limit.run(addressOf(number), fail));
    expect(await again(addresses - 1)).toBe('auth_rate_limited');
    expect(await again(addresses - 10_000)).toBe('auth_rate_limited');
    expect(await again(addresses - 10_001)).toBe('invalid_api_key');
    expect(await again(0)).toBe('invalid_api_key');
  });
});

function refuse(reason: 'organization_suspended' | 'ledger_unavailable' | 'hook_failed') {
  return () => Promise.reject(new RequestError(reason));
}
