import { RequestError } from '../base/errors/request-error.js';
import type { Clock } from '../base/time/clock.js';
import { type AuthFailureLimit, createAuthFailureLimit } from '../limits/auth-failure-limit.js';
import type { CallerRequest } from './caller-request.js';
import { type ClientAddressOptions, clientGroupReader } from './client-address.js';

/** Limits failed authentication by client address. `run` also throws `client_closed_request`. */
export type FailureGuard = AuthFailureLimit<CallerRequest>;

export interface FailureGuardOptions extends ClientAddressOptions {
  /** Failures a minute; 0 for no limit. */
  readonly authFailureLimit: number;
  readonly ledgerTimeoutMs: number;
  readonly clock: Clock;
}

/** No limit. */
export const unguarded: FailureGuard = { run: (_request, attempt) => attempt(), refuse: (_request, error) => error };

export function createFailureGuard(options: FailureGuardOptions): FailureGuard {
  const { authFailureLimit: failuresPerMinute, ledgerTimeoutMs: timeoutMs, clock } = options;
  if (failuresPerMinute === 0) return unguarded;
  const limit = createAuthFailureLimit({ failuresPerMinute, timeoutMs, clock });
  const groupOf = clientGroupReader(options);

  return {
    run(request, attempt) {
      const group = groupOf(request);
      if (group !== undefined) return limit.run(group, attempt);
      // A closed socket has no address any more: hanging up must not be a way around the limit.
      if (request.disconnected === true) return Promise.reject(new RequestError('client_closed_request'));
      return attempt();
    },
    refuse(request, error) {
      const group = groupOf(request);
      return group === undefined ? error : limit.refuse(group, error);
    },
  };
}
