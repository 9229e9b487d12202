import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createGateway, memoryApiKeys, memoryLedger } from '@searchgate/core';
import { openAiCompatible } from '@searchgate/core/providers';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEmbedder } from '../src/embedder.js';
import { createModelServer, type ModelServerOptions } from '../src/model-server.js';
import { PASSAGES, QUESTIONS } from './passages.js';

const embedder = createEmbedder();
const servers: ReturnType<typeof createModelServer>[] = [];
async function serve(options: Omit<ModelServerOptions, 'embedder'> = {}): Promise<string> {
  const server = createModelServer({ embedder, ...options });
  servers.push(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
let url: string;
let vectors: number[][];
beforeAll(async () => {
  url = await serve();
  vectors = (await embedder.embed(PASSAGES)).map(({ vector }) => [...vector]);
});
afterAll(async () => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
  await embedder.close();
});

describe('openAiCompatible, at a server of a real model', () => {
  const apiKey = 'sg_test_key_of_the_model_server';
  function gatewayAt(baseUrl: string) {
    const house = openAiCompatible({
      id: 'house',
      baseUrl,
      embeddings: [{ slug: 'house/use', dimensions: 512 }],
      rerank: [{ slug: 'house/cohere' }, { slug: 'house/tei', form: 'tei' }],
    });
    return createGateway({
      providers: [house],
      ledger: memoryLedger(),
      apiKeys: memoryApiKeys([{ apiKey, label: 'test', organizationId: 'acme', limit: '0' }]),
    });
  }

  it.each(['float', 'base64'] as const)('reads vectors that come as %s', async (encodingFormat) => {
    const gateway = gatewayAt(`${await serve({ encodingFormat })}/v1`);
    const { data, usage } = await gateway.embed({ apiKey, model: 'house/use', input: PASSAGES });
    expect(data.map(({ embedding }) => embedding)).toEqual(vectors);
    expect(usage).toMatchObject({ prompt_tokens: expect.toSatisfy((tokens: number) => tokens > 40), cost: 0 });
    await gateway.close();
  });

  it.each([
    ['Cohere’s form', 'house/cohere', '/v1'],
    ['the form of Text Embeddings Inference', 'house/tei', ''],
  ])('ranks the right passage first in %s', async (_form, model, path) => {
    const gateway = gatewayAt(url + path);
    for (const [query, passage] of QUESTIONS) {
      const { results } = await gateway.rerank({ apiKey, model, query, documents: PASSAGES });
      expect([query, results[0]?.document.text, results.length]).toEqual([query, passage, PASSAGES.length]);
    }
    await gateway.close();
  });
});

describe('createModelServer', () => {
  it('serves the unchanged client of OpenAI, which asks for base64', async () => {
    const client = new OpenAI({ apiKey: 'none', baseURL: `${url}/v1` });
    const { data } = await client.embeddings.create({ model: 'any', input: PASSAGES });
    expect(data.map(({ embedding }) => embedding)).toEqual(vectors);
  });

  it.each<[number, string, string, unknown]>([
    [404, 'NotFound', '/v1/chat/completions', {}],
    [422, 'Validation', '/v1/embeddings', { input: Array.from({ length: 33 }, () => 'a') }],
    [422, 'Validation', '/v1/embeddings', { input: 'a'.repeat(8_001) }],
    [422, 'Validation', '/v1/embeddings', { input: 'a'.repeat(3_000_000) }],
    [422, 'Validation', '/rerank', { query: 'Which?', texts: [] }],
  ])('answers %d %s to a wrong request of %s', async (status, type, path, body) => {
    const response = await fetch(url + path, { method: 'POST', body: JSON.stringify(body) });
    expect([response.status, await response.json()]).toEqual([status, { error: expect.any(String), error_type: type }]);
  });
});
