import { createGateway, type Gateway, type GatewayOptions, memoryApiKeys, memoryLedger } from '@searchgate/core';
import type { ModelRow, Provider } from '@searchgate/core/provider-kit';
import { expect, it } from 'vitest';
import type { NodeListener } from '../../src/index.js';
import { ask, post } from './mounted-echo.js';

const row = (slug: string): ModelRow => ({
  slug,
  name: slug,
  description: 'A model.',
  prices: [{ kind: 'flat', request: '0.001', source: 'test', asOf: '2026-11-27', confidence: 'high' }],
  features: [],
  contextLength: null,
  timeoutMs: 1_000,
});

const stub: Provider = {
  id: 'stub',
  name: 'Stub',
  models: [],
  search: { models: [row('stub/web')], search: () => Promise.resolve({ results: [], cost: {} }) },
  extract: { models: [row('stub/read')], maxUrls: 20, extract: () => Promise.resolve({ pages: [], cost: {} }) },
  rerank: { models: [row('stub/rank')], rerank: () => Promise.resolve({ ranks: [], cost: {} }) },
  embed: { models: [row('stub/embed')], maxInputs: 8, embed: () => Promise.resolve({ embeddings: [], cost: {} }) },
};

/** @param listenerOf an application with the gateway's router, and then a route of its own for every path that answers 418. */
export function closedPathsSuite(listenerOf: (gateway: Gateway) => NodeListener): void {
  it.each([
    ['search', '/api/v1/search'],
    ['extract', '/api/v1/extract'],
    ['rerank', '/api/v1/rerank'],
    ['rerank', '/api/v2/rerank'],
    ['embeddings', '/api/v1/embeddings'],
  ] as const)('leaves a path to the host with { %s: false }: %s', async (name, path) => {
    for (const [endpoints, status] of [
      [{}, 401],
      [{ [name]: false }, 418],
    ] as const) {
      const gateway = gatewayWith(endpoints);
      expect((await ask(listenerOf(gateway), path, post('{}'))).status).toBe(status);
      await gateway.close();
    }
  });
}

function gatewayWith(endpoints: GatewayOptions['endpoints']): Gateway {
  return createGateway({ providers: [stub], ledger: memoryLedger(), apiKeys: memoryApiKeys([]), endpoints });
}
