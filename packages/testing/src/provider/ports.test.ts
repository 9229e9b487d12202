import {
  type CallContext,
  type ExtractCall,
  type ExtractOutcome,
  type ModelRow,
  type Provider,
  parseJsonObject,
  type SearchCall,
  type SearchOutcome,
  type SearchResult,
  type UpstreamResponse,
  upstreamFailure,
} from '@searchgate/core/provider-kit';
import { describe, expect, it } from 'vitest';
import { type ProviderRules, providerConformance } from '../provider-conformance.js';
import type { ProviderFixture } from './provider-fixture.js';

const SECRET = 'a-key-of-many-characters';
const FIND: ModelRow = {
  slug: 'mini/find',
  name: 'Mini',
  description: 'The smallest search there is.',
  prices: [{ kind: 'flat', perResult: '0.001', source: 'its own words', asOf: '2026-11-26', confidence: 'high' }],
  features: [],
  options: { country: { as: 'country' } },
  contextLength: null,
  maxResults: 20,
  timeoutMs: 1_000,
};
const READ: ModelRow = { ...FIND, slug: 'mini/read', options: undefined, maxResults: undefined };
const [A, B] = ['https://a.example/', 'https://b.example/'];

const FIXTURES: ProviderFixture[] = [
  {
    kind: 'search',
    name: 'two pages',
    model: 'mini/find',
    reply: {
      hits: [
        { url: A, title: 'A', passages: ['One.', 'Two.'] },
        { url: B, title: null, passages: ['Three.'] },
      ],
    },
    outcome: {
      results: [
        { url: A, title: 'A', snippet: 'One. Two.' },
        { url: B, snippet: 'Three.' },
      ],
      cost: {},
    },
  },
  {
    kind: 'extract',
    name: 'a page and a failed page',
    model: 'mini/read',
    reply: {
      hits: [
        { url: A, text: 'Yes.' },
        { url: B, error: 404 },
      ],
    },
    outcome: {
      pages: [
        { url: A, content: 'Yes.' },
        { url: B, failed: 'page_not_found' },
      ],
      cost: {},
    },
  },
  {
    name: 'a refusal',
    model: 'mini/find',
    status: 418,
    reply: { error: 'no' },
    failure: { reason: 'query_rejected', phase: 'headers' },
  },
];

type Hit = Record<string, unknown>;

interface Flaws {
  readonly models?: { readonly find?: Partial<ModelRow>; readonly read?: Partial<ModelRow> };
  readonly maxUrls?: number;
  readonly search?: (call: SearchCall, context: CallContext, proper: Search) => Promise<SearchOutcome>;
  readonly extract?: (call: ExtractCall, context: CallContext, proper: Extract) => Promise<ExtractOutcome>;
  readonly rules?: ProviderRules;
}
type Search = (call: SearchCall, context: CallContext) => Promise<SearchOutcome>;
type Extract = (call: ExtractCall, context: CallContext) => Promise<ExtractOutcome>;

const text = (value: unknown) => (typeof value === 'string' ? value : null);

/** A provider without answers whose ports do everything right, except for the given flaws. */
function mini(baseUrl: string, { models = {}, maxUrls = 5, search, extract }: Flaws): Provider {
  async function hits(json: object, { upstream }: CallContext): Promise<Hit[]> {
    const url = new URL(`${baseUrl}/pages`);
    const response = await upstream.send({ method: 'POST', url, headers: { 'x-key': SECRET }, json });
    return hitsIn(response);
  }
  const properSearch: Search = async ({ query, search: asked }, context) => {
    const found = await hits({ query, ...(asked && { country: asked.country }) }, context);
    const results = found.map(({ url, title, passages }): SearchResult => {
      const parts = Array.isArray(passages) ? passages.filter((part) => typeof part === 'string' && part !== '') : [];
      return { url: text(url), title: text(title), snippet: parts.join(' ') };
    });
    return { results, cost: {} };
  };
  const properExtract: Extract = async ({ urls }, context) => {
    const read = await hits({ urls }, context);
    const pages = read.flatMap(({ url, text: content, error }) => {
      if (typeof url !== 'string') return [];
      return error === 404 ? { url, failed: 'page_not_found' as const } : { url, content: text(content) };
    });
    return { pages, cost: {} };
  };
  return {
    id: 'mini',
    name: 'Mini',
    models: [],
    search: {
      models: [{ ...FIND, ...models.find }],
      search: (call, context) => (search ?? properSearch)(call, context, properSearch),
    },
    extract: {
      models: [{ ...READ, ...models.read }],
      maxUrls,
      extract: (call, context) => (extract ?? properExtract)(call, context, properExtract),
    },
  };
}

function hitsIn(response: UpstreamResponse): Hit[] {
  const reason = response.status === 418 ? 'query_rejected' : undefined;
  if (response.status !== 200) throw upstreamFailure(response, { ...(reason && { reason }), secrets: [SECRET] });
  const { hits } = parseJsonObject(response, [SECRET]);
  if (!Array.isArray(hits)) throw upstreamFailure(response, { secrets: [SECRET] });
  return hits.map((hit: unknown) => (typeof hit === 'object' && hit !== null ? (hit as Hit) : {}));
}

