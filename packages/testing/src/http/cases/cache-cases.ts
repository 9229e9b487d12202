import { ANSWERED, answered, ask, type HttpCase } from '../http-case.js';

const gateway: NonNullable<HttpCase['gateway']> = () => ({ cache: { ttlMs: 60_000, price: '0.5' } });
const headersOf = (status: string, age: string | null = null) => ({ 'cache-status': status, age });

/** Answers that are kept, in a gateway that gives them at half the price. */
export const CACHE_CASES: readonly HttpCase[] = [
  {
    name: 'says nothing of a cache where there is none',
    request: ask({}, { headers: { 'cache-control': 'no-cache' } }),
    expect: { ...ANSWERED, headers: { 'cache-status': null, age: null }, event: { cache: null } },
  },
  {
    name: 'says that a new answer was kept',
    gateway,
    request: ask(),
    expect: { ...ANSWERED, headers: headersOf('searchgate; fwd=miss; stored'), event: { cache: 'miss' } },
  },
  {
    name: 'gives a kept answer again at its price, and says how old it is',
    gateway,
    before: answered(ask()),
    request: ask(),
    expect: {
      status: 200,
      headers: headersOf('searchgate; hit; ttl=60', '0'),
      charge: { amount: '0.0025', model: 'stub/flat' },
      event: { cache: 'hit', attempts: 0 },
    },
  },
  {
    name: 'gives a kept answer as a stream',
    gateway,
    before: answered(ask()),
    request: ask({ stream: true }),
    expect: {
      status: 200,
      streamed: true,
      headers: headersOf('searchgate; hit; ttl=60', '0'),
      charge: { amount: '0.0025', model: 'stub/flat' },
      event: { cache: 'hit' },
    },
  },
  {
    name: 'asks for a new answer where the caller wants one, and keeps it',
    gateway,
    before: answered(ask()),
    request: ask({}, { headers: { 'cache-control': 'no-cache' } }),
    expect: { ...ANSWERED, headers: headersOf('searchgate; fwd=request; stored'), event: { cache: 'refresh' } },
  },
  {
    name: 'keeps no answer of a caller who does not want it kept',
    gateway,
    request: ask({}, { headers: { 'cache-control': 'no-store' } }),
    expect: { ...ANSWERED, headers: headersOf('searchgate; fwd=request'), event: { cache: 'off' } },
  },
];
