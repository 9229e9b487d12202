import { RequestError } from '../errors/request-error.js';
import type { Logger } from '../events/logger.js';
import type { Clock } from '../time/clock.js';
import { createTimeLimit } from '../time/time-limit.js';
import type { ApiKey, ApiKeyStore } from './api-key.js';
import { hashApiKey } from './api-key-secret.js';
import { bearerToken, findBearerToken } from './bearer-token.js';
import { apiKeyOf, WrongShapeError } from './check-identity.js';
import type { KeyIdentity } from './key-identity.js';

/**
 * What a host's own authentication may read of a request.
 *
 * @typeParam Host the framework's own request: Express's `Request`, Koa's `Context`, a Web `Request`, node's `IncomingMessage`.
 */
export interface AuthenticatedRequest<Host = unknown> {
  readonly method: string;
  readonly path: string;
  /** A header's value by lower-case name. */
  header(name: string): string | undefined;
  /**
   * The request as the host's framework has it, with all that middleware before the gateway has put there: `host.user`, `host.session`,
   * `host.state`. `undefined` for calls in process, where there is none.
   */
  readonly host: Host | undefined;
}

/**
 * A host's own way to tell who is calling, instead of API keys: gets the bearer token (`null` when there is none that is well
 * formed) and the request, for sessions, cookies or other headers. Called once per request and never cached.
 *
 * @returns the caller, or `null` to refuse with 401 `not_authenticated`. Throwing, rejecting, taking longer than `ledgerTimeoutMs` and
 * returning anything else is a failure of the host: 500 `hook_failed`.
 */
export type Authenticate<Host = unknown> = (
  token: string | null,
  request: AuthenticatedRequest<Host>,
) => KeyIdentity | null | Promise<KeyIdentity | null>;

/** Finds out who is calling. @throws RequestError with one of the 401 reasons, `organization_suspended`, `ledger_unavailable` or `hook_failed`. */
export interface Authenticator {
  byRequest(request: CallerRequest): Promise<ApiKey>;
  byToken(token: string): Promise<ApiKey>;
}

/** The part of a request that tells who is calling. */
export interface CallerRequest extends Pick<AuthenticatedRequest, 'method' | 'path' | 'header'> {
  readonly host?: unknown;
}

export interface StoreAuthenticatorOptions {
  readonly store: ApiKeyStore;
  readonly clock: Clock;
  readonly logger: Logger;
}

const RETRY_AFTER_MS = 1_000;

/** Authenticates by API keys in a store. Known and unknown tokens take the same path: one hash, one look-up. */
export function storeAuthenticator({ store, clock, logger }: StoreAuthenticatorOptions): Authenticator {
  async function byToken(token: string): Promise<ApiKey> {
    let key: ApiKey | undefined;
    try {
      key = await store.findByHash(hashApiKey(token));
    } catch (error) {
      logger.error({ error }, 'the key store failed');
      throw error instanceof WrongShapeError
        ? new RequestError('hook_failed', { cause: error })
        : new RequestError('ledger_unavailable', { retryAfterMs: RETRY_AFTER_MS, cause: error });
    }
    return requireUsable(key, clock.now());
  }

  return { byToken, byRequest: async (request) => byToken(bearerToken(request.header('authorization'))) };
}

export interface HookAuthenticatorOptions {
  readonly authenticate: Authenticate<never>;
  /** Longest wait for the hook. */
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Authenticates by the host's hook. */
export function hookAuthenticator({ authenticate, timeoutMs, clock, logger }: HookAuthenticatorOptions): Authenticator {
  const limit = createTimeLimit(clock, timeoutMs);
  const timedOut = () => new Error(`authenticate did not answer within ${timeoutMs} ms`);

  /** What is there at once needs no timer, which saves 1 µs. */
  function ask(token: string | null, request: CallerRequest): KeyIdentity | null | Promise<KeyIdentity | null> {
    const answer = authenticate(token, viewOf(request) as AuthenticatedRequest<never>);
    return isThenable(answer) ? limit.run(() => Promise.resolve(answer), timedOut) : answer;
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
    byRequest: async (request) => requireCaller(findBearerToken(request.header('authorization')), request),
    byToken: (token) => requireCaller(token, NO_REQUEST),
  };
}

/** What a hook sees when the host itself calls `gateway.answer` with a token. */
const NO_REQUEST: CallerRequest = { method: 'POST', path: '', header: () => undefined };

/** An object of plain values: a hook may take it apart, which the methods of an adapter's request do not survive. */
function viewOf(request: CallerRequest): AuthenticatedRequest {
  const { method, path, host } = request;
  return { method, path, header: (name) => request.header(name), host };
}

function isThenable(value: unknown): boolean {
  return typeof (value as PromiseLike<unknown> | null | undefined)?.then === 'function';
}

/** Believes the host's own code, but not that it is free of mistakes. @throws RequestError `hook_failed`. */
export function identityOfHost(identity: KeyIdentity, logger: Logger): ApiKey {
  try {
    return apiKeyOf(identity);
  } catch (error) {
    logger.error({ error }, 'a caller given by the host is not an identity');
    throw new RequestError('hook_failed', { cause: error });
  }
}

function requireUsable(key: ApiKey | undefined, nowMs: number): ApiKey {
  if (key === undefined) throw new RequestError('invalid_api_key');
  // Whatever the time: the clock that stamped the revocation may be ahead of ours.
  if (key.revokedAtMs !== null) throw new RequestError('revoked_api_key');
  if (key.expiresAtMs !== null && key.expiresAtMs <= nowMs) throw new RequestError('expired_api_key');
  if (key.organizationSuspended) throw new RequestError('organization_suspended');
  return key;
}
