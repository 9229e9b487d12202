import { z } from 'zod';
import type { BudgetReason } from '../base/errors/error-details.js';
import { type ErrorType, REASONS, type Reason, type UpstreamReason } from '../base/errors/reasons.js';
import { LIMIT_RESETS } from '../base/time/limit-window.js';
import { CATEGORIES } from '../catalog/model-entry.js';
import { exampleOf } from '../kinds/example-of.js';

// The schema of error bodies. Types and the OpenAPI document follow from it. Other files import only types, so that it loads only for the document.

const usd = z.number();
const texts = z.array(z.string());
const scope = z.enum(['key', 'organization']);

const budget = z
  .strictObject({
    budget: z.string().optional().describe('The id of the budget; absent for a limit of the key and for credits.'),
    limit: usd,
    usage: usd.describe('Of the present window, where the limit resets.'),
    required: usd.describe('What the request needs held.'),
    limit_reset: z.enum(LIMIT_RESETS).nullable().describe('How often the limit resets; `null` for never.'),
    resets_at: z.string().nullable().describe('When it next does, ISO 8601 in UTC.'),
  })
  .describe('The budget that had no room. US dollars.');
const BUDGET = exampleOf(budget, {
  limit: 100,
  usage: 99.9972,
  required: 0.005,
  limit_reset: 'monthly',
  resets_at: '2026-12-01T00:00:00Z',
});
type BudgetMetadata = typeof BUDGET;
const BUDGETS: Readonly<Record<BudgetReason, BudgetMetadata>> = {
  organization_credits_exhausted: { ...BUDGET, limit_reset: null, resets_at: null },
  key_limit_reached: BUDGET,
  budget_exceeded: { budget: 'team:research', ...BUDGET },
  budget_in_flight: BUDGET,
};

const upstream = z
  .strictObject({
    provider: z.string(),
    model: z.string(),
    attempts: z.int().min(0),
    upstream_status: z.int().nullable().describe('The HTTP status of the provider; `null` where none came.'),
    phase: z.enum(['connect', 'headers', 'body', 'parse', 'shape']),
    byok: z.literal(true).optional().describe('Set where the key was that of your organization.'),
  })
  .describe('Where and how the last attempt at a provider failed.');
