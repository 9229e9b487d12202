import type { AddressInfo } from 'node:net';
import { createGateway, memoryApiKeys, memoryLedger } from '@searchgate/core';
import { createAdministration } from '@searchgate/core/administration';
import { type Provider, UpstreamError } from '@searchgate/core/provider-kit';
import { gatewayRouter } from '@searchgate/express';
import express, { type RequestHandler } from 'express';

export const MODEL = 'handbook/answer';
export const SECRET = 'sg_a-secret-of-twenty-characters';

/** A gateway for tests whose provider answers without a network, and its administration. Each answer costs 0.01 USD. */
export function startGateway({ failures = 0 } = {}) {
  const ledger = memoryLedger({ credits: { acme: '1.00' } });
  const apiKeys = memoryApiKeys([{ apiKey: SECRET, label: 'demo', organizationId: 'acme' }]);
  const provider = handbook(failures);
  const gateway = createGateway({
    providers: [provider],
    ledger,
    apiKeys,
    maxAttempts: 1,
    providerFailureThreshold: 1,
  });
  return { gateway, administration: createAdministration({ ledger, apiKeys, gateway }) };
}

/** Serves a gateway on a free loopback port, behind the given middleware. */
export async function serve(
  gateway: Parameters<typeof gatewayRouter>[0],
  front: readonly RequestHandler[] = [],
): Promise<{ url: string; close(): Promise<unknown> }> {
  const app = express();
  for (const middleware of front) app.use(middleware);
  app.use(gatewayRouter(gateway));
  const server = await new Promise<ReturnType<typeof app.listen>>((resolve) => {
    const listening = app.listen(0, '127.0.0.1', () => resolve(listening));
  });
  const close = () =>
    new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections();
    });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}

function handbook(failures: number): Provider {
  let left = failures;
  return {
    id: 'handbook',
    name: 'Handbook',
    models: [
      {
        slug: MODEL,
        name: 'Handbook',
        description: 'Answers from one sentence.',
        prices: [{ kind: 'flat', request: '0.01', source: 'test', asOf: '2026-11-22', confidence: 'high' }],
        features: ['citations'],
        contextLength: null,
        timeoutMs: 10_000,
      },
    ],
    answer: {
      answer() {
        left -= 1;
        if (left >= 0) return Promise.reject(new UpstreamError('upstream_error', { phase: 'headers', status: 500 }));
        const citations = [{ url: 'https://example.org/leave', title: 'Leave', snippet: 'Thirty days.' }];
        return Promise.resolve({ text: 'Thirty days [1].', citations, cost: {} });
      },
    },
  };
}
