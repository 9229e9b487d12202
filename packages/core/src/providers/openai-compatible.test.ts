import { setImmediate } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { askOnce, embedOnce, rerankOnce } from '../../test/ask-once.js';
import { type Served, serve } from '../../test/every-model/serve.js';
import * as rows from '../../test/provider-rows.js';
import { BASE64, dataOf, embedFixtures, NUMBERS, ranksOf, rerankFixtures } from '../../test/retrieval-rows.js';
import { KEY, reasonOf, start } from '../../test/scripted-gateway.js';
import { type Gateway, isConfigurationError } from '../index.js';
import type { ProviderSettings } from '../provider-kit/provider.js';
import { type OpenAiCompatibleSettings, openAiCompatible } from './openai-compatible.js';

const EMBED = { slug: 'house/minilm', model: 'sentence-transformers/all-MiniLM-L6-v2', dimensions: 2 };
const SHORTER = { slug: 'house/m', dimensions: 2, features: ['dimensions_param'] };
const COHERE = { slug: 'house/reranker', model: 'BAAI/bge-reranker-v2-m3' };
const TEI = { slug: 'house/tei', form: 'tei' } as const;
const ANSWER = { slug: 'house/sonar', features: ['citations', 'multi_turn'] };
const HOUSE = { id: 'house', baseUrl: 'http://127.0.0.1:1/v1' };
const house = (settings: Partial<OpenAiCompatibleSettings>) => openAiCompatible({ ...HOUSE, ...settings });
const creating = (more: Partial<OpenAiCompatibleSettings>) => (settings: ProviderSettings) =>
  house({ ...(settings as object), ...more });

const SECRET = 'key-SG91c2VLZXlGb3JUZXN0czAxMjM0NTY3ODkw';
const RANKS = { results: ranksOf() };
const USAGE = { prompt_tokens: 8, total_tokens: 8 };
const VECTORS = { object: 'list', data: dataOf(NUMBERS), model: 'minilm', usage: USAGE };
const CHAT = {
  id: 'chat-1',
  model: 'sonar',
  choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'Since 2021 [1].' } }],
  citations: ['https://example.org/zephyr'],
  usage: { prompt_tokens: 5, completion_tokens: 7, total_tokens: 12 },
};
const CITATIONS = [{ url: 'https://example.org/zephyr' }];
/** Of vLLM, and of Text Embeddings Inference 1.8. */
const errors = {
  wrongKey: { error: 'Unauthorized' },
  tooLong: {
    error: { message: "This model's maximum context length is 512 tokens.", type: 'BadRequestError', code: 400 },
  },
  tooMany: { error: 'batch size 64 > maximum allowed batch size 32', error_type: 'Validation' },
  overloaded: { error: 'Model is overloaded', error_type: 'Overloaded' },
  backend: { error: 'Inference failed', error_type: 'Backend' },
};
const ERRORS = rows.meanings({
  upstream_auth_failed: '401 wrongKey',
  query_rejected: '400 tooLong, 422 tooMany',
  upstream_rate_limited: '429 overloaded',
  upstream_error: '500 backend, 424 backend',
});
const rules = {
  faultReplies: { error_in_200: { body: JSON.stringify(errors.backend) } },
  evidence: { reply: 'valid JSON' },
} as const;

