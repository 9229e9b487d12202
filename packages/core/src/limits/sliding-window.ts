/**
 * Allows at most `requests` starts in any span of `periodMs`. Exact, because it remembers each of the last starts: a leaky bucket would allow almost
 * twice as many starts in a span, and a provider would refuse them.
 */
export type SlidingWindow = ReturnType<typeof createSlidingWindow>;

export function createSlidingWindow({ requests, periodMs }: { requests: number; periodMs: number }) {
  /** A ring buffer: `next` is the index of the oldest start. */
  const startedAtMs = new Float64Array(requests).fill(-Infinity);
  let next = 0;

  return {
    /** Milliseconds until the next start is allowed; 0 for now. */
    freeInMs: (nowMs: number) => Math.max(0, (startedAtMs[next] ?? 0) + periodMs - nowMs),
    /** Counts a start. */
    add(nowMs: number): void {
      startedAtMs[next] = nowMs;
      next = (next + 1) % requests;
    },
  };
}
