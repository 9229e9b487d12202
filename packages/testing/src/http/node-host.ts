import { Agent, createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { type ArrivingBody, arrivingBody } from './arriving-body.js';
import {
  type Exchange,
  type HttpUnderTest,
  PROMISED_BYTES,
  type WireBody,
  type WireRequest,
  type WireResponse,
} from './wire.js';

/** A listener of a node:http server, such as an Express application or Koa's `app.callback()`. */
export type NodeListener = (req: IncomingMessage, res: ServerResponse) => unknown;

interface Connection {
  readonly port: number;
  readonly agent: Agent;
  /** The server's sockets, by the port of the client. */
  readonly sockets: ReadonlyMap<number | undefined, Socket>;
}

/** Serves a listener on a free loopback port, and calls it with HTTP/1.1 over kept-alive connections. */
export async function nodeHost(listener: NodeListener): Promise<HttpUnderTest> {
  const server = createServer(listener);
  const sockets = new Map<number | undefined, Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.set(socket.remotePort, socket);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const agent = new Agent({ keepAlive: true });
  const connection = { port: (server.address() as AddressInfo).port, agent, sockets };

  return {
    send: (request) => send(connection, request),
    async stop() {
      agent.destroy();
      server.closeAllConnections();
      await new Promise<void>((resolve) => {
        server.close(() => {
          resolve();
        });
      });
    },
  };
}

function send({ port, agent, sockets }: Connection, { method, target, headers, body }: WireRequest): Exchange {
  const outgoing = httpRequest({
    host: '127.0.0.1',
    port,
    agent,
    method,
    path: target,
    headers: { ...headers, ...framing(body) },
  });
  const arriving = arrivingBody();
  const response = new Promise<WireResponse>((resolve, reject) => {
    outgoing.once('error', reject).once('response', (incoming) => {
      collect(incoming, arriving).then(resolve, reject);
    });
  });
  // Avoids an unhandled rejection: a case that disconnects checks it later.
  response.catch(() => undefined);
  for (const chunk of body?.chunks ?? []) outgoing.write(chunk);
  if (body?.stalls !== true) outgoing.end();

  return {
    response,
    received: (text) => arriving.received(text),
    async disconnect() {
      const serverEnd = sockets.get(outgoing.socket?.localPort);
      const noticed = new Promise<void>((resolve) => {
        serverEnd?.once('close', () => {
          resolve();
        });
      });
      outgoing.destroy();
      await noticed;
    },
  };
}

function framing(body: WireBody | null): Record<string, string> {
  if (body === null) return {};
  if (body.framing === 'chunked') return { 'transfer-encoding': 'chunked' };
  const byteLength = body.chunks.reduce((sum, chunk) => sum + chunk.byteLength, 0);
  return { 'content-length': String(body.stalls ? byteLength + PROMISED_BYTES : byteLength) };
}

async function collect(incoming: IncomingMessage, arriving: ArrivingBody): Promise<WireResponse> {
  for await (const chunk of incoming) arriving.push(chunk as Buffer);
  const headers = Object.fromEntries(
    Object.entries(incoming.headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]),
  );
  return { status: incoming.statusCode ?? 0, headers, body: arriving.bytes() };
}