/** Runs the suite, or the rows that match; resolves with the names of the rows that failed. */
async function failuresWith(flaws: Flaws, only = /^/): Promise<string[]> {
  const rows = new Map<string, () => Promise<void>>();
  providerConformance({
    describe: (_name, body) => body(),
    it: (name, body) => void rows.set(name, body),
    secret: SECRET,
    create: (baseUrl) => mini(baseUrl, flaws),
    evidence: { reply: 'closed object' },
    fixtures: FIXTURES,
    search: flaws.rules,
  });
  const wanted = [...rows].filter(([name]) => only.test(name));
  expect(wanted.length).toBeGreaterThan(0);
  const failed: string[] = [];
  for (const [name, run] of wanted) await run().catch(() => failed.push(name));
  return failed;
}

/** Changes the results of a search. */
const withResults =
  (change: (results: readonly SearchResult[]) => readonly SearchResult[]): NonNullable<Flaws['search']> =>
  async (call, context, proper) => {
    const { results, ...outcome } = await proper(call, context);
    return { ...outcome, results: change(results) };
  };

describe('the provider conformance suite, of ports', () => {
  it('passes a provider that does everything right without an answer port', async () => {
    expect(await failuresWith({})).toEqual([]);
  });

  it.each<[string, Flaws]>([
    ['a search model without maxResults', { models: { find: { maxResults: undefined } } }],
    ['a slug in two ports', { models: { read: { slug: 'mini/find' } } }],
    ['a negative rate', { models: { read: { prices: [{ ...FIND.prices[0]!, perPage: '-1' }] } } }],
    ['no price', { models: { read: { prices: [{ ...FIND.prices[0]!, perResult: undefined }] } } }],
    ['no addresses in a call', { maxUrls: 0 }],
  ])('sees %s', async (_what, flaws) => {
    expect(await failuresWith(flaws, /can be listed/)).toHaveLength(1);
  });

  it.each<[string, RegExp, Flaws]>([
    [
      'a changed query',
      /^sends.*find/,
      {
        search: ({ query, ...call }, context, proper) =>
          proper({ ...call, query: query.trim().toLowerCase() }, context),
      },
    ],
    [
      'an address left out',
      /^sends.*read/,
      { extract: ({ urls, ...call }, context, proper) => proper({ ...call, urls: urls.slice(1) }, context) },
    ],
    [
      'a second request',
      /^sends.*find/,
      { search: (call, context, proper) => proper(call, context).then(() => proper(call, context)) },
    ],
    [
      'an option that changes nothing',
      /^asks for.*find/,
      { search: ({ search: _search, ...call }, context, proper) => proper(call, context) },
    ],
    ['a lost result', /^understands two/, { search: withResults((results) => results.slice(1)) }],
    ['results in another order', /^understands two/, { search: withResults((results) => results.toReversed()) }],
    [
      'a page under another address',
      /^understands a page/,
      {
        extract: async (call, context, proper) => {
          const { pages, cost } = await proper(call, context);
          return { pages: pages.map((page) => ({ ...page, url: `${page.url}?` })), cost };
        },
      },
    ],
    [
      'a score that is none',
      /^survives.*find/,
      { search: withResults((results) => results.map((result) => ({ ...result, score: Number.NaN }))) },
    ],
    [
      'a TypeError',
      /^survives.*find/,
      { search: withResults((results) => results.map((result) => ({ ...result, title: result.title!.trim() }))) },
    ],
    [
      'pages lost by an invalid entry',
      /^loses.*find/,
      { search: withResults((results) => (results.every(({ url }) => url) ? results : [])) },
    ],
    [
      'a page lost by one that is not there',
      /^loses.*read/,
      {
        extract: async (call, context, proper) => {
          const { pages, cost } = await proper(call, context);
          return { pages: pages.length === 2 ? pages : [], cost };
        },
      },
    ],
    [
      'a fault that is taken for an empty result',
      /^classifies status_404 to search/,
      { search: (call, context, proper) => proper(call, context).catch(() => ({ results: [], cost: {} })) },
    ],
    [
      'a request that is repeated',
      /^classifies status_500 to extract/,
      { extract: (call, context, proper) => proper(call, context).catch(() => proper(call, context)) },
    ],
    [
      'the key in a page',
      /^hides.*a 200 to search/,
      { search: () => Promise.resolve({ results: [{ url: `${A}?${SECRET.slice(0, 9)}` }], cost: {} }) },
    ],
  ])('sees %s', async (_what, row, flaws) => {
    expect(await failuresWith({}, row)).toEqual([]);
    expect(await failuresWith(flaws, row)).toHaveLength(1);
  });

  it('takes a fault for an empty result where the provider documents it so', async () => {
    const row = /^classifies status_404 to search/;
    const search: Flaws['search'] = (call, context, proper) =>
      proper(call, context).catch(() => ({ results: [], cost: {} }));
    expect(await failuresWith({ search, rules: { faults: { status_404: 'nothing found' } } }, row)).toEqual([]);
    expect(await failuresWith({ rules: { faults: { status_404: 'nothing found' } } }, row)).toHaveLength(1);
  });
});
