import type { AddressInfo } from 'node:net';
import { createGateway, memoryApiKeys, memoryLedger } from '@searchgate/core';
import { createAdministration } from '@searchgate/core/administration';
import { gatewayRouter } from '@searchgate/express';
import { fakeProvider } from '@searchgate/testing';
import express, { type RequestHandler } from 'express';

export const MODEL = 'handbook/answer';
export const SECRET = 'sg_a-secret-of-twenty-characters';

/** A gateway with a fake provider, and its administration. Each answer costs 0.01 USD. */
export function startGateway({ failures = 0 } = {}) {
  const ledger = memoryLedger({ credits: { acme: '1.00' } });
  const apiKeys = memoryApiKeys([{ apiKey: SECRET, label: 'demo', organizationId: 'acme' }]);
  const failed = Array.from({ length: failures }, () => ({ failure: 'upstream_error' }) as const);
  const citations = [{ url: 'https://example.org/leave', title: 'Leave', snippet: 'Thirty days.' }];
  const provider = fakeProvider({ id: 'handbook', replies: [...failed, { text: 'Thirty days [1].', citations }] });
  const gateway = createGateway({
    providers: [provider],
    ledger,
    apiKeys,
    maxAttempts: 1,
    providerFailureThreshold: 1,
  });
  return { gateway, administration: createAdministration({ ledger, apiKeys, gateway }) };
}

/** Serves a gateway on a free loopback port, after the given middleware. */
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
