import type { KeyIdentity } from '../auth/key-identity.js';
import type { RoutingPreferences } from '../routing/routing-preferences.js';

/** `refresh` ignores cached answers; `off` also does not cache the new answer. */
export type CacheMode = 'refresh' | 'off';

/** The caller: a bearer token, or an identity that the host has authenticated. */
export type Caller = string | KeyIdentity;

/** Options of every call in process. */
export interface CallOptions {
  /** Who calls and pays. */
  readonly apiKey: Caller;
}

/** What calls take besides their fields. Over HTTP, these are headers. */
export const HEADER_OPTIONS = [
  'apiKey',
  'idempotencyKey',
  'cache',
] as const satisfies readonly (keyof ModelCallOptions)[];

/** What every call of a model in process takes. */
export interface ModelCallOptions extends CallOptions {
  /** Which models may answer, in which order, and at which highest price. @default the operator's fallbacks, at any price */
  readonly routing?: RoutingPreferences | null | undefined;
  /** Your label for the call, such as a team; usage is summed per tag. 1 to 64 printable characters. @default no tag */
  readonly tag?: string | null | undefined;
  /**
   * 1 to 255 printable ASCII characters. Repeated calls get the first call's answer at no cost, as with `Idempotency-Key` over HTTP.
   *
   * @default none: every call is a new one
   */
  readonly idempotencyKey?: string | undefined;
  /**
   * `'refresh'` asks for a new answer and caches it; `'off'` asks for a new answer and does not cache it. No effect when the gateway has no cache.
   *
   * @default a cached answer may be used
   */
  readonly cache?: CacheMode | undefined;
  /**
   * Abort it when you no longer wait. The promise then rejects at once with `client_closed_request`. No further attempt begins; the attempt
   * in flight is finished and charged, as over HTTP.
   *
   * @default none
   */
  readonly signal?: AbortSignal | undefined;
}
