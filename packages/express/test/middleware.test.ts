import type { Gateway } from '@searchgate/core';
import compression from 'compression';
import express, { type ErrorRequestHandler, type Request, type RequestHandler } from 'express';
import session from 'express-session';
import helmet from 'helmet';
import responseTime from 'response-time';
import { describe, expect, it } from 'vitest';
import {
  type Application,
  type Headers,
  middlewareSuite,
  QUESTION,
  REPLY,
  type Send,
  start,
} from '../../testing/test/adapter/middleware-suite.js';
import { gatewayRouter } from '../src/index.js';

/*
 * The router next to common Express middleware, which hooks into `res` (with `on-headers`, or by replacing `write` and `end`) and must see
 * the router's responses like those of any other route.
 */

declare module 'express-session' {
  interface SessionData {
    user: string;
    visits: number;
  }
}

/** An application with middleware around the router, and the errors that reached its error handler. */
function application(gateway: Gateway<Request>, mountPath = '/'): Application {
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
  return { listener: app, errors };
}

async function logIn(send: Send): Promise<Headers> {
  const { headers } = await send('/login', {}, 'POST');
  return { cookie: (headers['set-cookie'] ?? '').split(';')[0] ?? '' };
}

const marks = { 'x-response-time': expect.stringMatching(/ms$/) };
/** The headers that the middleware around the router sets on every response. */
const AROUND = {
  ...marks,
  'x-frame-options': 'SAMEORIGIN',
  'x-content-type-options': 'nosniff',
  'x-request-id': expect.stringMatching(/^req_/),
  'set-cookie': expect.stringMatching(/^connect\.sid=/),
};

function expectMiddleware(headers: object): void {
  expect(headers).toMatchObject(AROUND);
}

describe('the Express router with other middleware', () => {
  const gateway = middlewareSuite<Request>({
    userOf: (host) => host?.session.user,
    application,
    logIn,
    marks,
    expectMiddleware,
  });

  it.each(['/', '/search'])('keeps sessions, headers and timing intact, mounted at %s', async (mountPath) => {
    const { listener, errors } = application(gateway(), mountPath);
    const base = mountPath === '/' ? '' : mountPath;
    const send = await start({ listener });
    const alice = { ...(await logIn(send)), 'accept-encoding': 'identity' };
    const asJson = { 'content-type': 'application/json' };
    const answered = await send(`${base}/api/v1/answer`, { ...alice, ...asJson }, 'POST', QUESTION);
    expect(answered).toMatchObject({ status: 200, headers: AROUND });
    expect(JSON.parse(answered.text)).toMatchObject({ answer: REPLY.answer });
    const notFound = await send(
      `${base}/api/v1/answer`,
      { ...alice, ...asJson },
      'POST',
      QUESTION.replace('exa', 'axe'),
    );
    expect(notFound).toMatchObject({ status: 404, headers: AROUND });
    const stranger = await send(`${base}/api/v1/key`);
    expect(stranger).toMatchObject({ status: 401, headers: AROUND });
    expect(JSON.parse(stranger.text)).toMatchObject({ error: { reason: 'not_authenticated' } });
    expect((await send('/visits', alice)).text).toBe('4');
    expect(errors).toEqual([]);
  });
});
