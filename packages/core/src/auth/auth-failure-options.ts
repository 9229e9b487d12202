import { callback, count } from '../options/option-schemas.js';
import type { AuthenticatedRequest } from './caller-request.js';

/** The options of `createGateway` about callers without a valid key. */
export interface AuthFailureOptions<Host = unknown> {
  /**
   * Most failures to authenticate (401) a minute of one client address, at once or spread. Beyond it callers get 429 `auth_rate_limited` without
   * a look-up, except with keys that this gateway has found to be valid before. An IPv6 network of 64 bits counts as one address. 0 for no
   * limit. Default 60.
   */
  readonly authFailureLimit?: number | undefined;
  /**
   * The address of a caller, where what the adapter says is not it: `({ header }) => header('cf-connecting-ip')`. `undefined` for a caller
   * who is not limited. Throwing is logged and means the same. Default: the address of the socket, Express's `req.ip`, Koa's `ctx.ip`.
   */
  readonly clientAddress?: ((request: AuthenticatedRequest<Host>) => string | undefined) | undefined;
}

export const AUTH_FAILURE_DEFAULTS = { authFailureLimit: 60 } as const;

type ClientAddress = NonNullable<AuthFailureOptions<never>['clientAddress']>;

export const authFailureShape = {
  authFailureLimit: count(0, 1_000_000).default(AUTH_FAILURE_DEFAULTS.authFailureLimit),
  clientAddress: callback<ClientAddress>('a function (request) => address or undefined').optional(),
};
