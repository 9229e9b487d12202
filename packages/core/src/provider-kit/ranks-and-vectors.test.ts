import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { embedOnce, rerankOnce } from '../../test/ask-once.js';
import { BASE64, dataOf, NUMBERS, ranksOf } from '../../test/retrieval-rows.js';
import { modelName } from './call-fields.js';
import type { Provider } from './provider.js';
import { atHost } from './provider-settings.js';
import { type RetrievalVendor, retrievalProvider, unitVector } from './ranks-and-vectors.js';

const RERANK = 'cohere/rerank-v3.5';
const EMBED = 'cohere/embed-v4.0';
const HOST = 'https://api.example.com/v2';
const rerank = { path: '/rerank', request: () => ({ q: 1 }) };
const embed = { path: '/embed', maxInputs: 2, request: () => ({ t: 1 }) };
/** A vendor whose rows are listed. */
const models = {
  rerank: { models: { 'rerank-v3.5': { timeoutMs: 30_000 } } },
  embedding: { models: { 'embed-v4.0': { timeoutMs: 30_000 } } },
};
const vendor: RetrievalVendor = { id: 'cohere', name: 'A vendor', baseUrl: HOST, models, rerank, embed };

const made = (more: Partial<RetrievalVendor> = {}): Provider =>
  retrievalProvider({ ...vendor, ...more })({ apiKey: 'k' });
const ranked = async (reply: object) => (await rerankOnce(made(), RERANK, reply)).outcome;
const embedded = async (reply: object, more?: Partial<RetrievalVendor>) =>
  (await embedOnce(made(more), EMBED, reply)).outcome;

const RANKS = [
  { index: 1, score: 0.93 },
  { index: 0, score: -0.02 },
];
const VECTORS = BASE64.map((vector, index) => ({ index, vector }));
const UNUSABLE = { name: 'UpstreamError', reason: 'upstream_invalid_response' };

describe('a vendor of ranks and vectors', () => {
  it('has the ports that its table names, and no answers', () => {
    expect(made()).toMatchObject({ models: [], rerank: { models: [{ slug: RERANK }] }, embed: { maxInputs: 2 } });
    expect(Object.keys(made({ embed: undefined }))).not.toContain('embed');
    expect(Object.keys(made({ rerank: undefined }))).not.toContain('rerank');
  });

  it('is asked at its address, or at that of another host for some keys', async () => {
    const { request } = await rerankOnce(made(), RERANK, { results: ranksOf() });
    expect([request.url.href, request.json]).toEqual([`${HOST}/rerank`, { q: 1 }]);
    const other = made({ connect: (connection) => atHost(connection, HOST, 'https://other.example.com') });
    const elsewhere = await embedOnce(other, EMBED, { data: dataOf(BASE64) });
    expect(elsewhere.request.url.href).toBe('https://other.example.com/embed');
  });

  it('calls a model by the part of the slug behind the first slash', () => {
    const [row] = made().rerank!.models;
    expect(modelName(row!)).toBe('rerank-v3.5');
    expect(modelName({ ...row!, slug: 'a/b/c' })).toBe('b/c');
  });
});

describe('ranks', () => {
  it.each([
    ['results', 'relevance_score'],
    ['results', 'score'],
    ['data', 'relevance_score'],
    ['data', 'score'],
  ] as const)('are read from %s with %s', async (list, score) => {
    expect(await ranked({ id: 'r1', [list]: ranksOf(score) })).toEqual({
      ranks: RANKS,
      cost: {},
      upstreamRequestId: 'r1',
    });
  });

  it('may have numbers as texts', async () => {
    const texts = [1, 0].map((index) => ({ index: `${index}`, score: index === 1 ? '0.93' : '-2e-2' }));
    expect((await ranked({ results: texts })).ranks).toEqual(RANKS);
  });

  it.each([
    ['no list', {}],
    ['a list that is null', { results: null }],
    ['an entry without an index', { results: [...ranksOf(), { relevance_score: 1 }] }],
    ['an entry that is no object', { results: [...ranksOf(), null] }],
    ['a score in words', { results: [{ index: 0, relevance_score: 'high' }] }],
  ])('cannot be read from %s', async (_what, reply) => {
    await expect(ranked(reply)).rejects.toMatchObject(UNUSABLE);
  });
});

