import { once } from 'node:events';
import { connect as connectHttp2, createServer as createHttp2Server } from 'node:http2';
import { type AddressInfo, connect } from 'node:net';
import { Readable } from 'node:stream';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import Router from '@koa/router';
import { type AuthenticatedRequest, createGateway, type Gateway, memoryLedger } from '@searchgate/core';
import type { MountableGateway } from '@searchgate/core/node';
import { exa } from '@searchgate/core/providers';
import { type FaultUpstream, type HttpUnderTest, nodeHost, startFaultUpstream } from '@searchgate/testing';
import Koa, { type Context, type Middleware } from 'koa';
import compress from 'koa-compress';
import conditionalGet from 'koa-conditional-get';
import helmet from 'koa-helmet';
import mount from 'koa-mount';
import responseTime from 'koa-response-time';
import { createSession } from 'koa-session';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { gatewayRouter } from '../src/index.js';

/*
 * The router beside the middleware Koa applications have, which does its work before and after `await next()` and must find our
 * responses to be like those of any other route.
 */

const REPLY = { answer: 'Thirty days [1].', citations: [{ url: 'https://example.org/', title: 'Leave' }] };
const MAX_BODY_BYTES = 1_000;
const question = JSON.stringify({ model: 'exa/answer', query: 'How much leave do I get?' });

let upstream: FaultUpstream;
let gateway: Gateway<Context>;
const hosts: HttpUnderTest[] = [];

