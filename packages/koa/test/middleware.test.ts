import { once } from 'node:events';
import { connect as connectHttp2, createServer as createHttp2Server } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import Router from '@koa/router';
import type { BodyWriter, MountableGateway } from '@searchgate/core/node';
import Koa, { type Context, type Middleware } from 'koa';
import compress from 'koa-compress';
import conditionalGet from 'koa-conditional-get';
import helmet from 'koa-helmet';
import mount from 'koa-mount';
import responseTime from 'koa-response-time';
import { createSession } from 'koa-session';
import { describe, expect, it } from 'vitest';
import {
  type Headers,
  middlewareSuite,
  QUESTION,
  REPLY,
  type Send,
  start as startListener,
} from '../../testing/test/adapter/middleware-suite.js';
import { serve } from '../../testing/test/adapter/mounted-echo.js';
import { gatewayRouter } from '../src/index.js';

/*
 * The router next to common Koa middleware, which works before and after `await next()` and must see the router's responses like those of
 * any other route.
 */

/** An application with middleware around the router; collects the errors that reach its error handlers. */
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

const start = (app: Koa) => startListener({ listener: app.callback() });

const marks = { 'x-response-time': expect.stringMatching(/ms$/), 'x-after': 'next' };

async function logIn(send: Send): Promise<Headers> {
  const { headers } = await send('/login');
  return { cookie: [...(headers['set-cookie'] ?? '').matchAll(/koa\.sess(?:\.sig)?=[^;]+/g)].join('; ') };
}

/** Expects the headers that the middleware around the router sets on every response. */
function expectMiddleware(headers: Readonly<Record<string, string | undefined>>, status: number): void {
  expect(headers).toMatchObject({
    ...marks,
    'x-frame-options': 'SAMEORIGIN',
    'x-content-type-options': 'nosniff',
    'x-request-id': expect.stringMatching(/^req_/),
  });
  expect(headers['set-cookie']).toContain(`seen=${status}`);
  expect(headers['content-type'] === undefined).toBe(status === 304);
}

