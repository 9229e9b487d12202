import type { Logger } from '../base/events/logger.js';
import { type StoreWatches, watchStore } from '../base/events/watch-store.js';
import type { Clock } from '../base/time/clock.js';
import type { ApiKeyStore } from './api-key.js';
import { AUTH_FAILURE_DEFAULTS, type AuthFailureOptions } from './auth-failure-options.js';
import { hookAuthenticator, storeAuthenticator } from './authenticator.js';
import { cachedApiKeys } from './cached-api-keys.js';
import { createFailureGuard, type FailureGuardOptions } from './failure-guard.js';

/** The options of a gateway about authentication. */
export interface AuthenticationOptions
  extends Omit<FailureGuardOptions, 'authFailureLimit'>,
    AuthFailureOptions<never> {
  readonly apiKeys?: ApiKeyStore | undefined;
  readonly authenticate?: Parameters<typeof hookAuthenticator>[0]['authenticate'] | undefined;
  readonly keyCacheMaxKeys: number;
  readonly keyCacheMaxAgeMs: number;
  /** Longest wait for the hook or the key store. */
  readonly ledgerTimeoutMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly watches: StoreWatches;
}

/** The hash of no key. */
const NO_KEY = '0'.repeat(64);

/** Authenticates by the hook, if given, else by the key store behind a cache. */
export function buildAuthentication(config: AuthenticationOptions) {
  const { apiKeys, authenticate, clock, logger, ledgerTimeoutMs: timeoutMs } = config;
  if (authenticate !== undefined) {
    const guard = createFailureGuard({ ...config, authFailureLimit: config.authFailureLimit ?? 0 });
    const authenticator = hookAuthenticator({ authenticate, timeoutMs, guard, clock, logger });
    return { authenticator, invalidateKey: (_hash: string) => undefined };
  }
  if (apiKeys === undefined) throw new Error('parseGatewayOptions demands apiKeys or authenticate');
  const { authFailureLimit = AUTH_FAILURE_DEFAULTS.authFailureLimit } = config;
  const guard = createFailureGuard({ ...config, authFailureLimit });
  const probe = async () => {
    store.invalidate(NO_KEY);
    await store.findByHash(NO_KEY);
  };
  const { ended } = watchStore('key_store', probe, config.watches);
  const store = cachedApiKeys(apiKeys, {
    maxKeys: config.keyCacheMaxKeys,
    maxAgeMs: config.keyCacheMaxAgeMs,
    timeoutMs,
    clock,
    ended,
  });
  return {
    authenticator: storeAuthenticator({ store, guard, clock, logger }),
    /** Removes a key from the cache, so that the next call looks the key up again. Does nothing with the `authenticate` hook. */
    invalidateKey: (hash: string): void => store.invalidate(hash),
  };
}