const UPSTREAM = exampleOf(upstream, {
  provider: 'exa',
  model: 'exa/answer',
  attempts: 2,
  upstream_status: 500,
  phase: 'headers',
});
type UpstreamMetadata = typeof UPSTREAM;
const UPSTREAMS: Readonly<Record<Exclude<UpstreamReason, 'no_page_extracted'>, UpstreamMetadata>> = {
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

/** Metadata of reasons that share their shape with no other reason. */
const single = z.strictObject({
  method_not_allowed: z.strictObject({ allow: texts }),
  request_too_large: z.union([
    z.strictObject({ max_body_bytes: z.int() }),
    z.strictObject({ max_input_characters: z.int() }),
  ]),
  invalid_field: z.strictObject({ issues: z.array(z.strictObject({ path: z.string(), message: z.string() })) }),
  unsupported_option: z.strictObject({ options: texts, models: texts }),
  policy_not_met: z.strictObject({ require: texts, models: texts }),
  max_cost_exceeded: z.strictObject({
    max_cost: usd,
    cheapest: z.strictObject({ model: z.string(), required: usd }),
  }),
  invalid_parameter: z.strictObject({ allowed: texts }),
  model_not_found: z.strictObject({ suggestions: texts }),
  model_category_mismatch: z.strictObject({
    category: z.string().describe('Of the model.'),
    path: z.string().nullable().describe('Serves models of the category; `null` where this gateway has no such path.'),
  }),
  no_page_extracted: upstream.extend({
    failed: z
      .array(z.strictObject({ url: z.string(), reason: z.string() }))
      .describe('The pages, each with the reason.'),
  }),
  rate_limited: z.strictObject({
    scope,
    limit: z.number().describe('Requests in a period.'),
    period_seconds: z.number(),
    retry_after: z.int().describe('Whole seconds until the next request fits: the `Retry-After` header.'),
  }),
  concurrency_limited: z.strictObject({ scope, limit: z.number() }),
});
const SINGLE = exampleOf(single, {
  method_not_allowed: { allow: ['GET', 'HEAD'] },
  request_too_large: { max_body_bytes: 65_536 },
  invalid_field: { issues: [{ path: 'query', message: 'is required: a string' }] },
  unsupported_option: { options: ['freshness'], models: ['perplexity/sonar'] },
  policy_not_met: { require: ['zdr'], models: ['exa/answer'] },
  max_cost_exceeded: { max_cost: 0.001, cheapest: { model: 'exa/answer', required: 0.005 } },
  invalid_parameter: { allowed: CATEGORIES },
  model_not_found: { suggestions: ['exa/answer'] },
  model_category_mismatch: { category: 'search', path: '/api/v1/search' },
  no_page_extracted: {
    ...UPSTREAM,
    model: 'exa/contents',
    upstream_status: 200,
    phase: 'shape',
    failed: [{ url: 'https://example.org/gone', reason: 'page_not_found' }],
  },
  rate_limited: { scope: 'key', limit: 60, period_seconds: 60, retry_after: 1 },
  concurrency_limited: { scope: 'key', limit: 4 },
});

export type SingleMetadata = typeof SINGLE;
/** The shape of `error.metadata` for each reason with metadata. Amounts are in USD, times in ISO 8601 in UTC. */
export interface ErrorMetadata
  extends SingleMetadata,
    Readonly<Record<BudgetReason, BudgetMetadata>>,
    Readonly<Record<Exclude<UpstreamReason, 'no_page_extracted'>, UpstreamMetadata>> {}

/** The shapes that several reasons share, by their names in the OpenAPI document. */
export const METADATA_SCHEMAS = { BudgetMetadata: budget, UpstreamMetadata: upstream };

const METADATA = new Map<string, readonly [schema: z.ZodType, example: unknown]>([
  ...Object.entries(SINGLE).map(
    ([reason, example]) => [reason, [single.shape[reason as keyof SingleMetadata], example]] as const,
  ),
  ...Object.entries(BUDGETS).map(([reason, example]) => [reason, [budget, example]] as const),
  ...Object.entries(UPSTREAMS).map(([reason, example]) => [reason, [upstream, example]] as const),
]);
const NO_METADATA = [z.null(), null] as const;

/** The fields of every error. The schema of one reason narrows all but `message`, `param` and `request_id`. */
const anyError = z.strictObject({
  code: z.number(),
  type: z.enum([...new Set(Object.values(REASONS).map(({ type }) => type))] as ErrorType[]),
  reason: z.string(),
  message: z.string().describe('For people: the fixed text of the reason, then the field at fault.'),
  param: z.string().nullable().describe('The field or query parameter at fault.'),
  retryable: z.boolean(),
  request_id: z.string().describe('Of this call, or of the one whose error is given again.'),
});
const ANY_ERROR = exampleOf(anyError, {
  code: 500,
  type: 'api_error',
  reason: 'internal_error',
  message: '',
  param: null,
  retryable: true,
  request_id: 'req_01KAJ3W5V0N2Q8R6T4Y7Z9B1CD',
});

/**
 * The body of every 4xx and 5xx response. Branch on `reason`: each reason has a heading in docs/errors.md. `message` is a fixed text per reason, then the field at fault; `param`
 * has the wrong field or query parameter. `metadata` has a fixed shape per reason; `null` for reasons without metadata.
 */
export interface ErrorEnvelope<R extends Reason = Reason> {
  /** The one field of the body. */
  readonly error: typeof ANY_ERROR & {
    readonly reason: R;
    readonly metadata: R extends keyof ErrorMetadata ? ErrorMetadata[R] : null;
  };
}

/** An error inside another response, with the content of its own error response. */
export interface Refusal {
  /** As in the body of an error. */
  readonly error: ErrorEnvelope['error'];
  /** The `Retry-After` header; `null` for no header. */
  readonly retryAfterSeconds: number | null;
}

/** The `error` of a body for one reason. */
export function errorSchema(reason: Reason): z.ZodType {
  const { status: code, type, message, retryable } = REASONS[reason];
  const [metadata, example] = METADATA.get(reason) ?? NO_METADATA;
  return anyError
    .extend({
      code: z.literal(code).describe('The HTTP status.'),
      type: z.literal(type as string),
      reason: z.literal(reason).describe('What to branch on.'),
      retryable: z.literal(retryable).describe('Whether the same request may succeed later.'),
      metadata,
    })
    .meta({
      description: message,
      examples: [{ ...ANY_ERROR, code, type, reason, message, retryable, metadata: example }],
    });
}
