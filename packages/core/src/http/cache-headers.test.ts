import { describe, expect, it } from 'vitest';
import type { RequestState } from '../request/handle-request-lifecycle.js';
import { cacheHeaders, readCacheControl } from './cache-headers.js';

describe('Cache-Control of a request', () => {
  it.each([
    [undefined, undefined],
    ['', undefined],
    ['max-age=0', undefined],
    ['no-cache', 'refresh'],
    ['NO-CACHE', 'refresh'],
    ['max-age=0 , no-cache', 'refresh'],
    ['no-store', 'off'],
    ['no-cache, no-store', 'off'],
    ['no-cachet', undefined],
    [`${'x,'.repeat(40)}no-cache`, undefined],
  ])('%j asks for %j', (header, expected) => {
    expect(readCacheControl(header)).toBe(expected);
  });
});

describe('Cache-Status', () => {
  const of = (cache: RequestState['trace']['cache']) =>
    cacheHeaders({ trace: { cache, joined: false } as RequestState['trace'] });

  it.each([
    [null, {}],
    [
      { status: 'hit', ageMs: 1_999, leftMs: 999 },
      { 'cache-status': 'searchgate; hit; ttl=0', age: '1' },
    ],
    [{ status: 'miss', isStored: true }, { 'cache-status': 'searchgate; fwd=miss; stored' }],
    [{ status: 'miss', isStored: false }, { 'cache-status': 'searchgate; fwd=miss' }],
    [{ status: 'refresh', isStored: true }, { 'cache-status': 'searchgate; fwd=request; stored' }],
    [{ status: 'off', isStored: false }, { 'cache-status': 'searchgate; fwd=request' }],
  ] as const)('of %j is %j', (cache, expected) => {
    expect(of(cache)).toEqual(expected);
  });
});
