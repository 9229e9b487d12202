import { bodyParser } from '@koa/bodyparser';
import { httpConformance, nodeHost } from '@searchgate/testing';
import Koa from 'koa';
import { describe, it } from 'vitest';
import { gatewayRouter } from '../src/index.js';

// The adapter is the same for both major versions: the older one need not show again what it makes of the same bytes.
const rows = process.env['TEST_PROJECT'] === 'koa2' ? 'transport' : 'all';

/** Koa prints to stderr what its own parts report, such as a body parser that met broken JSON. */
function quietKoa(): Koa {
  const app = new Koa();
  app.silent = true;
  return app;
}

httpConformance({
  describe,
  it,
  host: 'Koa',
  capabilities: { bodyParserInFront: false, sockets: true },
  rows,
  start: (gateway) => nodeHost(quietKoa().use(gatewayRouter(gateway)).callback()),
});

httpConformance({
  describe,
  it,
  host: 'Koa, @koa/bodyparser in front',
  capabilities: { bodyParserInFront: true, sockets: true },
  rows: 'transport',
  start: (gateway) => nodeHost(quietKoa().use(bodyParser()).use(gatewayRouter(gateway)).callback()),
});
