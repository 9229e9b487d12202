import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createGateway, type GatewayOptions, memoryApiKeys, memoryLedger } from '@searchgate/core';
import { fakeProvider } from '@searchgate/testing';
import { onTestFinished } from 'vitest';
import { buildClient } from '../src/build-client.js';
import type { Timers } from '../src/call.js';
import type { ClientOptions } from '../src/client-options.js';

export const KEY = 'sg_a-secret-of-twenty-characters';
export const PROVIDER = 'handbook';
export const MODEL = `${PROVIDER}/answer`;
export const QUESTION = { model: MODEL, query: 'How much leave do I get?' };
export const OUTCOME = {
  text: 'Thirty days [1].',
  citations: [{ url: 'https://example.org/leave', title: 'Leave', snippet: 'Thirty days.' }],
};

export type Listener = (...exchange: Parameters<RequestListener>) => unknown;

/** Serves a listener on a free loopback port until the end of the test. @returns its address. */
export async function listen(listener: Listener): Promise<string> {
  const server = createServer((req, res) => void listener(req, res));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(async () => {
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A request as tests inspect it. */
interface Seen {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export type Reply = (res: ServerResponse, req: IncomingMessage) => unknown;

/** A server that sends these replies in order, then repeats the last. */
export async function scriptedServer(...replies: Reply[]): Promise<{ url: string; seen: Seen[] }> {
  const seen: Seen[] = [];
  const url = await listen(async (req, res) => {
    const pieces: Buffer[] = [];
    for await (const piece of req) pieces.push(piece as Buffer);
    const reply = replies[Math.min(seen.length, replies.length - 1)];
    seen.push({ method: req.method, url: req.url, headers: req.headers, body: Buffer.concat(pieces).toString() });
    reply?.(res, req);
  });
  return { url, seen };
}

export function json(status: number, body: unknown, headers: Record<string, string> = {}): Reply {
  return (res) => res.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

export function failing(status: number, error: object, headers: Record<string, string> = {}): Reply {
  return json(
    status,
    { error: { message: 'No.', param: null, metadata: null, request_id: 'req_1', ...error } },
    headers,
  );
}

export const ANSWER = { id: 'ans_1', model: MODEL, provider: PROVIDER, answer: 'Yes.', usage: { cost: 0.01 } };
export const OVERLOADED = failing(503, { code: 503, reason: 'overloaded', retryable: true });

export function event(name: string, data: unknown): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}

export const START = event('start', { id: 'ans_1', model: MODEL, provider: PROVIDER });
export const DONE = event('done', ANSWER);

/** A stream of the given pieces; `open` leaves the connection open at the end. */
export function streamed(pieces: readonly (string | Uint8Array)[], { open = false } = {}): Reply {
  return (res) => {
    res.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    for (const piece of pieces) res.write(piece);
    if (!open) res.end();
  };
}

/** A client that skips its waits, and records their lengths. */
export function impatientClient(baseUrl: string, options: Partial<ClientOptions> = {}) {
  const waits: number[] = [];
  const timers: Timers = {
    now: () => 0,
    random: () => 0.5,
    sleep(ms) {
      waits.push(ms);
      return Promise.resolve();
    },
  };
  return { client: buildClient({ baseUrl, apiKey: KEY, ...options }, timers), waits };
}

/** A gateway with a provider that needs no network, the provider's questions, and the ledger. Each answer costs 0.01 USD. */
export function startGateway(options: Partial<GatewayOptions> = {}, limit: string | null = null) {
  const provider = fakeProvider({
    id: PROVIDER,
    models: [
      {
        options: { includeDomains: { as: 'sites' } },
        features: ['citations', 'streaming', 'multi_turn', 'json_schema'],
      },
    ],
    replies: [{ ...OUTCOME, text: ['Thirty', ' days [1].'] }],
  });
  const ledger = memoryLedger({ credits: { acme: '1.00' } });
  const gateway = createGateway({
    providers: [provider],
    ledger,
    apiKeys: memoryApiKeys([{ apiKey: KEY, label: 'demo', organizationId: 'acme', limit }]),
    ...options,
  });
  onTestFinished(() => gateway.close());
  return { gateway, asked: provider.requests, ledger };
}
