import { toFetchHandler } from '@searchgate/core';
import { handleNode } from '@searchgate/core/node';
import { describe, it } from 'vitest';
import { coreHost } from './http/core-host.js';
import { fetchHost } from './http/fetch-host.js';
import { nodeHost } from './http/node-host.js';
import { httpConformance } from './http-conformance.js';

httpConformance({
  describe,
  it,
  host: 'no host at all',
  capabilities: { bodyParserInFront: false, sockets: false },
  start: coreHost,
});

httpConformance({
  describe,
  it,
  host: 'a fetch handler',
  capabilities: { bodyParserInFront: false, sockets: true, seesHangUps: false },
  start: (gateway) => fetchHost(toFetchHandler(gateway)),
});

httpConformance({
  describe,
  it,
  host: 'plain node:http',
  capabilities: { bodyParserInFront: false, sockets: true },
  start: (gateway) =>
    nodeHost(async (req, res) => {
      if (!(await handleNode(gateway, { req, res }))) res.writeHead(404).end();
    }),
});
