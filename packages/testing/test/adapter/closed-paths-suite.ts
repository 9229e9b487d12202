import { createGateway, type Gateway, type GatewayOptions, memoryApiKeys, memoryLedger } from '@searchgate/core';
import { expect, it } from 'vitest';
import type { NodeListener } from '../../src/index.js';
import { everyPort } from '../every-port.js';
import { ask, post } from './mounted-echo.js';

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
  return createGateway({ providers: [everyPort], ledger: memoryLedger(), apiKeys: memoryApiKeys([]), endpoints });
}
