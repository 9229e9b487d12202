import { z } from 'zod';
import { parseUsd, readUsd } from '../base/money.js';
import { count } from '../base/options/option-schemas.js';

/** When a second model is asked in addition to the first model. */
interface HedgeOptions {
  /** Asks the second model after this number of milliseconds without content, 1 to 3,600,000; `'p95'`: after the 95th percentile of the model's latest answers. */
  readonly afterMs: number | 'p95';
  /** The second model: a slug. */
  readonly with: string;
  /** The highest expected cost of the second model, in USD before markup, a decimal string. */
  readonly maxExtraCost: string;
}

/** Hedges by the slug of the first model. */
export interface HedgingOptions {
  readonly [slug: `${string}/${string}`]: HedgeOptions;
  /** The largest share of the latest 1,000 calls of a model that may be hedged, 0.001 to 1. @default 0.1 */
  readonly maxShare?: number | undefined;
}

const SHARE = 'a share from 0.001 to 1';
const AFTER = 'a whole number of milliseconds from 1 to 3600000, or "p95"';
const AMOUNT = 'a decimal string of US dollars such as "0.01"';
const DEFAULT_SHARE = 0.1;

const hedge = z.strictObject(
  {
    afterMs: z.union([count(1, 3_600_000), z.literal('p95')], AFTER),
    with: z.string('a slug'),
    maxExtraCost: z
      .string(AMOUNT)
      .refine((text) => (readUsd(text) ?? -1n) >= 0n, AMOUNT)
      .transform(parseUsd),
  },
  'an object such as { afterMs: 4000, with: slug, maxExtraCost: "0.01" }',
);

export type ParsedHedge = z.output<typeof hedge>;

/** Parses to the share and the hedges by slug. */
export const hedgingSchema = z
  .object({ maxShare: z.number(SHARE).min(0.001, SHARE).max(1, SHARE).default(DEFAULT_SHARE) }, 'an object of hedges')
  .catchall(hedge)
  .transform(({ maxShare, ...hedges }) => ({ maxShare, hedges: hedges as Readonly<Record<string, ParsedHedge>> }));

export type ParsedHedging = z.output<typeof hedgingSchema>;
