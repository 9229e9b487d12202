import type { GatewayResponse } from '@searchgate/core';
import type { MountableGateway } from '@searchgate/core/node';
import { afterEach } from 'vitest';
import { type HttpUnderTest, type NodeListener, nodeHost, type WireRequest } from '../../src/index.js';

const LIMITS = {
  maxBodyBytes: 1_000,
  bodyTimeoutMs: 10_000,
  clock: { now: Date.now, monotonic: Date.now, schedule: () => () => undefined },
};

/** A gateway that echoes every request below /api/v1/. */
export const echo: MountableGateway = {
  async handle(request) {
    if (!request.path.startsWith('/api/v1/')) return undefined;
    const body = request.method === 'POST' ? await request.readBody(LIMITS) : null;
    const content = body === null ? null : 'bytes' in body ? Buffer.from(body.bytes).toString() : body.parsed;
    return json(200, { by: 'gateway', path: request.path, query: request.query, content });
  },
};

/** A gateway that answers with the address of the caller. */
export const addressEcho: MountableGateway = {
  handle: ({ clientAddress: address }) => Promise.resolve(json(200, { address })),
};

/** A gateway with a fixed answer. */
export const always = (status: number, value: object): MountableGateway => ({
  handle: () => Promise.resolve(json(status, value)),
});

/** The answer of {@link echo} to a GET. */
export const echoed = (path: string, query = '') => ({ by: 'gateway', path, query, content: null });

function json(status: number, value: object): GatewayResponse {
  const body = JSON.stringify(value);
  return {
    status,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(Buffer.byteLength(body)),
      'cache-control': 'no-store',
    },
    body,
  };
}

export const post = (text: string, contentType = 'application/json'): Partial<WireRequest> => ({
  method: 'POST',
  headers: { 'content-type': contentType },
  body: { chunks: [Buffer.from(text)], framing: 'length', stalls: false },
});

const hosts: HttpUnderTest[] = [];

/** Serves an application until the end of the test. */
export async function serve(application: NodeListener): Promise<HttpUnderTest> {
  const host = await nodeHost(application);
  hosts.push(host);
  return host;
}

/** Stops the applications after each test of the calling file. */
export function stopAfterEach(): void {
  afterEach(async () => {
    await Promise.all(hosts.splice(0).map((host) => host.stop()));
  });
}

/** Asks an application once. */
export async function ask(application: NodeListener, target: string, request?: Partial<WireRequest>) {
  const host = await serve(application);
  const exchange = host.send({ method: 'GET', target, headers: {}, body: null, ...request });
  const { status, headers, body } = await exchange.response;
  const text = Buffer.from(body).toString();
  const parsed = (text.startsWith('{') ? JSON.parse(text) : null) as Record<string, unknown> | null;
  return { status, headers, text, json: parsed };
}
