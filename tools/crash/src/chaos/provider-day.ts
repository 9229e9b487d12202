import type { NanoUsd } from '@searchgate/core';
import type { UpstreamErrorOptions, UpstreamReason } from '@searchgate/core/provider-kit';
import { type SeededRandom, seededRandom } from '../seeded-random.js';

/** A provider that is invented for the simulation. */
export interface ProviderProfile {
  readonly id: string;
  /** What most of its answers cost. */
  readonly price: NanoUsd;
  /** How long half of its answers take at most, on an ordinary hour. */
  readonly usualMs: number;
}

/** What becomes of one request. */
export interface DayReply {
  /** When it comes; `Infinity` for never. */
  readonly afterMs: number;
  /** `null` for an answer. */
  readonly failure: { readonly reason: UpstreamReason; readonly options: UpstreamErrorOptions } | null;
  /** What the provider bills for it. */
  readonly cost: NanoUsd;
}

/** What a provider replies at each moment of the day: the same for every call, however often it was asked before. */
export type ProviderDay = (atMs: number) => DayReply;

export const MINUTE_MS = 60_000;
export const DAY_MS = 24 * 60 * MINUTE_MS;

type Trouble = 'down' | 'slow' | 'limited';

/** The troubles of every day, each at a moment of its own, and their minutes. */
const TROUBLES: readonly (readonly [Trouble, number])[] = [
  ['down', 3],
  ['down', 6],
  ['down', 9],
  ['slow', 60],
  ['slow', 60],
  ['limited', 60],
  ['limited', 60],
];
/** Of requests while it is down, those that get no reply at all. */
const SILENT_SHARE = 0.3;
const SLOW_FACTOR = 4;
/** While it is limited, a minute's requests are used up after so long. */
const LIMITED_AFTER_MS = 54_000;
/** Failures without a cause, at any hour. */
const FAILING_SHARE = 0.008;
/** How far durations spread: one answer in a hundred takes three times as long as the usual one. */
const SPREAD = 0.47;

/** Draws the day of a provider. */
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

/** An answer that cannot be read is billed like any other. */
const UNUSABLE = {
  afterMs: 1_000,
  failure: { reason: 'upstream_invalid_response', options: { phase: 'shape' } },
} as const;

/** From the normal distribution, by Box and Muller. */
function normal(chances: SeededRandom): number {
  return Math.sqrt(-2 * Math.log(1 - chances.next())) * Math.cos(2 * Math.PI * chances.next());
}
