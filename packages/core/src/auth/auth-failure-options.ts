import { callback, count } from '../base/options/option-schemas.js';
import type { AuthenticatedRequest } from './caller-request.js';

/** The options of `createGateway` about callers without a valid key. */
export interface AuthFailureOptions<Host = unknown> {
  /**
   * Most failures to authenticate (401) a minute of one client address, at once or spread. Beyond it callers who fail get 429 `auth_rate_limited`, and are
   * looked up in turns, so that those who do not fail are served. An IPv6 network of 64 bits counts as one address. 0 for no limit.
   *
   * @default 60; with `authenticate` 0, since visitors without a session are no attack
   */
  readonly authFailureLimit?: number | undefined;
  /**
   * The address of a caller, where what the adapter says (`clientAddress` of the request) is not it: `({ header }) => header('cf-connecting-ip')`. `undefined`
   * for a caller who is not limited. Throwing is logged and means the same.
   *
   * @default the address of the socket, Express's `req.ip`, Koa's `ctx.ip`
   */
  readonly clientAddress?: ((request: AuthenticatedRequest<Host>) => string | undefined) | undefined;
}

export const AUTH_FAILURE_DEFAULTS = { authFailureLimit: 60 } as const;

type ClientAddress = NonNullable<AuthFailureOptions<never>['clientAddress']>;

export const authFailureShape = {
  authFailureLimit: count(0, 1_000_000).optional(),
  clientAddress: callback<ClientAddress>('a function (request) => address or undefined').optional(),
};
