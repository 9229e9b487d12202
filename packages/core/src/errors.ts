import type { LimitReset } from './limit-window.js';
import type { NanoUsd } from './money.js';

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
  /** HTTP status. 4xx means the caller or the caller's account must act; everything about upstreams or us is 5xx. */
  readonly status: number;
  readonly type: ErrorType;
  /** Whether the same request may succeed later without anybody changing anything. */
  readonly retryable: boolean;
  /** The only text a caller ever sees for this reason. */
  readonly message: string;
}

/** The one table of everything that can go wrong on the wire. Each reason has a heading in docs/errors.md. */
export const REASONS = {
  missing_api_key: lasting(
    401,
    'authentication_error',
    'No API key was given. Send it as "Authorization: Bearer <API_KEY>".',
  ),
  malformed_authorization: lasting(
    401,
    'authentication_error',
    'The Authorization header is not of the form "Bearer <API_KEY>".',
  ),
  invalid_api_key: lasting(401, 'authentication_error', 'The API key is not known.'),
  revoked_api_key: lasting(401, 'authentication_error', 'The API key has been revoked.'),
  expired_api_key: lasting(401, 'authentication_error', 'The API key has expired.'),
  organization_suspended: lasting(403, 'permission_error', 'The organization of this API key is suspended.'),
  method_not_allowed: lasting(405, 'invalid_request_error', 'This path does not support the HTTP method used.'),
  unsupported_media_type: lasting(
    415,
    'invalid_request_error',
    'The body must be uncompressed application/json in UTF-8.',
  ),
  request_too_large: lasting(413, 'invalid_request_error', 'The request body is larger than this gateway accepts.'),
  request_timeout: passing(408, 'invalid_request_error', 'The request body did not arrive in time.'),
  malformed_json: lasting(400, 'invalid_request_error', 'The request body is not a JSON object of reasonable depth.'),
  invalid_field: lasting(400, 'invalid_request_error', 'A field of the request is missing or has a wrong value.'),
  unsupported_field: lasting(400, 'invalid_request_error', 'A field of the request is not supported by this endpoint.'),
  invalid_parameter: lasting(400, 'invalid_request_error', 'A query parameter has a wrong value.'),
  invalid_idempotency_key: lasting(
    400,
    'invalid_request_error',
    'The Idempotency-Key is not 1 to 255 printable ASCII characters.',
  ),
  idempotency_in_progress: passing(
    409,
    'conflict_error',
    'The first request with this Idempotency-Key is still running.',
  ),
  idempotency_key_reused: lasting(
    422,
    'conflict_error',
    'This Idempotency-Key was used for another request. Use a new one for each.',
  ),
  model_not_found: lasting(404, 'not_found_error', 'No model of this name can be called.'),
  model_category_mismatch: lasting(400, 'invalid_request_error', 'This model does not answer questions.'),
  model_not_allowed: lasting(403, 'permission_error', 'The API key may not use this model.'),
  organization_credits_exhausted: lasting(
    402,
    'insufficient_credits',
    'The organization does not have enough credits for this request.',
  ),
  key_limit_reached: lasting(402, 'insufficient_credits', 'The API key has reached its spend limit.'),
  budget_in_flight: passing(
    429,
    'rate_limit_error',
    'The remaining budget is held by requests in flight. Try again shortly.',
  ),
  upstream_unavailable: passing(
    503,
    'upstream_error',
    'Every provider for this model is paused after repeated failures.',
  ),
  upstream_auth_failed: lasting(502, 'upstream_error', 'The provider did not accept the credentials of this gateway.'),
  upstream_quota_exhausted: lasting(
    502,
    'upstream_error',
    'The account of this gateway at the provider is out of credit.',
  ),
  upstream_rate_limited: passing(503, 'upstream_error', 'The provider is limiting the requests of this gateway.'),
  upstream_rejected: lasting(502, 'upstream_error', 'The provider rejected the request of this gateway.'),
  query_rejected: lasting(400, 'invalid_request_error', 'The provider declined to answer this query.'),
  upstream_error: passing(502, 'upstream_error', 'The provider failed to handle the request.'),
  upstream_unreachable: passing(502, 'upstream_error', 'The provider could not be reached.'),
  upstream_timeout: passing(504, 'upstream_error', 'The provider did not answer in time.'),
  upstream_invalid_response: passing(502, 'upstream_error', 'The provider sent a reply that is not a usable answer.'),
  client_closed_request: lasting(499, 'invalid_request_error', 'The caller went away before the answer was ready.'),
  shutting_down: passing(503, 'service_unavailable', 'The gateway is shutting down.'),
  overloaded: passing(503, 'service_unavailable', 'The gateway is handling as many requests as it accepts.'),
  ledger_unavailable: passing(503, 'service_unavailable', 'The gateway cannot reach its ledger or key store.'),
  hook_failed: lasting(500, 'api_error', 'A hook of the host application failed.'),
  internal_error: passing(500, 'api_error', 'The gateway failed to handle the request.'),
} as const satisfies Record<string, ReasonRow>;

