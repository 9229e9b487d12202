import {
  type AuthenticatedRequest,
  createGateway,
  type Gateway,
  type KeyIdentity,
  type Ledger,
  type Logger,
} from '@searchgate/core';
import type { Provider } from '@searchgate/core/provider-kit';
import type { Request } from 'express';
import type { User, Users } from './users.js';

/** What the gateway is given of the application. */
export interface SearchGatewayOptions {
  readonly providers: readonly Provider[];
  readonly ledger: Ledger;
  readonly users: Users;
  /** Gets what no caller may see. Default: process warnings. */
  readonly logger?: Logger;
}

/**
 * A gateway that knows the application's own users instead of API keys: a script by its bearer token, a browser by the session that
 * express-session has already found for `request.session`.
 */
export function createSearchGateway({ users, ...options }: SearchGatewayOptions): Gateway<Request> {
  return createGateway({
    ...options,
    authenticate(token, { host: request }: AuthenticatedRequest<Request>) {
      const user = token === null ? request?.session.user : users.byToken(token);
      return user === undefined ? null : identityOf(user);
    },
  });
}

const TRIAL_LIMIT = '0.01';
const TRIAL_MODELS = ['local/docs'];

/** A user as the gateway meters them: the team pays, and a trial may spend only so much on the cheapest model. */
export function identityOf({ id, name, team, plan }: User): KeyIdentity {
  const identity = { id: `user-${id}`, organizationId: team, label: name };
  return plan === 'full' ? identity : { ...identity, limit: TRIAL_LIMIT, allowedModels: TRIAL_MODELS };
}
