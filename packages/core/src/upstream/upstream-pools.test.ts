import { EventEmitter, once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { createFakeClock } from '@searchgate/testing';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Deadline } from '../base/time/deadline.js';
import { Pool } from './undici.js';
import type { UpstreamRequest } from './upstream-client.js';
import { createUpstreamPools, type UpstreamPoolsOptions } from './upstream-pools.js';

const MAX_BYTES = 1_000;
const CONNECT_TIMEOUT_MS = 5_000;
const DEADLINE_MS = 30_000;

/** Answers one request in raw bytes; `text` is the whole request. */
type Answer = (socket: Socket, text: string) => void;

/** A TCP server that sees every request as raw text. */
async function startRawServer(answer: Answer) {
  const requests: string[] = [];
  const sockets = new Set<Socket>();
  const events = new EventEmitter();
  let connections = 0;
  let hangUps = 0;
  const server = createServer((socket) => {
    connections += 1;
    sockets.add(socket);
    let text = '';
    socket.on('close', () => {
      hangUps += 1;
      sockets.delete(socket);
      events.emit('change');
    });
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      if (!isWholeRequest(text)) return;
      requests.push(text);
      answer(socket, text);
      text = '';
      events.emit('change');
    });
    events.emit('change');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  onTestFinished(close);
  const { port } = server.address() as AddressInfo;
  return {
    requests,
    sockets,
    close,
    url: (path = '/', protocol = 'http') => new URL(`${protocol}://127.0.0.1:${port}${path}`),
    connections: () => connections,
    hangUps: () => hangUps,
    /** Waits until the server has seen something, then gives clients in this process the turns to read its reply. */
    async until(condition: () => boolean) {
      while (!condition()) await once(events, 'change');
      for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

function isWholeRequest(text: string): boolean {
  const headEnd = text.indexOf('\r\n\r\n');
  const bodyLength = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0);
  return headEnd !== -1 && text.length >= headEnd + 4 + bodyLength;
}

function http(status: string, headers: string[] = [], body: string | Buffer = ''): Buffer {
  const bytes = Buffer.from(body);
  const head = [`HTTP/1.1 ${status}`, ...headers, `content-length: ${bytes.length}`, '', ''].join('\r\n');
  return Buffer.concat([Buffer.from(head), bytes]);
}

/** The head of an informational reply. */
function informational(status: string): string {
  return `HTTP/1.1 ${status}\r\nlink: </style.css>\r\n\r\n`;
}

/** Writes each part as a separate chunk. */
async function sendApart(socket: Socket, parts: readonly (string | Buffer)[]): Promise<void> {
  for (const part of parts) {
    socket.write(part);
    if (parts.length < 100) await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Replies the same bytes to every request. */
const always = (bytes: Buffer | string) => (socket: Socket) => void socket.write(bytes);

/** Lets a test move time before it looks at a rejection. */
function handled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}

function setUp(options: Partial<UpstreamPoolsOptions> = {}) {
  const clock = createFakeClock();
  const pools = createUpstreamPools({
    clock,
    maxUpstreamBytes: MAX_BYTES,
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
    maxConnectionsPerOrigin: 4,
    ...options,
  });
  onTestFinished(() => pools.close());
  const send = (url: URL, request: Partial<UpstreamRequest> = {}) => {
    const deadline = new Deadline(clock, DEADLINE_MS);
    const sent = pools.open(deadline).send({ method: 'POST', url, headers: {}, json: { query: 'q' }, ...request });
    return handled(sent.finally(() => deadline.clear()));
  };
  return { clock, pools, send };
}

describe('a request', () => {
  it('carries method, path, query, headers and a JSON body', async () => {
    const server = await startRawServer(always(http('200 OK')));
    const { send } = setUp({ userAgent: 'host/1.0' });
    const headers = { 'x-api-key': 'k', authorization: 'Bearer b' };
    await send(server.url('/v1/answer?a=b%20c'), { headers, json: { query: 'Wie heißt die Brücke?' } });
    const [head = '', body = ''] = (server.requests[0] ?? '').split('\r\n\r\n');
    expect(Buffer.from(body, 'latin1').toString('utf8')).toBe('{"query":"Wie heißt die Brücke?"}');
    const [first, ...rest] = head.split('\r\n');
    expect(first).toBe('POST /v1/answer?a=b%20c HTTP/1.1');
    expect(rest.sort()).toEqual([
      'accept-encoding: identity',
      'accept: application/json',
      'authorization: Bearer b',
      'connection: keep-alive',
      'content-length: 35',
      'content-type: application/json',
      `host: ${server.url().host}`,
      'user-agent: host/1.0',
      'x-api-key: k',
    ]);
  });

  it('of method GET has no body, and keeps the adapter’s headers', async () => {
    const server = await startRawServer(always(http('200 OK')));
    await setUp().send(server.url('/v1/runs/1'), { method: 'GET', headers: { accept: 'text/plain' }, json: undefined });
    expect(server.requests[0]).toMatch(/^GET \/v1\/runs\/1 HTTP/);
    expect(server.requests[0]).toContain('\r\naccept: text/plain\r\n');
    expect(server.requests[0]).toContain('\r\nuser-agent: searchgate\r\n');
    expect(server.requests[0]).not.toContain('content-');
  });

  it('of method GET has no body where its reply is handed over while it comes', async () => {
    const server = await startRawServer(always(http('200 OK')));
    await setUp().send(server.url(), { method: 'GET', json: undefined, onText: () => true });
    expect(server.requests[0]).toMatch(/^GET [^]*\r\n\r\n$/);
    expect(server.requests[0]).not.toContain('content-');
  });

  it('whose reply is handed over while it comes keeps no memory beyond that of its body', async () => {
    const server = await startRawServer(always(http('200 OK')));
    const dispatch = vi.spyOn(Pool.prototype, 'dispatch');
    onTestFinished(() => dispatch.mockRestore());
    const { send } = setUp();
    await send(server.url(), { json: 'Brücke' });
    await send(server.url(), { json: 'Brücke', onText: () => true });
    const [plain, live] = (dispatch.mock.calls as unknown as [{ body: unknown }][]).map(([{ body }]) => body);
    expect(plain).toBe('"Brücke"');
    expect(live).toEqual(new TextEncoder().encode('"Brücke"'));
    expect((live as Uint8Array).buffer.byteLength).toBe(9);
    expect(server.requests.map((text) => text.split('\r\n\r\n')[1])).toEqual(['"BrÃ¼cke"', '"BrÃ¼cke"']);
  });

  it('has one `accept` and one `user-agent` header', async () => {
    const server = await startRawServer(always(http('200 OK')));
    const headers = { accept: 'text/plain', 'user-agent': 'adapter/2.0' };
    await setUp().send(server.url(), { method: 'GET', headers, json: undefined });
    const lines = server.requests[0]?.split('\r\n') ?? [];
    expect(lines.filter((line) => /^(?:accept|user-agent):/i.test(line)).sort()).toEqual([
      'accept: text/plain',
      'user-agent: adapter/2.0',
    ]);
  });

  it('that cannot be sent is rejected without showing the key', async () => {
    const server = await startRawServer(always(http('200 OK')));
    const failure = setUp().send(server.url(), { headers: { authorization: 'Bearer two\nlines' } });
    await expect(failure).rejects.toMatchObject({ reason: 'upstream_rejected', phase: 'connect' });
    await expect(failure).rejects.not.toHaveProperty('detail', expect.stringContaining('lines'));
    expect(server.requests).toEqual([]);
  });

  it('to anything but http and https is a bug of the adapter', async () => {
    const { send } = setUp();
    await expect(send(new URL('ftp://127.0.0.1/x'))).rejects.toThrow('an upstream URL is http or https, not "ftp:"');
    await expect(send(new URL('file:///etc/hosts'))).rejects.toThrow(TypeError);
  });

  it('to ever new origins is a bug of the adapter', async () => {
    const { send } = setUp();
    const loopback = (index: number) => new URL(`http://127.1.${index >> 8}.${index & 255}:1/`);
    const refused = await Promise.allSettled(Array.from({ length: 256 }, (_, index) => send(loopback(index))));
    expect(refused.filter(({ status }) => status === 'fulfilled')).toEqual([]);
    await expect(send(loopback(256))).rejects.toThrow('is a host built from requests?');
    await expect(send(loopback(0))).rejects.toHaveProperty('reason', 'upstream_unreachable');
  });
});

describe('a reply', () => {
  it.each([
    ['200 OK', 200],
    ['404 Not Found', 404],
    ['429 Too Many Requests', 429],
    ['503 Service Unavailable', 503],
  ])('of status %s is returned unchanged', async (line, status) => {
    const server = await startRawServer(always(http(line, ['retry-after: 1'], 'text')));
    const reply = await setUp().send(server.url());
    expect(reply).toMatchObject({ status, text: 'text' });
    expect(reply.header('retry-after')).toBe('1');
  });

  it('gives the first of a repeated header, and nothing for headers that did not come', async () => {
    const server = await startRawServer(always(http('200 OK', ['X-Twice: one', 'x-twice: two', 'Set-Cookie: a=b'])));
    const reply = await setUp().send(server.url());
    expect(reply.header('x-twice')).toBe('one');
    expect(reply.header('x-absent')).toBeUndefined();
    expect(reply.header('constructor')).toBeUndefined();
  });

  it('that redirects is not followed', async () => {
    const elsewhere = await startRawServer(always(http('200 OK')));
    const server = await startRawServer(always(http('302 Found', [`location: ${elsewhere.url('/x').href}`])));
    const reply = await setUp().send(server.url());
    expect(reply.status).toBe(302);
    expect(server.requests).toHaveLength(1);
    expect(elsewhere.connections()).toBe(0);
  });

  it('without a body is empty text', async () => {
    const server = await startRawServer(always('HTTP/1.1 204 No Content\r\n\r\n'));
    await expect(setUp().send(server.url())).resolves.toMatchObject({ status: 204, text: '' });
  });

  it('loses its byte order mark, and keeps characters split between chunks whole', async () => {
    const [before, after] = [Buffer.from('\ufeffBr\u00fc').subarray(0, -1), Buffer.from('\u00fc').subarray(1)];
    const server = await startRawServer((socket) => {
      socket.write(
        Buffer.concat([
          Buffer.from('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n6\r\n'),
          before,
          Buffer.from('\r\n'),
        ]),
      );
      setImmediate(() => socket.write(Buffer.concat([Buffer.from('1\r\n'), after, Buffer.from('\r\n0\r\n\r\n')])));
    });
    await expect(setUp().send(server.url())).resolves.toMatchObject({ text: 'Brü' });
  });

  it('may be preceded by hints and followed by trailers', async () => {
    const hints = 'HTTP/1.1 103 Early Hints\r\nlink: </style.css>\r\n\r\n';
    const chunked =
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\ntrailer: x-sum\r\n\r\n4\r\ntext\r\n0\r\nx-sum: 1\r\n\r\n';
    const server = await startRawServer(always(hints + chunked));
    const { send } = setUp();
    await expect(send(server.url())).resolves.toMatchObject({ status: 200, text: 'text' });
    await expect(send(server.url())).resolves.toMatchObject({ status: 200, text: 'text' });
    expect(server.hangUps()).toBe(0);
  });

  it.each([
    ['a 100', ['HTTP/1.1 100 Continue\r\n\r\n']],
    ['a 100 with fields', ['HTTP/1.1 100 Continue\r\nserver: x\r\ndate: now\r\n\r\n']],
    ['a 100 in single bytes', 'HTTP/1.1 100 Continue\r\nserver: x\r\n\r\n'.split('')],
    ['a 100 after an empty line', ['\r\nHTTP/1.1 100 Continue\r\n\r\n']],
    ['kinds of all sorts', ['100 Continue', '102 Processing', '103 Early Hints', '199 Odd', '100'].map(informational)],
    [
      'as many as are read',
      Array.from({ length: 500 }, () => informational('100 Continue') + informational('103 Early Hints')),
    ],
  ])('may come after %s', async (_case, heads) => {
    const server = await startRawServer(
      (socket) => void sendApart(socket, [...heads, http('200 OK', [], 'HTTP/1.1 100 text')]),
    );
    const { send } = setUp({ maxConnectionsPerOrigin: 1 });
    for (let count = 0; count < 3; count += 1) {
      await expect(send(server.url())).resolves.toMatchObject({ status: 200, text: 'HTTP/1.1 100 text' });
    }
    expect(server.hangUps()).toBe(0);
  });

  it('after too many informational replies is invalid, and the connection is closed', async () => {
    const server = await startRawServer((socket) => {
      const flood = () => {
        while (!socket.destroyed && socket.write(informational('103 Early Hints').repeat(100)));
      };
      socket.on('drain', flood);
      flood();
    });
    await expect(setUp().send(server.url())).rejects.toMatchObject({
      reason: 'upstream_invalid_response',
      phase: 'headers',
      status: null,
      detail: 'more than 1000 informational replies',
    });
    await server.until(() => server.hangUps() > 0);
    expect(server.requests).toHaveLength(1);
  });

  it('may end with the connection when it announces no length', async () => {
    const server = await startRawServer((socket) => socket.end('HTTP/1.0 200 OK\r\n\r\nold style'));
    await expect(setUp().send(server.url())).resolves.toMatchObject({ text: 'old style' });
  });

  it.each([
    ['gzip', gzipSync('plain text')],
    ['X-GZIP', gzipSync('plain text')],
    ['gzip \t', gzipSync('plain text')],
    ['identity ', Buffer.from('plain text')],
    ['deflate', deflateSync('plain text')],
    ['br', brotliCompressSync('plain text')],
    ['identity', Buffer.from('plain text')],
  ])('compressed as %s without being asked to is decoded', async (coding, body) => {
    const server = await startRawServer(always(http('200 OK', [`content-encoding: ${coding}`], body)));
    await expect(setUp().send(server.url())).resolves.toMatchObject({ text: 'plain text' });
  });

  it.each([
    ['a broken gzip stream', 'gzip', Buffer.from('not compressed at all')],
    ['a cut gzip stream', 'gzip', gzipSync('plain text').subarray(0, 12)],
    ['more than the cap once decoded', 'gzip', gzipSync(Buffer.alloc(MAX_BYTES + 1))],
    ['an unknown coding', 'zstd', Buffer.from('x')],
    ['a coding named like a property of every object', 'constructor', Buffer.from('x')],
    ['several codings', 'gzip, br', Buffer.from('x')],
  ])('that is %s is invalid', async (_case, coding, body) => {
    const server = await startRawServer(always(http('200 OK', [`content-encoding: ${coding}`], body)));
    await expect(setUp().send(server.url())).rejects.toMatchObject({
      reason: 'upstream_invalid_response',
      phase: 'body',
      status: 200,
    });
  });

  it('ends when the rest is not wanted, and the connection is closed', async () => {
    const server = await startRawServer(always('HTTP/1.1 200 OK\r\nx-id: 7\r\n\r\ndata: no\n\n'));
    const { send } = setUp();
    const { status, text, header } = await send(server.url(), { onText: (piece) => piece !== 'data: no\n\n' });
    expect([status, text, header('x-id')]).toEqual([200, '', '7']);
    await server.until(() => server.hangUps() === 1);
  });

  describe('after its last event', () => {
    const LAST = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\nlast\r\n';
    const END = '0\r\n\r\n';
    const onText = (piece: string) => (piece === 'more' ? true : ('ending' as const));

    /** A reply whose last event has arrived. */
    async function sendLast() {
      const server = await startRawServer(always(LAST));
      const { clock, send } = setUp();
      let arrived: () => void = () => undefined;
      const arrival = new Promise<void>((resolve) => {
        arrived = resolve;
      });
      const pieces: string[] = [];
      const takePiece = (piece: string) => {
        pieces.push(piece);
        arrived();
        return onText(piece);
      };
      const reply = send(server.url(), { onText: takePiece });
      await arrival;
      return { server, clock, send, reply, pieces };
    }

    it('ends after a second without an end', async () => {
      const { server, clock, reply } = await sendLast();
      await clock.advance(999);
      expect(server.hangUps()).toBe(0);
      await clock.advance(1);
      await expect(reply).resolves.toMatchObject({ status: 200, text: '' });
      await server.until(() => server.hangUps() === 1);
    });

    it('ends where the connection breaks', async () => {
      const { server, clock, reply } = await sendLast();
      for (const socket of server.sockets) socket.destroy();
      await expect(reply).resolves.toMatchObject({ status: 200, text: '' });
      expect(clock.pendingTimers).toBe(0);
    });

    it('leaves the connection for the next request when its end comes', async () => {
      const { server, clock, send, reply } = await sendLast();
      for (const socket of server.sockets) socket.write(END);
      await reply;
      // A connection can be used again a turn later.
      await server.until(() => true);
      const next = send(server.url(), { onText });
      await server.until(() => server.requests.length === 2);
      for (const socket of server.sockets) socket.write(END);
      await next;
      await clock.advance(1_000);
      expect([server.connections(), server.hangUps()]).toEqual([1, 0]);
    });

    it('goes on until the deadline when another event follows', async () => {
      const { server, clock, reply, pieces } = await sendLast();
      for (const socket of server.sockets) socket.write('4\r\nmore\r\n');
      while (!pieces.includes('more')) await new Promise((resolve) => setImmediate(resolve));
      await clock.advance(DEADLINE_MS);
      await expect(reply).rejects.toMatchObject({ reason: 'upstream_timeout', phase: 'body' });
    });

    it('ends with the deadline if it passes within the second', async () => {
      const { server, clock, reply, pieces } = await sendLast();
      const sendChunk = async (text: string, count: number) => {
        for (const socket of server.sockets) socket.write(`4\r\n${text}\r\n`);
        while (pieces.length < count) await new Promise((resolve) => setImmediate(resolve));
      };
      await sendChunk('more', 2);
      await clock.advance(DEADLINE_MS - 1);
      await sendChunk('last', 3);
      await clock.advance(1);
      await expect(reply).resolves.toMatchObject({ status: 200, text: '' });
      await server.until(() => server.hangUps() === 1);
    });

    it.each(['the connection breaks', 'the deadline passes'])('ends with the whole part when %s', async (what) => {
      const server = await startRawServer(always(LAST));
      const { clock, send } = setUp();
      const pieces: string[] = [];
      const takePiece = (piece: string) => pieces.push(piece) > 0;
      const reply = send(server.url(), { onText: takePiece, isWhole: () => pieces.length > 0 });
      while (pieces.length === 0) await new Promise((resolve) => setImmediate(resolve));
      // Without 'ending', the wait is not limited to a second.
      await clock.advance(DEADLINE_MS - 1);
      expect(server.hangUps()).toBe(0);
      if (what === 'the deadline passes') await clock.advance(1);
      else for (const socket of server.sockets) socket.destroy();
      await expect(reply).resolves.toMatchObject({ status: 200, text: '' });
      expect(clock.pendingTimers).toBe(0);
    });

    it('is cut when the connection breaks after another event', async () => {
      const { server, reply, pieces } = await sendLast();
      for (const socket of server.sockets) socket.write('4\r\nmore\r\n');
      while (!pieces.includes('more')) await new Promise((resolve) => setImmediate(resolve));
      for (const socket of server.sockets) socket.destroy();
      await expect(reply).rejects.toMatchObject({ reason: 'upstream_invalid_response', phase: 'body' });
    });
  });

  it('of exactly the largest size is accepted', async () => {
    const server = await startRawServer(always(http('200 OK', [], 'x'.repeat(MAX_BYTES))));
    await expect(setUp().send(server.url())).resolves.toHaveProperty('text', 'x'.repeat(MAX_BYTES));
  });

  it.each([
    ['says so itself', 'HTTP/1.1 200 OK\r\ncontent-length: 1001\r\n\r\n'],
    [
      'grows too large in chunks',
      `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3e9\r\n${'x'.repeat(1_001)}\r\n`,
    ],
    ['grows too large until the connection ends', `HTTP/1.0 200 OK\r\n\r\n${'x'.repeat(1_001)}`],
  ])('over the largest size is cut off when it %s', async (_case, bytes) => {
    const server = await startRawServer(always(bytes));
    const failure = setUp().send(server.url());
    await expect(failure).rejects.toMatchObject({ reason: 'upstream_invalid_response', phase: 'body', status: 200 });
    await server.until(() => server.hangUps() === 1);
  });

  it.each([
    ['cut before its announced length', 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf', 'body', 200],
    [
      'cut, on a connection that was to close',
      'HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 10\r\n\r\nhalf',
      'body',
      200,
    ],
    ['cut before its last chunk', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\nhalf\r\n', 'body', 200],
    ['chunked in a wrong way', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nxyz\r\nhalf\r\n', 'body', 200],
    ['not HTTP', 'SSH-2.0-OpenSSH_9.2\r\n', 'headers', null],
    ['HTTP with an impossible header', 'HTTP/1.1 200 OK\r\nbro ken: x\r\n\r\n', 'headers', null],
    ['an endless head', `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(20_000)}`, 'headers', null],
    [
      'chunked and of a length',
      'HTTP/1.1 200 OK\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n',
      'headers',
      null,
    ],
    [
      'of a length and chunked',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\ncontent-length: 2\r\n\r\n2\r\nok\r\n0\r\n\r\n',
      'headers',
      null,
    ],
    ['of two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\nok', 'headers', null],
    ['of two lengths in one field', 'HTTP/1.1 200 OK\r\ncontent-length: 2, 3\r\n\r\nok', 'headers', null],
    ['of one length twice', 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 2\r\n\r\nok', 'headers', null],
    [
      'an unasked upgrade',
      'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: h2c\r\n\r\n',
      'headers',
      null,
    ],
  ])('that is %s is invalid', async (_case, bytes, phase, status) => {
    const server = await startRawServer((socket) => socket.end(bytes));
    await expect(setUp().send(server.url())).rejects.toMatchObject({
      reason: 'upstream_invalid_response',
      phase,
      status,
    });
  });
});

describe('a connection', () => {
  it('is reused', async () => {
    const server = await startRawServer(always(http('200 OK')));
    const { send } = setUp();
    for (let count = 0; count < 10; count += 1) await send(server.url());
    // Two and not one: undici counts a connection as free only a turn of the event loop after its reply.
    expect(server.connections()).toBeLessThanOrEqual(2);
  });

  it('that the server closed while idle is replaced without an error', async () => {
    const server = await startRawServer(always(http('200 OK')));
    const { send } = setUp();
    for (let count = 1; count <= 3; count += 1) {
      await expect(send(server.url())).resolves.toHaveProperty('status', 200);
      for (const socket of server.sockets) socket.destroy();
      await server.until(() => server.sockets.size === 0);
      expect(server.connections()).toBe(count);
    }
  });

  it('that the server announced to close is not used again', async () => {
    const server = await startRawServer((socket) => socket.end(http('200 OK', ['connection: close'])));
    const { send } = setUp();
    await send(server.url());
    await expect(send(server.url())).resolves.toHaveProperty('status', 200);
    expect(server.connections()).toBe(2);
  });

  it.each([
    ['reset', (socket: Socket) => void socket.resetAndDestroy()],
    ['closed', (socket: Socket) => void socket.end()],
    ['closed within the head', (socket: Socket) => void socket.end('HTTP/1.1 200 O')],
    ['closed after a hint', (socket: Socket) => void socket.end('HTTP/1.1 103 Early Hints\r\n\r\n')],
  ])('%s before the reply makes the upstream unreachable, and nothing is repeated', async (_case, answer) => {
    const server = await startRawServer(answer);
    await expect(setUp().send(server.url())).rejects.toMatchObject({
      reason: 'upstream_unreachable',
      phase: 'headers',
      status: null,
    });
    expect(server.requests).toHaveLength(1);
  });

  it('that is refused makes the upstream unreachable', async () => {
    const server = await startRawServer(always(http('200 OK')));
    server.close();
    const failure = setUp().send(server.url());
    await expect(failure).rejects.toMatchObject({ reason: 'upstream_unreachable', phase: 'connect', status: null });
    await expect(failure).rejects.toHaveProperty('detail', expect.stringContaining('ECONNREFUSED'));
  });

  it('on which TLS fails makes the upstream unreachable', async () => {
    const server = await startRawServer(always(''));
    const failure = setUp().send(server.url('/', 'https'));
    await server.until(() => server.connections() === 1);
    for (const socket of server.sockets) socket.end('HTTP/1.1 400 Bad Request\r\n\r\n');
    await expect(failure).rejects.toMatchObject({ reason: 'upstream_unreachable', phase: 'connect' });
  });

  it('that does not open within its limit makes the upstream unreachable', async () => {
    const server = await startRawServer(always(''));
    const { clock, send } = setUp();
    const failure = send(server.url('/', 'https'));
    await server.until(() => server.connections() === 1);
    await clock.advance(CONNECT_TIMEOUT_MS);
    await expect(failure).rejects.toMatchObject({ reason: 'upstream_unreachable', phase: 'connect' });
    await expect(failure).rejects.toHaveProperty('detail', 'ETIMEDOUT no connection within 5000 ms');
    await server.until(() => server.sockets.size === 0);
  });

  it('is opened only up to the limit; further requests wait for one', async () => {
    const waiting: Socket[] = [];
    const server = await startRawServer((socket) => waiting.push(socket));
    const { send } = setUp({ maxConnectionsPerOrigin: 2 });
    const replies = Promise.all(Array.from({ length: 6 }, () => send(server.url())));
    for (let served = 0; served < 6; served += 1) {
      await server.until(() => waiting.length > 0);
      expect(waiting.length).toBeLessThanOrEqual(2);
      waiting.shift()?.write(http('200 OK'));
    }
    await expect(replies).resolves.toHaveLength(6);
    expect(server.connections()).toBe(2);
  });
});

describe('a deadline', () => {
  it('that has passed sends nothing', async () => {
    const server = await startRawServer(always(http('200 OK')));
    const { clock, pools } = setUp();
    const deadline = new Deadline(clock, 1);
    await clock.advance(1);
    const failure = pools.open(deadline).send({ method: 'GET', url: server.url(), headers: {} });
    await expect(failure).rejects.toMatchObject({ reason: 'upstream_timeout', phase: 'connect', status: null });
    expect(server.connections()).toBe(0);
  });

  it('covers the time to connect', async () => {
    const server = await startRawServer(always(''));
    const { clock, send } = setUp({ connectTimeoutMs: 2 * DEADLINE_MS });
    const failure = send(server.url('/', 'https'));
    await server.until(() => server.connections() === 1);
    await clock.advance(DEADLINE_MS);
    await expect(failure).rejects.toMatchObject({ reason: 'upstream_timeout', phase: 'connect', status: null });
  });

  it('covers the wait for a free connection: the request is never sent and the connection stays', async () => {
    const server = await startRawServer((socket, text) => {
      if (text.includes('"first"')) return;
      socket.write(http('200 OK'));
    });
    const { clock, pools, send } = setUp({ maxConnectionsPerOrigin: 1 });
    const first = send(server.url(), { json: 'first' });
    await server.until(() => server.requests.length === 1);
    const deadline = new Deadline(clock, 10);
    const second = handled(
      pools.open(deadline).send({ method: 'POST', url: server.url(), headers: {}, json: 'second' }),
    );
    const third = send(server.url(), { json: 'third' });
    await clock.advance(10);
    await expect(second).rejects.toMatchObject({ reason: 'upstream_timeout', phase: 'connect' });
    for (const socket of server.sockets) socket.write(http('200 OK'));
    await Promise.all([first, third]);
    expect(server.requests.map((text) => text.split('\r\n\r\n')[1])).toEqual(['"first"', '"third"']);
    expect(server.connections()).toBe(1);
  });

  it('covers the wait for the head, and hangs up', async () => {
    const server = await startRawServer(always(''));
    const { clock, send } = setUp();
    const failure = send(server.url());
    await server.until(() => server.requests.length === 1);
    await clock.advance(DEADLINE_MS - 1);
    expect(server.hangUps()).toBe(0);
    await clock.advance(1);
    await expect(failure).rejects.toMatchObject({ reason: 'upstream_timeout', phase: 'headers', status: null });
    await server.until(() => server.hangUps() === 1);
    expect(server.requests).toHaveLength(1);
  });

  it('covers the body as a whole, however steadily it drips', async () => {
    const server = await startRawServer((socket) => {
      const drip = () => {
        socket.write('x');
        clock.schedule(1_000, drip);
      };
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 900\r\n\r\n');
      drip();
    });
    const { clock, send } = setUp();
    const failure = send(server.url());
    await server.until(() => server.requests.length === 1);
    await clock.advance(DEADLINE_MS);
    await expect(failure).rejects.toMatchObject({ reason: 'upstream_timeout', phase: 'body', status: 200 });
    await server.until(() => server.hangUps() === 1);
  });

  it('does nothing to a request that was answered before, nor leaves a timer', async () => {
    const server = await startRawServer(always(http('200 OK')));
    const { clock, pools } = setUp();
    const deadline = new Deadline(clock, DEADLINE_MS);
    const upstream = pools.open(deadline);
    await upstream.send({ method: 'GET', url: server.url(), headers: {} });
    await clock.advance(DEADLINE_MS);
    expect(deadline.passed).toBe(true);
    expect(server.sockets.size).toBe(1);
    expect(clock.pendingTimers).toBe(0);
  });
});

describe('close', () => {
  it('fails requests under way and refuses new ones, and closes every connection', async () => {
    const server = await startRawServer((socket, text) => {
      if (!text.includes('"slow"')) socket.write(http('200 OK'));
    });
    const { clock, pools, send } = setUp();
    await send(server.url());
    const slow = send(server.url(), { json: 'slow' });
    await server.until(() => server.requests.length === 2);
    const closing = pools.close();
    await expect(send(server.url())).rejects.toMatchObject({ reason: 'upstream_unreachable', phase: 'connect' });
    await expect(slow).rejects.toMatchObject({ reason: 'upstream_unreachable', phase: 'headers' });
    await closing;
    await server.until(() => server.sockets.size === 0);
    expect(server.requests).toHaveLength(2);
    expect(clock.pendingTimers).toBe(0);
  });

  it('gives up a connection that is still being opened', async () => {
    const server = await startRawServer(always(''));
    const { clock, pools, send } = setUp({ connectTimeoutMs: 10 * DEADLINE_MS });
    const failure = send(server.url('/', 'https'));
    await server.until(() => server.connections() === 1);
    const closing = pools.close();
    await expect(failure).rejects.toHaveProperty('reason', 'upstream_unreachable');
    await closing;
    await server.until(() => server.sockets.size === 0);
    expect(clock.pendingTimers).toBe(0);
  });

  it('opens no connection any more, be it to an origin that was never asked', async () => {
    const server = await startRawServer(always(http('200 OK')));
    const { pools, send } = setUp();
    await pools.close();
    await expect(send(server.url())).rejects.toMatchObject({
      reason: 'upstream_unreachable',
      phase: 'connect',
      detail: 'the gateway is closing',
    });
    expect(server.connections()).toBe(0);
  });

  it('closes at once when nothing was ever sent, and may be called again', async () => {
    const { pools } = setUp();
    await pools.close();
    await pools.close();
  });
});
