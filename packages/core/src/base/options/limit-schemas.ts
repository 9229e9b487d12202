import { z } from 'zod';
import {
  isMaxConcurrent,
  MAX_CONCURRENT_WANTED,
  MAX_PERIOD_MS,
  MAX_REQUESTS,
  RATE_LIMIT,
  SECOND_MS,
} from '../time/rate-limit.js';
import { count } from './option-schemas.js';

/** A rate limit such as `{ requests: 60, periodMs: 60_000 }`. */
const rateLimitSchema = z.strictObject(
  {
    requests: count(1, MAX_REQUESTS),
    periodMs: count(SECOND_MS, MAX_PERIOD_MS).multipleOf(SECOND_MS, 'whole seconds: a multiple of 1000'),
  },
  RATE_LIMIT,
);

/** A number of concurrent calls. */
const maxConcurrentSchema = z.custom<number>(isMaxConcurrent, MAX_CONCURRENT_WANTED);

/** The limits of a caller, as fields of an object; `null` for the gateway's default. */
export const callerLimitSchemas = {
  rateLimit: rateLimitSchema.nullable().optional(),
  maxConcurrent: maxConcurrentSchema.nullable().optional(),
};
const WANTED = 'an object such as { rateLimit: { requests: 60, periodMs: 60_000 }, maxConcurrent: 4 }';
const limitsSchema = z.strictObject(callerLimitSchemas, WANTED);

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
      z.strictObject({ ...callerLimitSchemas, keys: limitsSchema.optional() }, WANTED),
      'an object of limits by organization id',
    )
    .default({}),
};
