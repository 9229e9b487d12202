import { describeFault } from '../base/errors/describe-fault.js';
import type { BudgetDetails, BudgetReason, ErrorDetails, UpstreamDetails } from '../base/errors/error-details.js';
import { REASONS, type Reason } from '../base/errors/reasons.js';
import { type RequestError, withNote } from '../base/errors/request-error.js';
import { isoTime } from '../base/time/iso-time.js';
import type { RequestState } from '../request/handle-request-lifecycle.js';
import { callerHeaders } from './answer-headers.js';
import type { ErrorEnvelope, ErrorMetadata, Refusal, SingleMetadata } from './error-envelope.js';
import { jsonResponse, type TextResponse } from './gateway-request.js';
import { type JsonValue, jsonText, type Printable } from './json-text.js';
import { wireName } from './wire-name.js';

/** Turns the usual body of an error into another form, for clients that expect that form. */
export type PresentError = (envelope: ErrorEnvelope) => JsonValue;

/** Makes additional headers of an error, for clients that expect them. */
export type ErrorHeaders = (envelope: ErrorEnvelope) => Readonly<Record<string, string>>;

export interface ErrorPresentation {
  /** Makes the body of errors. @default the usual body */
  readonly presentError?: PresentError | undefined;
  /** Makes additional headers of errors. @default none */
  readonly errorHeaders?: ErrorHeaders | undefined;
}

/**
 * Turns an error into the response for the caller. Status, type, message and `retryable` come from the table of reasons, and the
 * metadata is copied field by field, so that no other content of an error reaches the caller.
 *
 * @param call that the error ended. The body of a replayed error names the earlier call.
 */
export function errorResponse(
  error: RequestError,
  state: Pick<RequestState, 'context' | 'replay'>,
  { presentError, errorHeaders }: ErrorPresentation = {},
): TextResponse {
  const { reason } = error;
  const { replay } = state;
  const { requestId } = state.context;
  // The core uses the option names of calls in process.
  const hasOwnName = isReason(error, 'unsupported_option') || isReason(error, 'max_cost_exceeded');
  const param = hasOwnName ? wireName(error.param ?? '') : error.param;
  const { status, type, message, retryable } = REASONS[reason];
  const metadata = metadataOf(error);
  const envelope = {
    error: {
      code: status,
      type,
      reason,
      message: withNote(message, hasOwnName ? describeFault(error, wireName) : error.note),
      param,
      retryable,
      request_id: replay?.requestId ?? requestId,
      metadata,
    },
  };
  const headers = { ...headersOf(error), ...callerHeaders(state) };
  if (errorHeaders !== undefined) Object.assign(headers, errorHeaders(envelope as ErrorEnvelope));
  const body = presentError === undefined ? envelope : presentError(envelope as ErrorEnvelope);
  return jsonResponse(requestId, jsonText(body), { status, headers });
}

/** An error as a caller sees it, for a response in another form. */
export function presentRefusal(error: RequestError, state: Pick<RequestState, 'context' | 'replay'>): Refusal {
  const { headers, body } = errorResponse(error, state);
  const retryAfter = headers['retry-after'];
  return {
    error: (JSON.parse(body) as ErrorEnvelope).error,
    retryAfterSeconds: retryAfter === undefined ? null : Number(retryAfter),
  };
}

const MAX_RETRY_AFTER_S = 60;
const CHALLENGE = 'Bearer realm="searchgate"';
const INVALID_TOKEN = { 'www-authenticate': `${CHALLENGE}, error="invalid_token"` };
const CLOSE = { connection: 'close' };

const HEADERS: { readonly [R in Reason]?: Readonly<Record<string, string>> } = {
  missing_api_key: { 'www-authenticate': CHALLENGE },
  not_authenticated: { 'www-authenticate': CHALLENGE },
  malformed_authorization: { 'www-authenticate': `${CHALLENGE}, error="invalid_request"` },
  invalid_api_key: INVALID_TOKEN,
  revoked_api_key: INVALID_TOKEN,
  expired_api_key: INVALID_TOKEN,
  unsupported_media_type: { accept: 'application/json' },
  request_too_large: CLOSE,
  request_timeout: CLOSE,
  too_many_refused_calls: CLOSE,
};

