import { ANSWERED, answered, ask, type HttpCase, refused, row, waiting } from '../http-case.js';
import { QUERIES } from '../stub-provider.js';
import { after, named } from './named-call.js';

const rated = { key: 'rated' } as const;
const askRated = ask({}, rated);
const TWICE = [askRated, askRated];

/** The key `rated` may make two requests a minute, its organization `rated` three. */
const headersOf = (key: string, organization: string) => ({
  'ratelimit-policy': '"key";q=2;w=60, "organization";q=3;w=60',
  ratelimit: `"key";${key}, "organization";${organization}`,
});

interface Refusing {
  readonly scope: 'key' | 'organization';
  readonly limit: number;
  readonly retryAfter: number;
}

const rateLimited = ({ scope, limit, retryAfter }: Refusing, headers: Readonly<Record<string, string>>) =>
  refused(
    429,
    {
      type: 'rate_limit_error',
      reason: 'rate_limited',
      metadata: { scope, limit, period_seconds: 60, retry_after: retryAfter },
    },
    { headers: { 'retry-after': String(retryAfter), ...headers } },
  );

const RATE_CASES: readonly HttpCase[] = [
  row('says with an answer how much of the rates is left, and when they are full again', askRated, {
    ...ANSWERED,
    headers: headersOf('r=1;t=30', 'r=2;t=20'),
  }),
  row('says it at the head of a stream', ask({ stream: true }, rated), {
    status: 200,
    streamed: true,
    headers: headersOf('r=1;t=30', 'r=2;t=20'),
    charge: { amount: '0.005', model: 'stub/flat' },
  }),
  row('says nothing of rates to a key without any', ask(), {
    ...ANSWERED,
    headers: { ratelimit: null, 'ratelimit-policy': null },
  }),
  {
    name: 'refuses a key that has used its rate up, and says when the next request fits',
    request: askRated,
    before: answered(...TWICE),
    expect: rateLimited({ scope: 'key', limit: 2, retryAfter: 30 }, headersOf('r=0;t=30', 'r=1;t=40')),
  },
  {
    name: 'refuses a key whose organization has used its rate up',
    request: ask({}, { key: 'alsoRated' }),
    before: answered(...TWICE, ask({}, { key: 'alsoRated' })),
    expect: rateLimited({ scope: 'organization', limit: 3, retryAfter: 20 }, headersOf('r=1;t=30', 'r=0;t=20')),
  },
  {
    name: 'answers again once a request has drained',
    request: askRated,
    before: async (stage) => {
      for (const request of [...TWICE, askRated]) await stage.send(request).response;
      await stage.clock.advance(30_000);
      return {};
    },
    expect: { ...ANSWERED, headers: headersOf('r=0;t=30', 'r=1;t=30') },
  },
  {
    name: 'uses nothing of a rate for a request that is wrong',
    request: askRated,
    before: async (stage) => {
      for (const wrong of [{ query: 5 }, { model: 'stub/none' }, { query: '' }])
        await stage.send(ask(wrong, rated)).response;
      return {};
    },
    expect: { ...ANSWERED, headers: headersOf('r=1;t=30', 'r=2;t=20') },
  },
  {
    ...row('counts a replayed answer against the rates', named(askRated), {
      status: 200,
      headers: { 'idempotent-replayed': 'true', ...headersOf('r=0;t=30', 'r=1;t=40') },
      event: { replayed: true, cost: null },
    }),
    before: after(askRated),
  },
  {
    name: 'refuses to replay an answer to a key that has used its rate up',
    request: named(askRated),
    before: async (stage) => {
      const headers = await after(askRated)(stage);
      await stage.send(askRated).response;
      return headers;
    },
    expect: rateLimited({ scope: 'key', limit: 2, retryAfter: 30 }, headersOf('r=0;t=30', 'r=1;t=40')),
  },
  {
    name: 'counts only answers: a key that has used its rate up still sees its figures',
    request: { target: '/api/v1/key', ...rated },
    before: answered(...TWICE),
    expect: {
      status: 200,
      body:
        '{"label":"the rated key","usage":0.01,"limit":null,"limit_remaining":null,"limit_reset":null,"resets_at":null,' +
        '"rate_limit":{"requests":2,"period_seconds":60,"remaining":0},"max_concurrent":1,' +
        '"budgets":[],"bound_by":"organization_credits"}',
    },
  },
];

const WAITING = ask({ query: QUERIES.wait }, rated);

const CONCURRENCY_CASES: readonly HttpCase[] = [
  {
    name: 'refuses a key that has as many answers under way as it may',
    request: askRated,
    before: waiting(WAITING),
    expect: refused(
      429,
      { type: 'rate_limit_error', reason: 'concurrency_limited', metadata: { scope: 'key', limit: 1 } },
      { headers: { 'retry-after': '1', ...headersOf('r=1;t=30', 'r=2;t=20') } },
    ),
  },
  {
    name: 'refuses a key whose organization has as many answers under way as it may',
    request: ask({}, { key: 'alsoRated' }),
    before: waiting(WAITING),
    expect: refused(
      429,
      { type: 'rate_limit_error', reason: 'concurrency_limited', metadata: { scope: 'organization', limit: 1 } },
      { headers: { 'retry-after': '1' } },
    ),
  },
  { ...row('answers a key again when its answer under way has ended', askRated, ANSWERED), before: answered(askRated) },
];

/** Limits of rate and concurrency. */
export const LIMIT_CASES: readonly HttpCase[] = [...RATE_CASES, ...CONCURRENCY_CASES];
