import { createFakeClock } from '@searchgate/testing';
import { describe, expect, it } from 'vitest';
import { backoffMs, type RetryOptions, retry } from './retry.js';

const BACKOFF = { firstDelayMs: 10, factor: 3, longestDelayMs: 200 };
const TRANSIENT = new Error('busy');

/** An operation that fails so many times, and when it was tried. */
function failing(times: number, options: Partial<RetryOptions> = {}) {
  const clock = createFakeClock();
  const startedAtMs = clock.monotonic();
  const triedAtMs: number[] = [];
  const operation = () => {
    triedAtMs.push(clock.monotonic() - startedAtMs);
    if (triedAtMs.length <= times) throw TRANSIENT;
    return 'done';
  };
  const isTransient = (error: unknown) => error === TRANSIENT;
  const result = retry(operation, { backoff: BACKOFF, isTransient, clock, random: () => 1, ...options });
  // Observed now, so that a rejection before the clock has moved is handled.
  const outcome = result.catch((error: unknown) => error);
  return { clock, triedAtMs, outcome };
}

describe('backoffMs', () => {
  it.each([
    [0, 10],
    [1, 30],
    [2, 90],
    [3, 200],
    [50, 200],
  ])('grows by the factor up to the longest delay: after %i pauses %i ms', (retries, longest) => {
    expect(backoffMs(retries, BACKOFF, () => 1)).toBe(longest);
    expect(backoffMs(retries, BACKOFF, () => 0)).toBe(longest / 2);
  });

  it('is random within its upper half', () => {
    const delays = Array.from({ length: 100 }, () => backoffMs(0, BACKOFF));
    expect(new Set(delays).size).toBeGreaterThan(1);
    for (const delay of delays) {
      expect(delay).toBeGreaterThanOrEqual(5);
      expect(delay).toBeLessThanOrEqual(10);
    }
  });
});

describe('retry', () => {
  it('returns the result of the first successful attempt, after growing pauses', async () => {
    const { clock, triedAtMs, outcome } = failing(3);
    await clock.advance(1_000);
    expect(await outcome).toBe('done');
    expect(triedAtMs).toEqual([0, 10, 40, 130]);
    expect(clock.pendingTimers).toBe(0);
  });

  it('throws an error that is not transient at once', async () => {
    const { triedAtMs, outcome } = failing(1, { isTransient: () => false });
    expect(await outcome).toBe(TRANSIENT);
    expect(triedAtMs).toEqual([0]);
  });

  it('throws the last error once the attempts are used up', async () => {
    const { clock, triedAtMs, outcome } = failing(5, { maxAttempts: 3 });
    await clock.advance(1_000);
    expect(await outcome).toBe(TRANSIENT);
    expect(triedAtMs).toEqual([0, 10, 40]);
  });

  it('throws the error of an attempt that ends after the time is up', async () => {
    const { clock, triedAtMs, outcome } = failing(5, { giveUpAfterMs: 100 });
    await clock.advance(1_000);
    expect(await outcome).toBe(TRANSIENT);
    expect(triedAtMs).toEqual([0, 10, 40, 130]);
  });

  it('tries once without a time', async () => {
    const { triedAtMs, outcome } = failing(5, { giveUpAfterMs: 0 });
    expect(await outcome).toBe(TRANSIENT);
    expect(triedAtMs).toEqual([0]);
  });

  it('also waits for operations that reject', async () => {
    const clock = createFakeClock();
    let attempts = 0;
    const operation = async () => {
      attempts += 1;
      if (attempts < 3) throw TRANSIENT;
      return attempts;
    };
    const result = retry(operation, { backoff: BACKOFF, isTransient: () => true, clock });
    await clock.advance(1_000);
    expect(await result).toBe(3);
  });
});
