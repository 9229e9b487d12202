import { z } from 'zod';
import { LIMIT_RESETS } from '../../base/time/limit-window.js';
import type { ErrorMetadata } from '../error-envelope.js';
import { describing } from './describing.js';

const usd = z.number();
const texts = z.array(z.string());
const scope = z.enum(['key', 'organization']);

const budget = z
  .strictObject({
    limit: usd,
    usage: usd.describe('Of the present window, where the limit resets.'),
    required: usd.describe('What the request needs held.'),
    limit_reset: z.enum(LIMIT_RESETS).nullable().describe('How often the limit resets; `null` for never.'),
    resets_at: z.string().nullable().describe('When it next does, ISO 8601 in UTC.'),
  })
  .describe('The budget that had no room. US dollars.');

const upstream = z
  .strictObject({
    provider: z.string(),
    model: z.string(),
    attempts: z.int().min(0),
    upstream_status: z.int().nullable().describe('The HTTP status of the provider; `null` where none came.'),
    phase: z.enum(['connect', 'headers', 'body', 'parse', 'shape']),
  })
  .describe('Where and how the last attempt at a provider failed.');

/** The shapes that several reasons share, by the name they have in the document. */
export const METADATA_SCHEMAS = { BudgetMetadata: budget, UpstreamMetadata: upstream };

const shapes = describing<ErrorMetadata>()(
  z.strictObject({
    method_not_allowed: z.strictObject({ allow: texts }),
    request_too_large: z.strictObject({ max_body_bytes: z.int() }),
    invalid_field: z.strictObject({ issues: z.array(z.strictObject({ path: z.string(), message: z.string() })) }),
    unsupported_option: z.strictObject({ options: texts, models: texts }),
    max_cost_exceeded: z.strictObject({
      max_cost: usd,
      cheapest: z.strictObject({ model: z.string(), required: usd }),
    }),
    invalid_parameter: z.strictObject({ allowed: texts }),
    model_not_found: z.strictObject({ suggestions: texts }),
    model_category_mismatch: z.strictObject({ category: z.string() }),
    organization_credits_exhausted: budget,
    key_limit_reached: budget,
    budget_in_flight: budget,
    rate_limited: z.strictObject({
      scope,
      limit: z.number().describe('Requests in a period.'),
      period_seconds: z.number(),
      retry_after: z.int().describe('Whole seconds until the next request fits: the `Retry-After` header.'),
    }),
    concurrency_limited: z.strictObject({ scope, limit: z.number() }),
    upstream_auth_failed: upstream,
    upstream_quota_exhausted: upstream,
    upstream_rate_limited: upstream,
    upstream_rejected: upstream,
    query_rejected: upstream,
    no_answer_found: upstream,
    upstream_error: upstream,
    upstream_unreachable: upstream,
    upstream_timeout: upstream,
    upstream_invalid_response: upstream,
  }),
);

/** The schema of `error.metadata` for each reason that has one. */
export const ERROR_METADATA = shapes.shape;

const BUDGET: ErrorMetadata['key_limit_reached'] = {
  limit: 100,
  usage: 99.9972,
  required: 0.005,
  limit_reset: 'monthly',
  resets_at: '2026-12-01T00:00:00Z',
};
const UPSTREAM: ErrorMetadata['upstream_error'] = {
  provider: 'exa',
  model: 'exa/answer',
  attempts: 2,
  upstream_status: 500,
  phase: 'headers',
};

/** An example of each. */
export const METADATA_EXAMPLES: ErrorMetadata = {
  method_not_allowed: { allow: ['GET', 'HEAD'] },
  request_too_large: { max_body_bytes: 65_536 },
  invalid_field: { issues: [{ path: 'query', message: 'is required: a string' }] },
  unsupported_option: { options: ['freshness'], models: ['perplexity/sonar'] },
  max_cost_exceeded: { max_cost: 0.001, cheapest: { model: 'exa/answer', required: 0.005 } },
  invalid_parameter: { allowed: ['search', 'embedding', 'rerank', 'extract', 'answer'] },
  model_not_found: { suggestions: ['exa/answer'] },
  model_category_mismatch: { category: 'embedding' },
  organization_credits_exhausted: { ...BUDGET, limit_reset: null, resets_at: null },
  key_limit_reached: BUDGET,
  budget_in_flight: BUDGET,
  rate_limited: { scope: 'key', limit: 60, period_seconds: 60, retry_after: 1 },
  concurrency_limited: { scope: 'key', limit: 4 },
  upstream_auth_failed: { ...UPSTREAM, upstream_status: 401 },
  upstream_quota_exhausted: { ...UPSTREAM, upstream_status: 402 },
  upstream_rate_limited: { ...UPSTREAM, upstream_status: 429 },
  upstream_rejected: { ...UPSTREAM, upstream_status: 422 },
  query_rejected: { ...UPSTREAM, upstream_status: 400 },
  no_answer_found: { ...UPSTREAM, upstream_status: 200, phase: 'shape' },
  upstream_error: UPSTREAM,
  upstream_unreachable: { ...UPSTREAM, upstream_status: null, phase: 'connect' },
  upstream_timeout: { ...UPSTREAM, upstream_status: null },
  upstream_invalid_response: { ...UPSTREAM, upstream_status: 200, phase: 'parse' },
};