describe('vectors', () => {
  it('keep their index; the place stands for a missing one', async () => {
    const data = dataOf(BASE64);
    expect((await embedded({ data: [data[1], data[0]] })).embeddings).toEqual([VECTORS[1], VECTORS[0]]);
    expect((await embedded({ data: [{ ...data[1], index: '1' }] })).embeddings).toEqual([VECTORS[1]]);
    expect((await embedded({ data: NUMBERS.map((embedding) => ({ embedding })) })).embeddings).toEqual(
      NUMBERS.map((vector, index) => ({ index, vector })),
    );
  });

  it('of a form of its own come in the order of the texts', async () => {
    const reply = z
      .object({ list: z.array(z.string()) })
      .transform(({ list }) => ({ data: list.map((embedding) => ({ embedding })) }));
    const more = { embed: { ...embed, reply } };
    const outcome = await embedded({ id: 'e1', list: BASE64, usage: { total_tokens: 8 } }, more);
    expect(outcome).toEqual({ embeddings: VECTORS, cost: { usage: { inputTokens: 8 } }, upstreamRequestId: 'e1' });
    await expect(embedded({ data: dataOf(BASE64) }, more)).rejects.toMatchObject(UNUSABLE);
  });

  it.each([
    ['no list', {}],
    ['an entry without a vector', { data: [...dataOf(BASE64), { index: 2 }] }],
    ['a vector that is no list', { data: dataOf([7]) }],
    ['an index in words', { data: [{ index: 'first', embedding: BASE64[0] }] }],
  ])('cannot be read from %s', async (_what, reply) => {
    await expect(embedded(reply)).rejects.toMatchObject(UNUSABLE);
  });
});

describe('what is billed', () => {
  it.each([
    ['the total of the tokens', { usage: { prompt_tokens: 7, total_tokens: 8 } }, { usage: { inputTokens: 8 } }],
    ['the tokens of the texts alone', { usage: { prompt_tokens: 7 } }, { usage: { inputTokens: 7 } }],
    ['tokens at the top', { total_tokens: 58, total_bytes: 345 }, { usage: { inputTokens: 58 } }],
    [
      'billed units before all others',
      { meta: { billed_units: { search_units: 2, input_tokens: 9 } }, usage: { total_tokens: 8, search_units: 1 } },
      { usage: { searchUnits: 2, inputTokens: 9 } },
    ],
    ['search units beside tokens', { usage: { search_units: 3 } }, { usage: { searchUnits: 3 } }],
    ['a cost', { usage: { cost: 0.000_25 } }, { reported: 250_000n }],
    ['the total of a cost', { usage: { cost: { total_cost: 0.000_25, input: 1 } } }, { reported: 250_000n }],
    ['nothing', { usage: 'free', meta: { billed_units: [8] }, total_tokens: 'few' }, {}],
    [
      'decimals as text',
      { usage: { cost: '2.5e-4', total_tokens: '8' } },
      { reported: 250_000n, usage: { inputTokens: 8 } },
    ],
  ])('is read from %s', async (_what, counted, cost) => {
    expect((await ranked({ results: ranksOf(), ...counted })).cost).toEqual(cost);
    expect((await embedded({ data: dataOf(BASE64), ...counted })).cost).toEqual(cost);
  });
});

describe('a unit vector', () => {
  it('has the same direction and the length 1', () => {
    expect(unitVector([3, 4])).toEqual([0.6, 0.8]);
    expect(unitVector([0, -2])).toEqual([0, -1]);
  });

  it.each([[[0, 0]], [[]], [[1, Number.NaN]], [[1, '2']], [[1, Infinity]]])('is not made of %j', (numbers) => {
    expect(unitVector(numbers as number[])).toBe(numbers);
  });
});
