import { msUntilFull, msUntilNext, type RateLimit, rateRemaining, SECOND_MS } from '../base/time/rate-limit.js';
import type { RequestState } from '../request/handle-request-lifecycle.js';

/**
 * The limits of a caller as structured fields of draft-ietf-httpapi-ratelimit-headers-10: the quota of each policy and its window in seconds, then how many
 * requests are left, and in how many seconds the full quota is there again or, where none is left, the next request.
 */
export function rateLimitHeaders({ trace: { rates } }: Pick<RequestState, 'trace'>): Readonly<Record<string, string>> {
  if (rates === null) return NONE;
  const { keyRateLimit, organizationRateLimit, used } = rates;
  const members = [
    memberOf('key', keyRateLimit, used.key),
    memberOf('organization', organizationRateLimit, used.organization),
  ].filter((member) => member !== undefined);
  if (members.length === 0) return NONE;
  return {
    'ratelimit-policy': members.map(({ policy }) => policy).join(', '),
    ratelimit: members.map(({ state }) => state).join(', '),
  };
}

const NONE = Object.freeze({});

function memberOf(name: string, limit: RateLimit | null | undefined, used: number | null) {
  if (limit == null || used === null) return undefined;
  const remaining = rateRemaining(used, limit);
  const waitMs = remaining === 0 ? msUntilNext(used, limit) : msUntilFull(used, limit);
  return {
    policy: `"${name}";q=${limit.requests};w=${limit.periodMs / SECOND_MS}`,
    state: `"${name}";r=${remaining};t=${Math.ceil(waitMs / SECOND_MS)}`,
  };
}
