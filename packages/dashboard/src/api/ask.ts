import { CATEGORIES, type Gateway, type GatewayRequest, type KeyIdentity } from '@searchgate/core';
import type { Administration } from '@searchgate/core/administration';
import type { Scope } from '../scope.js';
import { BODY_LIMITS, COMMON_HEADERS, type Routes } from './exchange.js';
import { pathOf } from './path-of.js';
import { notFound, Problem } from './problem.js';

/** The organization that pays for operators' calls, and its limits. */
export type House = Pick<KeyIdentity, 'organizationId' | 'limit' | 'limitReset' | 'allowedModels'>;

/** The key of operators' calls in usage and events. */
const HOUSE_KEY = { id: 'dashboard', label: 'Dashboard' };

/** Whether the user may ask at the cost of the house. */
export function canAsk(scope: Scope, house: House | undefined): house is House {
  return house !== undefined && scope.role === 'operator' && scope.has(house.organizationId);
}

export interface AskDeps {
  readonly gateway: Pick<Gateway, 'handleAs'>;
  readonly administration: Administration;
  readonly house: House | undefined;
}

/** Operators' calls: the endpoints of the gateway, with the same charges and errors, for a caller without a secret. */
export function askRoutes({ gateway, administration, house }: AskDeps): Routes {
  async function callerOf({ organizationId, ...limits }: House): Promise<KeyIdentity> {
    const organization = await administration.organizations.get(organizationId);
    if (organization !== undefined && organization.suspendedAtMs !== null) {
      throw new Problem(403, `The organization ${organizationId} is suspended. Resume it first.`);
    }
    return {
      ...HOUSE_KEY,
      ...limits,
      organizationId,
      organizationRateLimit: organization?.rateLimit,
      organizationMaxConcurrent: organization?.maxConcurrent,
    };
  }

  return {
    'api/v1/ask/*': {
      isBounded: true,
      async POST({ request, scope, id }) {
        const path = CATEGORIES.map(pathOf).find((name) => name === id);
        if (!canAsk(scope, house) || path === undefined) throw notFound();
        const call = callRequest(request, `/api/v1/${path}`, await callerOf(house));
        const response = await gateway.handleAs(call);
        if (response === undefined) throw notFound();
        return { ...response, headers: { ...COMMON_HEADERS, ...response.headers } };
      },
    },
  };
}

/** Turns a request into one for an endpoint of the gateway. Keys in the page's request are ignored. */
function callRequest(request: GatewayRequest, path: string, host: KeyIdentity): GatewayRequest<KeyIdentity> {
  const { maxBodyBytes } = BODY_LIMITS;
  return {
    method: 'POST',
    path,
    query: '',
    host,
    header: (name) => request.header(name),
    bodyHasArrived: request.bodyHasArrived,
    readBody: (limits) => request.readBody({ ...limits, maxBodyBytes: Math.min(maxBodyBytes, limits.maxBodyBytes) }),
    get disconnected() {
      return request.disconnected;
    },
    ...(request.follow !== undefined && { follow: (reply) => request.follow?.(reply) }),
  };
}
