import { z } from 'zod';
import { isMaxConcurrent, isRateLimit, MAX_CONCURRENT_WANTED, RATE_LIMIT, type RateLimit } from '../time/rate-limit.js';

/** A rate limit such as `{ requests: 60, periodSeconds: 60 }`. */
export const rateLimitSchema = z.custom<RateLimit>(isRateLimit, RATE_LIMIT);

/** A number of calls at once. */
export const maxConcurrentSchema = z.custom<number>(isMaxConcurrent, MAX_CONCURRENT_WANTED);

const limits = {
  rateLimit: rateLimitSchema.nullable().optional(),
  maxConcurrent: maxConcurrentSchema.nullable().optional(),
};
const WANTED = 'an object such as { rateLimit: { requests: 60, periodSeconds: 60 }, maxConcurrent: 4 }';
const limitsSchema = z.strictObject(limits, WANTED);

/** The options with limits of rate and concurrency. */
export const limitSchemas = {
  defaultLimits: z
    .strictObject(
      { keys: limitsSchema.optional(), organizations: limitsSchema.optional() },
      'an object such as { keys: { maxConcurrent: 4 }, organizations: { maxConcurrent: 40 } }',
    )
    .default({}),
  organizationLimits: z
    .record(
      z.string(),
      z.strictObject({ ...limits, keys: limitsSchema.optional() }, WANTED),
      'an object of limits by organization id',
    )
    .default({}),
};
