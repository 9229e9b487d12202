/** Counts what begins, so that at most `requests` begin in any span of `periodMs`. Exact: it remembers when each of the last ones began. */
export interface SlidingWindow {
  /** Milliseconds until the next one may begin; 0 when it may now. */
  freeInMs(nowMs: number): number;
  /** One begins. */
  add(nowMs: number): void;
}

export function createSlidingWindow({ requests, periodMs }: { requests: number; periodMs: number }): SlidingWindow {
  /** A ring: the next slot holds the oldest one. */
  const beganAtMs = new Float64Array(requests).fill(Number.NEGATIVE_INFINITY);
  let next = 0;

  return {
    freeInMs: (nowMs) => Math.max(0, (beganAtMs[next] ?? 0) + periodMs - nowMs),
    add(nowMs) {
      beganAtMs[next] = nowMs;
      next = (next + 1) % requests;
    },
  };
}