beforeAll(async () => {
  upstream = await startFaultUpstream({ healthyReply: { body: JSON.stringify(REPLY) } });
  gateway = createGateway({
    providers: [exa({ apiKey: 'upstream-key', baseUrl: upstream.url })],
    ledger: memoryLedger({ credits: { acme: '10' } }),
    maxBodyBytes: MAX_BODY_BYTES,
    authenticate(_token, { host }: AuthenticatedRequest<Context>) {
      const user = (host?.['session'] as { user?: string } | undefined)?.user;
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

/** An application with everything around the router; what reaches its error handlers is collected. */
function application(...around: Middleware[]): { app: Koa; errors: unknown[]; seen: number[] } {
  const app = new Koa({ keys: ['a key that signs'] });
  const errors: unknown[] = [];
  const seen: number[] = [];
  app.on('error', (error) => errors.push(error));
  app.use(async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      errors.push(error);
      ctx.status = 503;
      ctx.body = 'the host’s error page';
    }
    seen.push(ctx.status);
  });
  app.use(responseTime({ hrtime: true })).use(helmet());
  app.use(compress({ threshold: 0 })).use(conditionalGet());
  app.use(createSession(app, { rolling: true }) as Middleware);
  app.use(async (ctx, next) => {
    if (ctx.path === '/login') {
      (ctx['session'] as { user: string }).user = 'ada';
      ctx.body = 'welcome';
      return;
    }
    await next();
    ctx.cookies.set('seen', String(ctx.status));
    ctx.set('X-After', 'next');
  });
  for (const part of around) app.use(part);
  return { app, errors, seen };
}

async function start(app: Koa) {
  const host = await nodeHost(app.callback());
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

async function logIn(send: Awaited<ReturnType<typeof start>>): Promise<Record<string, string>> {
  const { headers } = await send('/login');
  return { cookie: [...(headers['set-cookie'] ?? '').matchAll(/koa\.sess(?:\.sig)?=[^;]+/g)].join('; ') };
}

/** What every piece of middleware around the router leaves on a response. */
function expectMiddleware(headers: Readonly<Record<string, string | undefined>>, status: number): void {
  expect(headers).toMatchObject({
    'x-response-time': expect.stringMatching(/ms$/),
    'x-frame-options': 'SAMEORIGIN',
    'x-after': 'next',
    'x-content-type-options': 'nosniff',
    'x-request-id': expect.stringMatching(/^req_/),
  });
  expect(headers['set-cookie']).toContain(`seen=${status}`);
}

describe('the Koa router beside other middleware', () => {
  it.each<[string, () => Middleware[], string]>([
    ['used by the application', () => [gatewayRouter(gateway)], ''],
    ['used under a prefix', () => [gatewayRouter(gateway, { prefix: '/search' })], '/search'],
    ['in koa-mount', () => [mount('/search', gatewayRouter(gateway)) as Middleware], '/search'],
    [
      'in an application in koa-mount',
      () => [mount('/search', new Koa().use(gatewayRouter(gateway) as Middleware))],
      '/search',
    ],
    [
      'in @koa/router',
      () => {
        const router = new Router().all('/search/{*rest}', gatewayRouter(gateway, { prefix: '/search' }));
        return [router.routes() as Middleware, router.allowedMethods({ throw: true }) as Middleware];
      },
      '/search',
    ],
  ])('lets session, cookies, headers and the clock around it work: %s', async (_name, around, base) => {
    const { app, errors } = application(...around());
    const send = await start(app);
    const alice = await logIn(send);
    const asJson = { 'content-type': 'application/json', 'accept-encoding': 'identity' };
    const answered = await send(`${base}/api/v1/answer`, { ...alice, ...asJson }, 'POST', question);
    expect(answered).toMatchObject({ status: 200, headers: { 'content-type': 'application/json; charset=utf-8' } });
    expect(JSON.parse(answered.text)).toMatchObject({ answer: REPLY.answer });
    expect(answered.headers['set-cookie']).toContain('koa.sess=');
    expectMiddleware(answered.headers, 200);
    const refused = await send(`${base}/api/v1/key`);
    expect(JSON.parse(refused.text)).toMatchObject({ error: { code: 401, reason: 'not_authenticated' } });
    expectMiddleware(refused.headers, 401);
    const notFound = await send(
      `${base}/api/v1/answer`,
      { ...alice, ...asJson },
      'POST',
      question.replace('exa', 'axe'),
    );
    expect(JSON.parse(notFound.text)).toMatchObject({ error: { code: 404, reason: 'model_not_found' } });
    expectMiddleware(notFound.headers, 404);
    expect(errors).toEqual([]);
  });

  it.each(['br', 'gzip'])('lets responses be compressed: %s', async (encoding) => {
    const send = await start(application(gatewayRouter(gateway)).app);
    const alice = await logIn(send);
    const plain = await send('/api/v1/models', { ...alice, 'accept-encoding': 'identity' });
    const small = await send('/api/v1/models', { ...alice, 'accept-encoding': encoding });
    expect(small.headers).toMatchObject({ 'content-encoding': encoding, vary: 'Accept-Encoding' });
    expect(small.headers['content-length']).toBeUndefined();
    expect(small.body.byteLength).toBeLessThan(plain.body.byteLength / 2);
    expect(small.text).toBe(plain.text);
    const key = await send('/api/v1/key', { ...alice, 'accept-encoding': encoding });
    expect(JSON.parse(key.text)).toMatchObject({ label: 'ada' });
    expectMiddleware(key.headers, 200);
  });

  it('answers HEAD and 304 without a body, with the headers of the whole', async () => {
    const send = await start(application(gatewayRouter(gateway)).app);
    const alice = { ...(await logIn(send)), 'accept-encoding': 'identity' };
    const whole = await send('/api/v1/models', alice);
    const head = await send('/api/v1/models', alice, 'HEAD');
    expect(head).toMatchObject({ status: 200, text: '' });
    for (const name of ['content-type', 'content-length', 'etag'])
      expect([name, head.headers[name]]).toEqual([name, whole.headers[name]]);
    expectMiddleware(head.headers, 200);
    const unchanged = await send('/api/v1/models', { ...alice, 'if-none-match': whole.headers['etag'] ?? '' });
    expect(unchanged).toMatchObject({ status: 304, text: '', headers: { etag: whole.headers['etag'] } });
    expect(unchanged.headers['content-type']).toBeUndefined();
    expectMiddleware(unchanged.headers, 304);
    const key = await send('/api/v1/key', alice, 'HEAD');
    expect(key).toMatchObject({ status: 200, text: '' });
    expect(Number(key.headers['content-length'])).toBeGreaterThan(0);
  });

  it.each([
    ['identity', 'content-length'],
    ['gzip', 'transfer-encoding'],
  ])('closes the connection of a body it does not read, also around it (%s)', async (encoding, framing) => {
    const { app, errors, seen } = application(gatewayRouter(gateway));
    const send = await start(app);
    const alice = await logIn(send);
    const server = app.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    const head = [
      'POST /api/v1/answer HTTP/1.1',
      'host: localhost',
      'content-type: application/json',
      'transfer-encoding: chunked',
      `accept-encoding: ${encoding}`,
      `cookie: ${alice['cookie']}`,
    ];
    const chunk = 'x'.repeat(MAX_BODY_BYTES + 1);
    socket.write(`${head.join('\r\n')}\r\n\r\n${chunk.length.toString(16)}\r\n${chunk}\r\n`);
    const arrived: Buffer[] = [];
    if (framing === 'content-length') {
      // The caller has the response while it is still sending.
      while (!Buffer.concat(arrived).includes('request_too_large'))
        arrived.push((await once(socket, 'data'))[0] as Buffer);
    }
    socket.write('0\r\n\r\n');
    for await (const rest of socket) arrived.push(rest as Buffer);
    server.close();
    const text = Buffer.concat(arrived).toString();
    expect(text).toMatch(/^HTTP\/1.1 413 Payload Too Large\r\n/);
    const headers = Object.fromEntries(
      [...text.matchAll(/^([\w-]+): (.*)\r$/gm)].map(([, name = '', value = '']) => [name.toLowerCase(), value]),
    );
    expect(headers).toMatchObject({ connection: 'close', 'x-after': 'next', 'x-response-time': expect.any(String) });
    expect(headers[framing]).toBeDefined();
    expect(text).toMatch(/^set-cookie: koa\.sess=/im);
    expect({ errors, seen: seen.at(-1) }).toEqual({ errors: [], seen: 413 });
  });

  it('answers over HTTP/2, where no header closes a connection', async () => {
    const { app, errors } = application(gatewayRouter(gateway));
    const server = createHttp2Server((req, res) => void app.callback()(req, res));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const client = connectHttp2(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const stream = client.request({
      ':method': 'POST',
      ':path': '/api/v1/answer',
      'content-type': 'application/json',
      'content-length': 100_000,
    });
    const [headers] = (await once(stream, 'response')) as [Record<string, unknown>];
    expect(headers).toMatchObject({ ':status': 413, 'x-after': 'next' });
    expect(headers['connection']).toBeUndefined();
    stream.close();
    client.destroy();
    await new Promise((resolve) => server.close(resolve));
    expect(errors).toEqual([]);
  });

  it('is changed by what middleware around it does afterwards, like any other route', async () => {
    const { app, errors } = application(async (ctx, next) => {
      await next();
      ctx.set('Cache-Control', 'private');
      if (ctx.status === 401) ctx.redirect('/login');
      else ctx.body = { wrapped: JSON.parse(ctx.body as string) as unknown };
    }, gatewayRouter(gateway));
    const send = await start(app);
    expect(await send('/api/v1/key')).toMatchObject({ status: 302, headers: { location: '/login' } });
    const key = await send('/api/v1/key', await logIn(send));
    expect(JSON.parse(key.text)).toMatchObject({ wrapped: { label: 'ada' } });
    expect(key.headers['cache-control']).toBe('private');
    expect(errors).toEqual([]);
  });

  it('leaves it to the host’s error handling when middleware around it throws afterwards', async () => {
    const { app, errors } = application(async (_ctx, next) => {
      await next();
      throw new Error('the host’s own');
    }, gatewayRouter(gateway));
    const send = await start(app);
    expect(await send('/api/v1/key')).toMatchObject({ status: 503, text: 'the host’s error page' });
    expect(errors).toMatchObject([{ message: 'the host’s own' }]);
  });

  it('leaves it to the host’s error handling when a gateway that is not ours rejects', async () => {
    const broken: MountableGateway = { handle: () => Promise.reject(new Error('not ours')) };
    const { app, errors } = application(gatewayRouter(broken));
    const send = await start(app);
    expect(await send('/api/v1/key')).toMatchObject({ status: 503, text: 'the host’s error page' });
    expect(errors).toMatchObject([{ message: 'not ours' }]);
  });

  it('does not call the middleware behind it for its own paths, and does for all others', async () => {
    const behind: string[] = [];
    const { app } = application(gatewayRouter(gateway), (ctx) => {
      behind.push(ctx.path);
      ctx.body = 'the host’s';
    });
    const send = await start(app);
    await send('/api/v1/key');
    expect(await send('/api/v1/other')).toMatchObject({ status: 200, text: 'the host’s' });
    expect(behind).toEqual(['/api/v1/other']);
  });

  it('tells middleware around it that the caller has gone', async () => {
    let arrive = (): void => undefined;
    const arrived = new Promise<void>((resolve) => (arrive = resolve));
    const { app, errors, seen } = application((ctx, next) => {
      if (ctx.method === 'POST') arrive();
      return next();
    }, gatewayRouter(gateway));
    const host = await nodeHost(app.callback());
    hosts.push(host);
    const alice = await logIn(await start(app));
    const headers = { ...alice, 'content-type': 'application/json' };
    const body = { chunks: [Buffer.from('{')], framing: 'length', stalls: true } as const;
    const exchange = host.send({ method: 'POST', target: '/api/v1/answer', headers, body });
    await arrived;
    await exchange.disconnect();
    while (!seen.includes(499)) await new Promise((resolve) => setImmediate(resolve));
    expect(errors.filter((error) => !isParseError(error))).toEqual([]);
  });

  it('adds nothing to a response that middleware before it has begun past Koa', async () => {
    const { app, errors } = application();
    app.middleware.splice(0);
    app
      .use(async (ctx, next) => {
        const body = Readable.from(['the host’s ', 'stream']);
        ctx.res.writeHead(200);
        ctx.res.flushHeaders();
        await next();
        body.pipe(ctx.res);
      })
      .use(gatewayRouter(gateway));
    const send = await start(app);
    expect(await send('/api/v1/key')).toMatchObject({ status: 200, text: 'the host’s stream' });
    expect(errors).toEqual([]);
  });

  it('serves plain bytes of a gateway that is not ours as bytes', async () => {
    const bytes = new Uint8Array(Buffer.from('[{"by":"another"}]')).subarray(1, 17);
    const headers = { 'content-type': 'application/json', 'content-length': '16' };
    const other: MountableGateway = { handle: () => Promise.resolve({ status: 200, headers, body: bytes }) };
    const send = await start(application(gatewayRouter(other)).app);
    expect((await send('/api/v1/key', { 'accept-encoding': 'identity' })).text).toBe('{"by":"another"}');
  });
});

/** Koa reports what node says of a body that breaks off. */
function isParseError(error: unknown): boolean {
  return (error as Error).message === 'Parse Error';
}
