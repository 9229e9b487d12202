import { figureAt } from '../statistics.js';
import type { PairSample } from './ledger-case.js';

/** Lets `callers` loops do one pair after the other until the time is over. */
export async function runCallers(
  { callers, durationMs }: { readonly callers: number; readonly durationMs: number },
  pair: (caller: number) => Promise<void>,
): Promise<PairSample> {
  const latenciesMs: number[] = [];
  const startedMs = performance.now();
  const endMs = startedMs + durationMs;

  async function call(caller: number): Promise<void> {
    for (let beganMs = performance.now(); beganMs < endMs; ) {
      await pair(caller);
      const endedMs = performance.now();
      latenciesMs.push(endedMs - beganMs);
      beganMs = endedMs;
    }
  }

  await Promise.all(Array.from({ length: callers }, (_, caller) => call(caller)));
  return sampleOf(latenciesMs, performance.now() - startedMs);
}

/** @param latenciesMs of every pair. */
export function sampleOf(latenciesMs: readonly number[], elapsedMs: number): PairSample {
  const sorted = Float64Array.from(latenciesMs).sort();
  return {
    pairs: sorted.length,
    pairsPerSecond: sorted.length / (elapsedMs / 1_000),
    p50Ms: figureAt(sorted, 0.5),
    p99Ms: figureAt(sorted, 0.99),
  };
}
