import { errorMessage } from '../base/errors/error-message.js';
import type { Reason } from '../base/errors/reasons.js';
import { RequestError } from '../base/errors/request-error.js';
import type { Logger } from '../base/events/logger.js';
import type { Clock } from '../base/time/clock.js';
import { createTimeLimit } from '../base/time/deadline.js';
import type { ApiKey } from './api-key.js';
import { hashApiKey } from './api-key-secret.js';
import type { CachedApiKeyStore } from './cached-api-keys.js';
import { type AuthenticatedRequest, type CallerRequest, viewOf } from './caller-request.js';
import { apiKeyOf, WrongShapeError } from './check-identity.js';
import type { FailureGuard } from './failure-guard.js';
import type { KeyIdentity } from './key-identity.js';

/**
 * The host's authentication, instead of API keys. Receives the bearer token (`null` without a well-formed token) and the request, for sessions, cookies or
 * other headers. Called once per request; results are not cached.
 *
 * @returns the caller, or `null` to refuse with 401 `not_authenticated`. If the hook throws, rejects, takes longer than `ledgerTimeoutMs` or returns another
 * value, the caller gets 500 `hook_failed`.
 */
export type Authenticate<Host = unknown> = (
  token: string | null,
  request: AuthenticatedRequest<Host>,
) => KeyIdentity | null | Promise<KeyIdentity | null>;

/**
 * Finds the caller. @throws RequestError with a 401 reason, `organization_suspended`, `ledger_unavailable` or `hook_failed`; `byRequest` also throws the
 * errors of its guard.
 */
export interface Authenticator {
  /** Returns a promise only if the store or the hook has to be asked, because most keys are cached and each promise costs time. */
  byRequest(request: CallerRequest): ApiKey | Promise<ApiKey>;
  /** For calls in process, which no guard limits. */
  byToken(token: string): Promise<ApiKey>;
}

/** The cause of a refusal because the key store has failed. */
export class KeyStoreFailure extends Error {
  override readonly name = 'KeyStoreFailure';

  /** @param lastKnown the key at its last look-up: for logs alone, because nobody is served by it. */
  constructor(
    readonly lastKnown: ApiKey | undefined,
    cause: unknown,
  ) {
    super('the key store failed', { cause });
  }
}

export interface StoreAuthenticatorOptions {
  readonly store: Pick<CachedApiKeyStore, 'findByHash' | 'lastFound' | 'remembers'>;
  readonly guard: FailureGuard;
  readonly clock: Clock;
  readonly logger: Logger;
}

const RETRY_AFTER_MS = 1_000;

/** Authenticates by API keys in a store. Known and unknown tokens take the same path: a hash and a look-up. */
export function storeAuthenticator({ store, guard, clock, logger }: StoreAuthenticatorOptions): Authenticator {
  function usable(hash: string, found: ReturnType<typeof store.findByHash>): ApiKey | Promise<ApiKey> {
    return found instanceof Promise ? lookedUp(hash, found) : requireUsable(found, clock.now());
  }

  const lookUp = (hash: string) => usable(hash, store.findByHash(hash));

  async function lookedUp(hash: string, lookup: Promise<ApiKey | undefined>): Promise<ApiKey> {
    let key: ApiKey | undefined;
    try {
      key = await lookup;
    } catch (error) {
      logger.error({ error }, 'the key store failed');
      if (error instanceof WrongShapeError) throw new RequestError('hook_failed', { cause: error });
      const cause = new KeyStoreFailure(store.lastFound(hash), error);
      throw new RequestError('ledger_unavailable', { retryAfterMs: RETRY_AFTER_MS, cause });
    }
    return requireUsable(key, clock.now());
  }

  async function refuse(request: CallerRequest, error: unknown): Promise<never> {
    throw guard.refuse(request, error);
  }

  return {
    byToken: async (token) => lookUp(hashApiKey(token)),
    byRequest(request) {
      const authorization = request.header('authorization');
      const token = findBearerToken(authorization);
      if (token === null) return refuse(request, withoutToken(authorization));
      const hash = hashApiKey(token);
      const last = store.lastFound(hash);
      // Failures of other callers at the same address must not affect the holder of a valid key.
      if (last !== undefined && refusalOf(last, clock.now()) === null) {
        const found = store.findByHash(hash);
        return found === last ? last : usable(hash, found);
      }
      const attempt = async () => lookUp(hash);
      // A cached result needs no look-up, and so no turn in the queue.
      if (store.remembers(hash)) return attempt().catch((error: unknown) => refuse(request, error));
      return guard.run(request, attempt);
    },
  };
}

