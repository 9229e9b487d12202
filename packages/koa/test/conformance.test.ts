import { httpConformance, nodeHost } from '@searchgate/testing';
import { chosenRows } from '@searchgate-internal/test-servers/chosen-rows';
import Koa from 'koa';
import { describe, it } from 'vitest';
import { gatewayRouter } from '../src/index.js';

// The adapter is the same for both major versions, so the older version skips the byte tests.
const isOlder = process.env['TEST_PROJECT'] === 'koa2';

httpConformance({
  // The fast tier runs all rows in Express.
  ...chosenRows({ describe, it }, 10),
  host: 'Koa',
  capabilities: { bodyParserInFront: false, sockets: true },
  rows: isOlder ? 'transport' : 'all',
  start: (gateway) => nodeHost(new Koa().use(gatewayRouter(gateway)).callback()),
});
