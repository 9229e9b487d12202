import { createCohere } from '@ai-sdk/cohere';
import { OpenRouter } from '@openrouter/sdk';
import { rerank } from 'ai';
import { CohereClient, CohereClientV2 } from 'cohere-ai';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { VoyageAIClient } from 'voyageai';
import { SECRET } from './test-server.js';
import { RERANK_MODEL as model, startVectorServer, type VectorServer } from './vector-server.js';

// Turns off the SDK's log of warnings: it says that it sends objects as JSON.
(globalThis as { AI_SDK_LOG_WARNINGS?: boolean }).AI_SDK_LOG_WARNINGS = false;

const query = 'Zephyr Bridge';
const documents = ['Bread rises.', 'A Bridge.', 'The Zephyr Bridge opened.'];

let server: VectorServer;
beforeAll(async () => {
  server = await startVectorServer();
});
afterAll(() => server.close());
beforeEach(() => {
  server.reranks.length = 0;
});

describe('the client of Cohere', () => {
  const ranked = [
    { index: 2, relevanceScore: 1, document: { text: documents[2] } },
    { index: 1, relevanceScore: 0.5, document: { text: documents[1] } },
  ];

  it('ranks documents with version 1', async () => {
    const client = new CohereClient({ token: SECRET, environment: `${server.url}/api` });
    const { id, results, meta } = await client.rerank({ model, query, documents, topN: 2, returnDocuments: true });
    expect(id).toMatch(/^rnk_/);
    expect(results).toEqual(ranked);
    expect(meta).toMatchObject({ apiVersion: { version: '2' }, billedUnits: { searchUnits: 1 } });
    expect(server.reranks).toMatchObject([{ query, documents, topN: 2 }]);
  });

  it('ranks documents with version 2', async () => {
    const client = new CohereClientV2({ token: SECRET, environment: `${server.url}/api` });
    const { results, meta } = await client.rerank({ model, query, documents, topN: 2 });
    expect(results).toMatchObject(ranked.map(({ index, relevanceScore }) => ({ index, relevanceScore })));
    expect(meta).toMatchObject({ billedUnits: { searchUnits: 1 } });
    expect(server.reranks).toMatchObject([{ query, documents, topN: 2 }]);
  });
});

describe('@ai-sdk/cohere', () => {
  const reranker = () => createCohere({ baseURL: `${server.url}/api/v1`, apiKey: SECRET }).reranking(model);

  it('ranks texts', async () => {
    const { ranking, rerankedDocuments } = await rerank({ model: reranker(), query, documents, topN: 2 });
    expect(rerankedDocuments).toEqual([documents[2], documents[1]]);
    expect(ranking.map(({ score, originalIndex }) => [score, originalIndex])).toEqual([
      [1, 2],
      [0.5, 1],
    ]);
  });

  it('ranks objects, which it sends as JSON', async () => {
    const objects = documents.map((text) => ({ text }));
    const { rerankedDocuments } = await rerank({ model: reranker(), query, documents: objects });
    expect(rerankedDocuments[0]).toEqual({ text: documents[2] });
    expect(server.reranks[0]?.documents).toEqual(objects.map((each) => JSON.stringify(each)));
  });
});

describe('the client of OpenRouter', () => {
  it('ranks strings and objects, and gets the cost', async () => {
    const client = new OpenRouter({ apiKey: SECRET, serverURL: `${server.url}/api/v1` });
    const [first = '', ...others] = documents;
    const requestBody = { model, query, documents: [first, ...others.map((text) => ({ text }))], topN: 1 };
    expect(await client.rerank.rerank({ requestBody })).toMatchObject({
      model,
      results: [{ index: 2, relevanceScore: 1, document: { text: documents[2] } }],
      usage: { searchUnits: 1, cost: 0.002 },
    });
    expect(server.reranks[0]?.documents).toEqual(documents);
  });
});

describe('the client of Voyage AI', () => {
  const client = () => new VoyageAIClient({ apiKey: SECRET, environment: `${server.url}/api/v1`, maxRetries: 0 });

  it('is told the name of its limit', async () => {
    await expect(client().rerank({ model, query, documents, topK: 2 })).rejects.toMatchObject({
      statusCode: 400,
      body: { error: { reason: 'unsupported_field', param: 'top_k', message: expect.stringContaining('top_n') } },
    });
    expect(server.reranks).toEqual([]);
  });
});

// What @langchain/cohere 1.0.5 sends through its cohere-ai 7.21.0, recorded on 2026-11-27. With the AWS clients they bring, they take 46 MB.
describe('a request of CohereRerank of LangChain', () => {
  it('may ask for more documents than there are, and leave a setting null', async () => {
    const pair = documents.slice(1);
    const response = await fetch(`${server.url}/api/v1/rerank`, {
      method: 'POST',
      headers: { authorization: `Bearer ${SECRET}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model, query, documents: pair, top_n: 3, max_chunks_per_doc: null }),
    });
    const { results } = (await response.json()) as { results: unknown[] };
    expect(results).toEqual([
      { index: 1, relevance_score: 1, document: { text: pair[1] } },
      { index: 0, relevance_score: 0.5, document: { text: pair[0] } },
    ]);
  });
});
