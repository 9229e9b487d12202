import { createGateway, memoryApiKeys, memoryLedger, toFetchHandler } from '@searchgate/core';
import { openApiDocument } from '@searchgate/core/openapi';
import type { EmbedPort, ModelRow, RerankPort } from '@searchgate/core/provider-kit';
import { describe, expect, it } from 'vitest';
import { describedApi } from './described-api.js';
import { API_KEY } from './mounted-gateway.js';

const api = describedApi(openApiDocument());

function rowOf(slug: string): ModelRow {
  const provenance = { source: 'test', asOf: '2026-11-27', confidence: 'high' } as const;
  return {
    slug,
    name: slug,
    description: 'A model.',
    prices: [{ kind: 'flat', perMillionTokens: '0.05', ...provenance }],
    features: ['input_type', 'dimensions_param'],
    contextLength: null,
    dimensions: 2,
    timeoutMs: 1_000,
  };
}

const rerank: RerankPort = {
  models: [rowOf('stub/rank')],
  rerank: ({ documents }) => Promise.resolve({ ranks: documents.map((_, index) => ({ index, score: 1 })), cost: {} }),
};
const embed: EmbedPort = {
  models: [rowOf('stub/embed')],
  maxInputs: 2_048,
  embed: ({ inputs, dimensions = 2 }) =>
    Promise.resolve({
      embeddings: inputs.map((_, index) => ({ index, vector: Array.from({ length: dimensions }, () => 0.5) })),
      cost: {},
    }),
};

const RANK = { model: 'stub/rank', query: 'Zephyr', documents: ['a', { text: 'b' }] };
const EMBED = { model: 'stub/embed', input: ['a', 'b'] };
const long = (length: number) => Array.from({ length }, () => 'a');

const CASES: readonly (readonly [path: string, schema: string, isRight: boolean, fields: object])[] = [
  ...[
    RANK,
    { ...RANK, top_n: 1, tag: 'team' },
    { ...RANK, top_n: 5, return_documents: true, max_chunks_per_doc: null },
    { ...RANK, routing: { max_cost: '1', fallbacks: [] }, stream: false },
    { ...RANK, documents: long(1_000) },
  ].map((fields) => ['rerank', 'RerankRequest', true, fields] as const),
  ...[
    { query: 'Zephyr', documents: ['a'] },
    { ...RANK, query: ' ' },
    { ...RANK, documents: [] },
    { ...RANK, documents: 'a' },
    { ...RANK, documents: ['a', ''] },
    { ...RANK, documents: [{ title: 'a' }] },
    { ...RANK, documents: long(1_001) },
    { ...RANK, top_n: 0 },
    { ...RANK, top_k: 1 },
    { ...RANK, search: { country: 'DE' } },
    { ...RANK, stream: true },
  ].map((fields) => ['rerank', 'RerankRequest', false, fields] as const),
  ...[
    EMBED,
    { ...EMBED, input: 'a', encoding_format: 'base64' },
    { ...EMBED, dimensions: 1, input_type: 'query', encoding_format: null },
    { ...EMBED, input_type: 'search_document', user: 'someone', routing: { max_cost: '1' } },
    { ...EMBED, input: long(2_048) },
  ].map((fields) => ['embeddings', 'EmbeddingsRequest', true, fields] as const),
  ...[
    { input: 'a' },
    { ...EMBED, input: '' },
    { ...EMBED, input: [] },
    { ...EMBED, input: [1, 2] },
    { ...EMBED, input: [[1, 2]] },
    { ...EMBED, input: long(2_049) },
    { ...EMBED, encoding_format: 'int8' },
    { ...EMBED, dimensions: 0 },
    { ...EMBED, input_type: 'classification' },
    { ...EMBED, output_dimension: 1 },
    { ...EMBED, routing: { fallbacks: ['stub/rank'] } },
  ].map((fields) => ['embeddings', 'EmbeddingsRequest', false, fields] as const),
];

describe('the document and the gateway', () => {
  const gateway = createGateway({
    providers: [{ id: 'stub', name: 'Stub', models: [], rerank, embed }],
    ledger: memoryLedger({ credits: { acme: '1' } }),
    apiKeys: memoryApiKeys([{ apiKey: API_KEY, label: 'demo', organizationId: 'acme' }]),
  });
  const handle = toFetchHandler(gateway);

  it.each(CASES)('agree on %s: %s, right: %s, %j', async (path, schema, isRight, fields) => {
    const request = new Request(`http://localhost/api/v1/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify(fields),
    });
    expect((await handle(request)).status).toBe(isRight ? 200 : 400);
    expect(api.schemas.faultsOf(`/components/schemas/${schema}`, fields).length === 0).toBe(isRight);
  });
});
