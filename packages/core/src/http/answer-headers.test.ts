import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RequestContext } from '../call/answer.js';
import type { CallerRates } from '../call/caller-limits.js';
import type { RequestState } from '../request/handle-request-lifecycle.js';
import { cacheHeaders, rateLimitHeaders, readCacheControl } from './answer-headers.js';

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
  const of = (cache: RequestState['context']['cache']) =>
    cacheHeaders({ context: { cache, joined: false } as RequestState['context'] });

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

const KEY = { requests: 60, periodMs: 60_000 };
const ORGANIZATION = { requests: 600, periodMs: 3_600_000 };

const headersOf = (rates: CallerRates | null) => rateLimitHeaders({ context: { rates } as RequestContext });

describe('the headers of rates', () => {
  it('name the policy and its state, of the key and then of the organization', () => {
    const used = { key: 19, organization: 1.5 };
    expect(headersOf({ keyRateLimit: KEY, organizationRateLimit: ORGANIZATION, used })).toEqual({
      'ratelimit-policy': '"key";q=60;w=60, "organization";q=600;w=3600',
      ratelimit: '"key";r=41;t=19, "organization";r=598;t=9',
    });
  });

  it.each<[string, number, string]>([
    ['nothing is used', 0, '"key";r=60;t=0'],
    ['part of a request is used', 0.1, '"key";r=59;t=1'],
    ['one is left', 59, '"key";r=1;t=59'],
    ['no request is left: the wait is that for the next request', 60, '"key";r=0;t=1'],
    ['more is used than a lowered limit allows', 70, '"key";r=0;t=11'],
  ])('give the wait for the full quota, or for the next request, when %s', (_, key, ratelimit) => {
    expect(headersOf({ keyRateLimit: KEY, used: { key, organization: null } })).toMatchObject({ ratelimit });
  });

  it('leave out unknown rates, and scopes without a limit', () => {
    const both = { keyRateLimit: KEY, organizationRateLimit: ORGANIZATION };
    expect(headersOf({ ...both, used: { key: null, organization: 1 } })).toEqual({
      'ratelimit-policy': '"organization";q=600;w=3600',
      ratelimit: '"organization";r=599;t=6',
    });
    expect(headersOf({ keyRateLimit: null, used: { key: 1, organization: 1 } })).toEqual({});
    expect(headersOf({ ...both, used: { key: null, organization: null } })).toEqual({});
    expect(headersOf(null)).toEqual({});
  });

  it('have whole numbers without a sign, whatever the use', () => {
    const limit = fc.record({
      requests: fc.integer({ min: 1, max: 1_000_000 }),
      periodMs: fc.integer({ min: 1, max: 86_400 }).map((seconds) => seconds * 1_000),
    });
    const used = fc.double({ min: 0, max: 2_000_000, noNaN: true });
    fc.assert(
      fc.property(limit, used, (keyRateLimit, key) => {
        const headers = headersOf({ keyRateLimit, used: { key, organization: null } });
        expect(headers['ratelimit']).toMatch(/^"key";r=\d{1,15};t=\d{1,15}$/);
      }),
    );
  });
});
