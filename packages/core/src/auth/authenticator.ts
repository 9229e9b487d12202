import type { Clock } from '../clock.js';
import { isRequestError, RequestError } from '../errors.js';
import { LIMIT_RESETS, type LimitReset } from '../limit-window.js';
import type { Logger } from '../logger.js';
import { type NanoUsd, parseUsd } from '../money.js';
import type { ApiKey, ApiKeyStore } from './api-key.js';
import { hashApiKey } from './api-key-secret.js';
import { bearerToken } from './bearer-token.js';

/** What a host's own authentication may read of a request. */
export interface AuthenticatedRequest {
  readonly method: string;
  readonly path: string;
  /** A header's value by lower-case name. */
  header(name: string): string | undefined;
}

/**
 * A caller the host vouches for. `id` names it in the ledger, so it must stay the same for the same caller and differ between callers.
 */
export interface KeyIdentity {
  readonly id: string;
  readonly organizationId: string;
  /** Shown by `GET /key`; defaults to `id`. */
  readonly label?: string | undefined;
  /** Most it may spend, decimal USD; absent or `null` for no limit. */
  readonly limit?: string | null | undefined;
  /** How often the limit starts afresh (UTC calendar); absent or `null` for never. */
  readonly limitReset?: LimitReset | null | undefined;
  /** Slugs it may call; absent or `null` for all. */
  readonly allowedModels?: readonly string[] | null | undefined;
}

/**
 * A host's own way to tell who is calling, instead of API keys: gets the bearer token (`null` when there is none that is well
 * formed) and the request, for cookies or other headers. Called once per request and never cached.
 *
 * @returns the caller, or `null` to refuse with 401. Throwing or rejecting is a failure of the host: 500 `hook_failed`.
 */
export type Authenticate = (
  token: string | null,
  request: AuthenticatedRequest,
) => KeyIdentity | null | Promise<KeyIdentity | null>;

/** Finds out who is calling. @throws RequestError with one of the 401 reasons, `organization_suspended`, `ledger_unavailable` or `hook_failed`. */
export interface Authenticator {
  byRequest(request: AuthenticatedRequest): Promise<ApiKey>;
  byToken(token: string): Promise<ApiKey>;
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
      throw new RequestError('ledger_unavailable', { retryAfterMs: RETRY_AFTER_MS, cause: error });
    }
    return requireUsable(key, clock.now());
  }

  return { byToken, byRequest: async (request) => byToken(bearerToken(request.header('authorization'))) };
}

/** Authenticates by the host's hook. */
export function hookAuthenticator(authenticate: Authenticate, logger: Logger): Authenticator {
  async function ask(token: string | null, request: AuthenticatedRequest): Promise<ApiKey | null> {
    try {
      const identity = await authenticate(token, request);
      return identity === null ? null : apiKeyOf(identity);
    } catch (error) {
      logger.error({ error }, 'the authenticate hook failed');
      throw new RequestError('hook_failed', { cause: error });
    }
  }

  return {
    async byRequest(request) {
      const { token, problem } = readToken(request);
      const key = await ask(token, request);
      if (key === null) throw problem ?? new RequestError('invalid_api_key');
      return key;
    },
    async byToken(token) {
      const key = await ask(token, NO_REQUEST);
      if (key === null) throw new RequestError('invalid_api_key');
      return key;
    },
  };
}

/** What a hook sees when the host itself calls `gateway.answer` with a token. */
const NO_REQUEST: AuthenticatedRequest = { method: 'POST', path: '', header: () => undefined };

/** Turns a host's identity into the form the pipeline uses. @throws TypeError or RangeError when it is not a valid one. */
export function apiKeyOf({ id, organizationId, label, limit, limitReset, allowedModels }: KeyIdentity): ApiKey {
  if (!isName(id) || !isName(organizationId)) {
    throw new TypeError(
      'an identity needs an id and an organizationId of 1 to 128 printable ASCII characters without spaces',
    );
  }
  return {
    id,
    organizationId,
    label: label ?? id,
    limit: limit == null ? null : requirePositive(parseUsd(limit)),
    limitReset: limitReset == null ? null : requireReset(limitReset),
    allowedModels: allowedModels ?? null,
    expiresAtMs: null,
    revokedAtMs: null,
    organizationSuspended: false,
  };
}

function requireUsable(key: ApiKey | undefined, nowMs: number): ApiKey {
  if (key === undefined) throw new RequestError('invalid_api_key');
  // Whatever the time: the clock that stamped the revocation may be ahead of ours.
  if (key.revokedAtMs !== null) throw new RequestError('revoked_api_key');
  if (key.expiresAtMs !== null && key.expiresAtMs <= nowMs) throw new RequestError('expired_api_key');
  if (key.organizationSuspended) throw new RequestError('organization_suspended');
  return key;
}

function readToken(request: AuthenticatedRequest): { token: string | null; problem?: RequestError } {
  try {
    return { token: bearerToken(request.header('authorization')) };
  } catch (error) {
    if (isRequestError(error)) return { token: null, problem: error };
    throw error;
  }
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && /^[\x21-\x7e]{1,128}$/.test(value);
}

function requireReset(reset: LimitReset): LimitReset {
  if (!LIMIT_RESETS.includes(reset)) throw new RangeError(`a limitReset is ${LIMIT_RESETS.join(', ')} or null`);
  return reset;
}

function requirePositive(amount: NanoUsd): NanoUsd {
  if (amount < 0n) throw new RangeError('a limit is zero or more');
  return amount;
}
