import { createHash } from 'node:crypto';
import type { RequestHandler } from 'express';
import { ipKeyGenerator, rateLimit } from 'express-rate-limit';

/** The shape of the gateway's errors, so that callers handle only one shape. */
const TOO_MANY_REQUESTS = {
  error: {
    code: 429,
    type: 'rate_limit_error',
    reason: 'too_many_requests',
    message: 'Too many requests.',
    param: null,
    retryable: true,
    request_id: null,
    metadata: null,
  },
};

/** Allows this many requests a minute per API key, and per address without a key. Counts in this process. */
export function rateLimitPerKey(requestsPerMinute: number): RequestHandler {
  return rateLimit({
    windowMs: 60_000,
    limit: requestsPerMinute,
    standardHeaders: 'draft-7',
    legacyHeaders: false,
    // A hash, so that a store of counters contains no API keys.
    keyGenerator: ({ headers: { authorization }, ip = '' }) =>
      authorization === undefined ? ipKeyGenerator(ip) : createHash('sha256').update(authorization).digest('hex'),
    message: TOO_MANY_REQUESTS,
  });
}
