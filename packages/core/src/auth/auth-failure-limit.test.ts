import { createFakeClock, type FakeClock } from '@searchgate/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isRequestError, RequestError } from '../errors/request-error.js';
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

describe('createAuthFailureLimit', () => {
  it('refuses what comes after the last failure that is allowed, and says when to come again', async () => {
    const { limit, clock } = start(3);
    for (let failure = 0; failure < 3; failure += 1) expect(await came(limit.run(HERE, fail))).toBe('invalid_api_key');
    let asked = false;
    const refused = limit.run(HERE, () => ((asked = true), succeed()));
    await expect(refused).rejects.toMatchObject({ reason: 'auth_rate_limited', status: 429, retryAfterMs: 20_000 });
    expect(asked).toBe(false);
    await clock.advance(19_999);
    expect(await came(limit.run(HERE, succeed))).toBe('auth_rate_limited');
    await clock.advance(1);
    expect(await came(limit.run(HERE, fail))).toBe('invalid_api_key');
    expect(await came(limit.run(HERE, fail))).toBe('auth_rate_limited');
  });

  it('counts each group on its own', async () => {
    const { limit } = start(1);
    expect(await came(limit.run(HERE, fail))).toBe('invalid_api_key');
    expect(await came(limit.run('192.0.2.2', succeed))).toBe('in');
    expect(await came(limit.run(HERE, succeed))).toBe('auth_rate_limited');
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

  it('runs no more at once than failures are left, and refuses those that wait once none is', async () => {
    const { limit } = start(3);
    const { ends, attempt } = held();
    const outcomes = Array.from({ length: 1_000 }, () => came(limit.run(HERE, attempt)));
    await turn();
    expect(ends).toHaveLength(3);
    for (const end of ends) end.fail();
    const counts = new Map<string, number>();
    for (const outcome of await Promise.all(outcomes)) counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
    expect(ends).toHaveLength(3);
    expect(Object.fromEntries(counts)).toEqual({ invalid_api_key: 3, auth_rate_limited: 997 });
  });

  it('lets good callers in one after another, in the order they came, however many come at once', async () => {
    const { limit } = start(2);
    const entered: number[] = [];
    const calls = Array.from({ length: 100 }, (_, index) =>
      limit.run(HERE, () => (entered.push(index), turn().then(() => 'in'))),
    );
    expect(new Set(await Promise.all(calls))).toEqual(new Set(['in']));
    expect(entered).toEqual(Array.from({ length: 100 }, (_, index) => index));
  });

  it('gives up on a turn that does not come in time, and gives it to the next in line', async () => {
    const { limit, clock } = start(1);
    const { ends, attempt } = held();
    const first = came(limit.run(HERE, attempt));
    const second = came(limit.run(HERE, attempt));
    await clock.advance(1_000);
    const third = came(limit.run(HERE, attempt));
    await clock.advance(TIMEOUT_MS - 1_000);
    expect(await second).toBe('overloaded');
    ends[0]?.succeed();
    expect(await first).toBe('in');
    await turn();
    ends[1]?.succeed();
    expect(await third).toBe('in');
    expect(ends).toHaveLength(2);
  });

  it('lets a bounded number wait', async () => {
    const { limit, clock } = start(1);
    const outcomes = Array.from({ length: 10_002 }, () =>
      came(limit.run(HERE, () => new Promise<never>(() => undefined))),
    );
    expect(await outcomes.at(-1)).toBe('overloaded');
    await clock.advance(TIMEOUT_MS);
    expect(await outcomes.at(1)).toBe('overloaded');
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
    expect(await came(limit.run(HERE, succeed))).toBe('auth_rate_limited');
  });

  it('forgets the oldest of very many addresses, and none of the newest', async () => {
    const { limit } = start(1);
    const addressOf = (number: number) => `198.51.${number}`;
    const addresses = 100_000;
    for (let number = 0; number < addresses; number += 1) await came(limit.run(addressOf(number), fail));
    const limited = (number: number) => came(limit.run(addressOf(number), succeed));
    expect(await limited(addresses - 1)).toBe('auth_rate_limited');
    expect(await limited(addresses - 10_000)).toBe('auth_rate_limited');
    expect(await limited(addresses - 10_001)).toBe('in');
    expect(await limited(0)).toBe('in');
  });
});

function refuse(reason: 'organization_suspended' | 'ledger_unavailable' | 'hook_failed') {
  return () => Promise.reject(new RequestError(reason));
}
