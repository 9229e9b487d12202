import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  createGateway,
  type Gateway,
  type GatewayEvent,
  type GatewayOptions,
  memoryApiKeys,
  memoryLedger,
} from '@searchgate/core';
import type { UpstreamReason } from '@searchgate/core/provider-kit';
import { type FakeRequest, fakeProvider } from '@searchgate/testing';
import { type McpOptions, mcp } from '../src/index.js';

export const KEY = 'sg_a-secret-of-twenty-characters';
export const MODEL = 'handbook/answer';
export const ANSWER = 'Thirty days [1].';
export const CITATION = { url: 'https://example.org/leave', title: 'Leave', snippet: 'Thirty days.' };

export interface TestGateway {
  readonly gateway: Gateway;
  readonly events: GatewayEvent[];
  /** Errors that the gateway logged but hid from callers. */
  readonly logged: string[];
  /** The requests that reached the provider. */
  readonly asked: readonly FakeRequest[];
}

/** The provider fails these queries with these reasons. */
const FAILURES: Readonly<Record<string, UpstreamReason>> = {
  'fail upstream': 'upstream_error',
  'refuse the query': 'query_rejected',
};

/** A gateway with one model, `handbook/answer`, at 0.01 USD, and one key that may spend `limit`. */
export function startGateway(
  options: Partial<GatewayOptions> = {},
  { limit = '1.00', ...mcpOptions }: McpOptions & { limit?: string } = {},
): TestGateway {
  const events: GatewayEvent[] = [];
  const logged: string[] = [];
  const provider = fakeProvider({
    id: 'handbook',
    models: [
      {
        name: 'Handbook',
        description: 'Answers from one sentence.',
        options: { includeDomains: { as: 'sites' }, freshness: { as: 'age' } },
      },
    ],
    replies: [
      ({ query }) => {
        const failure = FAILURES[query];
        return failure === undefined ? { text: ANSWER, citations: [CITATION] } : { failure };
      },
    ],
  });
  const gateway = createGateway({
    providers: [provider],
    ledger: memoryLedger({ credits: { acme: '5.00' } }),
    apiKeys: memoryApiKeys([{ apiKey: KEY, id: 'key', label: 'demo', organizationId: 'acme', limit }]),
    maxAttempts: 1,
    endpoints: { mcp: mcp(mcpOptions) },
    logger: { warn: (_fields, message) => logged.push(message), error: (_fields, message) => logged.push(message) },
    onEvent: (event) => void events.push(event),
    ...options,
  });
  return { gateway, events, logged, asked: provider.requests };
}

/** Serves a listener on a free loopback port. */
export async function listen(listener: RequestListener): Promise<{ url: string; close(): Promise<void> }> {
  const server: Server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Waits until the events of finished calls have been delivered. */
export const delivered = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));
