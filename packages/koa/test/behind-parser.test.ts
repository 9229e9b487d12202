import { bodyParser } from '@koa/bodyparser';
import { httpConformance, nodeHost } from '@searchgate/testing';
import Koa from 'koa';
import { describe, it } from 'vitest';
import { gatewayRouter } from '../src/index.js';

httpConformance({
  describe,
  it,
  host: 'Koa, @koa/bodyparser in front',
  capabilities: { bodyParserInFront: true, sockets: true },
  rows: 'transport',
  start(gateway) {
    const app = new Koa();
    app.silent = true; // else Koa prints the parser's errors about broken JSON
    return nodeHost(app.use(bodyParser()).use(gatewayRouter(gateway)).callback());
  },
});
