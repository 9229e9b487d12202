import { toFetchHandler } from '@searchgate/core';
import { chosenRows } from '@searchgate-internal/test-servers/chosen-rows';
import { describe, it } from 'vitest';
import { coreHost } from './http/core-host.js';
import { fetchHost } from './http/fetch-host.js';
import { httpConformance } from './http-conformance.js';

// Plain node:http: tools/openapi/src/conformance.test.ts.
httpConformance({
  ...chosenRows({ describe, it }, 20),
  host: 'no host at all',
  capabilities: { bodyParserInFront: false, sockets: false },
  start: coreHost,
});

httpConformance({
  ...chosenRows({ describe, it }, 20),
  host: 'a fetch handler',
  capabilities: { bodyParserInFront: false, sockets: true, seesHangUps: false },
  start: (gateway) => fetchHost(toFetchHandler(gateway)),
});
