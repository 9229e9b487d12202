/**
 * Allows at most `requests` starts in any span of `periodMs`. Exact, because it remembers each of the last starts: a leaky bucket would allow almost
 * twice as many starts in a span, and a provider would refuse them.
 */
export interface SlidingWindow {
  /** Milliseconds until the next start is allowed; 0 for now. */
  freeInMs(nowMs: number): number;
  /** Counts a start. */
  add(nowMs: number): void;
}

export function createSlidingWindow({ requests, periodMs }: { requests: number; periodMs: number }): SlidingWindow {
  /** A ring buffer: `next` is the index of the oldest start. */
  const startedAtMs = new Float64Array(requests).fill(-Infinity);
  let next = 0;

  return {
    freeInMs: (nowMs) => Math.max(0, (startedAtMs[next] ?? 0) + periodMs - nowMs),
    add(nowMs) {
      startedAtMs[next] = nowMs;
      next = (next + 1) % requests;
    },
  };
}
