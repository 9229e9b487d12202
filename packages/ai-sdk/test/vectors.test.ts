import type { EmbedPort, ProviderEmbed, ProviderRerank, RerankPort } from '@searchgate/core/provider-kit';
import { APICallError, embed, embedMany, rerank } from 'ai';
import { describe, expect, it } from 'vitest';
import { cutsFirstReply, errorOf, modelRow, mountGateway } from './mounted-gateway.js';

const SLUG = 'exa/vectors';
const VALUES = ['bread', 'a bridge'];

/** Floats of 32 bits that differ from text to text, and have no short form in decimals. */
const vectorOf = (text: string, length = 8) =>
  Array.from({ length }, (_, at) => Math.fround(Math.sin((text.length + 1) * (at + 1))));

/** Makes a vector of each text, for one token: a millionth of a USD. */
function embedPort() {
  const calls: ProviderEmbed[] = [];
  const facts = { features: ['dimensions_param', 'input_type'], dimensions: 8 };
  const port: EmbedPort = {
    models: [modelRow(SLUG, { perMillionTokens: '1' }, facts)],
    maxInputs: 2_048,
    embed(call) {
      calls.push(call);
      const embeddings = call.inputs.map((text, index) => ({ index, vector: vectorOf(text, call.dimensions) }));
      return Promise.resolve({ embeddings, cost: { usage: { inputTokens: call.inputs.length } } });
    },
  };
  return { calls, port };
}

/** Prefers long documents, for 0.002 USD. */
function rerankPort() {
  const calls: ProviderRerank[] = [];
  const port: RerankPort = {
    models: [modelRow('exa/ranks', { perSearchUnit: '0.002' })],
    rerank(call) {
      calls.push(call);
      const ranks = call.documents.map((text, index) => ({ index, score: text.length / 100 }));
      return Promise.resolve({ ranks, cost: { usage: { searchUnits: 1 } } });
    },
  };
  return { calls, port };
}

describe('an embedding model', () => {
  it('gives embedMany vectors, tokens and the cost', async () => {
    const { calls, port } = embedPort();
    const { searchgate, requests, charged } = await mountGateway({ ports: { embed: port } });
    const { embeddings, usage, providerMetadata, responses } = await embedMany({
      model: searchgate.embeddingModel(SLUG),
      values: VALUES,
      dimensions: 4,
      providerOptions: { searchgate: { inputType: 'document', tag: 'index', routing: { maxCost: '0.01' } } },
    });
    expect(embeddings).toEqual(VALUES.map((text) => vectorOf(text, 4)));
    expect(usage).toEqual({ tokens: 2 });
    const id = expect.stringMatching(/^emb_/) as string;
    expect(providerMetadata).toEqual({ searchgate: { id, provider: 'exa', cost: 0.000002 } });
    expect(responses).toMatchObject([{ headers: { 'x-request-id': expect.any(String) }, body: { id, model: SLUG } }]);
    expect(calls).toMatchObject([{ inputs: VALUES, dimensions: 4, inputType: 'document' }]);
    expect(requests[0]?.body).toMatchObject({ encoding_format: 'base64', tag: 'index', routing: { max_cost: '0.01' } });
    expect(await charged()).toBe('0.000002');
  });

  it('gives embed one vector of the usual length', async () => {
    const { calls, port } = embedPort();
    const { searchgate } = await mountGateway({ ports: { embed: port } });
    const { embedding } = await embed({ model: searchgate.embeddingModel(SLUG), value: 'bread' });
    expect(embedding).toEqual(vectorOf('bread'));
    expect(calls).toMatchObject([{ inputs: ['bread'], dimensions: undefined, inputType: undefined }]);
  });

  it.each([
    ['2,048 texts', Array.from({ length: 2_049 }, (_, at) => `text ${at}`), [2_048, 1]],
    ['a million bytes', ['a', 'b', 'c'].map((letter) => letter.repeat(400_000)), [2, 1]],
  ])('is asked for no more than %s at once, and each request has its cost', async (_what, values, sizes) => {
    const { port } = embedPort();
    const { searchgate, requests, charged } = await mountGateway({ ports: { embed: port } });
    const model = searchgate.embeddingModel(SLUG);
    const { embeddings, usage, responses } = await embedMany({ model, values, maxParallelCalls: 1 });
    expect(requests.map(({ body }) => (body['input'] as string[]).length)).toEqual(sizes);
    expect(embeddings).toEqual(values.map((text) => vectorOf(text)));
    expect(usage).toEqual({ tokens: values.length });
    expect(responses).toMatchObject(sizes.map((size) => ({ body: { usage: { cost: size / 1e6 } } })));
    expect(Number(await charged())).toBe(values.length / 1e6);
  });

  it('is charged once when its reply is lost', async () => {
    const { port } = embedPort();
    const { searchgate, requests, charged } = await mountGateway({ ports: { embed: port }, front: cutsFirstReply });
    const { embeddings } = await embedMany({ model: searchgate.embeddingModel(SLUG), values: VALUES });
    expect(embeddings).toEqual(VALUES.map((text) => vectorOf(text)));
    expect(requests).toHaveLength(2);
    expect(await charged()).toBe('0.000002');
  });

  it.each([
    ['an unknown option', { inputTyp: 'query' }],
    ['a key, which several requests would share', { idempotencyKey: 'order-17' }],
  ])('refuses %s', async (_what, searchgateOptions) => {
    const { port } = embedPort();
    const { searchgate, requests } = await mountGateway({ ports: { embed: port } });
    const call = { model: searchgate.embeddingModel(SLUG), value: 'bread' };
    const error = await errorOf(embed({ ...call, providerOptions: { searchgate: searchgateOptions } }));
    expect(error).toMatchObject({ name: 'AI_InvalidArgumentError', argument: 'providerOptions' });
    expect(requests).toEqual([]);
  });

  it('throws the error of the gateway', async () => {
    const { port } = embedPort();
    const { searchgate } = await mountGateway({ ports: { embed: port } });
    const error = await errorOf(embed({ model: searchgate.embeddingModel('exa/answer'), value: 'bread' }));
    if (!APICallError.isInstance(error)) throw error;
    expect(error).toMatchObject({ statusCode: 400, data: { error: { reason: 'model_category_mismatch' } } });
  });
});

