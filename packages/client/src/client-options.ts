import type { AnswerOptions, Category } from '@searchgate/core';

export interface ClientOptions {
  /**
   * Where the gateway is mounted, such as `https://api.example.com/search`: an absolute `http:` or `https:` URL. A slash at its end makes no difference.
   * In a page of the same origin: `location.origin`, and the path of the mount.
   */
  readonly baseUrl: string | URL;
  /**
   * Sent as `Authorization: Bearer …`, to `baseUrl` only: redirects are not followed. Leave it out where the host knows its callers in another way, as in
   * browsers, where every visitor could read it.
   */
  readonly apiKey?: string | undefined;
  /** Headers of every request, for hosts that ask for more, such as a CSRF token. Default: none. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** How often a call is tried again after a retryable failure, 0 to 10. Default: 2. */
  readonly maxRetries?: number | undefined;
  /**
   * Milliseconds for a whole call, retries, waits and the end of a stream included, 1 to 2,147,483,647. Default: 200,000. A few models that write
   * reports take longer.
   */
  readonly timeoutMs?: number | undefined;
  /** Used instead of the global `fetch`. It has to honor `signal` and `redirect` of what it is called with. */
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
}

/** What every call takes. */
export interface CallOptions {
  /** Ends the call with the reason `aborted`. What the gateway had begun it finishes, and charges: docs/errors.md#client_closed_request. */
  readonly signal?: AbortSignal | undefined;
  /** As in {@link ClientOptions}, for this call. Default: the client's. */
  readonly timeoutMs?: number | undefined;
}

/** A question: the options of `gateway.answer` in process, in the same form. */
export interface AnswerRequest extends Omit<AnswerOptions, 'apiKey' | 'idempotencyKey' | 'signal'>, CallOptions {
  /**
   * 1 to 255 printable ASCII characters. Calls with the same one are charged once and get the same answer. Default: a new random one for each call, which
   * its retries share. Pass your own where you may have to ask again after an error.
   */
  readonly idempotencyKey?: string | undefined;
}

/** Days are of the calendar in UTC, such as `2026-11-21`. At most 366. */
export interface UsageRequest extends CallOptions {
  readonly by: 'day' | 'model' | 'tag';
  /** The first day that counts. Default: 29 days before the last one. */
  readonly from?: string | undefined;
  /** The last day that counts. Default: today. */
  readonly to?: string | undefined;
}

export interface ModelsRequest extends CallOptions {
  /** Lists only models of this category. Those of `answer` can be called. Default: all. */
  readonly category?: Category | undefined;
}
