import { z } from 'zod';
import type { Logger } from '../base/events/logger.js';
import { multiply, type NanoUsd } from '../base/money.js';
import type { Clock } from '../base/time/clock.js';
import { createTimeLimit } from '../base/time/deadline.js';
import { MAX_CALL_COST } from '../catalog/charge.js';
import type { KindCall } from '../kinds/kind-call.js';
import type { AnswerPlan } from './answer.js';
import { modelsOf } from './answer-key.js';
import type { CacheConfig } from './cache-options.js';

/** A cached answer: the provider's value, which can be presented to every caller, and its cost before markup. */
interface KeptAnswer {
  readonly model: string;
  readonly provider: string;
  readonly value: unknown;
  readonly beforeMarkup: NanoUsd;
  /** As in {@link Delivered.fee}. */
  readonly fee?: NanoUsd | undefined;
  /** Time of storing, in milliseconds since the Unix epoch. */
  readonly keptAtMs: number;
}

/** The version of the schema below. It is part of each name, so that versions of the gateway can share a store. */
const KEPT_FORM = 3;
/** The longest time that an empty reply is kept: there may soon be something. */
const MAX_EMPTY_TTL_MS = 60_000;
/** Longest entry, in UTF-16 code units. */
const MAX_KEPT_LENGTH = 1_024 * 1_024;

const amount = z
  .string()
  .regex(/^\d{1,19}$/)
  .transform(BigInt)
  .refine((nanos) => nanos <= MAX_CALL_COST);

/** Accepts only possible answers: a damaged entry must not be charged, and must not make a call fail. */
const schema = z.object({
  model: z.string(),
  provider: z.string(),
  outcome: z.unknown(),
  beforeMarkup: amount,
  fee: amount.optional(),
  keptAtMs: z.int(),
});

export function writeKept({ beforeMarkup, fee, value, ...others }: KeptAnswer, call: KindCall): string {
  const amounts = { beforeMarkup: beforeMarkup.toString(), fee: fee?.toString() };
  return JSON.stringify({ ...others, outcome: call.writeKept(value), ...amounts });
}

/** @throws Error when {@link writeKept} did not write the text for a call of this kind. */
export function readKept(stored: string, call: KindCall): KeptAnswer {
  const { outcome, ...kept } = schema.parse(JSON.parse(stored));
  return { ...kept, value: call.readKept(outcome) };
}

export interface AnswerCacheDeps {
  readonly config: CacheConfig;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The multiplier an organization pays, in billionths. */
  markupOf(organizationId: string): bigint;
}

/** A cached answer, and its cost for the caller. */
export interface Hit {
  readonly kept: KeptAnswer;
  readonly cost: NanoUsd;
  readonly ageMs: number;
  /** How long the answer will still be served. */
  readonly leftMs: number;
}

/** The cache of answers. A failure of the store is only logged: neither method rejects. */
export type AnswerCache = ReturnType<typeof createAnswerCache>;

const prefixOf = (organizationId: string): string => `searchgate:answer:${KEPT_FORM}:${organizationId}:`;

/** Removes the cached answers of an organization, where the store can. @returns how many. */
export async function eraseCached(organizationId: string, store: CacheConfig['store'] | undefined): Promise<number> {
  return (await store?.erase?.(prefixOf(organizationId))) ?? 0;
}

export function createAnswerCache({ config, clock, logger, markupOf }: AnswerCacheDeps) {
  const { store, price, storeTimeoutMs } = config;
  const timedOut = () => new Error(`the store of answers did not answer within ${storeTimeoutMs} ms`);
  const limit = createTimeLimit(clock, storeTimeoutMs, { timedOut });

  function nameOf(key: string, { request: { apiKey } }: AnswerPlan): string {
    return prefixOf(apiKey.organizationId) + key;
  }

  function ttlOf({ request: { call } }: AnswerPlan, value: unknown): number {
    return call.isEmpty?.(value) === true ? Math.min(config.ttlMs, MAX_EMPTY_TTL_MS) : config.ttlMs;
  }

  /** `null` when the answer is too old, is too expensive for the caller, or comes from a model that may not answer this call. */
  function hitOf(kept: KeptAnswer, plan: AnswerPlan): Hit | null {
    const { model, provider, beforeMarkup, fee = 0n, keptAtMs } = kept;
    const { request, route } = plan;
    const { apiKey } = request;
    const ttlMs = ttlOf(plan, kept.value);
    // Negative when the clocks of two processes differ, or a clock was set back.
    const ageMs = clock.now() - keptAtMs;
    const cost = multiply(multiply(beforeMarkup, markupOf(apiKey.organizationId)) + fee, price);
    const maxCost = route.order?.maxCost ?? null;
    const isFresh = Math.abs(ageMs) < ttlMs;
    const mayAnswer = modelsOf(route).some((each) => each.model.slug === model && each.provider === provider);
    if (!isFresh || (maxCost !== null && cost > maxCost) || !mayAnswer) return null;
    return { kept, cost, ageMs: Math.max(0, ageMs), leftMs: Math.min(ttlMs, ttlMs - ageMs) };
  }

  /** A damaged entry counts as missing, so that the next answer replaces it. */
  function intact(stored: string, { request: { call } }: AnswerPlan): KeptAnswer | null {
    try {
      return readKept(stored, call);
    } catch (error) {
      logger.warn({ error }, 'the store of answers gave back what is no answer');
      return null;
    }
  }

  return {
    /** @returns `null` when no cached answer fits the call, `'failed'` when the store failed. */
    async find(key: string, plan: AnswerPlan): Promise<Hit | null | 'failed'> {
      let stored: string | null | undefined;
      try {
        stored = await limit.wait(store.get(nameOf(key, plan)));
      } catch (error) {
        logger.warn({ error }, 'the store of answers could not be read');
        return 'failed';
      }
      const kept = stored == null ? null : intact(stored, plan);
      return kept === null ? null : hitOf(kept, plan);
    },
    /** @returns whether the store has kept the answer. */
    async keep(key: string, plan: AnswerPlan, answer: Omit<KeptAnswer, 'keptAtMs'>): Promise<boolean> {
      try {
        const text = writeKept({ ...answer, keptAtMs: clock.now() }, plan.request.call);
        // Each hit would read it again, while other calls wait.
        if (text.length > MAX_KEPT_LENGTH) return false;
        return (await limit.wait(store.set(nameOf(key, plan), text, ttlOf(plan, answer.value)))) !== false;
      } catch (error) {
        logger.warn({ error }, 'the store of answers could not keep one');
        return false;
      }
    },
  };
}
