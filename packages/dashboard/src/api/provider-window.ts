import { type AttemptFinished, REASONS } from '@searchgate/core';
import type { ProviderHealth } from './contract.js';

const MINUTES = 60;
const MINUTE_MS = 60_000;
const MAX_LATENCIES = 512;

/** Failures that say nothing about the provider where the key was an organization's own. */
const OF_KEY: ReadonlySet<string> = new Set([
  'upstream_auth_failed',
  'upstream_quota_exhausted',
  'upstream_rate_limited',
]);

/** The last hour of one provider, in a fixed amount of memory. Adding an attempt writes a few numbers. */
export class ProviderWindow {
  /** The minute that each slot counts, so that idle slots need no clearing. */
  readonly #minutes = new Float64Array(MINUTES).fill(-1);
  readonly #attempts = new Uint32Array(MINUTES);
  readonly #failures = new Uint32Array(MINUTES);
  /** Latencies of the last answered attempts, and their end times. */
  readonly #latencies = new Float64Array(MAX_LATENCIES);
  readonly #endedMs = new Float64Array(MAX_LATENCIES).fill(-1);
  #next = 0;

  add({ outcome, atMs, durationMs, byok }: Pick<AttemptFinished, 'outcome' | 'atMs' | 'durationMs' | 'byok'>): void {
    // Ended because another attempt was faster: says nothing about this provider.
    if (outcome === 'hedged' || (byok === true && OF_KEY.has(outcome))) return;
    const place = this.#placeOf(Math.floor(atMs / MINUTE_MS));
    this.#attempts[place] = (this.#attempts[place] ?? 0) + 1;
    if (outcome === 'answered') this.#addLatency(atMs, durationMs);
    // Below 500 the query is at fault, not the provider.
    else if (REASONS[outcome].status >= 500) this.#failures[place] = (this.#failures[place] ?? 0) + 1;
  }

  read(nowMs: number): Pick<ProviderHealth, 'attempts' | 'failures' | 'p50_ms' | 'p95_ms' | 'minutes'> {
    const first = Math.floor(nowMs / MINUTE_MS) - MINUTES + 1;
    const minutes = Array.from({ length: MINUTES }, (_, index) => {
      const minute = first + index;
      const place = minute % MINUTES;
      if (this.#minutes[place] !== minute) return { attempts: 0, failures: 0 };
      return { attempts: this.#attempts[place] ?? 0, failures: this.#failures[place] ?? 0 };
    });
    const latencies = this.#latencies.filter((_, index) => (this.#endedMs[index] ?? -1) >= first * MINUTE_MS).sort();
    return {
      attempts: minutes.reduce((sum, { attempts }) => sum + attempts, 0),
      failures: minutes.reduce((sum, { failures }) => sum + failures, 0),
      p50_ms: percentile(latencies, 0.5),
      p95_ms: percentile(latencies, 0.95),
      minutes,
    };
  }

  #placeOf(minute: number): number {
    const place = minute % MINUTES;
    if (this.#minutes[place] !== minute) {
      this.#minutes[place] = minute;
      this.#attempts[place] = 0;
      this.#failures[place] = 0;
    }
    return place;
  }

  #addLatency(atMs: number, durationMs: number): void {
    this.#latencies[this.#next] = durationMs;
    this.#endedMs[this.#next] = atMs;
    this.#next = (this.#next + 1) % MAX_LATENCIES;
  }
}

/** The smallest value with this share of values at or below it; `null` without values. */
function percentile(sortedValues: ArrayLike<number>, share: number): number | null {
  return sortedValues[Math.max(0, Math.ceil(sortedValues.length * share) - 1)] ?? null;
}
