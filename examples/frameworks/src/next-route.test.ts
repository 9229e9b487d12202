import { fetchHost, httpConformance } from '@searchgate/testing';
import { chosenRows } from '@searchgate-internal/test-servers/chosen-rows';
import { describe, it } from 'vitest';
import { routeHandlers } from './next-route.js';

/** Next answers methods without an export with its own 405; exported methods get a Web `Request`. */
httpConformance({
  ...chosenRows({ describe, it }, 10),
  host: 'a route of Next',
  capabilities: { bodyParserInFront: false, sockets: true, seesHangUps: false },
  rows: 'transport',
  start(gateway) {
    const handlers: Partial<Record<string, (request: Request) => Promise<Response>>> = { ...routeHandlers(gateway) };
    const host = fetchHost((request) => (handlers[request.method] ?? handlers['GET'])!(request));
    return { ...host, send: (request) => host.send({ ...request, target: `/search${request.target}` }) };
  },
});
