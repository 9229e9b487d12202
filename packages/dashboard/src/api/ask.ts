import type { Gateway, GatewayRequest, KeyIdentity } from '@searchgate/core';
import type { Administration } from '@searchgate/core/administration';
import type { Scope } from '../scope.js';
import { BODY_LIMITS, COMMON_HEADERS, type Routes } from './exchange.js';
import { notFound, Problem } from './problem.js';

/** The organization that pays for operators' questions, and its limits. */
export type House = Pick<KeyIdentity, 'organizationId' | 'limit' | 'limitReset' | 'allowedModels'>;

/** The key of operators' questions in usage and events. */
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

/** Operators' questions: the answer endpoint of the gateway, with the same charges and errors, for a caller without a secret. */
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
    'api/ask': {
      isBounded: true,
      async POST({ request, scope }) {
        if (!canAsk(scope, house)) throw notFound();
        const response = await gateway.handleAs(answerRequest(request, await callerOf(house)));
        if (response === undefined) throw notFound();
        return { ...response, headers: { ...COMMON_HEADERS, ...response.headers } };
      },
    },
  };
}

/** Turns a request into one for the answer endpoint. Keys in the page's request are ignored. */
function answerRequest(request: GatewayRequest, host: KeyIdentity): GatewayRequest<KeyIdentity> {
  const { maxBodyBytes } = BODY_LIMITS;
  return {
    method: 'POST',
    path: '/api/v1/answer',
    query: '',
    host,
    header: (name) => request.header(name),
    bodyHasArrived: request.bodyHasArrived,
    readBody: (limits) => request.readBody({ ...limits, maxBodyBytes: Math.min(maxBodyBytes, limits.maxBodyBytes) }),
    get disconnected() {
      return request.disconnected;
    },
  };
}
