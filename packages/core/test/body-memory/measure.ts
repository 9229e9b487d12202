/*
 * Run as a separate process, with `--expose-gc` and the name of a reader. Prints the memory for a body of one-byte pieces without its end, as a
 * multiple of the largest allowed body.
 */
import { createServer } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { systemClock } from '../../src/base/time/clock.js';
import { Deadline } from '../../src/base/time/deadline.js';
import type { BodyLimits, GatewayRequest, GatewayResponse } from '../../src/http/gateway-request.js';
import { toFetchHandler } from '../../src/http/to-fetch-handler.js';
import { handleNode } from '../../src/node/handle-node.js';
import { readStream } from '../../src/provider-kit/reduce-stream.js';
import type { UpstreamRequest } from '../../src/upstream/upstream-client.js';
import { createUpstreamPools } from '../../src/upstream/upstream-pools.js';
import { reduceAtEnd } from '../reduce-at-end.js';

/** Readers by name. Each reads `BODIES` bodies without their ends. */
const READERS: Readonly<Record<string, () => Promise<void>>> = {
  'of node:http': () => halfSentRequests(readThenAnswer),
  'of node:http, while its caller is looked up': () =>
    halfSentRequests((request) => {
      request.holdBody?.(MAX_BYTES);
      return NEVER;
    }),
  'over fetch': halfPulledRequests,
  'of a reply': () => halfSentReplies(''),
  'of a reply that is no stream, where one was asked for': () => halfSentReplies('', streamReader),
  'of one event of a stream': () => halfSentReplies('data: {}\n\ndata: ', streamReader),
};

const BODIES = 16;
const MAX_BYTES = 65_536;
const LIMITS: BodyLimits = { maxBodyBytes: MAX_BYTES, bodyTimeoutMs: 600_000, clock: systemClock };
/** Room for the start of a reply. */
const PIECES = MAX_BYTES - 100;
/** One chunk of one byte. */
const PIECE = '1\r\nx\r\n';
const MOST_OF_A_BODY = 0.9;
const NEVER = new Promise<never>(() => undefined);

async function readThenAnswer(request: GatewayRequest): Promise<GatewayResponse> {
  await request.readBody(LIMITS);
  return { status: 204, headers: {}, body: null };
}

async function halfSentRequests(handle: (request: GatewayRequest) => Promise<GatewayResponse>): Promise<void> {
  const server = createServer((req, res) => void handleNode({ handle }, { req, res }));
  const port = await listen(server);
  const head = 'POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n';
  const sockets = await Promise.all(Array.from({ length: BODIES }, () => connected(port)));
  await Promise.all(sockets.map((socket) => sent(socket, head + PIECE.repeat(PIECES))));
}

async function halfPulledRequests(): Promise<void> {
  const handler = toFetchHandler({ handle: readThenAnswer });
  const arrived = Array.from({ length: BODIES }, () => {
    return new Promise<void>((resolve) => {
      let count = 0;
      const body = new ReadableStream<Uint8Array>({
        pull(controller) {
          if (count++ < PIECES) controller.enqueue(new Uint8Array([120]));
          else resolve();
          return count <= PIECES ? undefined : NEVER;
        },
      });
      void handler(new Request('http://x.test/', { method: 'POST', body, duplex: 'half' }));
    });
  });
  await Promise.all(arrived);
}

function streamReader(): UpstreamRequest['onText'] {
  return readStream(
    reduceAtEnd(
      () => true,
      () => ({}),
    )(undefined),
    { secrets: [] },
  ).push;
}

/** @param begin sent before the small pieces. */
async function halfSentReplies(begin: string, reader?: () => UpstreamRequest['onText']): Promise<void> {
  const head = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';
  const first = begin === '' ? '' : `${begin.length.toString(16)}\r\n${begin}\r\n`;
  const written: Promise<void>[] = [];
  const server = createTcpServer((socket) => {
    socket.once('data', () => void written.push(sent(socket, head + first + PIECE.repeat(PIECES))));
  });
  const port = await listen(server);
  const pools = createUpstreamPools({
    clock: systemClock,
    maxUpstreamBytes: MAX_BYTES,
    connectTimeoutMs: 60_000,
    maxConnectionsPerOrigin: BODIES,
  });
  for (let body = 0; body < BODIES; body += 1) {
    const url = new URL(`http://127.0.0.1:${port}/`);
    const request: UpstreamRequest = { method: 'GET', url, headers: {}, onText: reader?.() };
    void pools.open(new Deadline(systemClock, 600_000)).send(request);
  }
  while (written.length < BODIES) await new Promise((resolve) => setImmediate(resolve));
  await Promise.all(written);
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

function connected(port: number): Promise<Socket> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket));
  });
}

function sent(socket: Socket, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.write(text, 'latin1', (error) => (error == null ? resolve() : reject(error)));
  });
}

/** Lets everything that has arrived be read: each round reads all that the sockets hold. */
async function settled(): Promise<void> {
  for (let round = 0; round < 200; round += 1) await new Promise((resolve) => setImmediate(resolve));
}

function keptBytes(): number {
  for (let round = 0; round < 3; round += 1) globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

const read = READERS[process.argv[2] ?? ''];
if (read === undefined) throw new Error(`name one of ${Object.keys(READERS).join(', ')}`);
// The first run loads code that is needed once, such as undici's.
await read();
await settled();
const before = keptBytes();
await read();
let kept = 0;
// On a busy machine, bodies arrive later than they were sent.
while (kept < MOST_OF_A_BODY) {
  await settled();
  kept = (keptBytes() - before) / BODIES / MAX_BYTES;
}
process.stdout.write(JSON.stringify(kept));
process.exit(0);
