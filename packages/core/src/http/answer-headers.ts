import { msUntilFull, msUntilNext, type RateLimit, rateRemaining, SECOND_MS } from '../base/time/rate-limit.js';
import type { CacheMode } from '../kinds/call-options.js';
import type { RequestState } from '../request/handle-request-lifecycle.js';

/** Reads a request's `Cache-Control`. Directives other than `no-cache` and `no-store` are ignored. */
export function readCacheControl(header: string | undefined): CacheMode | undefined {
  if (header === undefined) return undefined;
  const directives = header.split(',', MAX_DIRECTIVES).map((directive) => directive.trim().toLowerCase());
  if (directives.includes('no-store')) return 'off';
  return directives.includes('no-cache') ? 'refresh' : undefined;
}

const MAX_DIRECTIVES = 32;

/** Whether a request's `Prefer` asks for a 202 instead of waiting: RFC 7240. Other preferences are ignored. */
export function prefersAsync(header: string | undefined): boolean {
  const preferences = header?.split(',', MAX_DIRECTIVES) ?? [];
  return preferences.some((preference) => /^\s*respond-async\s*(?:;|$)/i.test(preference));
}

/** `Cache-Status` by RFC 9211 and, for a cached answer, `Age` by RFC 9111. No headers without a cache. */
export function cacheHeaders({
  context: { cache, joined },
}: Pick<RequestState, 'context'>): Readonly<Record<string, string>> {
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
 * A caller's rate limits as structured fields of draft-ietf-httpapi-ratelimit-headers-10. `RateLimit-Policy`: quota and window in seconds. `RateLimit`: requests
 * left, and seconds until the full quota is available again; if no request is left, seconds until the next request fits.
 */
export function rateLimitHeaders({
  context: { rates },
}: Pick<RequestState, 'context'>): Readonly<Record<string, string>> {
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

/** Milliseconds spent in the gateway and at providers until now, to find the cause of a slow answer. A stream's provider is still being asked. */
function serverTiming({ startMs, context }: RequestState, nowMs: number): Record<string, string> {
  const upstreamMs = context.upstreamMs + nowMs - (context.askedAtMs ?? nowMs);
  const gatewayMs = Math.max(0, nowMs - startMs - upstreamMs);
  return { 'server-timing': `gateway;dur=${gatewayMs.toFixed(1)}, upstream;dur=${upstreamMs.toFixed(1)}` };
}

/** The headers of success and failure: the caller's rates, and whether the response is replayed. */
export function callerHeaders(state: Pick<RequestState, 'context' | 'replay'>): Readonly<Record<string, string>> {
  return { ...rateLimitHeaders(state), ...(state.replay === null ? {} : { 'idempotent-replayed': 'true' }) };
}

/** The headers of a success. */
export function replyHeaders(state: RequestState, nowMs: number): Readonly<Record<string, string>> {
  const headers = serverTiming(state, nowMs);
  if (state.context.rates !== null || state.replay !== null) Object.assign(headers, callerHeaders(state));
  return state.context.cache === null ? headers : Object.assign(headers, cacheHeaders(state));
}
