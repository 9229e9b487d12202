import type { CallOptions, ClientOptions } from './client-options.js';

/** The options of a client, checked. */
export interface Settings {
  /** Without a trailing slash. */
  readonly baseUrl: string;
  readonly headers: Headers;
  readonly maxRetries: number;
  readonly timeoutMs: number;
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
}

const DEFAULT_MAX_RETRIES = 2;
const MAX_RETRIES = 10;
/** Longer than most models need for an answer. */
const DEFAULT_TIMEOUT_MS = 200_000;
/** A timer with a longer delay fires at once. */
const MAX_TIMEOUT_MS = 2_147_483_647;

/** @throws TypeError for an invalid option. */
export function readOptions(options: ClientOptions): Settings {
  const { apiKey, maxRetries = DEFAULT_MAX_RETRIES, fetch: ownFetch } = options;
  const headers = readHeaders(options.headers);
  if (apiKey !== undefined) {
    check(/^[!-~]+$/.test(apiKey), 'apiKey must be printable ASCII characters without spaces');
    headers.set('authorization', `Bearer ${apiKey}`);
  }
  check(isWhole(maxRetries, 0, MAX_RETRIES), 'maxRetries must be a whole number from 0 to 10');
  return {
    baseUrl: readBaseUrl(options.baseUrl),
    headers,
    maxRetries,
    timeoutMs: readTimeout(options, DEFAULT_TIMEOUT_MS),
    // The global is read at each call, and called without a receiver: browsers refuse `fetch` as a method of another object.
    fetch: ownFetch ?? ((url, init) => fetch(url, init)),
  };
}

/** The platform's error for an invalid header prints its value, which may be a secret. */
function readHeaders(given: ClientOptions['headers']): Headers {
  try {
    return new Headers(given);
  } catch {
    throw new TypeError('headers must be names and values that can be sent');
  }
}

/** @throws TypeError */
export function readTimeout({ timeoutMs }: CallOptions, byDefault: number): number {
  const chosen = timeoutMs ?? byDefault;
  check(isWhole(chosen, 1, MAX_TIMEOUT_MS), 'timeoutMs must be a whole number from 1 to 2,147,483,647');
  return chosen;
}

function readBaseUrl(baseUrl: string | URL): string {
  const { protocol, origin, pathname, username, password, search, hash } = new URL(baseUrl);
  check(
    /^https?:$/.test(protocol) && username + password + search + hash === '',
    'baseUrl must be an absolute URL of http or https, without a user, a query or a fragment',
  );
  return origin + (pathname.endsWith('/') ? pathname.slice(0, -1) : pathname);
}

function isWhole(value: number, min: number, max: number): boolean {
  return Number.isInteger(value) && value >= min && value <= max;
}

/** @throws TypeError, as for any wrong argument: a mistake in the program. */
export function check(condition: boolean, message: string): asserts condition {
  if (!condition) throw new TypeError(message);
}
