import { once } from 'node:events';
import {
  Agent,
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import { type ClientHttp2Stream, connect, createServer as createHttp2Server, type ServerHttp2Stream } from 'node:http2';
import { type AddressInfo, connect as connectSocket, type Server } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { isRequestError } from '../base/errors/request-error.js';
import { systemClock } from '../base/time/clock.js';
import type { GatewayRequest, GatewayResponse } from '../http/gateway-request.js';
import { stripMountPath } from '../http/mount-path.js';
import { handleNode, nodeResponse } from './handle-node.js';
import type { NodeCall } from './node-request.js';

const LIMITS = { maxBodyBytes: 1_000, bodyTimeoutMs: 60_000, clock: systemClock };

/** Answers everything below /api with what it was asked, and refuses bodies as the real one does. */
async function echo(request: GatewayRequest): Promise<GatewayResponse | undefined> {
  if (!request.path.startsWith('/api')) return undefined;
  try {
    const body = request.method === 'POST' ? await request.readBody(LIMITS) : null;
    const content = body === null ? null : 'bytes' in body ? Buffer.from(body.bytes).toString() : body.parsed;
    const { method, path, query } = request;
    return respond(200, JSON.stringify({ method, path, query, content, accept: request.header('accept') }));
  } catch (error) {
    if (!isRequestError(error)) throw error;
    return respond(error.status, error.reason, { connection: 'close' });
  }
}

function respond(status: number, body: string, headers: Record<string, string> = {}): GatewayResponse {
  return {
    status,
    headers: { 'content-type': 'text/plain', 'content-length': String(Buffer.byteLength(body)), ...headers },
    body,
  };
}

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanUp of cleanups.splice(0)) cleanUp();
});

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  cleanups.push(() => server.close());
  return (server.address() as AddressInfo).port;
}

async function serve(listener: RequestListener): Promise<{ port: number; connections: () => number }> {
  let connections = 0;
  const server = createServer(listener).on('connection', () => {
    connections += 1;
  });
  const port = await listen(server);
  cleanups.push(() => server.closeAllConnections());
  return { port, connections: () => connections };
}

/** A host with only the gateway. */
const mounted =
  (call: Partial<NodeCall<IncomingMessage>> = {}, gateway = { handle: echo }): RequestListener =>
  (req, res) => {
    void handleNode(gateway, { req, res, ...call }).then((ours) => {
      if (!ours) res.writeHead(404).end('the host’s');
    });
  };

interface Asked {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Record<string, string | string[]>;
  readonly body?: string | Buffer;
  readonly agent?: Agent;
}

function ask(port: number, { method = 'GET', path = '/api', headers = {}, body, agent }: Asked) {
  return new Promise<{ status: number | undefined; headers: IncomingMessage['headers']; body: string }>(
    (resolve, reject) => {
      const outgoing = httpRequest({ host: '127.0.0.1', port, method, path, headers, agent: agent ?? new Agent() });
      outgoing.on('error', reject).on('response', (incoming) => {
        let text = '';
        incoming.setEncoding('utf8');
        incoming.on('data', (chunk: string) => (text += chunk)).on('error', reject);
        incoming.on('end', () => resolve({ status: incoming.statusCode, headers: incoming.headers, body: text }));
      });
      outgoing.end(body);
    },
  );
}

function keptAlive(): Agent {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  cleanups.push(() => agent.destroy());
  return agent;
}

