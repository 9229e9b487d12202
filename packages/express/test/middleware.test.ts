import { once } from 'node:events';
import type { Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { type AuthenticatedRequest, createGateway, type Gateway, memoryLedger } from '@searchgate/core';
import { exa } from '@searchgate/core/providers';
import { type FaultUpstream, type HttpUnderTest, nodeHost, startFaultUpstream } from '@searchgate/testing';
import compression from 'compression';
import express, { type ErrorRequestHandler, type Express, type Request, type RequestHandler } from 'express';
import session from 'express-session';
import helmet from 'helmet';
import responseTime from 'response-time';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { gatewayRouter } from '../src/index.js';

/*
 * The router beside the middleware Express applications have, which hooks into `res` (by `on-headers`, or by replacing `write` and `end`)
 * and must find our responses to be like those of any other route.
 */

declare module 'express-session' {
  interface SessionData {
    user: string;
    visits: number;
  }
}

const REPLY = { answer: 'Thirty days [1].', citations: [{ url: 'https://example.org/', title: 'Leave' }] };
const MAX_BODY_BYTES = 1_000;
const question = JSON.stringify({ model: 'exa/answer', query: 'How much leave do I get?' });

let upstream: FaultUpstream;
let gateway: Gateway<Request>;
const hosts: HttpUnderTest[] = [];

beforeAll(async () => {
  upstream = await startFaultUpstream({ healthyReply: { body: JSON.stringify(REPLY) } });
  gateway = createGateway({
    providers: [exa({ apiKey: 'upstream-key', baseUrl: upstream.url })],
    ledger: memoryLedger({ credits: { acme: '10' } }),
    maxBodyBytes: MAX_BODY_BYTES,
    authenticate(_token, { host }: AuthenticatedRequest<Request>) {
      const user = host?.session.user;
      return user === undefined ? null : { id: `user-${user}`, organizationId: 'acme', label: user };
    },
  });
});
afterEach(async () => {
  await Promise.all(hosts.splice(0).map((host) => host.stop()));
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});

/** An application with everything around the router; what reaches its error handler is collected. */
function application(mountPath = '/'): { app: Express; errors: unknown[] } {
  const errors: unknown[] = [];
  const count: RequestHandler = (req, _res, next) => {
    req.session.visits = (req.session.visits ?? 0) + 1;
    next();
  };
  const welcome: RequestHandler = (req, res) => {
    req.session.user = 'ada';
    res.send('welcome');
  };
  const handleError: ErrorRequestHandler = (error, _req, res, _next) => {
    errors.push(error);
    res.status(503).send('the host’s error page');
  };
  const app = express();
  app.use(responseTime(), helmet(), compression({ threshold: 0 }));
  app.use(session({ secret: 'a key that signs', resave: false, saveUninitialized: false, rolling: true }));
  app.use(count).post('/login', welcome);
  app.use(mountPath, gatewayRouter(gateway));
  app.get('/visits', (req, res) => void res.json(req.session.visits));
  app.use(handleError);
  return { app, errors };
}

async function start(app: Express) {
  const host = await nodeHost(app);
  hosts.push(host);
  return async (target: string, headers: Record<string, string> = {}, method = 'GET', text?: string) => {
    const body =
      text === undefined ? null : ({ chunks: [Buffer.from(text)], framing: 'length', stalls: false } as const);
    const response = await host.send({ method, target, headers, body }).response;
    return { ...response, text: decode(response.headers['content-encoding'], Buffer.from(response.body)) };
  };
}

function decode(encoding: string | undefined, body: Buffer): string {
  if (encoding === undefined || body.byteLength === 0) return body.toString();
  return (encoding === 'br' ? brotliDecompressSync(body) : gunzipSync(body)).toString();
}

async function logIn(send: Awaited<ReturnType<typeof start>>): Promise<{ cookie: string }> {
  const { headers } = await send('/login', {}, 'POST');
  return { cookie: (headers['set-cookie'] ?? '').split(';')[0] ?? '' };
}

/** What every piece of middleware around the router leaves on a response. */
const AROUND = {
  'x-response-time': expect.stringMatching(/ms$/),
  'x-frame-options': 'SAMEORIGIN',
  'x-content-type-options': 'nosniff',
  'x-request-id': expect.stringMatching(/^req_/),
  'set-cookie': expect.stringMatching(/^connect\.sid=/),
};

describe('the Express router beside other middleware', () => {
  it.each(['/', '/search'])('lets session, headers and the clock around it work, mounted at %s', async (mountPath) => {
    const { app, errors } = application(mountPath);
    const base = mountPath === '/' ? '' : mountPath;
    const send = await start(app);
    const alice = { ...(await logIn(send)), 'accept-encoding': 'identity' };
    const asJson = { 'content-type': 'application/json' };
    const answered = await send(`${base}/api/v1/answer`, { ...alice, ...asJson }, 'POST', question);
    expect(answered).toMatchObject({ status: 200, headers: AROUND });
    expect(JSON.parse(answered.text)).toMatchObject({ answer: REPLY.answer });
    const notFound = await send(
      `${base}/api/v1/answer`,
      { ...alice, ...asJson },
      'POST',
      question.replace('exa', 'axe'),
    );
    expect(notFound).toMatchObject({ status: 404, headers: AROUND });
    const stranger = await send(`${base}/api/v1/key`);
    expect(stranger).toMatchObject({ status: 401, headers: AROUND });
    expect(JSON.parse(stranger.text)).toMatchObject({ error: { reason: 'not_authenticated' } });
    expect((await send('/visits', alice)).text).toBe('4');
    expect(errors).toEqual([]);
  });

  it.each(['br', 'gzip'])('lets responses be compressed: %s', async (encoding) => {
    const send = await start(application().app);
    const alice = await logIn(send);
    const plain = await send('/api/v1/models', { ...alice, 'accept-encoding': 'identity' });
    const small = await send('/api/v1/models', { ...alice, 'accept-encoding': encoding });
    expect(small.headers).toMatchObject({ ...AROUND, 'content-encoding': encoding, vary: 'Accept-Encoding' });
    expect(small.headers['content-length']).toBeUndefined();
    expect(small.body.byteLength).toBeLessThan(plain.body.byteLength / 2);
    expect(small.text).toBe(plain.text);
    const key = await send('/api/v1/key', { ...alice, 'accept-encoding': encoding });
    expect(JSON.parse(key.text)).toMatchObject({ label: 'ada' });
  });

  it('answers HEAD and 304 without a body, with the headers of the whole', async () => {
    const send = await start(application().app);
    const alice = { ...(await logIn(send)), 'accept-encoding': 'identity' };
    const whole = await send('/api/v1/models', alice);
    const head = await send('/api/v1/models', alice, 'HEAD');
    expect(head).toMatchObject({ status: 200, text: '', headers: AROUND });
    for (const name of ['content-type', 'content-length', 'etag'])
      expect([name, head.headers[name]]).toEqual([name, whole.headers[name]]);
    const unchanged = await send('/api/v1/models', { ...alice, 'if-none-match': whole.headers['etag'] ?? '' });
    expect(unchanged).toMatchObject({ status: 304, text: '', headers: { ...AROUND, etag: whole.headers['etag'] } });
  });

  it.each(['identity', 'gzip'])(
    'closes the connection of a body it does not read, also around it (%s)',
    async (encoding) => {
      const { app, errors } = application();
      const { cookie } = await logIn(await start(app));
      const server: Server = app.listen(0, '127.0.0.1');
      await once(server, 'listening');
      const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
      const head = [
        'POST /api/v1/answer HTTP/1.1',
        'host: localhost',
        'content-type: application/json',
        'transfer-encoding: chunked',
        `accept-encoding: ${encoding}`,
        `cookie: ${cookie}`,
      ];
      const chunk = 'x'.repeat(MAX_BODY_BYTES + 1);
      socket.write(`${head.join('\r\n')}\r\n\r\n${chunk.length.toString(16)}\r\n${chunk}\r\n`);
      const arrived: Buffer[] = [];
      if (encoding === 'identity') {
        // The caller has the response while it is still sending.
        while (!Buffer.concat(arrived).includes('request_too_large'))
          arrived.push((await once(socket, 'data'))[0] as Buffer);
      }
      socket.write('0\r\n\r\n');
      for await (const rest of socket) arrived.push(rest as Buffer);
      server.close();
      const text = Buffer.concat(arrived).toString('latin1');
      expect(text).toMatch(/^HTTP\/1.1 413 Payload Too Large\r\n/);
      expect(text).toMatch(/^connection: close\r$/im);
      expect(text).toMatch(/^x-response-time: /im);
      expect(text).toMatch(/^set-cookie: connect\.sid=/im);
      expect(errors).toEqual([]);
    },
  );
});
