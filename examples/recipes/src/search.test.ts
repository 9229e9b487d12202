import { createClient } from '@searchgate/client';
import { createGateway, memoryApiKeys, memoryLedger } from '@searchgate/core';
import type { Provider } from '@searchgate/core/provider-kit';
import { localDocs } from '@searchgate-examples/local-docs-provider';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SearchgateRetriever } from './langchain-retriever.js';
import { retrieveThenAsk } from './retrieve-then-ask.js';
import { searchThenAsk } from './search-then-ask.js';
import { SECRET, serve } from './test-gateway.js';

const QUESTION = 'When did the Zephyr Bridge open?';
const ZEPHYR = 'https://example.org/zephyr';
const library = [
  { url: ZEPHYR, markdown: '# Zephyr Bridge\n\nThe Zephyr Bridge opened in May 2021.' },
  { url: 'https://example.org/opening', markdown: '# The day\n\nThousands came to see the Zephyr Bridge open.' },
  { url: 'https://example.org/bread', markdown: '# Bread\n\nFlour, water and salt.' },
].map((document, index) => ({ ...document, source: `Page ${index + 1}` }));

/** Ranks documents by the words of the query in them. */
const words: Provider = {
  id: 'words',
  name: 'Words',
  models: [],
  rerank: {
    models: [
      {
        slug: 'words/count',
        name: 'Words',
        description: 'Counts words.',
        prices: [{ kind: 'flat', perSearchUnit: '0.002', source: 'this test', asOf: '2026-11-27', confidence: 'high' }],
        features: [],
        contextLength: null,
        timeoutMs: 1_000,
      },
    ],
    async rerank({ query, documents }) {
      const asked = query.split(/\W+/);
      const ranks = documents.map((text, index) => ({
        index,
        score: asked.filter((word) => text.includes(word)).length,
      }));
      return Promise.resolve({ ranks, cost: {} });
    },
  },
};

const gateway = createGateway({
  providers: [localDocs({ documents: library }), words],
  ledger: memoryLedger({ credits: { acme: '1.00' } }),
  apiKeys: memoryApiKeys([{ apiKey: SECRET, label: 'demo', organizationId: 'acme' }]),
  endpoints: {
    search: { defaultModel: 'local/search' },
    extract: { defaultModel: 'local/extract' },
    rerank: { defaultModel: 'words/count' },
  },
});
let server: Awaited<ReturnType<typeof serve>>;
let client: ReturnType<typeof createClient>;
beforeAll(async () => {
  server = await serve(gateway);
  client = createClient({ baseUrl: server.url, apiKey: SECRET });
});
afterAll(async () => {
  await server.close();
  await gateway.close();
});

describe('the retriever for LangChain', () => {
  it('gives the texts of pages as documents, with their addresses', async () => {
    const retriever = new SearchgateRetriever(client, { model: 'local/search', includeContent: true });
    const documents = await retriever.invoke(QUESTION);
    expect(documents.map(({ metadata }) => (metadata as { url: string }).url.split('#')[0])).toContain(ZEPHYR);
    expect(documents[0]?.pageContent).toContain('Zephyr Bridge');
    expect(documents[0]?.metadata).toMatchObject({ title: expect.any(String), date: null, score: null });
  });

  it('gives snippets where no content is asked for, and at most as many documents as it is told', async () => {
    const retriever = new SearchgateRetriever(client, { maxResults: 1 });
    const documents = await retriever.invoke(QUESTION);
    expect(documents.map(({ pageContent }) => pageContent)).toEqual([expect.stringContaining('Zephyr Bridge')]);
  });

  it('rejects with the reason of an error', async () => {
    const retriever = new SearchgateRetriever(client, { model: 'local/docs' });
    await expect(retriever.invoke(QUESTION)).rejects.toMatchObject({ reason: 'model_category_mismatch' });
  });
});

describe('a search, then a model of your own', () => {
  const neverAsked = () => Promise.reject(new Error('the model is not asked'));

  it('hands the question and the pages to the model, a page in each line', async () => {
    const asked: string[] = [];
    const ask = (instructions: string, message: string) => {
      asked.push(instructions, message);
      return Promise.resolve('In May 2021 [1].');
    };
    const found = await searchThenAsk(client, { ask, question: QUESTION });
    expect(found).toMatchObject({ answer: 'In May 2021 [1].', cost: 0.001 });
    const lines = asked[1]?.split('\n') ?? [];
    expect(lines.at(-1)).toBe(`Question: ${QUESTION}`);
    const pages = lines.slice(0, -1).map((line) => JSON.parse(line) as { page: number; text: string });
    expect(pages.map(({ page }) => page)).toEqual(found?.sources.map((_, index) => index + 1));
    expect(pages.map(({ text }) => text).join()).toContain('opened in May 2021');
  });

  it('asks no model where no page was found', async () => {
    expect(await searchThenAsk(client, { ask: neverAsked, question: 'Xylophone?' })).toBeNull();
  });
});

describe('a search, an extract, a rerank, then a model of your own', () => {
  it('hands over the passages that fit best, and says what each step has cost', async () => {
    const asked: string[] = [];
    const ask = (_instructions: string, message: string) => {
      asked.push(message);
      return Promise.resolve('In May 2021 [1].');
    };
    const before = (await client.credits()).total_usage;
    const retrieved = await retrieveThenAsk(client, { ask, question: QUESTION });
    expect(retrieved).toMatchObject({ answer: 'In May 2021 [1].', sources: expect.arrayContaining([ZEPHYR]) });
    const lines = asked[0]?.split('\n') ?? [];
    expect(lines.at(-1)).toBe(`Question: ${QUESTION}`);
    expect(lines[0]).toContain('Zephyr Bridge');
    const { search, extract, rerank } = retrieved!.cost;
    expect(rerank).toBe(0.002);
    expect((await client.credits()).total_usage - before).toBeCloseTo(search + extract + rerank, 9);
  });

  it('asks no model where no page was found', async () => {
    const ask = () => Promise.reject(new Error('the model is not asked'));
    expect(await retrieveThenAsk(client, { ask, question: 'Xylophone?' })).toBeNull();
  });
});