const retrieval = creating({ embeddings: [EMBED], rerank: [COHERE] });
describe('a service with vectors and ranks', () => {
  rows.testProvider(retrieval, SECRET, {
    ...rules,
    fixtures: [
      ...rerankFixtures(retrieval, { reply: RANKS, cost: {} }),
      ...embedFixtures(retrieval, { reply: VECTORS, cost: { usage: { inputTokens: 8 } }, vectors: NUMBERS }),
      ...rows.errorFixtures(EMBED.slug, ERRORS, errors),
    ],
  });
});
const tei = creating({ rerank: [TEI] });
describe('a service with a bare list of ranks', () => {
  rows.testProvider(tei, SECRET, {
    ...rules,
    fixtures: [
      ...rerankFixtures(tei, { reply: ranksOf('score'), cost: {} }),
      ...rows.errorFixtures(TEI.slug, ERRORS, errors),
    ],
  });
});
const chat = creating({ answer: [ANSWER] });
describe('a service that answers', () => {
  rows.testProvider(chat, SECRET, {
    ...rules,
    evidence: { reply: ['choices.0.finish_reason'] },
    fixtures: [
      rows.answered(ANSWER.slug, 'an answer with a source', CHAT, {
        text: 'Since 2021 [1].',
        citations: CITATIONS,
        cost: { usage: { inputTokens: 5, outputTokens: 7 } },
        upstreamRequestId: 'chat-1',
        servedModel: 'sonar',
      }),
      ...rows.unusableFixtures(ANSWER.slug, [['no sources', 'upstream_invalid_response']], () => ({
        ...CHAT,
        citations: [],
      })),
    ],
  });
});

