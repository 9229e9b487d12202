import { setImmediate } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Category, type Gateway, isConfigurationError } from '../src/index.js';
import type { ExtraModel, ProviderSettings } from '../src/provider-kit/provider.js';
import * as allProviders from '../src/providers/index.js';
import { voyage } from '../src/providers/index.js';
import { type Served, serve } from './every-model/serve.js';
import { BASE64, dataOf, ranksOf } from './retrieval-rows.js';
import { KEY, reasonOf, start } from './scripted-gateway.js';

/** The kinds of calls whose requests name the model, by vendor. Written by hand: of every other kind, a row would promise a model that nobody asks for. */
const BY_NAME: Readonly<Record<string, string>> = {
  alibaba: 'embedding rerank',
  anthropic: 'answer',
  cohere: 'embedding rerank',
  contextual: 'rerank',
  deepseek: 'answer',
  exa: 'search',
  google: 'embedding answer',
  jina: 'embedding rerank',
  linkup: 'search',
  mistral: 'embedding answer',
  mixedbread: 'embedding rerank',
  openai: 'embedding answer',
  parallel: 'search',
  perplexity: 'embedding',
  tavily: 'search',
  voyage: 'embedding rerank',
  xai: 'answer',
  zai: 'answer',
};
const CATEGORIES: readonly Category[] = ['search', 'embedding', 'rerank', 'extract', 'answer'];
const NAME = 'Any-Model_9.1';
const rowOf = (slug: string, category: Category): ExtraModel => ({
  slug,
  category,
  price: '0.001',
  ...(category === 'embedding' && { dimensions: 2 }),
});

let upstream: Served;
let sent = '';
let reply: { status: number; body: unknown };
const open: Gateway[] = [];
beforeAll(async () => {
  upstream = await serve((req, res) => {
    sent = req.url ?? '';
    req.on('data', (chunk: Buffer) => (sent += chunk.toString()));
    req.once('end', () => res.writeHead(reply.status).end(JSON.stringify(reply.body)));
  });
});
afterEach(() => Promise.all(open.splice(0).map((gateway) => gateway.close())));
afterAll(() => upstream.close());

/** Calls a model of a category. */
function callOf(gateway: Gateway, category: Category, model: string): Promise<unknown> {
  const query = 'When did it open?';
  if (category === 'embedding') return gateway.embed({ apiKey: KEY, model, input: ['a', 'b'] });
  if (category === 'rerank') return gateway.rerank({ apiKey: KEY, model, query, documents: ['a', 'b'] });
  return category === 'search'
    ? gateway.search({ apiKey: KEY, model, query })
    : gateway.answer({ apiKey: KEY, model, query });
}

const problemsOf = (create: () => unknown) => {
  try {
    create();
    return [];
  } catch (error) {
    if (!isConfigurationError(error)) throw error;
    return error.problems.map(({ path, expected }) => `${path}: ${expected}`);
  }
};

describe.each(Object.entries(allProviders))('a model that a host adds to %s', (id, create) => {
  const wanted = BY_NAME[id]?.split(' ') ?? [];
  const isByName = (category: Category) => wanted.includes(category);
  const settingsWith = (category: Category): ProviderSettings => ({
    apiKey: 'a-key',
    baseUrl: upstream.url,
    extraModels: [rowOf(`${id}/${NAME}`, category)],
  });

  it.each(CATEGORIES.filter(isByName))('is asked for by its name: %s', async (category) => {
    reply = { status: 500, body: {} };
    const { gateway, totals } = start([create(settingsWith(category))], { maxAttempts: 1 });
    open.push(gateway);
    expect(await reasonOf(callOf(gateway, category, `${id}/${NAME}`))).toBe('upstream_error');
    expect(sent).toContain(NAME);
    expect(await totals()).toMatchObject({ usage: 0n, held: 0n });
  });

  it.each(CATEGORIES.filter((category) => !isByName(category)))('is refused where it would not be: %s', (category) => {
    expect(problemsOf(() => create(settingsWith(category)))).toEqual([
      `${id}.extraModels[0].category: ${wanted.join(', ') || 'none'}: requests to ${id} name no other models`,
    ]);
  });
});

