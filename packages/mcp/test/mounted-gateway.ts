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
import { type AnswerModel, type Provider, UpstreamError } from '@searchgate/core/provider-kit';
import { type McpOptions, mcp } from '../src/index.js';

export const KEY = 'sg_a-secret-of-twenty-characters';
export const MODEL = 'handbook/answer';
export const ANSWER = 'Thirty days [1].';
export const CITATION = { url: 'https://example.org/leave', title: 'Leave', snippet: 'Thirty days.' };

export interface TestGateway {
  readonly gateway: Gateway;
  readonly events: GatewayEvent[];
  /** What the gateway logged of errors that no caller may see. */
  readonly logged: string[];
  /** The queries that reached the provider. */
  readonly asked: string[];
}

/** What the provider does for these queries, instead of answering. */
const FAILURES: Readonly<Record<string, () => Error>> = {
  'fail upstream': () => new UpstreamError('upstream_error', { phase: 'headers', status: 500 }),
  'refuse the query': () => new UpstreamError('query_rejected', { phase: 'headers', status: 400 }),
};

/** A gateway with one model, `handbook/answer`, of 0.01 USD, and one key that may spend `limit`. */
export function startGateway(
  options: Partial<GatewayOptions> = {},
  { limit = '1.00', ...mcpOptions }: McpOptions & { limit?: string } = {},
): TestGateway {
  const events: GatewayEvent[] = [];
  const logged: string[] = [];
  const asked: string[] = [];
  const gateway = createGateway({
    providers: [handbook(asked)],
    ledger: memoryLedger({ credits: { acme: '5.00' } }),
    apiKeys: memoryApiKeys([{ apiKey: KEY, id: 'key', label: 'demo', organizationId: 'acme', limit }]),
    maxAttempts: 1,
    endpoints: { mcp: mcp(mcpOptions) },
    logger: { warn: (_fields, message) => logged.push(message), error: (_fields, message) => logged.push(message) },
    onEvent: (event) => void events.push(event),
    ...options,
  });
  return { gateway, events, logged, asked };
}

const PRICE = { kind: 'flat', request: '0.01', source: 'test', asOf: '2026-11-22', confidence: 'high' } as const;
const MODEL_ROW: AnswerModel = {
  slug: MODEL,
  name: 'Handbook',
  description: 'Answers from one sentence.',
  prices: [PRICE],
  features: ['citations'],
  options: { includeDomains: { as: 'sites' }, freshness: { as: 'age' } },
  contextLength: null,
  timeoutMs: 10_000,
};

function handbook(asked: string[]): Provider {
  return {
    id: 'handbook',
    name: 'Handbook',
    models: [MODEL_ROW],
    answer: {
      answer({ query }) {
        asked.push(query);
        const failure = FAILURES[query];
        if (failure !== undefined) return Promise.reject(failure());
        return Promise.resolve({ text: ANSWER, citations: [CITATION], cost: {} });
      },
    },
  };
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

/** Lets the events of finished calls be delivered. */
export const delivered = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));
