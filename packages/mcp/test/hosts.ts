import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { type Gateway, toFetchHandler } from '@searchgate/core';
import { handleNode } from '@searchgate/core/node';
import { gatewayRouter } from '@searchgate/express';
import express from 'express';
import { KEY, listen } from './mounted-gateway.js';

/** A gateway mounted under `/search`, with the means to call it. `close` ends the gateway too. */
export interface Mounted {
  readonly url: string;
  /** The global `fetch`, or a `fetch` that calls the gateway directly. */
  readonly fetch: typeof fetch;
  close(): Promise<void>;
}

async function onServer(gateway: Gateway, listener: Parameters<typeof listen>[0]): Promise<Mounted> {
  const { url, close } = await listen(listener);
  return { url: `${url}/search`, fetch, close: () => close().then(() => gateway.close()) };
}

export const HOSTS: Readonly<Record<string, (gateway: Gateway) => Promise<Mounted>>> = {
  Express: (gateway) => onServer(gateway, express().use('/search', gatewayRouter(gateway))),
  'Express, after express.json()': (gateway) =>
    onServer(gateway, express().use(express.json()).use('/search', gatewayRouter(gateway))),
  'node:http': (gateway) =>
    onServer(gateway, (req, res) => {
      const target = (req.url ?? '/').replace(/^\/search/, '');
      void handleNode(gateway, { req, res, target }).then((ours) => ours || res.writeHead(404).end('of the host'));
    }),
  'a fetch handler': (gateway) => {
    const handler = toFetchHandler(gateway, { prefix: '/search' });
    const send: typeof fetch = (input, init) => handler(new Request(input, init));
    return Promise.resolve({ url: 'http://gateway.test/search', fetch: send, close: () => gateway.close() });
  },
};

/** A connected client of the SDK. */
export async function connect({ url, fetch: send }: Mounted, apiKey: string = KEY): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' });
  const headers = { authorization: `Bearer ${apiKey}` };
  const transport = new StreamableHTTPClientTransport(new URL(`${url}/api/v1/mcp`), {
    fetch: send,
    requestInit: { headers },
  });
  await client.connect(transport);
  return client;
}

interface Posted {
  readonly status: number;
  readonly headers: Response['headers'];
  readonly text: string;
  readonly json: unknown;
}

/** Posts a JSON-RPC message without the SDK. */
export async function post(
  { url, fetch: send }: Mounted,
  message: unknown,
  headers: Record<string, string> = {},
): Promise<Posted> {
  const response = await send(`${url}/api/v1/mcp`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json', ...headers },
    body: typeof message === 'string' ? message : JSON.stringify(message),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: text === '' ? null : (JSON.parse(text) as unknown),
  };
}

/** The message of a tool call. */
export function toolCall(name: string, args: object): object {
  return { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name, arguments: args } };
}