describe('a reranking model', () => {
  it('gives rerank the best documents, and the cost', async () => {
    const { calls, port } = rerankPort();
    const { searchgate, requests, charged } = await mountGateway({ ports: { rerank: port } });
    const { rerankedDocuments, ranking, providerMetadata, response } = await rerank({
      model: searchgate.rerankingModel('exa/ranks'),
      query: 'bridge',
      documents: ['a', 'abc', 'ab'],
      topN: 2,
      providerOptions: { searchgate: { idempotencyKey: 'order-17', tag: 'shop' } },
    });
    expect(rerankedDocuments).toEqual(['abc', 'ab']);
    expect(ranking.map(({ originalIndex, score }) => [originalIndex, score])).toEqual([
      [1, 0.03],
      [2, 0.02],
    ]);
    const id = expect.stringMatching(/^rnk_/) as string;
    expect(providerMetadata).toEqual({ searchgate: { id, provider: 'exa', cost: 0.002 } });
    expect(response).toMatchObject({ id, modelId: 'exa/ranks' });
    expect(calls).toMatchObject([{ query: 'bridge', topN: 2 }]);
    expect(requests).toMatchObject([{ body: { tag: 'shop' }, headers: { 'idempotency-key': 'order-17' } }]);
    expect(await charged()).toBe('0.002');
  });

  it('ranks objects as JSON', async () => {
    const { calls, port } = rerankPort();
    const { searchgate } = await mountGateway({ ports: { rerank: port } });
    const documents = [{ name: 'a' }, { name: 'abc' }];
    const model = searchgate.rerankingModel('exa/ranks');
    const { rerankedDocuments } = await rerank({ model, query: 'bridge', documents });
    expect(rerankedDocuments).toEqual(documents.toReversed());
    expect(calls[0]?.documents).toEqual(['{"name":"a"}', '{"name":"abc"}']);
    const { warnings } = await model.doRerank({ query: 'bridge', documents: { type: 'object', values: documents } });
    expect(warnings).toMatchObject([{ type: 'compatibility', feature: 'object documents' }]);
  });
});
