import type { UpstreamPhase, UpstreamReason } from '@searchgate/core/provider-kit';

/** The expected end of an attempt under a fault. */
export interface FaultExpectation {
  /** How the provider has to classify the fault. */
  readonly reason: UpstreamReason;
  /** How far the exchange came. */
  readonly phase: UpstreamPhase;
  /** The HTTP status in the attempt's error; `null` if no status arrived. */
  readonly status: number | null;
  /** The `Retry-After` of the provider. */
  readonly retryAfterMs: number | null;
}

/** A complete HTTP reply. Default status 200, default `content-type` JSON. */
export interface FaultReply {
  /** Default: the usual status of the fault. */
  readonly status?: number | undefined;
  /** Lower-case names. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Sent unchanged. */
  readonly body: string;
}

/**
 * Every fault of an upstream with the expected end of an attempt. `upstream_timeout` rows end at the attempt's deadline, the others at
 * once. A provider that documents another meaning for a status replaces that row.
 */
export const FAULT_EXPECTATIONS = {
  no_bytes: expectation('upstream_timeout', 'headers', null),
  headers_then_stall: expectation('upstream_timeout', 'body', 200),
  slow_drip: expectation('upstream_timeout', 'body', 200),
  body_cut: expectation('upstream_invalid_response', 'body', 200),
  length_and_chunks: expectation('upstream_invalid_response', 'headers', null),
  two_lengths: expectation('upstream_invalid_response', 'headers', null),
  informational_flood: expectation('upstream_invalid_response', 'headers', null),
  oversized_body: expectation('upstream_invalid_response', 'body', 200),
  invalid_json: expectation('upstream_invalid_response', 'parse', 200),
  html_200: expectation('upstream_invalid_response', 'parse', 200),
  empty_object: expectation('upstream_invalid_response', 'shape', 200),
  error_in_200: expectation('upstream_invalid_response', 'shape', 200),
  empty_answer: expectation('upstream_invalid_response', 'shape', 200),
  status_307: expectation('upstream_rejected', 'headers', 307),
  status_401: expectation('upstream_auth_failed', 'headers', 401),
  status_402: expectation('upstream_quota_exhausted', 'headers', 402),
  status_403: expectation('upstream_auth_failed', 'headers', 403),
  status_404: expectation('upstream_rejected', 'headers', 404),
  status_429: expectation('upstream_rate_limited', 'headers', 429),
  status_429_retry_after: { ...expectation('upstream_rate_limited', 'headers', 429), retryAfterMs: 2_000 },
  status_500: expectation('upstream_error', 'headers', 500),
  status_503: expectation('upstream_error', 'headers', 503),
  connection_refused: expectation('upstream_unreachable', 'connect', null),
  connection_reset: expectation('upstream_unreachable', 'headers', null),
} as const satisfies Readonly<Record<string, FaultExpectation>>;

/** A fault of an upstream. */
export type Fault = keyof typeof FAULT_EXPECTATIONS;

/** The names of all faults. */
export const FAULTS = Object.keys(FAULT_EXPECTATIONS) as readonly Fault[];

/** The replies of faults with a complete reply. A test should replace shapes that are specific to its provider. */
export const FAULT_REPLIES = {
  invalid_json: { body: '{"answer": "It opened in' },
  html_200: { headers: { 'content-type': 'text/html' }, body: '<!doctype html><title>Sign in</title><h1>Sign in</h1>' },
  empty_object: { body: '{}' },
  error_in_200: { body: '{"error":{"type":"server_error","message":"The model is overloaded."}}' },
  empty_answer: { body: '{"answer":"","citations":[]}' },
  // A client that followed it would send the key elsewhere.
  status_307: { ...failure(307, 'Moved.'), headers: { location: '/elsewhere' } },
  status_401: failure(401, 'The API key is not valid.'),
  status_402: failure(402, 'No credits are left.'),
  status_403: failure(403, 'This key may not use the feature.'),
  status_404: failure(404, 'No such path.'),
  status_429: failure(429, 'Too many requests.'),
  status_429_retry_after: { ...failure(429, 'Too many requests.'), headers: { 'retry-after': '2' } },
  status_500: failure(500, 'Something went wrong.'),
  status_503: failure(503, 'Over capacity.'),
} as const satisfies Partial<Record<Fault, FaultReply>>;

/** A fault with a complete reply. */
export type ReplyFault = keyof typeof FAULT_REPLIES;

function expectation(reason: UpstreamReason, phase: UpstreamPhase, status: number | null): FaultExpectation {
  return { reason, phase, status, retryAfterMs: null };
}

function failure(status: number, message: string): FaultReply {
  return { status, body: JSON.stringify({ error: { code: status, message } }) };
}
