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