describe('the Koa router with other middleware', () => {
  const gateway = middlewareSuite<Context>({
    userOf: (host) => (host?.['session'] as { user?: string } | undefined)?.user,
    application(mounted) {
      const { app, errors, seen } = application(gatewayRouter(mounted));
      return { listener: app.callback(), errors, statuses: seen };
    },
    logIn,
    marks,
    expectMiddleware,
  });

  it.each<[string, () => Middleware[], string]>([
    ['used by the application', () => [gatewayRouter(gateway())], ''],
    ['used under a prefix', () => [gatewayRouter(gateway(), { prefix: '/search' })], '/search'],
    ['in koa-mount', () => [mount('/search', gatewayRouter(gateway())) as Middleware], '/search'],
    [
      'in an application in koa-mount',
      () => [mount('/search', new Koa().use(gatewayRouter(gateway()) as Middleware))],
      '/search',
    ],
    [
      'in @koa/router',
      () => {
        const router = new Router().all('/search/{*rest}', gatewayRouter(gateway(), { prefix: '/search' }));
        return [router.routes() as Middleware, router.allowedMethods({ throw: true }) as Middleware];
      },
      '/search',
    ],
  ])('lets session, cookies, headers and the clock around it work: %s', async (_name, around, base) => {
    const { app, errors } = application(...around());
    const send = await start(app);
    const alice = await logIn(send);
    const asJson = { 'content-type': 'application/json', 'accept-encoding': 'identity' };
    const answered = await send(`${base}/api/v1/answer`, { ...alice, ...asJson }, 'POST', QUESTION);
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
      QUESTION.replace('exa', 'axe'),
    );
    expect(JSON.parse(notFound.text)).toMatchObject({ error: { code: 404, reason: 'model_not_found' } });
    expectMiddleware(notFound.headers, 404);
    expect(errors).toEqual([]);
  });

  it('answers over HTTP/2, where no header closes a connection', async () => {
    const { app, errors } = application(gatewayRouter(gateway()));
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

  it('can be changed by outer middleware afterwards, like any other route', async () => {
    const { app, errors } = application(async (ctx, next) => {
      await next();
      ctx.set('Cache-Control', 'private');
      if (ctx.status === 401) ctx.redirect('/login');
      else ctx.body = { wrapped: JSON.parse(ctx.body as string) as unknown };
    }, gatewayRouter(gateway()));
    const send = await start(app);
    expect(await send('/api/v1/key')).toMatchObject({ status: 302, headers: { location: '/login' } });
    const key = await send('/api/v1/key', await logIn(send));
    expect(JSON.parse(key.text)).toMatchObject({ wrapped: { label: 'ada' } });
    expect(key.headers['cache-control']).toBe('private');
    expect(errors).toEqual([]);
  });

  it('leaves an error of outer middleware to the host’s error handling', async () => {
    const { app, errors } = application(async (_ctx, next) => {
      await next();
      throw new Error('the host’s own');
    }, gatewayRouter(gateway()));
    const send = await start(app);
    expect(await send('/api/v1/key')).toMatchObject({ status: 503, text: 'the host’s error page' });
    expect(errors).toMatchObject([{ message: 'the host’s own' }]);
  });

  it('leaves a rejection of a foreign gateway to the host’s error handling', async () => {
    const broken: MountableGateway = { handle: () => Promise.reject(new Error('not ours')) };
    const { app, errors } = application(gatewayRouter(broken));
    const send = await start(app);
    expect(await send('/api/v1/key')).toMatchObject({ status: 503, text: 'the host’s error page' });
    expect(errors).toMatchObject([{ message: 'not ours' }]);
  });

  it('calls the next middleware for all paths but its own', async () => {
    const behind: string[] = [];
    const { app } = application(gatewayRouter(gateway()), (ctx) => {
      behind.push(ctx.path);
      ctx.body = 'the host’s';
    });
    const send = await start(app);
    await send('/api/v1/key');
    expect(await send('/api/v1/other')).toMatchObject({ status: 200, text: 'the host’s' });
    expect(behind).toEqual(['/api/v1/other']);
  });

  it('lets outer middleware see that the caller has disconnected', async () => {
    let arrive = (): void => undefined;
    const arrived = new Promise<void>((resolve) => (arrive = resolve));
    const { app, errors, seen } = application((ctx, next) => {
      if (ctx.method === 'POST') arrive();
      return next();
    }, gatewayRouter(gateway()));
    const host = await serve(app.callback());
    const alice = await logIn(await start(app));
    const headers = { ...alice, 'content-type': 'application/json' };
    const body = { chunks: [Buffer.from('{')], framing: 'length', stalls: true } as const;
    const exchange = host.send({ method: 'POST', target: '/api/v1/answer', headers, body });
    await arrived;
    await exchange.disconnect();
    while (!seen.includes(499)) await new Promise((resolve) => setImmediate(resolve));
    expect(errors.filter((error) => !isParseError(error))).toEqual([]);
  });

  it('adds nothing to a response that earlier middleware has begun without Koa', async () => {
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
      .use(gatewayRouter(gateway()));
    const send = await start(app);
    expect(await send('/api/v1/key')).toMatchObject({ status: 200, text: 'the host’s stream' });
    expect(errors).toEqual([]);
  });

  it('discards a stream that has no response left', async () => {
    let give: (writer: BodyWriter) => void = () => undefined;
    const written = new Promise<BodyWriter>((resolve) => (give = resolve));
    const body = { pipeTo: (writer: BodyWriter) => give(writer) };
    const other: MountableGateway = { handle: () => Promise.resolve({ status: 200, headers: {}, body }) };
    const app = new Koa();
    app.use(async (ctx, next) => {
      ctx.res.writeHead(503).write('the host’s ');
      await next();
      const writer = await written;
      writer.write('ours');
      expect(writer.isClosed).toBe(true);
      writer.end();
      ctx.res.end('own');
    });
    const send = await start(app.use(gatewayRouter(other) as Middleware));
    expect(await send('/api/v1/key')).toMatchObject({ status: 503, text: 'the host’s own' });
  });

  it('serves the bytes of a foreign gateway unchanged', async () => {
    const bytes = new Uint8Array(Buffer.from('[{"by":"another"}]')).subarray(1, 17);
    const headers = { 'content-type': 'application/json', 'content-length': '16' };
    const other: MountableGateway = { handle: () => Promise.resolve({ status: 200, headers, body: bytes }) };
    const send = await start(application(gatewayRouter(other)).app);
    expect((await send('/api/v1/key', { 'accept-encoding': 'identity' })).text).toBe('{"by":"another"}');
  });
});

/** Whether Koa reports node's parse error for a body that broke off. */
function isParseError(error: unknown): boolean {
  return (error as Error).message === 'Parse Error';
}
