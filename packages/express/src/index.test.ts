import { nodeHost } from '@searchgate/testing';
import express, { type ErrorRequestHandler, type RequestHandler } from 'express';
import { describe, expect, it } from 'vitest';
import { closedPathsSuite } from '../../testing/test/adapter/closed-paths-suite.js';
import { keyPathSuite } from '../../testing/test/adapter/key-path-suite.js';
import {
  addressEcho,
  always,
  ask,
  echo,
  echoed,
  post,
  stopAfterEach,
} from '../../testing/test/adapter/mounted-echo.js';
import { gatewayRouter } from './index.js';

stopAfterEach();

describe('gatewayRouter in Express', () => {
  it('serves at the root and under a mount path, which Express strips', async () => {
    expect((await ask(express().use(gatewayRouter(echo)), '/api/v1/key?a=1')).json).toEqual(
      echoed('/api/v1/key', 'a=1'),
    );
    const mounted = express().use('/search', gatewayRouter(echo));
    expect((await ask(mounted, '/search/api/v1/key?a=/api')).json).toEqual(echoed('/api/v1/key', 'a=/api'));
    expect((await ask(mounted, '/api/v1/key')).status).toBe(404);
    expect((await ask(mounted, '/search')).status).toBe(404);
  });

  it('serves in nested routers, behind parameters and under several paths', async () => {
    const team = express.Router().use('/search', gatewayRouter(echo));
    const app = express().use('/teams/:team', express.Router().use(team)).use(['/a', '/b'], gatewayRouter(echo));
    expect((await ask(app, '/teams/blue%20ish/search/api/v1/key')).json).toEqual(echoed('/api/v1/key'));
    expect((await ask(app, '/b/api/v1/key')).json).toEqual(echoed('/api/v1/key'));
  });

  it('serves in an application mounted in another', async () => {
    const inner = express().use(gatewayRouter(echo));
    expect((await ask(express().use('/inner', inner), '/inner/api/v1/key?x')).json).toEqual(echoed('/api/v1/key', 'x'));
  });

  it('serves one gateway at several paths, and several gateways in one application', async () => {
    const other = always(200, { by: 'another' });
    const router = gatewayRouter(echo);
    const app = express().use('/one', router).use('/two', router).use('/three', gatewayRouter(other));
    expect((await ask(app, '/two/api/v1/key')).json).toEqual(echoed('/api/v1/key'));
    expect((await ask(app, '/three/api/v1/key')).json).toEqual({ by: 'another' });
  });

  it('serves under a prefix if the host keeps the mount path, or strips too much', async () => {
    const router = gatewayRouter(echo, { prefix: '/search' });
    const leavesAll: RequestHandler = (req, res, next) => {
      req.url = '/search/api/v1/key?a=1';
      router(req, res, next);
    };
    // Nest's `forRoutes('search/*path')`.
    const takesAll: RequestHandler = (req, res, next) => {
      req.url = '/?a=1';
      router(req, res, next);
    };
    for (const mount of [leavesAll, takesAll, router]) {
      const app = express().use(mount);
      expect((await ask(app, '/search/api/v1/key?a=1')).json).toEqual(echoed('/api/v1/key', 'a=1'));
    }
    const app = express().use('/search', router);
    expect((await ask(app, '/search/api/v1/key')).json).toEqual(echoed('/api/v1/key'));
    expect((await ask(app, '/search')).status).toBe(404);
    expect((await ask(express().use(router), '/searched/api/v1/key')).status).toBe(404);
    expect((await ask(express().use(router), '/api/v1/key')).status).toBe(404);
  });

  it('serves at the root, with an empty prefix, whatever path the host has stripped', async () => {
    const app = express().use('/api/v1/key', gatewayRouter(echo, { prefix: '' }));
    expect((await ask(app, '/api/v1/key?a=1')).json).toEqual(echoed('/api/v1/key', 'a=1'));
  });

  it('refuses an object that is not a gateway, and invalid options, at start', () => {
    expect(() => gatewayRouter(echo, null as never)).toThrow('options: found null, expected an object');
    expect(() => gatewayRouter(echo, { prefix: 'search/' })).toThrow('prefix: found "search/", expected a path');
    expect(() => gatewayRouter(echo, { prefx: '/search' } as never)).toThrow('prefx: found an unknown option');
    expect(() => gatewayRouter(undefined as never)).toThrow('gateway: found nothing, expected a gateway');
  });

  it('leaves the host’s other routes alone, before and after it', async () => {
    const app = express();
    app.get('/api/v1/health', (_req, res) => void res.send('healthy'));
    app.use(
      gatewayRouter({
        handle: (request) => (request.path === '/api/v1/key' ? echo.handle(request) : Promise.resolve(undefined)),
      }),
    );
    app.get(
      '/api/v1/:other',
      (req, res) =>
        void res.json({ by: 'host', url: req.url, originalUrl: req.originalUrl, other: req.params['other'] }),
    );
    app.post('/upload', (req, res) => void req.pipe(res));
    expect((await ask(app, '/api/v1/health')).text).toBe('healthy');
    expect((await ask(app, '/api/v1/key')).json).toEqual(echoed('/api/v1/key'));
    expect((await ask(app, '/api/v1/x?y=1')).json).toEqual({
      by: 'host',
      url: '/api/v1/x?y=1',
      originalUrl: '/api/v1/x?y=1',
      other: 'x',
    });
    expect((await ask(app, '/upload', post('the host’s own body'))).text).toBe('the host’s own body');
  });

  keyPathSuite('', (gateway) => nodeHost(express().use(gatewayRouter(gateway))));
  // Express decodes its own parameters, and strips the mount path.
  keyPathSuite('/teams/blue%20ish/search', (gateway) => {
    const team = express.Router({ mergeParams: true }).use('/search', gatewayRouter(gateway));
    return nodeHost(express().use('/teams/:team', team));
  });

  closedPathsSuite((gateway) => express().use(gatewayRouter(gateway), (_req, res) => void res.sendStatus(418)));

  it('leaves errors of the host’s routes to the host’s error handler', async () => {
    const app = express().use(gatewayRouter(echo));
    app.get('/broken', () => {
      throw new Error('the host’s own');
    });
    app.use(
      ((error: Error, _req, res, _next) => void res.status(418).send(error.message)) satisfies ErrorRequestHandler,
    );
    expect(await ask(app, '/broken')).toMatchObject({ status: 418, text: 'the host’s own' });
  });

  it('never calls the host’s error handler, whatever it answers', async () => {
    const errors: unknown[] = [];
    const app = express().use(gatewayRouter(always(500, { error: { code: 500 } })));
    app.use(((error, _req, res, _next) => {
      errors.push(error);
      res.status(500).send('the host’s page');
    }) satisfies ErrorRequestHandler);
    expect(await ask(app, '/api/v1/key')).toMatchObject({ status: 500, json: { error: { code: 500 } } });
    expect(errors).toEqual([]);
  });

  it('comes after middleware that refuses every request', async () => {
    const requireVpn: RequestHandler = (_req, res) => void res.status(403).send('not from here');
    expect(await ask(express().use('/search', requireVpn, gatewayRouter(echo)), '/search/api/v1/key')).toMatchObject({
      status: 403,
      text: 'not from here',
    });
  });

  it('keeps headers set by earlier middleware, and overrides them with its own', async () => {
    const cors: RequestHandler = (_req, res, next) => {
      res.set({ 'Access-Control-Allow-Origin': 'https://app.example.com', Vary: 'Origin', 'Cache-Control': 'public' });
      res.cookie('session', '1');
      next();
    };
    expect((await ask(express().use(cors, gatewayRouter(echo)), '/api/v1/key')).headers).toMatchObject({
      'access-control-allow-origin': 'https://app.example.com',
      vary: 'Origin',
      'set-cookie': 'session=1; Path=/',
      'x-powered-by': 'Express',
      'cache-control': 'no-store',
    });
  });

  it.each([
    ['express.json()', express.json(), { model: 'm' }],
    ['express.raw()', express.raw({ type: '*/*' }), '{"model":"m"}'],
    ['express.text()', express.text({ type: '*/*' }), '{"model":"m"}'],
    ['express.urlencoded(), which leaves JSON alone', express.urlencoded({ extended: false }), '{"model":"m"}'],
  ])('takes the body after %s', async (_name, parser, content) => {
    expect(
      (await ask(express().use(parser, gatewayRouter(echo)), '/api/v1/answer', post('{"model":"m"}'))).json,
    ).toMatchObject({ content });
  });

  it('takes the body before the host’s parser, which still serves the host’s routes', async () => {
    const app = express().use(gatewayRouter(echo), express.json());
    app.post('/own', (req, res) => void res.json({ by: 'host', body: req.body as unknown }));
    expect((await ask(app, '/api/v1/answer', post('{"model":"m"}'))).json).toMatchObject({ content: '{"model":"m"}' });
    expect((await ask(app, '/own', post('{"own":1}'))).json).toEqual({ by: 'host', body: { own: 1 } });
  });

  it('reads a body that a parser has skipped', async () => {
    const request = post('{"model":"m"}', 'application/vnd.api+json');
    expect(
      (await ask(express().use(express.json(), gatewayRouter(echo)), '/api/v1/answer', request)).json,
    ).toMatchObject({ content: '{"model":"m"}' });
  });

  it.each([
    ['the socket without trust proxy', false, '127.0.0.1'],
    ['the caller before a trusted proxy', 1, '192.0.2.7'],
    ['the first caller where every proxy is trusted', true, '198.51.100.9'],
  ])('passes the address of %s to the gateway', async (_name, trust, address) => {
    const app = express().set('trust proxy', trust).use(gatewayRouter(addressEcho));
    const headers = { 'x-forwarded-for': '198.51.100.9, 192.0.2.7' };
    expect((await ask(app, '/api/v1/key', { headers })).json).toEqual({ address });
  });

  it('passes the address of the socket if a host has no `req.ip`', async () => {
    const router = gatewayRouter(addressEcho);
    expect((await ask((req, res) => router(req, res, () => undefined), '/api/v1/key')).json).toEqual({
      address: '127.0.0.1',
    });
  });

  it('stays silent after a timeout of the host has answered', async () => {
    const impatient: RequestHandler = (_req, res, next) => {
      next();
      res.status(503).send('too slow');
    };
    expect(await ask(express().use(impatient, gatewayRouter(echo)), '/api/v1/key')).toMatchObject({
      status: 503,
      text: 'too slow',
    });
  });
});