/** A stable word that names one way to fail; callers branch on it. */
export type Reason = keyof typeof REASONS;

/** The reasons an attempt at a provider can end with. */
export type UpstreamReason =
  | 'upstream_auth_failed'
  | 'upstream_quota_exhausted'
  | 'upstream_rate_limited'
  | 'upstream_rejected'
  | 'query_rejected'
  | 'upstream_error'
  | 'upstream_unreachable'
  | 'upstream_timeout'
  | 'upstream_invalid_response';

/** How far an attempt at a provider got before it failed. */
export type UpstreamPhase = 'connect' | 'headers' | 'body' | 'parse' | 'shape';

/** One wrong field of a request. */
export interface FieldIssue {
  readonly path: string;
  readonly message: string;
}

/** The budget that refused a request: the limit or balance, what is used of it, and what the request needs. */
export interface BudgetDetails {
  readonly limit: NanoUsd;
  /** Of the present window, where the limit resets. */
  readonly usage: NanoUsd;
  readonly required: NanoUsd;
  /** How often the limit starts afresh; `null` for never, which is what an organisation's credits do. */
  readonly limitReset: LimitReset | null;
  /** When it next does, milliseconds since the Unix epoch. */
  readonly resetsAtMs: number | null;
}

/** Where and how the last attempt at a provider failed. */
export interface UpstreamDetails {
  readonly provider: string;
  readonly model: string;
  readonly attempts: number;
  readonly upstreamStatus: number | null;
  readonly phase: UpstreamPhase;
}

/** What each reason tells beside its message: a closed shape per reason, nothing for the others. */
export interface ErrorDetails extends Record<UpstreamReason, UpstreamDetails> {
  readonly method_not_allowed: { readonly allow: readonly string[] };
  readonly request_too_large: { readonly maxBodyBytes: number };
  readonly invalid_field: { readonly issues: readonly FieldIssue[] };
  readonly model_not_found: { readonly suggestions: readonly string[] };
  readonly model_category_mismatch: { readonly category: string };
  readonly invalid_parameter: { readonly allowed: readonly string[] };
  readonly organization_credits_exhausted: BudgetDetails;
  readonly key_limit_reached: BudgetDetails;
  readonly budget_in_flight: BudgetDetails;
}

/** The details of one reason; `undefined` where it has none. */
export type DetailsOf<R extends Reason> = R extends keyof ErrorDetails ? ErrorDetails[R] : undefined;

const BRAND = Symbol.for('searchgate.error');

/**
 * Base of every error this package throws on purpose. Recognise one with {@link isGatewayError}, which also works when the
 * ESM and the CommonJS copy of the package are loaded side by side.
 */
export abstract class GatewayError extends Error {
  readonly [BRAND] = true;
  /** The stable word for what happened. */
  abstract readonly reason: string;

  /** Plain JSON that never contains a bigint (amounts are decimal strings), a stack or a cause. */
  toJSON(): Record<string, unknown> {
    return { name: this.name, reason: this.reason, message: this.message };
  }
}

/** Tells whether a value is an error of this package, whichever copy of the package made it. */
export function isGatewayError(value: unknown): value is GatewayError {
  return typeof value === 'object' && value !== null && (value as { [BRAND]?: unknown })[BRAND] === true;
}

export interface RequestErrorOptions<R extends Reason> {
  readonly details?: DetailsOf<R>;
  /** The field or query parameter at fault. */
  readonly param?: string;
  /** When a retry makes sense, for the `Retry-After` header. */
  readonly retryAfterMs?: number;
  readonly cause?: unknown;
}

/** A request that cannot be served: what `gateway.answer` throws and what the HTTP layer turns into the error envelope. */
export class RequestError<R extends Reason = Reason> extends GatewayError {
  override readonly name = 'RequestError';
  readonly reason: R;
  readonly status: number;
  readonly type: ErrorType;
  readonly retryable: boolean;
  readonly details: DetailsOf<R> | undefined;
  readonly param: string | null;
  readonly retryAfterMs: number | null;

  constructor(reason: R, options: RequestErrorOptions<R> = {}) {
    const { status, type, retryable, message } = REASONS[reason];
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.reason = reason;
    this.status = status;
    this.type = type;
    this.retryable = retryable;
    this.details = options.details;
    this.param = options.param ?? null;
    this.retryAfterMs = options.retryAfterMs ?? null;
  }