describe('handleNode', () => {
  it('reads method, path, query, headers and body', async () => {
    const { port } = await serve(mounted());
    const { body } = await ask(port, {
      method: 'POST',
      path: '/api/x?a=1&a=2?',
      headers: { accept: 'text/plain' },
      body: '{"a":1}',
    });
    expect(JSON.parse(body)).toEqual({
      method: 'POST',
      path: '/api/x',
      query: 'a=1&a=2?',
      content: '{"a":1}',
      accept: 'text/plain',
    });
  });

  it('leaves a request untouched that the gateway does not serve', async () => {
    let seen: { listeners: number; sent: boolean; ours: boolean } | undefined;
    const { port } = await serve((req, res) => {
      void handleNode({ handle: echo }, { req, res }).then((ours) => {
        seen = { listeners: req.listenerCount('data'), sent: res.headersSent, ours };
        req.pipe(res);
      });
    });
    expect(await ask(port, { method: 'POST', path: '/upload', body: 'the host’s own' })).toMatchObject({
      status: 200,
      body: 'the host’s own',
    });
    expect(seen).toEqual({ listeners: 0, sent: false, ours: false });
  });

  it('understands a target in absolute form, as proxies send it', async () => {
    const { port } = await serve(mounted());
    const { body } = await ask(port, { path: 'http://search.example.com:8080/api/x?y=1' });
    expect(JSON.parse(body)).toMatchObject({ path: '/api/x', query: 'y=1' });
  });

  it.each<[string, string[], string | undefined, string]>([
    ['one', ['Bearer a'], undefined, 'Bearer a'],
    ['all that were sent', ['Bearer a', 'Bearer b'], undefined, 'Bearer a, Bearer b'],
    ['the host’s own', ['Bearer a', 'Bearer b'], 'Bearer c', 'Bearer c'],
  ])('takes of Authorization headers %s', async (_name, sent, own, taken) => {
    let seen: string | undefined;
    const handle = (request: GatewayRequest) => {
      seen = request.header('authorization');
      return Promise.resolve(respond(200, ''));
    };
    const { port } = await serve((req, res) => {
      if (own !== undefined) req.headers.authorization = own;
      mounted({}, { handle })(req, res);
    });
    await ask(port, { headers: { Authorization: sent } });
    expect(seen).toBe(taken);
  });

  it('leaves a request untouched that is not below the mount path', async () => {
    const strip = stripMountPath('/search');
    const { port } = await serve((req, res) => mounted({ target: strip(req.url ?? '') })(req, res));
    expect(await ask(port, { path: '/api' })).toMatchObject({ status: 404, body: 'the host’s' });
    expect(await ask(port, { path: '/search/api' })).toMatchObject({ status: 200 });
    const req = { url: '/api' } as IncomingMessage;
    expect(await nodeResponse({ handle: echo }, { req, res: {} as ServerResponse, target: null }, req)).toBeUndefined();
  });

  it('prefers the given target to the URL of the request', async () => {
    const { port } = await serve(mounted({ target: '/api/given?z' }));
    expect(JSON.parse((await ask(port, { path: '/mounted/api' })).body)).toMatchObject({
      path: '/api/given',
      query: 'z',
    });
  });

  it.each([
    ['an object', { a: 1 }, { a: 1 }],
    ['bytes', Buffer.from('{"a":1}'), '{"a":1}'],
    ['text', '{"a":1}', '{"a":1}'],
    ['null', null, null],
  ])('takes %s the host’s parser has made of a body it has read', async (_name, parsedBody, content) => {
    const { port } = await serve((req, res) => {
      req.resume().on('end', () => mounted({ parsedBody })(req, res));
    });
    expect(JSON.parse((await ask(port, { method: 'POST', body: 'raw' })).body)).toMatchObject({ content });
  });

  it('reads a body that the host has paused', async () => {
    const { port } = await serve((req, res) => {
      req.pause();
      mounted()(req, res);
    });
    expect(JSON.parse((await ask(port, { method: 'POST', body: 'raw' })).body)).toMatchObject({ content: 'raw' });
  });

  it('reads the body if the host’s parser has not, whatever req.body holds', async () => {
    const { port } = await serve(mounted({ parsedBody: {} }));
    expect(JSON.parse((await ask(port, { method: 'POST', body: 'raw' })).body)).toMatchObject({ content: 'raw' });
  });

  it.each([
    ['small', '{"a":1}', 200],
    ['of the largest size', 'x'.repeat(1_000), 200],
    ['empty', '', 200],
    ['too large', 'x'.repeat(1_001), 413],
  ])('takes a body that is %s after it has arrived completely', async (_name, body, status) => {
    let arrived: boolean[] = [];
    const { port, connections } = await serve((req, res) => {
      const handle = async (request: GatewayRequest) => {
        while (!req.complete) await new Promise(setImmediate);
        arrived = [req.complete, req.readableEnded];
        return echo(request);
      };
      mounted({}, { handle })(req, res);
    });
    const agent = keptAlive();
    const response = await ask(port, { method: 'POST', body, agent });
    expect({ arrived, status: response.status }).toEqual({ arrived: [true, false], status });
    expect(response.body).toContain(status === 200 ? `"content":${JSON.stringify(body)}` : 'request_too_large');
    await ask(port, { agent });
    expect(connections()).toBe(status === 200 ? 1 : 2);
  });

  it('keeps headers of the host, unless the response sets the same headers', async () => {
    const { port } = await serve((req, res) => {
      res
        .setHeader('Access-Control-Allow-Origin', '*')
        .setHeader('Vary', 'Origin')
        .setHeader('Content-Type', 'text/html');
      mounted()(req, res);
    });
    expect((await ask(port, {})).headers).toMatchObject({
      'access-control-allow-origin': '*',
      vary: 'Origin',
      'content-type': 'text/plain',
    });
  });

  it('writes through hooks that hosts put on the response', async () => {
    const { port } = await serve((req, res) => {
      const writeHead = res.writeHead.bind(res) as (status: number, headers: object) => ServerResponse;
      res.writeHead = ((status: number, headers: object) =>
        writeHead(status, { ...headers, 'x-took': '1 ms' })) as typeof res.writeHead;
      mounted()(req, res);
    });
    expect(await ask(port, {})).toMatchObject({ status: 200, headers: { 'x-took': '1 ms' } });
  });

  it('leaves a connection usable for the next request', async () => {
    const refuseUnread = { handle: () => Promise.resolve(respond(401, 'who are you?')) };
    const { port, connections } = await serve((req, res) =>
      mounted({}, req.url === '/api/refuse' ? refuseUnread : { handle: echo })(req, res),
    );
    const agent = keptAlive();
    for (const path of ['/api', '/api/refuse', '/api'])
      await ask(port, { method: 'POST', path, body: 'x'.repeat(900), agent });
    expect(connections()).toBe(1);
  });

  describe('a body that arrives during another wait', () => {
    /** Waits until the whole of a body has come, before it goes on. */
    const holding =
      (next: (request: GatewayRequest) => Promise<GatewayResponse | undefined>): RequestListener =>
      (req, res) => {
        const handle = async (request: GatewayRequest) => {
          request.holdBody?.(LIMITS.maxBodyBytes);
          while (!req.complete || (req.readableFlowing === true && !req.readableEnded)) await new Promise(setImmediate);
          return next(request);
        };
        mounted({}, { handle })(req, res);
      };
    const chunked = (body: string): Asked => ({ method: 'POST', body, headers: { 'transfer-encoding': 'chunked' } });

    it('is read unchanged', async () => {
      const arrived: unknown[] = [];
      const { port } = await serve(
        holding((request) => {
          arrived.push(request.bodyHasArrived);
          return echo(request);
        }),
      );
      for (const body of ['{"a":1}', 'x'.repeat(1_000), ''])
        expect(JSON.parse((await ask(port, chunked(body))).body)).toMatchObject({ content: body });
      expect(arrived).toEqual([true, true, true]);
    });

    it('is refused if too large, and keeps the connection', async () => {
      const { port } = await serve(holding(echo));
      expect(await ask(port, chunked('x'.repeat(500_000)))).toMatchObject({ status: 413, body: 'request_too_large' });
    });

    it('leaves a connection usable for the next request if it is not read', async () => {
      const { port, connections } = await serve(holding(() => Promise.resolve(respond(401, 'who are you?'))));
      const agent = keptAlive();
      for (const length of [900, 500_000, 900])
        expect(await ask(port, { ...chunked('x'.repeat(length)), agent })).toMatchObject({ status: 401 });
      expect(connections()).toBe(1);
    });
  });

  it('refuses a body that takes far more on the wire than it has bytes', async () => {
    const { port } = await serve(mounted());
    const socket = connectSocket(port, '127.0.0.1').on('error', () => undefined);
    const chunk = `1;${'e'.repeat(10_000)}\r\nx\r\n`;
    socket.write(`POST /api HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n${chunk.repeat(100)}`);
    let received = '';
    await new Promise<void>((resolve) => {
      socket.on('data', (data) => (received += data.toString())).on('close', () => resolve());
    });
    expect(received).toMatch(/^HTTP\/1\.1 413 /);
  });

  it('sends the refusal to a caller in the middle of a large upload, then closes the connection', async () => {
    const { port, connections } = await serve(mounted());
    const agent = keptAlive();
    const response = await ask(port, { method: 'POST', body: Buffer.alloc(8_000_000), agent });
    expect(response).toMatchObject({ status: 413, body: 'request_too_large', headers: { connection: 'close' } });
    expect(await ask(port, { agent })).toMatchObject({ status: 200 });
    expect(connections()).toBe(2);
  });

  it('closes the connection of a refused caller that sends nothing more', async () => {
    const { port } = await serve(mounted());
    const socket = connectSocket(port, '127.0.0.1');
    socket.write(`POST /api HTTP/1.1\r\nhost: x\r\ncontent-length: 5000\r\n\r\n${'x'.repeat(1_001)}`);
    let received = '';
    const closed = new Promise<void>((resolve) => {
      socket.on('data', (chunk) => (received += chunk.toString())).on('close', () => resolve());
    });
    await closed;
    expect(received).toMatch(/^HTTP\/1\.1 413 [^]*request_too_large$/);
  });

  it('tells the gateway that its caller has disconnected, and writes nothing then', async () => {
    const gone = new Promise<boolean>((resolve) => {
      void serve((req, res) => {
        const handle = async (request: GatewayRequest) => {
          expect(request.disconnected).toBe(false);
          outgoing.destroy();
          await new Promise((closed) => res.once('close', closed));
          resolve(request.disconnected);
          return respond(200, 'too late');
        };
        mounted({}, { handle })(req, res);
      }).then(({ port }) => {
        outgoing = httpRequest({ host: '127.0.0.1', port, path: '/api' }).on('error', () => undefined);
        outgoing.end();
      });
      let outgoing: ReturnType<typeof httpRequest>;
    });
    expect(await gone).toBe(true);
  });

  it('writes nothing if the host has answered, and tells the gateway', async () => {
    let disconnected: boolean | undefined;
    const { port } = await serve((req, res) => {
      const handle = (request: GatewayRequest) => {
        res.writeHead(503).end('the host’s own timeout');
        ({ disconnected } = request);
        return Promise.resolve(respond(200, 'too late'));
      };
      mounted({}, { handle })(req, res);
    });
    expect(await ask(port, {})).toMatchObject({ status: 503, body: 'the host’s own timeout' });
    expect(disconnected).toBe(true);
  });

  it('closes the connection and warns if a gateway rejects, which ours never does', async () => {
    const warnings = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    cleanups.push(() => warnings.mockRestore());
    const { port } = await serve(mounted({}, { handle: () => Promise.reject(new Error('a foreign gateway')) }));
    await expect(ask(port, {})).rejects.toThrow('socket hang up');
    expect(warnings).toHaveBeenCalledTimes(1);
  });

  it.each(['data', 'end'])('has nothing of a body that the host has read until its event %s', async (event) => {
    const { port } = await serve((req, res) => {
      req.on('data', () => undefined).once(event, () => mounted()(req, res));
    });
    const { body } = await ask(port, { method: 'POST', body: 'raw', headers: { 'content-length': '3' } });
    expect(JSON.parse(body)).not.toHaveProperty('content');
  });

  describe('over HTTP/2', () => {
    async function open() {
      const streams: ServerHttp2Stream[] = [];
      const server = createHttp2Server((req, res) => {
        streams.push(req.stream);
        void handleNode({ handle: echo }, { req, res });
      });
      const port = await listen(server);
      const session = connect(`http://127.0.0.1:${port}`);
      cleanups.push(() => session.destroy());
      return { session, streams };
    }

    async function answerTo(stream: ClientHttp2Stream) {
      let body = '';
      stream.setEncoding('utf8').on('data', (text: string) => (body += text));
      const ended = once(stream, 'end');
      const [headers] = (await once(stream, 'response')) as [Record<string, unknown>];
      await ended;
      return { status: headers[':status'], body };
    }

    const TOO_LARGE = { status: 413, body: 'request_too_large' };

    it('serves requests without a Connection header in the response', async () => {
      const { session } = await open();
      const stream = session.request({ ':method': 'POST', ':path': '/api' });
      stream.end('x'.repeat(1_001));
      expect(await answerTo(stream)).toEqual(TOO_LARGE);
    });

    it('asks a caller in the middle of a large upload to stop, after the response', async () => {
      const { session, streams } = await open();
      const stream = session.request({ ':method': 'POST', ':path': '/api' });
      const stopped = once(stream, 'aborted');
      // Never ended: more than the window of a stream takes.
      stream.write(Buffer.alloc(1_000_000));
      expect(await answerTo(stream)).toEqual(TOO_LARGE);
      await stopped;
      await expect.poll(() => streams.map(({ destroyed, rstCode }) => [destroyed, rstCode])).toEqual([[true, 0]]);
      const next = session.request({ ':method': 'POST', ':path': '/api' });
      next.end('small');
      expect(await answerTo(next)).toMatchObject({ status: 200 });
    });
  });
});
