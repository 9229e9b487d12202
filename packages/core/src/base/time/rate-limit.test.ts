import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  fitsRate,
  isMaxConcurrent,
  isRateLimit,
  msUntilFull,
  msUntilNext,
  type RateLimit,
  type RateState,
  rateRemaining,
  rateUsedAt,
} from './rate-limit.js';

const anyLimit: fc.Arbitrary<RateLimit> = fc.record({
  requests: fc.oneof(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 1_000_000 })),
  periodMs: fc
    .oneof(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1, max: 86_400 }))
    .map((seconds) => seconds * 1_000),
});

/** Asks as often as it can be answered at each moment, at most so often. @returns how many were let in. */
function askAt(state: RateState | undefined, limit: RateLimit, nowMs: number, most: number) {
  let used = rateUsedAt(state, limit, nowMs);
  let accepted = 0;
  while (accepted < most && fitsRate(used, limit)) {
    used += 1;
    accepted += 1;
  }
  return { accepted, state: { used, atMs: nowMs } };
}

describe('a rate limit', () => {
  it('admits a burst of exactly its requests', () => {
    for (const requests of [1, 2, 3, 7, 60, 999, 999_999, 1_000_000]) {
      const limit = { requests, periodMs: 7_000 };
      expect(askAt(undefined, limit, 5, requests + 10).accepted).toBe(requests);
    }
  });

  it('never admits more than its requests and the drained part, in any stretch of time', () => {
    const history = fc.array(fc.record({ waitMs: fc.nat(5_000), asks: fc.nat(30) }), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(anyLimit, history, (limit, steps) => {
        let [state, nowMs]: [RateState | undefined, number] = [undefined, 0];
        const accepted: { atMs: number; count: number }[] = [];
        for (const { waitMs, asks } of steps) {
          nowMs += waitMs;
          const step = askAt(state, limit, nowMs, asks);
          if (step.accepted > 0) state = step.state;
          accepted.push({ atMs: nowMs, count: step.accepted });
        }
        for (const [from, { atMs: fromMs }] of accepted.entries()) {
          let sum = 0;
          for (const { atMs, count } of accepted.slice(from)) {
            sum += count;
            const drained = ((atMs - fromMs) * limit.requests) / limit.periodMs;
            expect(sum).toBeLessThanOrEqual(limit.requests + drained + 1e-3);
          }
        }
      }),
    );
  });

  it('admits the next request exactly at the announced time, and not 2 ms before', () => {
    fc.assert(
      fc.property(anyLimit, fc.nat(3), fc.nat(100_000), (limit, more, atMs) => {
        const state = { used: limit.requests + more / 4, atMs };
        const waitMs = msUntilNext(state.used, limit);
        expect(fitsRate(rateUsedAt(state, limit, atMs + waitMs), limit)).toBe(true);
        expect(waitMs <= 2 || !fitsRate(rateUsedAt(state, limit, atMs + waitMs - 2), limit)).toBe(true);
      }),
    );
  });

  it('is full again at the announced time', () => {
    fc.assert(
      fc.property(anyLimit, fc.double({ min: 0, max: 1, noNaN: true }), (limit, share) => {
        const state = { used: share * limit.requests, atMs: 9 };
        const used = rateUsedAt(state, limit, 9 + msUntilFull(state.used, limit));
        expect(used).toBeLessThan(1e-6);
        expect(rateRemaining(used, limit)).toBe(limit.requests);
      }),
    );
  });

  it('drains nothing after the clock is set back', () => {
    const limit = { requests: 10, periodMs: 10_000 };
    expect(rateUsedAt({ used: 4, atMs: 5_000 }, limit, 1_000)).toBe(4);
    expect(rateUsedAt({ used: 4, atMs: 5_000 }, limit, 6_000)).toBe(3);
    expect(rateUsedAt({ used: 4, atMs: 5_000 }, limit, 60_000)).toBe(0);
    expect(rateUsedAt(undefined, limit, 1_000)).toBe(0);
  });

  it('returns the remaining requests, never below 0', () => {
    const limit = { requests: 10, periodMs: 10_000 };
    expect([0, 0.5, 9, 9.5, 10, 12].map((used) => rateRemaining(used, limit))).toEqual([10, 9, 1, 0, 0, 0]);
    expect([0, 9, 9.5, 10].map((used) => msUntilNext(used, limit))).toEqual([0, 0, 500, 1_000]);
  });

  it('returns a remaining request exactly if another request fits, in spite of rounding errors', () => {
    const anyUsed = fc.record({ requests: fc.integer({ min: -2, max: 2 }), off: fc.integer({ min: -20, max: 20 }) });
    fc.assert(
      fc.property(anyLimit, anyUsed, (limit, { requests, off }) => {
        const used = Math.max(0, limit.requests + requests + off / 10_000_000_000);
        expect(rateRemaining(used, limit) > 0).toBe(fitsRate(used, limit));
      }),
    );
  });
});

describe('the shape of limits', () => {
  it('accepts both ends of the ranges', () => {
    for (const requests of [1, 1_000_000])
      for (const periodMs of [1_000, 86_400_000]) expect(isRateLimit({ requests, periodMs })).toBe(true);
    expect([1, 1_000_000].every(isMaxConcurrent)).toBe(true);
  });

  it('refuses everything else', () => {
    const wrong = [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 1_000_001, '5', null, undefined, true, {}, []];
    for (const value of wrong) {
      expect(isMaxConcurrent(value)).toBe(false);
      expect(isRateLimit(value)).toBe(false);
      expect(isRateLimit({ requests: value, periodMs: 1_000 })).toBe(false);
      expect(isRateLimit({ requests: 1, periodMs: value })).toBe(false);
    }
    for (const periodMs of [1, 999, 1_500, 86_401_000]) expect(isRateLimit({ requests: 1, periodMs })).toBe(false);
    expect(isRateLimit({ requests: 1, periodSeconds: 60 })).toBe(false);
    expect(isRateLimit({ requests: 1, periodMs: 1_000, burst: 1 })).toBe(false);
  });
});