describe('openAiCompatible', () => {
  let upstream: Served;
  let reply: unknown;
  const open: Gateway[] = [];
  beforeAll(async () => {
    upstream = await serve((_req, res) => res.writeHead(200).end(JSON.stringify(reply)));
  });
  afterEach(() => Promise.all(open.splice(0).map((gateway) => gateway.close())));
  afterAll(() => upstream.close());

  const documents = ['It is open.', 'It is closed.'];
  type Asks = () => Promise<{ request: { url: URL; json?: unknown; headers?: unknown } }>;
  it.each<[string, object, Asks]>([
    [
      '/embeddings',
      { model: EMBED.model, input: ['It is open.'] },
      () => embedOnce(house({ embeddings: [EMBED] }), EMBED.slug, VECTORS),
    ],
    [
      '/embeddings',
      { model: 'm', input: ['It is open.'], dimensions: 1 },
      () => embedOnce(house({ embeddings: [SHORTER] }), SHORTER.slug, VECTORS, { dimensions: 1 }),
    ],
    [
      '/rerank',
      { model: COHERE.model, query: 'Is it open?', documents, top_n: 1 },
      () => rerankOnce(house({ rerank: [TEI, COHERE] }), COHERE.slug, RANKS, { topN: 1 }),
    ],
    [
      '/rerank',
      { query: 'Is it open?', texts: documents, truncate: false },
      () => rerankOnce(house({ rerank: [TEI, COHERE] }), TEI.slug, ranksOf('score'), { topN: 1 }),
    ],
    [
      '/chat/completions',
      { model: 'sonar', messages: [{ role: 'user', content: 'Is it open?' }] },
      () => askOnce(house({ answer: [ANSWER] }), ANSWER.slug, CHAT),
    ],
  ])('asks %s for %j, without a key', async (path, json, ask) => {
    const { request } = await ask();
    expect([request.url.href, request.json, request.headers]).toEqual([`${HOUSE.baseUrl}${path}`, json, {}]);
  });

  it('sends a key where there is one', async () => {
    const { request } = await embedOnce(house({ apiKey: 'k', embeddings: [EMBED] }), EMBED.slug, VECTORS);
    expect(request.headers).toEqual({ authorization: 'Bearer k' });
  });

  it('is free and says so, unless a row has a price, which is charged', async () => {
    const rerank = [COHERE, { ...TEI, price: '0.002' }];
    const provider = house({ baseUrl: upstream.url, embeddings: [EMBED], rerank, answer: [ANSWER] });
    const { gateway, totals } = start([provider], { credits: '0', limit: '0' });
    const paid = start([provider]);
    open.push(gateway, paid.gateway);
    const listed = gateway.models({ callable: true }).map(({ id, pricing, free }) => [id, pricing, free]);
    expect(listed).toEqual([
      [EMBED.slug, { unit: 'USD', request: '0' }, true],
      [COHERE.slug, { unit: 'USD', request: '0' }, true],
      [TEI.slug, { unit: 'USD', perSearchUnit: '0.002' }, undefined],
      [ANSWER.slug, { unit: 'USD', request: '0' }, true],
    ]);
    reply = { ...VECTORS, data: dataOf(BASE64) };
    const embedded = await gateway.embed({ apiKey: KEY, model: EMBED.slug, input: ['a', 'b'] });
    expect(embedded.usage).toEqual({ ...USAGE, cost: 0 });
    reply = CHAT;
    expect((await gateway.answer({ apiKey: KEY, model: ANSWER.slug, query: 'Is it open?' })).usage.cost).toBe(0);
    reply = RANKS;
    const query = 'Is it open?';
    expect((await gateway.rerank({ apiKey: KEY, model: COHERE.slug, query, documents })).usage.cost).toBe(0);
    reply = ranksOf('score');
    const paying = { apiKey: KEY, model: TEI.slug, query, documents };
    expect(await reasonOf(gateway.rerank(paying))).toBe('key_limit_reached');
    expect(await totals()).toMatchObject({ usage: 0n, held: 0n });
    await paid.gateway.rerank(paying);
    expect(await paid.totals()).toMatchObject({ usage: 2_000_000n, held: 0n });
  });

  it('charges nothing for a cost that a proxy reports of a free model, which is the operator’s loss', async () => {
    const { gateway, totals, events } = start([house({ baseUrl: upstream.url, embeddings: [EMBED] })]);
    open.push(gateway);
    reply = { ...VECTORS, usage: { total_tokens: 8, cost: 0.01 } };
    await gateway.embed({ apiKey: KEY, model: EMBED.slug, input: ['a', 'b'] });
    expect(await totals()).toMatchObject({ usage: 0n, held: 0n });
    await setImmediate();
    expect(events.map(({ type }) => type)).toContain('cost_implausible');
  });

  it.each<[string, object]>([
    ['openAiCompatible.id: lower-case letters, digits and dashes', { id: undefined, embeddings: [] }],
    ['openAiCompatible.id: lower-case letters, digits and dashes', { id: 'My house', embeddings: [] }],
    ['house: a model in answer, embeddings or rerank', { embeddings: [] }],
    ['house.baseUrl: an http(s) URL without credentials, query or fragment', { baseUrl: undefined }],
    ['house.embeddings[0].dimensions: the length of its vectors', { embeddings: [{ slug: 'house/a' }] }],
    ['house.embeddings[0].slug: a slug of the form house/<model>', { embeddings: [{ ...EMBED, slug: 'exa/a' }] }],
    ['house.rerank[0].form: "cohere" or "tei"', { rerank: [{ ...COHERE, form: 'jina' }] }],
    ['house.rerank[0].price: a decimal string of US dollars from', { rerank: [{ ...COHERE, price: '-1' }] }],
    [
      'house.embeddings[0].features[0]: one of dimensions_param, multilingual, code, legacy, deprecated',
      { embeddings: [{ ...EMBED, features: ['input_type'] }] },
    ],
    ['house.models: nothing: the models are in answer, embeddings and rerank', { models: ['a'] }],
    ['house.extraModels: nothing: the models are in answer, embeddings and rerank', { extraModels: [EMBED] }],
    ['house.embedings: one of', { embedings: [EMBED] }],
    ['house.embeddings[0].dimension: one of', { embeddings: [{ ...EMBED, dimension: 1 }] }],
  ])('is refused: %s', (expected, wrong) => {
    let problems: string[] = [];
    try {
      house({ embeddings: [EMBED], ...wrong });
    } catch (error) {
      if (!isConfigurationError(error)) throw error;
      problems = error.problems.map((problem) => `${problem.path}: ${problem.expected}`);
    }
    expect(problems).toEqual([expect.stringContaining(expected)]);
  });
});
