import type { AnswerOptions, Category } from '@searchgate/core';
import type { KindCalls } from '@searchgate/core/extensions';

/** Where the gateway is, who calls it, and how long the client tries. */
export interface ClientOptions {
  /**
   * Where the gateway is mounted, such as `https://api.example.com/search`: an absolute `http:` or `https:` URL. A trailing slash makes no difference.
   * In a page of the same origin: `location.origin` plus the mount path.
   */
  readonly baseUrl: string | URL;
  /**
   * Sent as `Authorization: Bearer …`, to `baseUrl` only: redirects are not followed. Omit it if the host identifies callers by other means, as in
   * browsers, where every visitor could read the key.
   *
   * @default none
   */
  readonly apiKey?: string | undefined;
  /** Headers of every request, such as a CSRF token. @default none */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Retries after a retryable failure, 0 to 10. @default 2 */
  readonly maxRetries?: number | undefined;
  /**
   * Milliseconds for a whole call, including retries, waits and the stream, 1 to 2,147,483,647. A few models that write reports take longer.
   *
   * @default 200,000
   */
  readonly timeoutMs?: number | undefined;
  /** Used instead of the global `fetch`. It has to honor the options `signal` and `redirect`. @default the global `fetch` */
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
}

/** Options of every call. */
export interface CallOptions {
  /** Ends the call with the reason `aborted`. The gateway still finishes and charges the answer: docs/errors.md#client_closed_request. @default none */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds for this call. @default {@link ClientOptions.timeoutMs} */
  readonly timeoutMs?: number | undefined;
}

/** A call that is charged. */
interface ChargedRequest extends CallOptions {
  /**
   * 1 to 255 printable ASCII characters. Calls with the same key are charged once and get the same answer. Default: a random key per call, shared by its
   * retries. Pass your own to repeat a call after an error.
   */
  readonly idempotencyKey?: string | undefined;
}

type LocalOptions = 'apiKey' | 'idempotencyKey' | 'signal';

/** A question, in the same form as the options of `gateway.answer` in process. */
export interface AnswerRequest extends Omit<AnswerOptions, LocalOptions>, ChargedRequest {}

/** A question whose answer is looked up until it is there. Give it a `timeoutMs` as long as the model may take. */
export interface AsyncAnswerRequest extends AnswerRequest {
  /** Milliseconds between two look-ups, at least 100. Default: 2,000. */
  readonly pollMs?: number | undefined;
}

/** The methods for calls that are no questions, such as `search`. */
export type KindName = keyof KindCalls;

/** The request of such a method, in the same form as the options of the same function in process: `KindRequest<'search'>`. */
export type KindRequest<Name extends KindName> = Omit<Parameters<KindCalls[Name]>[0], LocalOptions> & ChargedRequest;

/** The body of its reply: `KindReply<'search'>`. */
export type KindReply<Name extends KindName> = Awaited<ReturnType<KindCalls[Name]>>;

/** Days are UTC calendar days such as `2026-11-21`. At most 366. */
export interface UsageRequest extends CallOptions {
  /** A row for each of these. By `budget`, a call counts in the row of each of its budgets. */
  readonly by: 'day' | 'model' | 'tag' | 'budget';
  /** First day, included. Default: 29 days before the last day. */
  readonly from?: string | undefined;
  /** Last day, included. Default: today. */
  readonly to?: string | undefined;
}

/** Which models to list. Default: all. */
export interface ModelsRequest extends CallOptions {
  /** Lists only models of this category. Default: all. */
  readonly category?: Category | undefined;
  /** Lists only models that the gateway can call, or only the others. Default: all. */
  readonly callable?: boolean | undefined;
}
