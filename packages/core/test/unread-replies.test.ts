import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { connect, createServer as createHttp2Server } from 'node:http2';
import { type AddressInfo, connect as connectSocket, type Server, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Gateway } from '../src/index.js';
import { toFetchHandler } from '../src/index.js';
import { handleNode } from '../src/node/index.js';
import type { Provider } from '../src/provider-kit/index.js';
import { KEY, OUTCOME, scripted, start } from './scripted-gateway.js';
import { turn } from './stream-host.js';

/** Together more than the buffers of a connection take. */
const PAGES = 10;
const CHARACTERS = 190_000;
const PAGE = '漢'.repeat(CHARACTERS);
const ROW = { ...scripted('web', [OUTCOME]).provider.models[0]!, slug: 'web/pages', features: [] };
const PROVIDER: Provider = {
  id: 'web',
  name: 'web',
  models: [],
  extract: {
    models: [ROW],
    maxUrls: PAGES,
    extract: ({ urls }) =>
      Promise.resolve({ pages: urls.map((url) => ({ url, content: `${url} ${PAGE}` })), cost: {} }),
  },
};
const urls = Array.from({ length: PAGES }, (_, at) => `https://example.org/${at}`);
const BODY = JSON.stringify({ model: 'web/pages', urls, max_characters: 200_000 });
const PATH = '/api/v1/extract';
const HEADERS = {
  authorization: `Bearer ${KEY}`,
  'content-type': 'application/json',
  'content-length': String(BODY.length),
};

/** A response that has begun, of which the caller has read nothing. */
interface Begun {
  readonly status: number;
  /** Reads to the end. @returns the number of bytes; rejects if the response was cut. */
  read(): Promise<number>;
  hangUp(): void;
}
type Ask = () => Promise<Begun>;

async function listen(server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => void sockets.add(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

async function bytesOf(chunks: AsyncIterable<unknown>): Promise<number> {
  let bytes = 0;
  for await (const chunk of chunks) bytes += (chunk as Uint8Array).length;
  return bytes;
}

const begunOf = (status: number, body: AsyncIterable<unknown> & { destroy(): unknown }): Begun => ({
  status,
  read: () => bytesOf(body),
  hangUp: () => void body.destroy(),
});

async function overHttp(gateway: Gateway): Promise<Ask> {
  const port = await listen(createServer((req, res) => void handleNode(gateway, { req, res })));
  return async () => {
    const outgoing = request({ port, host: '127.0.0.1', path: PATH, method: 'POST', agent: false, headers: HEADERS });
    outgoing.on('error', () => undefined).end(BODY);
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
    return begunOf(
      response.statusCode ?? 0,
      response.on('error', () => undefined),
    );
  };
}

async function overHttp2(gateway: Gateway): Promise<Ask> {
  const port = await listen(createHttp2Server((req, res) => void handleNode(gateway, { req, res })));
  const session = connect(`http://127.0.0.1:${port}`).on('error', () => undefined);
  onTestFinished(() => session.destroy());
  return async () => {
    const stream = session.request({ ':path': PATH, ':method': 'POST', ...HEADERS });
    stream.on('error', () => undefined).end(BODY);
    const [headers] = (await once(stream, 'response')) as [Record<string, unknown>];
    return begunOf(Number(headers[':status']), stream);
  };
}

async function overFetch(gateway: Gateway): Promise<Ask> {
  const handler = toFetchHandler(gateway);
  return async () => {
    const asked = new Request(`http://gateway.test${PATH}`, { method: 'POST', headers: HEADERS, body: BODY });
    const { status, body } = await handler(asked);
    return { status, read: () => bytesOf(body!), hangUp: () => void body!.cancel() };
  };
}

/** Asks until a call gets a slot. */
async function askUntilServed(ask: Ask): Promise<Begun> {
  for (;;) {
    const next = await ask();
    if (next.status === 200) return next;
    expect(next.status).toBe(503);
    next.hangUp();
    await turn();
  }
}

describe.each([
  ['HTTP/1', overHttp],
  ['HTTP/2', overHttp2],
  ['fetch', overFetch],
])('over %s', (_name, host) => {
  const open = async () => {
    const scene = start([PROVIDER], { limit: null, maxInFlightPerKey: 1 });
    onTestFinished(() => scene.gateway.close());
    return { ...scene, ask: await host(scene.gateway) };
  };

  it('a slot lasts until the response is read', async () => {
    const { ask } = await open();
    const first = await ask();
    expect([first.status, (await ask()).status]).toEqual([200, 503]);
    expect(await first.read()).toBeGreaterThan(3 * PAGES * CHARACTERS);
    (await askUntilServed(ask)).hangUp();
  });

  it('a slot comes back when the caller hangs up', async () => {
    const { ask } = await open();
    for (let round = 0; round < 2; round += 1) (await askUntilServed(ask)).hangUp();
    await askUntilServed(ask);
  });

  it('a response that is not read is ended after half a minute, and charged', async () => {
    const { ask, clock, totals } = await open();
    const first = await ask();
    // What the buffers of the connection take counts as read.
    for (let passed = 0; passed < 10; passed += 1) await clock.advance(1_000);
    expect((await ask()).status).toBe(503);
    await clock.advance(31_000);
    (await askUntilServed(ask)).hangUp();
    await expect(first.read()).rejects.toThrow(/aborted|CANCEL|Premature|in time/);
    expect(await totals()).toMatchObject({ usage: 2n * 5_000_000n, held: 0n });
  });
});

describe('over a connection of HTTP/1', () => {
  const ask = `POST ${PATH} HTTP/1.1\r\nhost: x\r\n${Object.entries(HEADERS)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}\r\n${BODY}`;

  it('the slots of responses behind the first come back when the connection closes', async () => {
    const { gateway, clock, events } = start([PROVIDER], { limit: null, maxInFlightPerKey: 3 });
    const port = await listen(createServer((req, res) => void handleNode(gateway, { req, res })));
    const asking = await overHttp(gateway);
    const socket = connectSocket(port, '127.0.0.1').on('error', () => undefined);
    socket.write(ask.repeat(3));
    await expect.poll(() => events.filter(({ type }) => type === 'request_finished').length).toBe(3);
    expect((await asking()).status).toBe(503);
    socket.destroy();
    for (let served = 0; served < 3; ) {
      await clock.advance(1_000);
      const calls = await Promise.all([1, 2, 3].map(asking));
      served = calls.filter(({ status }) => status === 200).length;
      for (const call of calls) call.hangUp();
    }
    await gateway.close();
  });

  it.each<[string, (res: ServerResponse) => void]>([
    ['has answered', (res) => res.writeHead(503).end('late')],
    ['answers without end', (res) => res.writeHead(200).write('the host’s own')],
    ['has closed the connection', (res) => res.destroy()],
  ])('the slot comes back at once where the host %s', async (_name, answer) => {
    const { gateway, clock, events } = start([PROVIDER], { limit: null, maxInFlightPerKey: 1 });
    const served = createServer((req, res) => {
      answer(res);
      void handleNode(gateway, { req, res });
    });
    const socket = connectSocket(await listen(served), '127.0.0.1').on('error', () => undefined);
    socket.write(ask);
    await expect.poll(() => events.filter(({ type }) => type === 'request_finished').length).toBe(1);
    await turn();
    expect((await (await overHttp(gateway))()).status).toBe(200);
    socket.destroy();
    await clock.advance(1_000);
    await gateway.close();
  });
});
