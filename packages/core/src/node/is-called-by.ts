import type { ServerResponse } from 'node:http';
import { ConfigurationError } from '../base/errors/configuration-error.js';
import { processWarnings } from '../base/events/logger.js';

const ROUTERS = {
  express: 'a call (req, res, next), as app.use of Express makes',
  koa: 'a call (ctx, next), as app.use of Koa makes',
} as const;

/**
 * Tells whether the framework of a router calls it. If another framework does, a process warning says so, and the caller gets a 500.
 *
 * @param given the values of the call, where `res` and `next` are named as the framework means them.
 * @throws ConfigurationError if the other framework has no response of node, and so handles errors itself.
 */
export function isCalledBy(
  framework: keyof typeof ROUTERS,
  given: { readonly res: unknown; readonly next: unknown; readonly all: readonly unknown[] },
): boolean {
  if (isResponse(given.res) && typeof given.next === 'function') return true;
  const problem = {
    path: `gatewayRouter of @searchgate/${framework}`,
    found: 'a call of another framework',
    expected: `${ROUTERS[framework]}. Elsewhere use @searchgate/express, @searchgate/koa, handleNode (node:http) or toFetchHandler`,
  };
  const error = new ConfigurationError([problem]);
  const res = given.all.find(isResponse);
  if (res === undefined) throw error;
  processWarnings.error({ error }, error.message);
  if (!res.headersSent)
    res
      .writeHead(500, { 'content-type': 'text/plain' })
      .end('The gateway is not mounted as its framework needs. The log of the host has more.\n');
  return false;
}

function isResponse(value: unknown): value is ServerResponse {
  return typeof (value as Partial<ServerResponse> | null | undefined)?.writeHead === 'function';
}
