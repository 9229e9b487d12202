import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { connect, createServer as createHttp2Server } from 'node:http2';
import type { AddressInfo, Server } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { BodyWriter, GatewayResponse, StreamedBody } from '../http/gateway-request.js';
import { ResponseWriter } from './body-writers.js';
import { handleNode } from './handle-node.js';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  servers.push(server);
  return (server.address() as AddressInfo).port;
}

/** A gateway whose one response is a stream that the test writes. */
function streaming() {
  let give: (writer: BodyWriter) => void = () => undefined;
  const writer = new Promise<BodyWriter>((resolve) => (give = resolve));
  const response: GatewayResponse = {
    status: 200,
    headers: { 'content-type': 'text/event-stream' },
    body: { pipeTo: (given) => give(given) },
  };
  return { gateway: { handle: () => Promise.resolve(response) }, writer };
}

function ask(port: number): Promise<IncomingMessage> {
  const outgoing = request({ port, host: '127.0.0.1', agent: false });
  outgoing.end();
  return once(outgoing, 'response').then(([incoming]) => incoming as IncomingMessage);
}

describe('a streamed response on a node server', () => {
  it('sends its headers and each part at once', async () => {
    const { gateway, writer } = streaming();
    const incoming = await ask(await listen(createServer((req, res) => void handleNode(gateway, { req, res }))));
    const body = await writer;
    body.write('one');
    expect(String((await once(incoming, 'data'))[0])).toBe('one');
    body.write('two');
    expect(String((await once(incoming, 'data'))[0])).toBe('two');
    body.end();
    await once(incoming.resume(), 'end');
    expect(body.isClosed).toBe(false);
  });

  it('sends its headers with a first part that is already there', async () => {
    const body: StreamedBody = {
      pipeTo(writer) {
        writer.write('one');
        writer.end();
      },
    };
    const gateway = { handle: () => Promise.resolve({ status: 200, headers: {}, body }) };
    const flushed: boolean[] = [];
    const server = createServer((req, res) => {
      res.flushHeaders = () => void flushed.push(true);
      void handleNode(gateway, { req, res });
    });
    const incoming = await ask(await listen(server));
    expect([String((await once(incoming, 'data'))[0]), flushed]).toEqual(['one', []]);
  });

  it.each(['is gone when its caller is', 'is gone when it is closed'])('%s, and takes nothing more', async (name) => {
    const { gateway, writer } = streaming();
    let response: ServerResponse | undefined;
    const server = createServer((req, res) => {
      response = res;
      void handleNode(gateway, { req, res });
    });
    const incoming = await ask(await listen(server));
    incoming.on('error', () => undefined);
    const body = await writer;
    body.write('one');
    await once(incoming, 'data');
    const closed = once(response as ServerResponse, 'close');
    if (name.includes('caller')) incoming.destroy();
    else body.destroy();
    await closed;
    body.write('two');
    body.end();
    expect(body.isClosed).toBe(true);
  });

  it('adds nothing to a response of the host', async () => {
    const { gateway, writer } = streaming();
    const server = createServer((req, res) => {
      res.writeHead(503).write('the host’s ');
      void handleNode(gateway, { req, res }).then(() => res.end('own'));
    });
    const incoming = await ask(await listen(server));
    const body = await writer;
    body.write('ours');
    body.end();
    body.destroy();
    expect(body.isClosed).toBe(true);
    const chunks: unknown[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    expect([incoming.statusCode, chunks.join('')]).toEqual([503, 'the host’s own']);
  });

  it('tells that its caller has disconnected, also over HTTP/2', async () => {
    const { gateway, writer } = streaming();
    const server = createHttp2Server((req, res) => void handleNode(gateway, { req: req as never, res: res }));
    const closed = new Promise<void>((resolve) => {
      server.on('stream', (stream) => void stream.once('close', resolve).on('error', () => undefined));
    });
    const client = connect(`http://127.0.0.1:${await listen(server)}`);
    const incoming = client.request({ ':path': '/' });
    const body = await writer;
    body.write('one');
    expect(String((await once(incoming, 'data'))[0])).toBe('one');
    expect(body.isClosed).toBe(false);
    incoming.on('error', () => undefined).destroy();
    await closed;
    body.write('two');
    expect(body.isClosed).toBe(true);
    body.end();
    client.destroy();
  });
});

it.each([
  ['node tells how much waits', undefined, 1],
  ['compression does not', () => undefined, 6],
])('a full response counts what waits of it; where %s', (_name, flush, waiting) => {
  const res = { write: () => false, on: () => undefined, flush, writableLength: 1 };
  const writer = new ResponseWriter(res as never);
  writer.write('漢字');
  expect(writer.bufferedBytes).toBe(waiting);
});
