import { msUntilFull, msUntilNext, type RateLimit, rateRemaining, SECOND_MS } from '../base/time/rate-limit.js';
import type { CacheMode } from '../request/answer-call.js';
import type { RequestState } from '../request/handle-request-lifecycle.js';

/** What `Cache-Control` of a request asks for. Directives other than `no-cache` and `no-store` mean nothing here. */
export function readCacheControl(header: string | undefined): CacheMode | undefined {
  if (header === undefined) return undefined;
  const directives = header.split(',', MAX_DIRECTIVES).map((directive) => directive.trim().toLowerCase());
  if (directives.includes('no-store')) return 'off';
  return directives.includes('no-cache') ? 'refresh' : undefined;
}

const MAX_DIRECTIVES = 32;

/** `Cache-Status` by RFC 9211 and, for an answer that was kept, `Age` by RFC 9111. None where there is no cache. */
export function cacheHeaders({
  trace: { cache, joined },
}: Pick<RequestState, 'trace'>): Readonly<Record<string, string>> {
  if (cache === null) return NONE;
  if (cache.status === 'hit') {
    const { ageMs, leftMs } = cache;
    return { 'cache-status': `searchgate; hit; ttl=${seconds(leftMs)}`, age: seconds(ageMs) };
  }
  const why = cache.status === 'miss' ? 'miss' : 'request';
  return { 'cache-status': `searchgate; fwd=${why}${cache.isStored ? '; stored' : ''}${joined ? '; collapsed' : ''}` };
}

const NONE = Object.freeze({});

function seconds(ms: number): string {
  return String(Math.floor(ms / 1_000));
}

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

function memberOf(name: string, limit: RateLimit | null | undefined, used: number | null) {
  if (limit == null || used === null) return undefined;
  const remaining = rateRemaining(used, limit);
  const waitMs = remaining === 0 ? msUntilNext(used, limit) : msUntilFull(used, limit);
  return {
    policy: `"${name}";q=${limit.requests};w=${limit.periodMs / SECOND_MS}`,
    state: `"${name}";r=${remaining};t=${Math.ceil(waitMs / SECOND_MS)}`,
  };
}

/** Milliseconds spent here and at providers, so that a slow answer can be blamed on the right side. */
export function serverTiming({ startMs, trace }: RequestState, nowMs: number): { 'server-timing': string } {
  const gatewayMs = Math.max(0, nowMs - startMs - trace.upstreamMs);
  return { 'server-timing': `gateway;dur=${gatewayMs.toFixed(1)}, upstream;dur=${trace.upstreamMs.toFixed(1)}` };
}
