import { createGateway, memoryApiKeys, memoryLedger } from '@searchgate/core';
import type { Provider, ProviderSearch } from '@searchgate/core/provider-kit';
import { serve } from '@searchgate-examples/recipes/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createClient } from './perplexity.js';
import { SECRET } from './test-server.js';

// Where the requests come from: docs/recipes/search.md.

const PAGE = {
  url: 'https://example.org/zephyr',
  title: 'Zephyr Bridge opens',
  snippet: 'Opened on 14 May…',
  date: '2021-05-14',
};
const SHOWN = { title: PAGE.title, url: PAGE.url, snippet: PAGE.snippet, date: PAGE.date, last_updated: null };
const QUERY = 'Zephyr Bridge';

const calls: Omit<ProviderSearch, 'model'>[] = [];

const bridges: Provider = {
  id: 'bridges',
  name: 'Bridges',
  models: [],
  search: {
    models: [
      {
        slug: 'bridges/search',
        name: 'Bridges',
        description: 'Finds bridges.',
        prices: [{ kind: 'flat', request: '0.001', source: 'our own', asOf: '2026-11-26', confidence: 'high' }],
        features: [],
        options: {
          includeDomains: { as: 'sites' },
          excludeDomains: { as: 'others' },
          freshness: { as: 'age' },
          publishedAfter: { as: 'from' },
          country: { as: 'land' },
        },
        contextLength: null,
        maxResults: 20,
        timeoutMs: 5_000,
      },
    ],
    search({ model: _model, ...call }) {
      calls.push(call);
      return Promise.resolve({ results: [PAGE], cost: {} });
    },
  },
};

const gateway = createGateway({
  providers: [bridges],
  ledger: memoryLedger({ credits: { acme: '1.00' } }),
  apiKeys: memoryApiKeys([{ apiKey: SECRET, label: 'demo', organizationId: 'acme' }]),
  endpoints: { search: { defaultModel: 'bridges/search' } },
});
let server: Awaited<ReturnType<typeof serve>>;
beforeAll(async () => {
  server = await serve(gateway);
});
afterAll(async () => {
  await server.close();
  await gateway.close();
});
beforeEach(() => {
  calls.length = 0;
});

describe('the client of Perplexity', () => {
  const client = () => createClient(`${server.url}/api/v1`, SECRET);

  it('gets results of the default model', async () => {
    const { id, results } = await client().search.create({ query: QUERY });
    expect(id).toMatch(/^sch_/);
    expect(results).toEqual([{ ...SHOWN, content: null, score: null }]);
    expect(calls).toEqual([{ query: QUERY, maxResults: 10, includeContent: false, search: undefined }]);
  });

  it('has its filters honored', async () => {
    await client().search.create({
      query: QUERY,
      max_results: 5,
      search_domain_filter: ['-example.com'],
      search_after_date_filter: '5/1/2021',
      country: 'US',
    });
    expect(calls).toMatchObject([
      { maxResults: 5, search: { excludeDomains: ['example.com'], publishedAfter: '2021-05-01', country: 'US' } },
    ]);
  });

  it.each([
    ['an hour', { search_recency_filter: 'hour' as const }, 'invalid_field', 'search_recency_filter'],
    [
      'a filter without an equal',
      { last_updated_after_filter: '5/1/2021' },
      'unsupported_field',
      'last_updated_after_filter',
    ],
    ['a limit of tokens', { max_tokens_per_page: 512 }, 'unsupported_field', 'max_tokens_per_page'],
    ['several queries', { query: [QUERY, 'bread'] }, 'invalid_field', 'query'],
  ])('throws the reason for %s', async (_what, fields, reason, param) => {
    const asked = client().search.create({ query: QUERY, ...fields });
    await expect(asked).rejects.toMatchObject({ status: 400, error: { error: { reason, param } } });
    expect(calls).toEqual([]);
  });
});

describe('requests of applications', () => {
  const send = async (body: object) => {
    const headers = { authorization: `Bearer ${SECRET}`, 'content-type': 'application/json' };
    const response = await fetch(`${server.url}/api/v1/search`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    return { status: response.status, body: (await response.json()) as { object: string; results: unknown[] } };
  };

  it('give Open WebUI the link, title and snippet of each result', async () => {
    const { status, body } = await send({ query: QUERY, max_results: 3 });
    expect([status, body.results]).toEqual([200, [expect.objectContaining(SHOWN)]]);
    expect(calls).toMatchObject([{ query: QUERY, maxResults: 3 }]);
  });

  it('give LiteLLM results in its own form', async () => {
    const { status, body } = await send({
      query: QUERY,
      max_results: 10,
      search_domain_filter: ['example.org'],
      country: 'US',
    });
    expect([status, body.object, body.results]).toEqual([200, 'search', [expect.objectContaining(SHOWN)]]);
    expect(calls).toMatchObject([{ search: { includeDomains: ['example.org'], country: 'US' } }]);
  });
});
