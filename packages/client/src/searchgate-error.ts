import type { ErrorEnvelope, Reason } from '@searchgate/core';

const BRAND = Symbol.for('searchgate.client.error');

/**
 * What can go wrong without an error of the gateway.
 *
 * - `connection_failed`: the gateway could not be reached, or the connection ended before the reply or the stream was whole. In a browser also: CORS
 *   does not allow the call. Retryable.
 * - `invalid_reply`: a reply that no gateway sends, such as a proxy's HTML page, a redirect, or more than 16 million characters. Retryable where its
 *   status is 408, 429, 502, 503 or 504.
 * - `timeout`: the call took longer than `timeoutMs`. Retryable, by you: this call has ended.
 * - `aborted`: the call's `signal` was aborted. Its reason is the `cause`.
 */
export type ClientReason = 'connection_failed' | 'invalid_reply' | 'timeout' | 'aborted';

/** What to branch on: a reason of the gateway's, which docs/errors.md explains, or one of the client's own. */
export type ErrorReason = Reason | ClientReason;

/** The metadata of an error as the gateway sends it: a closed shape per reason, amounts in USD; `null` for reasons that have none. */
export type MetadataOf<R extends ErrorReason> = R extends Reason ? ErrorEnvelope<R>['error']['metadata'] : null;

/** What an error tells beside its reason and message. */
export interface ErrorFacts<R extends ErrorReason = ErrorReason> {
  /** Of the reply. In a stream that has begun: the one the error would have had. Default `null`: there was no reply. */
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
  /** The error or the abort reason behind it. */
  readonly cause?: unknown;
}

class SearchgateErrorOf<R extends ErrorReason> extends Error {
  override readonly name = 'SearchgateError';
  readonly [BRAND] = true;
  /** What to branch on. A newer gateway may send reasons that this type does not know: go by `status` and `retryable` then. */
  readonly reason: R;
  /** HTTP status of the reply; `null` where there was none. */
  readonly status: number | null;
  /** A closed shape per reason: after a check of `reason` its type is known. */
  readonly metadata: MetadataOf<R>;
  /** The field or query parameter at fault, by its name on the wire; else `null`. */
  readonly param: string | null;
  /** Whether the same call may succeed later without any change. The client has retried already, as far as it may. */
  readonly retryable: boolean;
  /** Quote it when you ask the operator; `null` where no gateway replied. */
  readonly requestId: string | null;
  /** Milliseconds that the reply asks to wait before the next try; `null` where it does not say. */
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

/** Every failed call ends with one of these. A union over the reasons, so that `error.reason === 'rate_limited'` tells the type of `error.metadata`. */
export type SearchgateError<R extends ErrorReason = ErrorReason> = R extends ErrorReason ? SearchgateErrorOf<R> : never;

interface SearchgateErrorConstructor {
  /** For your own tests: the client makes its errors itself. */
  new <R extends ErrorReason>(reason: R, message: string, facts?: ErrorFacts<R>): SearchgateErrorOf<R>;
  readonly prototype: SearchgateError;
}

export const SearchgateError: SearchgateErrorConstructor = SearchgateErrorOf;

/** Tells whether a value is an error of this client, whichever copy of the package made it. */
export function isSearchgateError(value: unknown): value is SearchgateError {
  return typeof value === 'object' && value !== null && (value as { [BRAND]?: unknown })[BRAND] === true;
}

const MESSAGES: Readonly<Record<ClientReason, string>> = {
  connection_failed: 'The gateway could not be reached, or the connection ended before the reply was whole.',
  invalid_reply: 'The reply is not one of a gateway. Check baseUrl, and what is between the gateway and here.',
  timeout: 'The call took longer than its timeoutMs.',
  aborted: 'The signal of the call was aborted.',
};

/** Makes an error with a reason of the client's own. */
export function clientError(reason: ClientReason, facts?: ErrorFacts<ClientReason>): SearchgateError {
  return new SearchgateError(reason, MESSAGES[reason], facts);
}
