/** The families of errors on the wire (`error.type`). */
export type ErrorType =
  | 'invalid_request_error'
  | 'authentication_error'
  | 'insufficient_credits'
  | 'permission_error'
  | 'not_found_error'
  | 'rate_limit_error'
  | 'conflict_error'
  | 'upstream_error'
  | 'service_unavailable'
  | 'api_error';

interface ReasonRow {
  /** HTTP status. 4xx: the caller or the caller's account must act. 5xx: errors of providers or of the gateway. */
  readonly status: number;
  readonly type: ErrorType;
  /** Whether the same request may succeed later without a change. */
  readonly retryable: boolean;
  /** The only text that callers see for this reason. */
  readonly message: string;
}

/** The table of all errors on the wire. Each reason has a heading in docs/errors.md. */
export const REASONS = {
  missing_api_key: unauthenticated('No API key was given. Send it as "Authorization: Bearer <API_KEY>".'),
  malformed_authorization: unauthenticated('The Authorization header is not of the form "Bearer <API_KEY>".'),
  invalid_api_key: unauthenticated('The API key is not known.'),
  revoked_api_key: unauthenticated('The API key has been revoked.'),
  expired_api_key: unauthenticated('The API key has expired.'),
  not_authenticated: unauthenticated('The request is not authenticated.'),
  auth_rate_limited: limited('Too many requests without a valid API key came from this address. Try again later.'),
  organization_suspended: forbidden('The organization of this API key is suspended.'),
  origin_not_allowed: forbidden('Pages of this origin may not call this path.'),
  key_not_allowed_in_path: forbidden(
    'Only API keys with a limit and allowed models may be sent in a path. Send this one in the header Authorization.',
  ),
  method_not_allowed: invalid(405, 'This path does not support the HTTP method used.'),
  unsupported_media_type: invalid(415, 'The body must be uncompressed application/json in UTF-8.'),
  request_too_large: invalid(413, 'The request body is larger than this gateway accepts.'),
  request_timeout: retryable(408, 'invalid_request_error', 'The request body did not arrive in time.'),
  malformed_json: invalid(400, 'The request body is not a JSON object of reasonable size.'),
  invalid_field: invalid(400, 'A field of the request is missing or has a wrong value.'),
  unsupported_field: invalid(400, 'A field of the request is not supported by this endpoint.'),
  unsupported_option: invalid(400, 'The model cannot honor an option of the request.'),
  policy_not_met: invalid(400, 'No model that may answer has all policies that the request requires.'),
  max_cost_exceeded: invalid(400, 'Every model that may answer costs more than the max_cost of the request.'),
  invalid_parameter: invalid(400, 'A query parameter has a wrong value.'),
  invalid_idempotency_key: invalid(400, 'The Idempotency-Key is not 1 to 255 printable ASCII characters.'),
  idempotency_in_progress: retryable(
    409,
    'conflict_error',
    'The first request with this Idempotency-Key is still running.',
  ),
  idempotency_result_too_large: permanent(
    409,
    'conflict_error',
    'The request with this Idempotency-Key has succeeded and was charged. Its result is too large to be kept.',
  ),
  idempotency_key_reused: permanent(
    422,
    'conflict_error',
    'This Idempotency-Key was used for another request. Use a new one for each.',
  ),
  model_not_found: permanent(404, 'not_found_error', 'No model of this name can be called.'),
  answer_not_found: permanent(404, 'not_found_error', 'This API key has no answer of this id, or it is too old.'),
  answer_lost: unavailable('The answer was lost. Nothing was charged.'),
  answer_too_large: ofProvider('The answer is too large to be kept. Nothing was charged.'),
  model_category_mismatch: invalid(400, 'The model is of a category that this path does not serve.'),
  domains_exclude_all: forbidden(
    'The domain rules of this API key and its organization leave no page for this request.',
  ),
  model_not_allowed: forbidden('The API key may not use this model.'),
  provider_key_missing: forbidden('The organization has no key of its own at a provider.'),
  shared_keys_not_allowed: forbidden('The organization has to use its own key of the provider.'),
  provider_key_unavailable: unavailable('The key of the organization at the provider could not be read.'),
  organization_credits_exhausted: permanent(
    402,
    'insufficient_credits',
    'The organization does not have enough credits for this request.',
  ),
  key_limit_reached: permanent(402, 'insufficient_credits', 'The API key has reached its spend limit.'),
  budget_exceeded: permanent(402, 'insufficient_credits', 'A budget of this request has reached its limit.'),
  too_many_budgets: forbidden('The organization has as many budgets as it can have.'),
  budget_in_flight: limited('The remaining budget is held by requests in flight. Try again shortly.'),
  rate_limited: limited('The rate limit is reached. Try again later.'),
  concurrency_limited: limited('As many requests as allowed are under way. Try again when one has ended.'),
  too_many_refused_calls: limited(
    'Too many calls of this API key were refused. Correct the calls, and try again later.',
  ),
  upstream_unavailable: retryable(
    503,
    'upstream_error',
    'Every provider for this model is paused after repeated failures.',
  ),
  upstream_auth_failed: ofProvider('The provider did not accept the credentials of this gateway.'),
  upstream_quota_exhausted: ofProvider('The account of this gateway at the provider is out of credit.'),
  upstream_rate_limited: retryable(503, 'upstream_error', 'The provider is limiting the requests of this gateway.'),
  upstream_rejected: ofProvider('The provider rejected the request of this gateway.'),
  query_rejected: invalid(400, 'The provider declined to answer this query.'),
  no_answer_found: invalid(400, 'No source was found that answers this query.'),
  no_page_extracted: retryable(502, 'upstream_error', 'None of the pages could be read.'),
  upstream_error: retryable(502, 'upstream_error', 'The provider failed to handle the request.'),
  upstream_unreachable: retryable(502, 'upstream_error', 'The provider could not be reached.'),
  upstream_timeout: retryable(504, 'upstream_error', 'The provider did not answer in time.'),
  upstream_invalid_response: retryable(502, 'upstream_error', 'The provider sent a reply that is not a usable answer.'),
  client_closed_request: invalid(499, 'The caller went away before the answer was ready.'),
  shutting_down: unavailable('The gateway is shutting down.'),
  overloaded: unavailable('The gateway is handling as many requests as it accepts.'),
  connection_wait_exceeded: unavailable('The gateway has no connection to the provider free for this organization.'),
  ledger_unavailable: unavailable('The gateway cannot reach its ledger or key store.'),
  hook_failed: permanent(500, 'api_error', 'A hook of the host application failed.'),
  internal_error: retryable(500, 'api_error', 'The gateway failed to handle the request.'),
} as const satisfies Record<string, ReasonRow>;