  override toJSON(): Record<string, unknown> {
    const { status, type, retryable, param, details } = this;
    return { ...super.toJSON(), status, type, retryable, param, details: bigintsToStrings(details) };
  }
}

/** Narrows to the errors a caller can be told about. */
export function isRequestError(value: unknown): value is RequestError {
  return isGatewayError(value) && value.name === 'RequestError';
}

export interface UpstreamErrorOptions {
  readonly phase: UpstreamPhase;
  /** The provider's HTTP status; `null` when none arrived. */
  readonly status?: number | null;
  /** How long the provider asked to be left alone. */
  readonly retryAfterMs?: number | null;
  /** What the provider says this failed attempt cost the operator. */
  readonly cost?: NanoUsd | null;
  /** A short, redacted excerpt of what the provider said: for the operator's events, never for a caller. */
  readonly detail?: string;
  readonly cause?: unknown;
}

/**
 * One attempt at a provider failed. Thrown by provider adapters and the upstream client; decides between retry and fallback;
 * never reaches a caller as it is.
 */
export class UpstreamError extends GatewayError {
  override readonly name = 'UpstreamError';
  readonly reason: UpstreamReason;
  readonly phase: UpstreamPhase;
  readonly status: number | null;
  readonly retryAfterMs: number | null;
  readonly cost: NanoUsd | null;
  readonly detail: string;

  constructor(reason: UpstreamReason, options: UpstreamErrorOptions) {
    super(REASONS[reason].message, options.cause === undefined ? undefined : { cause: options.cause });
    this.reason = reason;
    this.phase = options.phase;
    this.status = options.status ?? null;
    this.retryAfterMs = options.retryAfterMs ?? null;
    this.cost = options.cost ?? null;
    this.detail = options.detail ?? '';
  }

  override toJSON(): Record<string, unknown> {
    const { phase, status, retryAfterMs, detail } = this;
    return { ...super.toJSON(), phase, status, retryAfterMs, cost: bigintsToStrings(this.cost), detail };
  }
}

/** Narrows to the failure of one attempt at a provider. */
export function isUpstreamError(value: unknown): value is UpstreamError {
  return isGatewayError(value) && value.name === 'UpstreamError';
}

/** The ways a ledger refuses a verb; each changes nothing. */
export type LedgerReason =
  | 'ledger_closed'
  | 'ledger_timeout'
  | 'unknown_hold'
  | 'duplicate_hold'
  | 'duplicate_grant'
  | 'duplicate_adjustment'
  | 'invalid_amount'
  | 'invalid_id'
  | 'invalid_argument'
  | 'invalid_cursor'
  | 'duplicate_key'
  | 'unknown_key'
  | 'unknown_organization'
  | 'schema_mismatch';

/** A ledger was called with something it must refuse, or after it was closed. Failures of the engine itself are thrown as they come. */
export class LedgerError extends GatewayError {
  override readonly name = 'LedgerError';
  readonly reason: LedgerReason;

  constructor(reason: LedgerReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** Narrows to a coded refusal of a ledger verb. */
export function isLedgerError(value: unknown): value is LedgerError {
  return isGatewayError(value) && value.name === 'LedgerError';
}

export interface ConfigurationProblem {
  /** Where in the options, such as `providers[0].baseUrl`. */
  readonly path: string;
  /** What was found there, shortened; secrets are never printed. */
  readonly found: string;
  /** What would have been right. */
  readonly expected: string;
  /** The nearest known name, when the path or the value looks like a slip of the pen. */
  readonly nearest?: string;
}

/** Wrong options, thrown where the object is built and never at request time. Lists every problem found. */
export class ConfigurationError extends GatewayError {
  override readonly name = 'ConfigurationError';
  readonly reason = 'invalid_configuration';
  readonly problems: readonly ConfigurationProblem[];

  constructor(problems: readonly ConfigurationProblem[]) {
    super(problems.map(describeProblem).join('\n'));
    this.problems = problems;
  }

  override toJSON(): Record<string, unknown> {
    return { ...super.toJSON(), problems: this.problems };
  }
}

function describeProblem({ path, found, expected, nearest }: ConfigurationProblem): string {
  const hint = nearest === undefined ? '' : ` Did you mean "${nearest}"?`;
  return `${path}: found ${found}, expected ${expected}.${hint}`;
}

function lasting(status: number, type: ErrorType, message: string): ReasonRow {
  return { status, type, retryable: false, message };
}

function passing(status: number, type: ErrorType, message: string): ReasonRow {
  return { status, type, retryable: true, message };
}

function bigintsToStrings(value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, bigintsToStrings(entry)]));
}