function headersOf(error: RequestError): Readonly<Record<string, string>> {
  if (isReason(error, 'method_not_allowed')) return { allow: (error.details?.allow ?? []).join(', ') };
  // Not capped at `MAX_RETRY_AFTER_S`: a period may be days long, and an earlier retry would be refused again.
  if (isReason(error, 'rate_limited')) return { 'retry-after': String(error.details?.retryAfterSeconds ?? 1) };
  if (error.retryAfterMs !== null && REASONS[error.reason].retryable)
    return { ...HEADERS[error.reason], 'retry-after': seconds(error.retryAfterMs) };
  return HEADERS[error.reason] ?? {};
}

function seconds(retryAfterMs: number): string {
  return String(Math.min(MAX_RETRY_AFTER_S, Math.max(1, Math.ceil(retryAfterMs / 1_000))));
}

type Presenters = { readonly [R in keyof SingleMetadata]: (details: ErrorDetails[R]) => Printable<SingleMetadata[R]> };

/** Of the reasons that share their shape with no other reason. */
const PRESENTERS: Presenters = {
  method_not_allowed: ({ allow }) => ({ allow }),
  request_too_large: (most) =>
    'maxBodyBytes' in most ? { max_body_bytes: most.maxBodyBytes } : { max_input_characters: most.maxInputCharacters },
  invalid_field: ({ issues }) => ({ issues: issues.map(({ path, message }) => ({ path, message })) }),
  unsupported_option: ({ options, models }) => ({ options: options.map(wireName), models }),
  policy_not_met: ({ require, models }) => ({ require, models }),
  max_cost_exceeded: ({ maxCost, cheapest: { model, required } }) => ({
    max_cost: maxCost,
    cheapest: { model, required },
  }),
  invalid_parameter: ({ allowed }) => ({ allowed }),
  model_not_found: ({ suggestions }) => ({ suggestions }),
  model_category_mismatch: ({ category, path }) => ({ category, path }),
  rate_limited: ({ scope, limit, periodSeconds, retryAfterSeconds }) => ({
    scope,
    limit,
    period_seconds: periodSeconds,
    retry_after: retryAfterSeconds,
  }),
  concurrency_limited: ({ scope, limit }) => ({ scope, limit }),
  no_page_extracted: ({ failed, ...details }) => ({
    ...presentUpstream(details),
    failed: failed.map(({ url, reason }) => ({ url, reason })),
  }),
};

function metadataOf({ reason, details }: RequestError): JsonValue {
  if (details === undefined) return null;
  const present = (PRESENTERS as { readonly [R in Reason]?: (details: never) => object })[reason];
  if (present !== undefined) return present(details as never) as JsonValue;
  const shared: Printable<ErrorMetadata[BudgetReason | 'upstream_error']> =
    'provider' in details ? presentUpstream(details) : presentBudget(details as BudgetDetails);
  return shared;
}

function presentBudget({ budget, limit, usage, required, limitReset, resetsAtMs }: BudgetDetails) {
  const resetsAt = resetsAtMs === null ? null : isoTime(resetsAtMs);
  const figures = { limit, usage, required, limit_reset: limitReset, resets_at: resetsAt };
  return budget === undefined ? figures : { budget, ...figures };
}

function presentUpstream({ provider, model, attempts, upstreamStatus, phase, byok }: UpstreamDetails) {
  return { provider, model, attempts, upstream_status: upstreamStatus, phase, ...(byok && { byok }) };
}

function isReason<R extends Reason>(error: RequestError, reason: R): error is RequestError<R> {
  return error.reason === reason;
}
