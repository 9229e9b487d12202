import { z } from 'zod';
import type { NanoUsd } from '../base/money.js';
import { MAX_CALL_COST } from '../catalog/pricing.js';
import { MAX_ANSWER_LENGTH, MAX_CITATIONS } from '../text/reply-limits.js';
import type { DeliveredOutcome } from './present-outcome.js';

/** An answer that is kept: as the provider gave it, so that it can be presented to every caller, and what it cost before markup. */
export interface KeptAnswer {
  readonly model: string;
  readonly provider: string;
  readonly outcome: DeliveredOutcome;
  readonly beforeMarkup: NanoUsd;
  /** When it was kept. Milliseconds since the Unix epoch. */
  readonly keptAtMs: number;
}

/** Part of each name: a change of the form below gets another number, so that versions of the gateway can share a store. */
export const KEPT_FORM = 2;

const maybeText = z.string().nullish();
/** Nothing that no answer can be, so that what a store has damaged is not charged, and makes no call fail. */
const schema = z.object({
  model: z.string(),
  provider: z.string(),
  outcome: z.object({
    text: z.string().min(1).max(MAX_ANSWER_LENGTH),
    citations: z.array(z.object({ url: z.string(), title: maybeText, snippet: maybeText })).max(MAX_CITATIONS),
    markers: z.array(z.object({ start: z.int(), end: z.int(), position: z.int() })).optional(),
  }),
  beforeMarkup: z
    .string()
    .regex(/^\d{1,19}$/)
    .transform(BigInt)
    .refine((amount) => amount <= MAX_CALL_COST),
  keptAtMs: z.int(),
});

export function writeKept({ beforeMarkup, outcome, ...others }: KeptAnswer): string {
  const { text, citations, markers } = outcome;
  return JSON.stringify({ ...others, outcome: { text, citations, markers }, beforeMarkup: beforeMarkup.toString() });
}

/** @throws Error when the text is not one that {@link writeKept} wrote. */
export function readKept(stored: string): KeptAnswer {
  return schema.parse(JSON.parse(stored));
}
