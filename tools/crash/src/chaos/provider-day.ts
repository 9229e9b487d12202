import type { NanoUsd } from '@searchgate/core';
import type { UpstreamErrorOptions, UpstreamReason } from '@searchgate/core/provider-kit';
import { type SeededRandom, seededRandom } from '../seeded-random.js';

/** A fictional provider of the simulation. */
export interface ProviderProfile {
  readonly id: string;
  /** Cost of most answers. */
  readonly price: NanoUsd;
  /** Median duration of an answer in an ordinary hour. */
  readonly usualMs: number;
}

/** The reply to one request. */
export interface DayReply {
  /** Delay of the reply; `Infinity` for no reply. */
  readonly afterMs: number;
  /** `null` for an answer. */
  readonly failure: { readonly reason: UpstreamReason; readonly options: UpstreamErrorOptions } | null;
  /** The provider's bill for it. */
  readonly cost: NanoUsd;
}

/** The provider's reply at each moment of the day, independent of earlier requests. */
export type ProviderDay = (atMs: number) => DayReply;

export const MINUTE_MS = 60_000;
export const DAY_MS = 24 * 60 * MINUTE_MS;

type Trouble = 'down' | 'slow' | 'limited';

/** The daily troubles with their minutes, each at a random time. */
const TROUBLES: readonly (readonly [Trouble, number])[] = [
  ['down', 3],
  ['down', 6],
  ['down', 9],
  ['slow', 60],
  ['slow', 60],
  ['limited', 60],
  ['limited', 60],
];
/** Share of requests during an outage that get no reply. */
const SILENT_SHARE = 0.3;
const SLOW_FACTOR = 4;
/** During a rate limit, each minute's requests run out after this time. */
const LIMITED_AFTER_MS = 54_000;
/** Share of random failures at any hour. */
const FAILING_SHARE = 0.008;
/** Spread of durations: one answer in a hundred takes three times the median. */
const SPREAD = 0.47;

/** Draws the random day of a provider. */
export function drawDay({ price, usualMs }: ProviderProfile, seed: number): ProviderDay {
  const random = seededRandom(seed);
  const periods = TROUBLES.map(([trouble, minutes]) => {
    const fromMs = random.between(0, DAY_MS - minutes * MINUTE_MS);
    return { trouble, fromMs, toMs: fromMs + minutes * MINUTE_MS };
  });
  const has = (trouble: Trouble, atMs: number) =>
    periods.some((period) => period.trouble === trouble && period.fromMs <= atMs && atMs < period.toMs);

  return (atMs) => {
    const chances = seededRandom(seed + Math.floor(atMs));
    if (has('down', atMs)) return chances.chance(SILENT_SHARE) ? SILENCE : outage(chances);
    const minuteMs = atMs % MINUTE_MS;
    if (has('limited', atMs) && minuteMs >= LIMITED_AFTER_MS) return limited(MINUTE_MS - minuteMs);
    const cost = (price * BigInt(chances.between(80, 120))) / 100n;
    if (chances.chance(FAILING_SHARE)) return chances.chance(0.5) ? outage(chances) : { ...UNUSABLE, cost };
    const factor = (has('slow', atMs) ? SLOW_FACTOR : 1) * Math.exp(SPREAD * normal(chances));
    return { afterMs: Math.round(usualMs * factor), failure: null, cost };
  };
}

const SILENCE: DayReply = { afterMs: Number.POSITIVE_INFINITY, failure: null, cost: 0n };

function outage(chances: SeededRandom): DayReply {
  const failure = { reason: 'upstream_error', options: { phase: 'headers', status: 503 } } as const;
  return { afterMs: chances.between(20, 400), failure, cost: 0n };
}

function limited(retryAfterMs: number): DayReply {
  const failure = {
    reason: 'upstream_rate_limited',
    options: { phase: 'headers', status: 429, retryAfterMs },
  } as const;
  return { afterMs: 20, failure, cost: 0n };
}

/** An unreadable answer is billed like any other. */
const UNUSABLE = {
  afterMs: 1_000,
  failure: { reason: 'upstream_invalid_response', options: { phase: 'shape' } },
} as const;

/** A normally distributed number, by Box and Muller. */
function normal(chances: SeededRandom): number {
  return Math.sqrt(-2 * Math.log(1 - chances.next())) * Math.cos(2 * Math.PI * chances.next());
}