describe('the row of an added model', () => {
  const EMBED: ExtraModel = { ...rowOf('voyage/voyage-code-9', 'embedding'), price: { perMillionTokens: '0.12' } };
  const with_ = (...extraModels: unknown[]) => voyage({ apiKey: 'k', extraModels: extraModels as ExtraModel[] });

  it('has honest defaults, and can be chosen like any other', () => {
    const { rerank, embed } = voyage({ apiKey: 'k', models: ['voyage-code-9', 'voyage-4'], extraModels: [EMBED] });
    expect([rerank?.models, embed?.models.map(({ slug }) => slug)]).toEqual([[], ['voyage/voyage-4', EMBED.slug]]);
    expect(embed?.models[1]).toEqual({
      slug: 'voyage/voyage-code-9',
      name: 'voyage-code-9',
      description: 'A model of voyage that the host added.',
      prices: [{ kind: 'flat', perMillionTokens: '0.12', source: 'the host', asOf: '1970-01-01', confidence: 'high' }],
      features: [],
      contextLength: null,
      dimensions: 2,
      timeoutMs: 60_000,
    });
  });

  const at = 'voyage.extraModels[0]';
  const USD = 'a decimal string of US dollars from "0" to "1000" with at most 9 decimals, such as "0.005"';
  it.each<[string, unknown[]]>([
    [`${at}: an object with slug, category and price`, ['voyage/x']],
    [`${at}.price: a decimal string of US dollars such as "0.005", or`, [{ ...EMBED, price: undefined }]],
    [`${at}.price: ${USD}`, [{ ...EMBED, price: '-1' }]],
    [`${at}.price.perMillionTokens: ${USD}`, [{ ...EMBED, price: { perMillionTokens: '1001' } }]],
    [`${at}.price: some of request, perMillionTokens`, [{ ...EMBED, price: {} }]],
    [
      `${at}.price.perPage: any of request, perMillionTokens for this model of category embedding`,
      [{ ...EMBED, price: { perPage: '1' } }],
    ],
    [`${at}.price.typical: at most the ceiling, "1"`, [{ ...EMBED, price: { typical: '2', ceiling: '1' } }]],
    [`${at}.price.perMilionTokens: one of`, [{ ...EMBED, price: { perMillionTokens: '1', perMilionTokens: '1' } }]],
    [`${at}.slug: a slug of the form voyage/<model>`, [{ ...EMBED, slug: 'cohere/voyage-4' }]],
    [`${at}.slug: a slug of the form voyage/<model>`, [{ ...EMBED, slug: 'voyage/a b' }]],
    [`${at}.slug: a slug of at most 128 characters`, [{ ...EMBED, slug: `voyage/${'x'.repeat(122)}` }]],
    [`${at}.name: a name of at most 256 characters`, [{ ...EMBED, name: 'x'.repeat(257) }]],
    [`${at}.leastDimensions: at most 2, the dimensions`, [{ ...EMBED, leastDimensions: 3 }]],
    [`${at}.vectorLengths: at most 2, the dimensions`, [{ ...EMBED, vectorLengths: [1, 3] }]],
    [`${at}.dimensions: the length of its vectors`, [{ ...EMBED, dimensions: undefined }]],
    [`${at}.dimensions: a whole number of at least 1`, [{ ...EMBED, dimensions: 0 }]],
    [
      `${at}.features[1]: one of dimensions_param, input_type, multilingual, code, legacy, deprecated`,
      [{ ...EMBED, features: ['input_type', 'fast'] }],
    ],
    [
      `${at}.maxDocuments: no maxDocuments, which does not apply to a model of category embedding`,
      [{ ...EMBED, maxDocuments: 5 }],
    ],
    [`${at}.dimension: one of`, [{ ...EMBED, dimension: 5 }]],
    [`${at}.timeoutMs: a whole number of at least 1`, [{ ...EMBED, timeoutMs: 0 }]],
  ])('is refused: %s', (problem, rows) => {
    expect(problemsOf(() => with_(...rows))).toEqual([expect.stringContaining(problem)]);
  });

  it.each<[string, ExtraModel[], string]>([
    ['a built-in model', [{ ...EMBED, slug: 'voyage/voyage-4' }], 'voyage/voyage-4'],
    ['a built-in model of another kind', [{ ...EMBED, slug: 'voyage/rerank-3' }], 'voyage/rerank-3'],
    ['each other', [EMBED, EMBED], EMBED.slug],
  ])('cannot have the slug of %s', (_what, rows, slug) => {
    const problem = `models["${slug}"]: a slug of its own for each model`;
    expect(problemsOf(() => start([with_(...rows)]))).toEqual([problem]);
  });

  it('is listed and charged by its price', async () => {
    const rerank: ExtraModel = { ...rowOf('voyage/rank-9', 'rerank'), price: '0.002' };
    const provider = voyage({ apiKey: 'k', baseUrl: upstream.url, extraModels: [EMBED, rerank] });
    const { gateway, totals } = start([provider], { limit: null });
    open.push(gateway);
    expect(gateway.models({ callable: true }).filter(({ id }) => id.endsWith('-9'))).toMatchObject([
      { id: EMBED.slug, pricing: { perMillionTokens: '0.12' }, dimensions: 2, createdMs: 0, contextLength: null },
      { id: rerank.slug, pricing: { perSearchUnit: '0.002' } },
    ]);
    reply = { status: 200, body: { data: dataOf(BASE64), usage: { total_tokens: 8 } } };
    await callOf(gateway, 'embedding', EMBED.slug);
    expect(await totals()).toMatchObject({ usage: 960n, held: 0n });
    reply = { status: 200, body: { data: ranksOf() } };
    await callOf(gateway, 'rerank', rerank.slug);
    expect(await totals()).toMatchObject({ usage: 2_000_960n, held: 0n });
  });

  it('is not charged for vectors of another length than it says', async () => {
    const provider = voyage({ apiKey: 'k', baseUrl: upstream.url, extraModels: [{ ...EMBED, dimensions: 3 }] });
    const { gateway, totals, events } = start([provider], { limit: null, maxAttempts: 1 });
    open.push(gateway);
    reply = { status: 200, body: { data: dataOf(BASE64), usage: { total_tokens: 8 } } };
    expect(await reasonOf(callOf(gateway, 'embedding', EMBED.slug))).toBe('upstream_invalid_response');
    expect(await totals()).toMatchObject({ usage: 0n, held: 0n });
    await setImmediate();
    expect(events).toContainEqual(
      expect.objectContaining({ detail: expect.stringContaining('2 numbers in place of 3') }),
    );
  });
});