export interface HookAuthenticatorOptions extends Omit<StoreAuthenticatorOptions, 'store'> {
  readonly authenticate: Authenticate<never>;
  /** Longest wait for the hook. */
  readonly timeoutMs: number;
}

/** Authenticates by the host's hook. */
export function hookAuthenticator(options: HookAuthenticatorOptions): Authenticator {
  const { authenticate, timeoutMs, guard, clock, logger } = options;
  const timedOut = () => new Error(`authenticate did not answer within ${timeoutMs} ms`);
  const limit = createTimeLimit(clock, timeoutMs, { timedOut });

  /** A result without a promise needs no timer, which saves 1 µs. */
  function ask(token: string | null, request: CallerRequest): KeyIdentity | null | Promise<KeyIdentity | null> {
    const answer = authenticate(token, viewOf(request) as AuthenticatedRequest<never>);
    const isThenable = typeof (answer as Partial<PromiseLike<unknown>> | null | undefined)?.then === 'function';
    return isThenable ? limit.wait(Promise.resolve(answer)) : answer;
  }

  async function requireCaller(token: string | null, request: CallerRequest): Promise<ApiKey> {
    let key: ApiKey | null;
    try {
      const identity = await ask(token, request);
      key = identity === null ? null : apiKeyOf(identity);
    } catch (error) {
      logger.error({ error }, 'the authenticate hook failed');
      throw new RequestError('hook_failed', { cause: error });
    }
    if (key === null) throw new RequestError('not_authenticated');
    return key;
  }

  return {
    byRequest: (request) =>
      guard.run(request, () => requireCaller(findBearerToken(request.header('authorization')), request)),
    byToken: (token) => requireCaller(token, NO_REQUEST),
  };
}

/** The request for the hook when the host calls `gateway.answer` with a token. */
const NO_REQUEST: CallerRequest = { method: 'POST', path: '', header: () => undefined };

/** Believes the host's own code, but not that it is free of mistakes. @param option where the host's code gave it, in process. @throws RequestError `hook_failed`. */
export function identityOfHost(identity: KeyIdentity, logger: Logger, option?: string): ApiKey {
  try {
    return apiKeyOf(identity);
  } catch (error) {
    logger.error({ error }, 'a caller given by the host is not an identity');
    // Only the host's own code may read of its values.
    const note = option && `In ${option}, ${errorMessage(error)}`;
    throw new RequestError('hook_failed', { note, cause: error });
  }
}

function requireUsable(key: ApiKey | undefined, nowMs: number): ApiKey {
  if (key === undefined) throw new RequestError('invalid_api_key');
  const reason = refusalOf(key, nowMs);
  if (reason !== null) throw new RequestError(reason);
  return key;
}

function refusalOf(key: ApiKey, nowMs: number): Reason | null {
  // Whatever the time: the clock that stamped the revocation may be ahead of ours.
  if (key.revokedAtMs !== null) return 'revoked_api_key';
  if (key.expiresAtMs !== null && key.expiresAtMs <= nowMs) return 'expired_api_key';
  return key.organizationSuspended ? 'organization_suspended' : null;
}

const MAX_AUTHORIZATION_BYTES = 512;
/** The scheme, spaces, and a token of printable ASCII characters except the comma: RFC 6750's alphabet and other characters that people use in keys. */
const BEARER = /^bearer +([\x21-\x2b\x2d-\x7e]+) *$/i;

/**
 * Returns the token of an `Authorization` header.
 *
 * @returns `null` without a well-formed token: {@link withoutToken} tells why.
 */
export function findBearerToken(authorization: string | undefined): string | null {
  if (authorization === undefined || authorization.length > MAX_AUTHORIZATION_BYTES) return null;
  return BEARER.exec(authorization)?.[1] ?? null;
}

/**
 * The error for a header without a token: `missing_api_key` without a header; `malformed_authorization` for another scheme, no token, several tokens, more than
 * 512 bytes, or characters outside printable ASCII.
 */
export function withoutToken(authorization: string | undefined): RequestError {
  return new RequestError(authorization === undefined ? 'missing_api_key' : 'malformed_authorization');
}
