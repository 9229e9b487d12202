import { z } from 'zod';
import type { Logger } from '../base/events/logger.js';
import { multiply, type NanoUsd } from '../base/money.js';
import type { Clock } from '../base/time/clock.js';
import { createTimeLimit } from '../base/time/time-limit.js';
import { MAX_CALL_COST } from '../catalog/pricing.js';
import { MAX_ANSWER_LENGTH, MAX_CITATIONS } from '../text/reply-limits.js';
import type { AnswerPlan } from './answer.js';
import { modelsOf } from './answer-key.js';
import type { CacheConfig } from './cache-options.js';
import type { DeliveredOutcome } from './present-outcome.js';

/** An answer that is kept: as the provider gave it, so that it can be presented to every caller, and what it cost before markup. */
interface KeptAnswer {
  readonly model: string;
  readonly provider: string;
  readonly outcome: DeliveredOutcome;
  readonly beforeMarkup: NanoUsd;
  /** When it was kept. Milliseconds since the Unix epoch. */
  readonly keptAtMs: number;
}

/** Part of each name: a change of the form below gets another number, so that versions of the gateway can share a store. */
const KEPT_FORM = 2;

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

export interface AnswerCacheDeps {
  readonly config: CacheConfig;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The multiplier an organization pays, in billionths. */
  markupOf(organizationId: string): bigint;
}

/** An answer that was found, and what it costs the caller. */
export interface Hit {
  readonly kept: KeptAnswer;
  readonly cost: NanoUsd;
  readonly ageMs: number;
  /** For how much longer it is given. */
  readonly leftMs: number;
}

/** Answers that were kept. A store that fails is logged and does no more harm: neither method rejects. */
export interface AnswerCache {
  /** @returns `null` for none, `'failed'` where the store could not say. */
  find(key: string, plan: AnswerPlan): Promise<Hit | null | 'failed'>;
  /** @returns whether the store keeps it. */
  keep(key: string, plan: AnswerPlan, answer: Omit<KeptAnswer, 'keptAtMs'>): Promise<boolean>;
}

export function createAnswerCache({ config, clock, logger, markupOf }: AnswerCacheDeps): AnswerCache {
  const { store, ttlMs, price, storeTimeoutMs } = config;
  const limit = createTimeLimit(clock, storeTimeoutMs);
  const timedOut = () => new Error(`the store of answers did not answer within ${storeTimeoutMs} ms`);

  function nameOf(key: string, { request: { apiKey } }: AnswerPlan): string {
    return `searchgate:answer:${KEPT_FORM}:${apiKey.organizationId}:${key}`;
  }

  /** `null` where the answer is too old, or not for this caller. */
  function hitOf(kept: KeptAnswer, { request: { apiKey }, route }: AnswerPlan): Hit | null {
    const { model, provider, beforeMarkup, keptAtMs } = kept;
    // Below zero where the clocks of two processes differ, or one was set back.
    const ageMs = clock.now() - keptAtMs;
    const cost = multiply(multiply(beforeMarkup, markupOf(apiKey.organizationId)), price);
    const maxCost = route.order?.maxCost ?? null;
    const isFresh = Math.abs(ageMs) < ttlMs;
    const mayAnswer = modelsOf(route).some((each) => each.model.slug === model && each.provider === provider);
    if (!isFresh || (maxCost !== null && cost > maxCost) || !mayAnswer) return null;
    return { kept, cost, ageMs: Math.max(0, ageMs), leftMs: Math.min(ttlMs, ttlMs - ageMs) };
  }

  /** What is damaged counts as none, so that the next answer takes its place. */
  function intact(stored: string): KeptAnswer | null {
    try {
      return readKept(stored);
    } catch (error) {
      logger.warn({ error }, 'the store of answers gave back what is no answer');
      return null;
    }
  }

  return {
    async find(key, plan) {
      let stored: string | null | undefined;
      try {
        stored = await limit.run(() => store.get(nameOf(key, plan)), timedOut);
      } catch (error) {
        logger.warn({ error }, 'the store of answers could not be read');
        return 'failed';
      }
      const kept = stored == null ? null : intact(stored);
      return kept === null ? null : hitOf(kept, plan);
    },
    async keep(key, plan, answer) {
      try {
        const text = writeKept({ ...answer, keptAtMs: clock.now() });
        return (await limit.run(() => store.set(nameOf(key, plan), text, ttlMs), timedOut)) !== false;
      } catch (error) {
        logger.warn({ error }, 'the store of answers could not keep one');
        return false;
      }
    },
  };
}
