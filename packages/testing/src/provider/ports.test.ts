import {
  type CallContext,
  type Embedding,
  type EmbedOutcome,
  type ExtractOutcome,
  type ModelRow,
  type Provider,
  type ProviderEmbed,
  type ProviderExtract,
  type ProviderRerank,
  type ProviderSearch,
  parseJsonObject,
  type RerankOutcome,
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
const SORT: ModelRow = { ...READ, slug: 'mini/sort' };
const TURN: ModelRow = { ...READ, slug: 'mini/turn', dimensions: 2, features: ['dimensions_param', 'input_type'] };
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
    kind: 'rerank',
    name: 'two ranks',
    model: 'mini/sort',
    reply: {
      hits: [
        { at: 1, score: 0.9 },
        { at: 0, score: 0.2 },
      ],
    },
    outcome: {
      ranks: [
        { index: 1, score: 0.9 },
        { index: 0, score: 0.2 },
      ],
      cost: {},
    },
  },
  {
    kind: 'embed',
    name: 'two vectors',
    model: 'mini/turn',
    reply: { hits: [{ numbers: [0.5, -0.5] }, { numbers: 'AAAAPwAAAL8=' }] },
    outcome: {
      embeddings: [
        { index: 0, vector: [0.5, -0.5] },
        { index: 1, vector: 'AAAAPwAAAL8=' },
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
  readonly models?: { readonly [Name in 'find' | 'read' | 'turn']?: Partial<ModelRow> };
  readonly maxUrls?: number;
  readonly maxInputs?: number;
  readonly search?: (call: ProviderSearch, context: CallContext, proper: Search) => Promise<SearchOutcome>;
  readonly extract?: (call: ProviderExtract, context: CallContext, proper: Extract) => Promise<ExtractOutcome>;
  readonly rerank?: (call: ProviderRerank, context: CallContext, proper: Rerank) => Promise<RerankOutcome>;
  readonly embed?: (call: ProviderEmbed, context: CallContext, proper: Embed) => Promise<EmbedOutcome>;
  readonly rules?: ProviderRules;
}
type Search = (call: ProviderSearch, context: CallContext) => Promise<SearchOutcome>;
type Extract = (call: ProviderExtract, context: CallContext) => Promise<ExtractOutcome>;
type Rerank = (call: ProviderRerank, context: CallContext) => Promise<RerankOutcome>;
type Embed = (call: ProviderEmbed, context: CallContext) => Promise<EmbedOutcome>;

const text = (value: unknown) => (typeof value === 'string' ? value : null);

/** A provider without answers whose ports do everything right, except for the given flaws. */
function mini(baseUrl: string, flaws: Flaws): Provider {
  const { models = {}, maxUrls = 5, maxInputs = 5, search, extract, rerank, embed } = flaws;
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
  const properRerank: Rerank = async ({ query, documents }, context) => {
    const ranked = await hits({ query, documents }, context);
    return { ranks: ranked.map(({ at, score }) => ({ index: at as number, score: score as number })), cost: {} };
  };
  const properEmbed: Embed = async ({ inputs, dimensions, inputType }, context) => {
    const turned = await hits({ inputs, size: dimensions, role: inputType }, context);
    const embeddings = turned.map(({ numbers }, index) => ({ index, vector: numbers as Embedding['vector'] }));
    return { embeddings, cost: {} };
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
    rerank: { models: [SORT], rerank: (call, context) => (rerank ?? properRerank)(call, context, properRerank) },
    embed: {
      models: [{ ...TURN, ...models.turn }],
      maxInputs,
      embed: (call, context) => (embed ?? properEmbed)(call, context, properEmbed),
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
    evidence: { reply: 'valid JSON' },
    fixtures: FIXTURES,
    search: flaws.rules,
  });
  const wanted = [...rows].filter(([name]) => only.test(name));
  expect(wanted.length).toBeGreaterThan(0);
  const failed: string[] = [];
  for (const [name, run] of wanted) await run().catch(() => failed.push(name));
  return failed;
}

/** Changes the call of a port. */
const asking =
  <C, O>(change: (call: C) => object) =>
  (call: C, context: CallContext, proper: (call: C, context: CallContext) => Promise<O>): Promise<O> =>
    proper({ ...call, ...change(call) }, context);

/** Changes the outcome of a port. */
const giving =
  <C, O>(change: (outcome: O) => O) =>
  async (call: C, context: CallContext, proper: (call: C, context: CallContext) => Promise<O>): Promise<O> =>
    change(await proper(call, context));

type Results = readonly SearchResult[];
type Ranks = RerankOutcome['ranks'];
type Embeddings = EmbedOutcome['embeddings'];
const withResults = (change: (results: Results) => Results): NonNullable<Flaws['search']> =>
  giving(({ results, ...outcome }) => ({ ...outcome, results: change(results) }));
const withPages = (
  change: (pages: ExtractOutcome['pages']) => ExtractOutcome['pages'],
): NonNullable<Flaws['extract']> => giving(({ pages, ...outcome }) => ({ ...outcome, pages: change(pages) }));
const withRanks = (change: (ranks: Ranks) => Ranks): NonNullable<Flaws['rerank']> =>
  giving(({ ranks, ...outcome }) => ({ ...outcome, ranks: change(ranks) }));
const withVectors = (change: (embeddings: Embeddings) => Embeddings): NonNullable<Flaws['embed']> =>
  giving(({ embeddings, ...outcome }) => ({ ...outcome, embeddings: change(embeddings) }));

/** Changes fields of each entry. */
const each =
  <T>(change: (entry: T) => object) =>
  (entries: readonly T[]): T[] =>
    entries.map((entry) => ({ ...entry, ...change(entry) }));
const madeUp = (vector: Embedding['vector'] | undefined) => vector ?? [0.1, 0.1];

const nothingFound: Flaws['search'] = (call, context, proper) =>
  proper(call, context).catch(() => ({ results: [], cost: {} }));

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
    ['no texts in a call', { maxInputs: 0 }],
    ['vectors without a length', { models: { turn: { dimensions: undefined } } }],
    ['a negative rate of tokens', { models: { turn: { prices: [{ ...FIND.prices[0]!, perMillionTokens: '-1' }] } } }],
  ])('sees %s', async (_what, flaws) => {
    expect(await failuresWith(flaws, /can be listed/)).toHaveLength(1);
  });

  it.each<[string, RegExp, Flaws]>([
    ['a changed query', /^sends.*find/, { search: asking(({ query }) => ({ query: query.trim().toLowerCase() })) }],
    ['an address left out', /^sends.*read/, { extract: asking(({ urls }) => ({ urls: urls.slice(1) })) }],
    [
      'a second request',
      /^sends.*find/,
      { search: (call, context, proper) => proper(call, context).then(() => proper(call, context)) },
    ],
    ['an option that changes nothing', /^asks for.*find/, { search: asking(() => ({ search: undefined })) }],
    ['a lost result', /^understands two/, { search: withResults((results) => results.slice(1)) }],
    ['results in another order', /^understands two/, { search: withResults((results) => results.toReversed()) }],
    ['another address', /^understands a page/, { extract: withPages(each(({ url }) => ({ url: `${url}?` }))) }],
    ['a score that is none', /^survives.*find/, { search: withResults(each(() => ({ score: Number.NaN }))) }],
    ['a TypeError', /^survives.*find/, { search: withResults(each(({ title }) => ({ title: title!.trim() }))) }],
    ['all lost by one', /^loses.*find/, { search: withResults((all) => (all.every(({ url }) => url) ? all : [])) }],
    ['a page lost by another', /^loses.*read/, { extract: withPages((all) => (all.length === 2 ? all : [])) }],
    ['a fault that is taken for an empty result', /^classifies status_404 to search/, { search: nothingFound }],
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
    ['a document left out', /^sends.*sort/, { rerank: asking(({ documents: all }) => ({ documents: all.slice(1) })) }],
    [
      'changed texts',
      /^sends.*turn/,
      { embed: asking(({ inputs }) => ({ inputs: inputs.map((input) => `q: ${input}`) })) },
    ],
    ['a length that is not asked for', /^asks for.*turn/, { embed: asking(() => ({ dimensions: 2 })) }],
    ['a role that is not told', /^asks for.*turn/, { embed: asking(() => ({ inputType: undefined })) }],
    [
      'a null in place of a field that may be absent',
      /^reads null.*sort/,
      { rerank: withRanks(each(({ score }) => ({ score: (score as unknown) === undefined ? 0 : score }))) },
    ],
    ['a lost rank', /^understands two ranks/, { rerank: withRanks((ranks) => ranks.slice(1)) }],
    ['a document twice', /^understands two ranks/, { rerank: withRanks(([first]) => [first!, first!]) }],
    ['a made-up score', /^refuses.*sort/, { rerank: withRanks(each(({ score }) => ({ score: Number(score) || 0 }))) }],
    [
      'a document that is made up',
      /^refuses.*sort/,
      { rerank: withRanks((ranks) => ranks.map((rank, at) => (rank.index in ranks ? rank : { index: at, score: 0 }))) },
    ],
    [
      'a vector in the place of another',
      /^refuses.*turn/,
      {
        embed: withVectors((all) =>
          all.length === 2 ? all : all.slice(1).map(({ vector }, index) => ({ index, vector: madeUp(vector) })),
        ),
      },
    ],
    ['a made-up vector', /^refuses.*turn/, { embed: withVectors(each(({ vector }) => ({ vector: madeUp(vector) }))) }],
    [
      'a TypeError at one',
      /^refuses.*turn/,
      { embed: withVectors((all) => all.filter(({ vector }) => vector.length)) },
    ],
    [
      'a fault that is taken for no ranks',
      /^classifies empty_object to rerank/,
      { rerank: (call, context, proper) => proper(call, context).catch(() => ({ ranks: [], cost: {} })) },
    ],
    [
      'the key in a vector',
      /^hides.*a 200 to embed/,
      { embed: () => Promise.resolve({ embeddings: [{ index: 0, vector: SECRET }], cost: {} }) },
    ],
  ])('sees %s', async (_what, row, flaws) => {
    expect(await failuresWith({}, row)).toEqual([]);
    expect(await failuresWith(flaws, row)).toHaveLength(1);
  });

  it('takes a fault for an empty result where the provider documents it so', async () => {
    const row = /^classifies status_404 to search/;
    const rules: ProviderRules = { faults: { status_404: 'nothing found' } };
    expect(await failuresWith({ search: nothingFound, rules }, row)).toEqual([]);
    expect(await failuresWith({ rules }, row)).toHaveLength(1);
  });
});
