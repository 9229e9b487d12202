import { RequestError } from '../errors/request-error.js';
import type { Clock } from '../time/clock.js';
import { createAuthFailureLimit } from './auth-failure-limit.js';
import type { CallerRequest } from './caller-request.js';
import { type ClientAddressOptions, clientGroupReader } from './client-address.js';

/**
 * Runs an attempt to find out who calls, unless too many attempts from the same address have failed.
 *
 * @throws RequestError `auth_rate_limited`, `overloaded`, or `client_closed_request`.
 */
export type FailureGuard = <T>(request: CallerRequest, attempt: () => Promise<T>) => Promise<T>;

export interface FailureGuardOptions extends ClientAddressOptions {
  /** Failures a minute; 0 for no limit. */
  readonly authFailureLimit: number;
  readonly ledgerTimeoutMs: number;
  readonly clock: Clock;
}

/** Limits nothing. */
export const unguarded: FailureGuard = (_request, attempt) => attempt();

export function createFailureGuard(options: FailureGuardOptions): FailureGuard {
  const { authFailureLimit: failuresPerMinute, ledgerTimeoutMs: timeoutMs, clock } = options;
  if (failuresPerMinute === 0) return unguarded;
  const limit = createAuthFailureLimit({ failuresPerMinute, timeoutMs, clock });
  const groupOf = clientGroupReader(options);

  return (request, attempt) => {
    const group = groupOf(request);
    if (group !== undefined) return limit.run(group, attempt);
    // A socket that has closed has no address any more: hanging up must be no way around the limit.
    if (request.disconnected === true) return Promise.reject(new RequestError('client_closed_request'));
    return attempt();
  };
}
