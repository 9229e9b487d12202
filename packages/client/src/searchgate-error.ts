import type { ErrorEnvelope, Reason } from '@searchgate/core';

const BRAND = Symbol.for('searchgate.client.error');

/**
 * Failures without an error of the gateway.
 *
 * - `connection_failed`: the gateway could not be reached, or the connection ended before the reply or stream was complete. In a browser also: CORS
 *   forbids the call. Retryable.
 * - `invalid_reply`: a reply that is not a gateway's, such as a proxy's HTML page, a redirect, or more than 16 million characters. Retryable for status
 *   408, 429, 502, 503 or 504.
 * - `timeout`: the call took longer than `timeoutMs`. Retryable by the caller: the client does not retry it.
 * - `aborted`: the call's `signal` was aborted. Its reason is the `cause`.
 */
export type ClientReason = 'connection_failed' | 'invalid_reply' | 'timeout' | 'aborted';

/** Branch on it: a reason of the gateway, explained in docs/errors.md, or a reason of the client. */
export type ErrorReason = Reason | ClientReason;

/** The metadata of an error as the gateway sends it: a fixed shape per reason, amounts in USD; `null` for reasons without metadata. */
export type MetadataOf<R extends ErrorReason> = R extends Reason ? ErrorEnvelope<R>['error']['metadata'] : null;

/** Properties of an error besides its reason and message. */
export interface ErrorFacts<R extends ErrorReason = ErrorReason> {
  /** HTTP status of the reply; in a stream, the status that the error would have had. Default `null`: no reply. */
  readonly status?: number | null | undefined;
  /** Default `null`. */
  readonly metadata?: MetadataOf<R> | null | undefined;
  /** Default `null`. */
  readonly param?: string | null | undefined;
  /** Default `false`. */
  readonly retryable?: boolean | undefined;
  /** Default `null`. */
  readonly requestId?: string | null | undefined;
  /** Default `null`. */
  readonly retryAfterMs?: number | null | undefined;
  /** The underlying error or abort reason. */
  readonly cause?: unknown;
}

class SearchgateErrorOf<R extends ErrorReason> extends Error {
  override readonly name = 'SearchgateError';
  readonly [BRAND] = true;
  /** Branch on it. For a reason of a newer gateway, which this type does not list, use `status` and `retryable`. */
  readonly reason: R;
  /** HTTP status of the reply; `null` without a reply. */
  readonly status: number | null;
  /** A fixed shape per reason: checking `reason` narrows its type. */
  readonly metadata: MetadataOf<R>;
  /** The name of the invalid field or query parameter in the request; else `null`. */
  readonly param: string | null;
  /** Whether the same call may succeed later. The client has already used its own retries. */
  readonly retryable: boolean;
  /** Quote it when you ask the operator; `null` without a gateway's reply. */
  readonly requestId: string | null;
  /** Milliseconds to wait before the next try, from the reply; `null` if it does not say. */
  readonly retryAfterMs: number | null;

  constructor(reason: R, message: string, facts: ErrorFacts<R> = {}) {
    super(message, facts);
    this.reason = reason;
    this.status = facts.status ?? null;
    this.metadata = (facts.metadata ?? null) as MetadataOf<R>;
    this.param = facts.param ?? null;
    this.retryable = facts.retryable ?? false;
    this.requestId = facts.requestId ?? null;
    this.retryAfterMs = facts.retryAfterMs ?? null;
  }
}

/** The error of every failed call. A union over the reasons: `error.reason === 'rate_limited'` narrows the type of `error.metadata`. */
export type SearchgateError<R extends ErrorReason = ErrorReason> = R extends ErrorReason ? SearchgateErrorOf<R> : never;

interface SearchgateErrorConstructor {
  /** For your own tests: the client makes its errors itself. */
  new <R extends ErrorReason>(reason: R, message: string, facts?: ErrorFacts<R>): SearchgateErrorOf<R>;
  readonly prototype: SearchgateError;
}

export const SearchgateError: SearchgateErrorConstructor = SearchgateErrorOf;

/** Whether a value is an error of this client, from any copy of the package. */
export function isSearchgateError(value: unknown): value is SearchgateError {
  return typeof value === 'object' && value !== null && (value as { [BRAND]?: unknown })[BRAND] === true;
}

const MESSAGES: Readonly<Record<ClientReason, string>> = {
  connection_failed: 'The gateway could not be reached, or the connection ended before the reply was whole.',
  invalid_reply: 'The reply is not one of a gateway. Check baseUrl, and what is between the gateway and here.',
  timeout: 'The call took longer than its timeoutMs.',
  aborted: 'The signal of the call was aborted.',
};

/** Makes an error with one of the client's reasons. */
export function clientError(reason: ClientReason, facts?: ErrorFacts<ClientReason>): SearchgateError {
  return new SearchgateError(reason, MESSAGES[reason], facts);
}
