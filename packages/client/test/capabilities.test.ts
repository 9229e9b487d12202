import type { ModelRow, Provider } from '@searchgate/core/provider-kit';
import { gatewayRouter } from '@searchgate/express';
import express from 'express';
import { describe, expect, it } from 'vitest';
import { createClient } from '../src/index.js';
import { KEY, listen, scriptedServer, startGateway } from './stage.js';

const URL = 'https://example.org/zephyr';

const row = (slug: string, features: ModelRow['features'] = []): ModelRow => ({
  slug,
  name: slug,
  description: 'A model.',
  prices: [{ kind: 'flat', request: '0.01', source: 'test', asOf: '2026-11-27', confidence: 'high' }],
  features,
  contextLength: null,
  dimensions: 2,
  timeoutMs: 1_000,
});

/** A provider that records what it is asked. */
function library() {
  const asked: object[] = [];
  const reply = <Outcome>(call: object, outcome: Outcome): Promise<Outcome> => {
    asked.push(call);
    return Promise.resolve(outcome);
  };
  const provider: Provider = {
    id: 'library',
    name: 'Library',
    models: [],
    search: {
      models: [row('library/web', ['content'])],
      search: (call) => reply(call, { results: [{ url: URL, title: 'Zephyr' }], cost: {} }),
    },
    extract: {
      models: [row('library/read')],
      maxUrls: 20,
      extract: (call) => reply(call, { pages: [{ url: URL, content: 'Opened.' }], cost: {} }),
    },
    rerank: {
      models: [row('library/rank')],
      rerank: (call) => reply(call, { ranks: [{ index: 1, score: 0.9 }], cost: { usage: { searchUnits: 1 } } }),
    },
    embed: {
      models: [row('library/embed', ['input_type', 'dimensions_param'])],
      maxInputs: 8,
      embed: (call) => reply(call, { embeddings: [{ index: 0, vector: [0.5] }], cost: { usage: { inputTokens: 3 } } }),
    },
  };
  return { provider, asked };
}

const usage = { cost: 0.01 };

describe('a client', () => {
  async function begin() {
    const { provider, asked } = library();
    const { gateway } = startGateway({ providers: [provider] });
    const baseUrl = await listen(express().use(gatewayRouter(gateway)));
    return { client: createClient({ baseUrl, apiKey: KEY }), gateway, asked };
  }

  it('finds pages', async () => {
    const { client, asked } = await begin();
    const { results } = await client.search({
      model: 'library/web',
      query: 'Zephyr',
      maxResults: 5,
      includeContent: true,
    });
    expect(results).toMatchObject([{ url: URL, title: 'Zephyr' }]);
    expect(asked).toMatchObject([{ query: 'Zephyr', maxResults: 5, includeContent: true }]);
  });

  it('reads pages', async () => {
    const { client, asked } = await begin();
    const reply = await client.extract({ model: 'library/read', urls: [URL], maxCharacters: 1_000, format: 'text' });
    expect(reply).toMatchObject({ results: [{ url: URL, content: 'Opened.' }], failed: [], usage });
    expect(asked).toMatchObject([{ urls: [URL], format: 'text' }]);
  });

  it('sorts documents', async () => {
    const { client, asked } = await begin();
    const documents = ['Closed.', { text: 'Opened.' }];
    const reply = await client.rerank({ model: 'library/rank', query: 'Zephyr', documents, topN: 1 });
    expect(reply).toMatchObject({
      results: [{ index: 1, relevance_score: 0.9, document: { text: 'Opened.' } }],
      usage: { search_units: 1, ...usage },
    });
    expect(asked).toMatchObject([{ query: 'Zephyr', documents: ['Closed.', 'Opened.'], topN: 1 }]);
  });

  it('makes vectors', async () => {
    const { client, asked } = await begin();
    const request = { model: 'library/embed', input: 'Zephyr', inputType: 'query', dimensions: 1 } as const;
    const reply = await client.embed({ ...request, encodingFormat: 'base64' });
    expect(reply).toMatchObject({
      data: [{ index: 0, embedding: 'AAAAPw==' }],
      usage: { prompt_tokens: 3, total_tokens: 3, ...usage },
    });
    expect(asked).toMatchObject([{ inputs: ['Zephyr'], inputType: 'query', dimensions: 1 }]);
  });

  it('is charged once for a call that it repeats with its key', async () => {
    const { client, asked } = await begin();
    const request = { model: 'library/embed', input: 'Zephyr', dimensions: 1, idempotencyKey: 'batch-17' };
    expect(await client.embed(request)).toEqual(await client.embed(request));
    expect([asked.length, await client.credits()]).toEqual([1, { total_credits: 1, total_usage: 0.01 }]);
  });
});

describe('a reply of embeddings', () => {
  const LONG = 16 * 1024 * 1024;
  const long = `{"data":[{"object":"embedding","index":0,"embedding":"${'A'.repeat(LONG)}"}]}`;
  const sendLong: Parameters<typeof scriptedServer>[0] = (res) =>
    res.writeHead(200, { 'content-type': 'application/json' }).end(long);

  it('may be longer than 16 MiB, unlike others', async () => {
    const { url } = await scriptedServer(sendLong);
    const client = createClient({ baseUrl: url, apiKey: KEY });
    const { data } = await client.embed({ model: 'library/embed', input: 'Zephyr' });
    expect(data[0]?.embedding).toHaveLength(LONG);
    await expect(client.models()).rejects.toMatchObject({ reason: 'invalid_reply' });
  });
});
