import { bodyParser } from '@koa/bodyparser';
import Router from '@koa/router';
import { nodeHost, type WireRequest } from '@searchgate/testing';
import Koa, { type Middleware } from 'koa';
import mount from 'koa-mount';
import { describe, expect, it } from 'vitest';
import { closedPathsSuite } from '../../testing/test/adapter/closed-paths-suite.js';
import { keyPathSuite } from '../../testing/test/adapter/key-path-suite.js';
import {
  addressEcho,
  always,
  ask as askListener,
  echo,
  echoed,
  post,
  stopAfterEach,
} from '../../testing/test/adapter/mounted-echo.js';
import { gatewayRouter } from './index.js';

stopAfterEach();

const ask = (app: Koa, target: string, request?: Partial<WireRequest>) => askListener(app.callback(), target, request);

/** An application, and the errors that it has reported. */
function koa(...middleware: Middleware[]): { app: Koa; errors: unknown[] } {
  const app = new Koa();
  const errors: unknown[] = [];
  app.on('error', (error) => errors.push(error));
  for (const part of middleware) app.use(part);
  return { app, errors };
}

describe('gatewayRouter in Koa', () => {
  it('serves at the root and under a prefix', async () => {
    expect((await ask(koa(gatewayRouter(echo)).app, '/api/v1/key?a=1')).json).toEqual(echoed('/api/v1/key', 'a=1'));
    const { app } = koa(gatewayRouter(echo, { prefix: '/search' }));
    expect((await ask(app, '/search/api/v1/key?a=/api')).json).toEqual(echoed('/api/v1/key', 'a=/api'));
    expect((await ask(app, '/api/v1/key')).status).toBe(404);
    expect((await ask(app, '/searching/api/v1/key')).status).toBe(404);
  });

  keyPathSuite('', (gateway) => nodeHost(koa(gatewayRouter(gateway)).app.callback()));
  keyPathSuite('/search', (gateway) => nodeHost(koa(gatewayRouter(gateway, { prefix: '/search' })).app.callback()));
  keyPathSuite('/mounted', (gateway) => nodeHost(new Koa().use(mount('/mounted', gatewayRouter(gateway))).callback()));
  keyPathSuite('/routed', (gateway) => {
    const router = new Router().all('/routed/{*rest}', gatewayRouter(gateway, { prefix: '/routed' }));
    return nodeHost(koa(router.routes() as Middleware).app.callback());
  });

  closedPathsSuite((gateway) => {
    const { app } = koa(gatewayRouter(gateway), (context) => void (context.status = 418));
    return app.callback();
  });

  it.each(['search', '/search/', '/:team'])('refuses the prefix %s when it is built', (prefix) => {
    expect(() => gatewayRouter(echo, { prefix })).toThrow(/^prefix: found ".*", expected a path such as "\/search"/);
  });

  it('refuses an object that is not a gateway, and invalid options, when built', () => {
    expect(() => gatewayRouter(echo, null as never)).toThrow('options: found null, expected an object');
    expect(() => gatewayRouter(echo, { prefx: '/search' } as never)).toThrow('prefx: found an unknown option');
    expect(() => gatewayRouter(undefined as never)).toThrow('gateway: found nothing, expected a gateway');
  });

  it('serves inside koa-mount, which strips the path', async () => {
    const inner = koa(gatewayRouter(echo)).app;
    const app = new Koa().use(mount('/search', gatewayRouter(echo))).use(mount('/inner', inner));
    expect((await ask(app, '/search/api/v1/key?a=1')).json).toEqual(echoed('/api/v1/key', 'a=1'));
    expect((await ask(app, '/inner/api/v1/key')).json).toEqual(echoed('/api/v1/key'));
  });

  it('serves inside @koa/router, which keeps the path', async () => {
    const router = new Router().all('/search/{*rest}', gatewayRouter(echo, { prefix: '/search' }));
    router.get('/own', (ctx) => {
      ctx.body = 'the host’s';
    });
    const { app, errors } = koa(router.routes() as Middleware, router.allowedMethods() as Middleware);
    expect((await ask(app, '/search/api/v1/key?a=1')).json).toEqual(echoed('/api/v1/key', 'a=1'));
    expect((await ask(app, '/search/other')).status).toBe(404);
    expect((await ask(app, '/own')).text).toBe('the host’s');
    expect(errors).toEqual([]);
  });

  it('keeps allowedMethods from changing its own 404 and 405', async () => {
    const router = new Router().all('/{*rest}', gatewayRouter(always(404, { reason: 'model_not_found' })));
    const { app, errors } = koa(router.routes() as Middleware, router.allowedMethods({ throw: true }) as Middleware);
    expect(await ask(app, '/api/v1/answer', post('{}'))).toMatchObject({
      status: 404,
      json: { reason: 'model_not_found' },
    });
    expect(errors).toEqual([]);
  });

  it.each([
    ['the socket without proxy', {}, '127.0.0.1'],
    ['the first caller with proxy', { proxy: true }, '198.51.100.9'],
    ['the caller before the only proxy', { proxy: true, maxIpsCount: 1 }, '192.0.2.7'],
  ])('passes the address of %s to the gateway', async (_name, options, address) => {
    const app = new Koa(options).use(gatewayRouter(addressEcho));
    const headers = { 'x-forwarded-for': '198.51.100.9, 192.0.2.7' };
    expect((await ask(app, '/api/v1/key', { headers })).json).toEqual({ address });
  });

  it('leaves the host’s other middleware alone, before and after it', async () => {
    const { app } = koa(
      async (ctx, next) => (ctx.path === '/api/v1/health' ? void (ctx.body = 'healthy') : next()),
      gatewayRouter({
        handle: (request) => (request.path === '/api/v1/key' ? echo.handle(request) : Promise.resolve(undefined)),
      }),
      (ctx) => {
        ctx.body = ctx.method === 'POST' ? ctx.req : { by: 'host', url: ctx.url };
      },
    );
    expect((await ask(app, '/api/v1/health')).text).toBe('healthy');
    expect((await ask(app, '/api/v1/key')).json).toEqual(echoed('/api/v1/key'));
    expect((await ask(app, '/api/v1/x?y=1')).json).toEqual({ by: 'host', url: '/api/v1/x?y=1' });
    expect((await ask(app, '/upload', post('the host’s own body'))).text).toBe('the host’s own body');
  });

  it('leaves errors of the host’s middleware to the host', async () => {
    const { app, errors } = koa(gatewayRouter(echo), (ctx) => ctx.throw(418, 'the host’s own'));
    expect(await ask(app, '/broken')).toMatchObject({ status: 418, text: 'the host’s own' });
    expect(errors).toHaveLength(1);
  });

  it('reports no error to the host, whatever it answers', async () => {
    const { app, errors } = koa(gatewayRouter(always(500, { error: { code: 500 } })));
    expect(await ask(app, '/api/v1/key')).toMatchObject({ status: 500, json: { error: { code: 500 } } });
    expect(errors).toEqual([]);
  });

  it('keeps headers set by earlier middleware, and overrides them with its own', async () => {
    const { app } = koa(async (ctx, next) => {
      ctx.set({ 'Access-Control-Allow-Origin': 'https://app.example.com', 'Cache-Control': 'public' });
      ctx.vary('Origin');
      ctx.cookies.set('session', '1');
      await next();
    }, gatewayRouter(echo));
    expect((await ask(app, '/api/v1/key')).headers).toMatchObject({
      'access-control-allow-origin': 'https://app.example.com',
      vary: 'Origin',
      'set-cookie': 'session=1; path=/; httponly',
      'cache-control': 'no-store',
    });
  });

  it('reads the body before a parser, after a parser, and when a parser has skipped it', async () => {
    const after = koa(bodyParser() as Middleware, gatewayRouter(echo)).app;
    expect((await ask(after, '/api/v1/answer', post('{"model":"m"}'))).json).toMatchObject({ content: { model: 'm' } });
    expect((await ask(after, '/api/v1/answer', post('{"model":"m"}', 'text/x'))).json).toMatchObject({
      content: '{"model":"m"}',
    });
    const before = koa(gatewayRouter(echo), bodyParser() as Middleware, (ctx) => {
      ctx.body = { by: 'host', body: ctx.request.body };
    }).app;
    expect((await ask(before, '/api/v1/answer', post('{"model":"m"}'))).json).toMatchObject({
      content: '{"model":"m"}',
    });
    expect((await ask(before, '/own', post('{"own":1}'))).json).toEqual({ by: 'host', body: { own: 1 } });
  });

  it('stays silent after earlier middleware has answered', async () => {
    const { app, errors } = koa(async (ctx, next) => {
      const served = next();
      ctx.res.writeHead(503).end('too slow');
      await served;
    }, gatewayRouter(echo));
    expect(await ask(app, '/api/v1/key')).toMatchObject({ status: 503, text: 'too slow' });
    expect(errors).toEqual([]);
  });
});
