import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { OpenAIEmbeddings } from '@langchain/openai';
import { OpenRouter } from '@openrouter/sdk';
import { embed, embedMany } from 'ai';
import { BadRequestError } from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createClient } from './openai-client.js';
import { SECRET } from './test-server.js';
import { DIMENSIONS, EMBED_MODEL as model, startVectorServer, type VectorServer, vectorOf } from './vector-server.js';

const TEXTS = ['The Zephyr Bridge opened in May 2021.', 'Bread rises.'];
const VECTORS = TEXTS.map((text) => vectorOf(text));
const manyTexts = (count: number) => Array.from({ length: count }, (_, at) => 'word '.repeat(at + 1));

let server: VectorServer;
let baseURL: string;
beforeAll(async () => {
  server = await startVectorServer();
  baseURL = `${server.url}/api/v1`;
});
afterAll(() => server.close());
beforeEach(() => {
  server.embeds.length = 0;
});

describe('the openai client', () => {
  const client = () => createClient(baseURL, SECRET);

  it.each([undefined, 'base64', 'float'] as const)('gets vectors with encoding_format %s', async (encoding_format) => {
    const body = { model, input: TEXTS, ...(encoding_format && { encoding_format }) };
    const { object, data, usage, ...reply } = await client().embeddings.create(body);
    // Asked for base64, the client hands it on. What it asks for by itself, it decodes.
    // A Buffer may be a part of a larger one, so its bytes are copied.
    const floatsIn = (base64: string) => [...new Float32Array(Uint8Array.from(Buffer.from(base64, 'base64')).buffer)];
    const read = ({ embedding }: { embedding: number[] | string }) =>
      typeof embedding === 'string' ? floatsIn(embedding) : embedding;
    expect(data.map(({ embedding }) => typeof embedding)).toEqual(
      TEXTS.map(() => (encoding_format === 'base64' ? 'string' : 'object')),
    );
    expect(data.map(read)).toEqual(VECTORS);
    expect(data.map(({ index, object: kind }) => [index, kind])).toEqual([
      [0, 'embedding'],
      [1, 'embedding'],
    ]);
    expect([object, reply.model]).toEqual(['list', model]);
    expect(usage).toEqual({ prompt_tokens: 14, total_tokens: 14, cost: 0.00000028 });
  });

  it('gets vectors of the length it asks for', async () => {
    const { data } = await client().embeddings.create({ model, input: TEXTS[0] ?? '', dimensions: 256, user: 'ada' });
    expect(data.map(({ embedding }) => embedding)).toEqual([vectorOf(TEXTS[0] ?? '', 256)]);
    expect(server.embeds).toMatchObject([{ inputs: [TEXTS[0]], dimensions: 256 }]);
  });

  it.each([
    ['a list of tokens', { input: [9906, 1917] }, 'invalid_field', 'input', 'check_embedding_ctx_length=False'],
    ['lists of tokens', { input: [[9906], [1917]] }, 'invalid_field', 'input', 'check_embedding_ctx_length=False'],
    ['a length that the model lacks', { dimensions: 4_096 }, 'unsupported_option', 'dimensions', ''],
  ])('throws the reason for %s', async (_what, fields, reason, param, words) => {
    const error: unknown = await client()
      .embeddings.create({ model, input: TEXTS, ...fields })
      .catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(BadRequestError);
    expect(error).toMatchObject({ param, error: { reason }, message: expect.stringContaining(words) });
    expect(server.embeds).toEqual([]);
  });
});

describe('OpenAIEmbeddings of LangChain', () => {
  it('gets the vectors of its batches of 512 texts', async () => {
    const embeddings = new OpenAIEmbeddings({ model, apiKey: SECRET, configuration: { baseURL } });
    const texts = manyTexts(513);
    const vectors = await embeddings.embedDocuments(texts);
    expect(server.embeds.map(({ inputs }) => inputs.length).toSorted((a, b) => a - b)).toEqual([1, 512]);
    expect(vectors).toHaveLength(513);
    expect(vectors.every(({ length }) => length === DIMENSIONS)).toBe(true);
    for (const at of [0, 511, 512]) expect(vectors[at]).toEqual(vectorOf(texts[at] ?? ''));
  });

  it('gets the vector of a query', async () => {
    const settings = { model, apiKey: SECRET, dimensions: 64, configuration: { baseURL } };
    expect(await new OpenAIEmbeddings(settings).embedQuery('bread')).toEqual(vectorOf('bread', 64));
  });
});

describe('@ai-sdk/openai-compatible', () => {
  const embedder = () => createOpenAICompatible({ name: 'searchgate', baseURL, apiKey: SECRET }).embeddingModel(model);

  it('gets the vectors of embedMany, and the tokens', async () => {
    const { embeddings, usage } = await embedMany({ model: embedder(), values: TEXTS });
    expect(embeddings).toEqual(VECTORS);
    expect(usage.tokens).toBe(14);
  });

  it('gets the vector of embed in the length it asks for', async () => {
    const providerOptions = { openaiCompatible: { dimensions: 32 } };
    const { embedding } = await embed({ model: embedder(), value: 'bread', providerOptions });
    expect(embedding).toEqual(vectorOf('bread', 32));
  });
});

describe('the client of OpenRouter', () => {
  it('gets vectors, the tokens and the cost', async () => {
    const client = new OpenRouter({ apiKey: SECRET, serverURL: baseURL });
    const requestBody = { model, input: TEXTS, dimensions: 16, inputType: 'search_query' };
    const reply = await client.embeddings.generate({ requestBody });
    expect(reply).toMatchObject({
      model,
      object: 'list',
      data: TEXTS.map((text, index) => ({ index, embedding: vectorOf(text, 16) })),
      usage: { promptTokens: 14, totalTokens: 14, cost: 0.00000028 },
    });
    expect(server.embeds).toMatchObject([{ inputType: 'query', dimensions: 16 }]);
  });
});