/** A stable code of an error; callers branch on the code. */
export type Reason = keyof typeof REASONS;

/** The reasons of a failed attempt at a provider. */
export type UpstreamReason =
  | 'upstream_auth_failed'
  | 'upstream_quota_exhausted'
  | 'upstream_rate_limited'
  | 'upstream_rejected'
  | 'query_rejected'
  | 'no_answer_found'
  | 'no_page_extracted'
  | 'upstream_error'
  | 'upstream_unreachable'
  | 'upstream_timeout'
  | 'upstream_invalid_response';

/** The phase in which an attempt at a provider failed. */
export type UpstreamPhase = 'connect' | 'headers' | 'body' | 'parse' | 'shape';

function invalid(status: number, message: string): ReasonRow {
  return permanent(status, 'invalid_request_error', message);
}

function unauthenticated(message: string): ReasonRow {
  return permanent(401, 'authentication_error', message);
}

function forbidden(message: string): ReasonRow {
  return permanent(403, 'permission_error', message);
}

function limited(message: string): ReasonRow {
  return retryable(429, 'rate_limit_error', message);
}

function unavailable(message: string): ReasonRow {
  return retryable(503, 'service_unavailable', message);
}

/** Nothing that the caller or time could change. */
function ofProvider(message: string): ReasonRow {
  return permanent(502, 'upstream_error', message);
}

function permanent(status: number, type: ErrorType, message: string): ReasonRow {
  return { status, type, retryable: false, message };
}

function retryable(status: number, type: ErrorType, message: string): ReasonRow {
  return { status, type, retryable: true, message };
}
