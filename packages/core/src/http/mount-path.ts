import type { ServerResponse } from 'node:http';
import { z } from 'zod';
import { ConfigurationError } from '../base/errors/configuration-error.js';
import { processWarnings } from '../base/events/logger.js';
import { describeValue, parseOptions } from '../base/options/parse-options.js';

const GATEWAY = 'a gateway, as createGateway returns it';

/** Removes the mount path from a request's path; `null` when the request is not below the mount path. */
export type StripMountPath = (path: string) => string | null;

/**
 * Checks the prefix of a gateway's paths, for servers that do not remove it from the path themselves.
 *
 * @param prefix such as `/search`, or `''` for no prefix.
 * @throws ConfigurationError unless the prefix is a plain path without patterns that starts, but does not end, with a slash.
 */
export function stripMountPath(prefix = ''): StripMountPath {
  if (typeof prefix !== 'string' || !/^(?:\/[\w.~!$&'()+,;=@%-]+)*$/.test(prefix)) {
    const expected = 'a path such as "/search", without a slash at its end';
    throw new ConfigurationError([{ path: 'prefix', found: describeValue(prefix), expected }]);
  }
  return (path) => {
    if (!path.startsWith(prefix)) return null;
    const below = path.slice(prefix.length);
    return prefix === '' || below === '' || below.startsWith('/') || below.startsWith('?') ? below : null;
  };
}

/**
 * Checks the arguments of a mount function when the host starts, so that mistakes show before the first request.
 *
 * @param known the names of the known options.
 * @throws ConfigurationError for a value that is no gateway, for options that are no object, and for unknown options.
 */
export function checkMount(gateway: unknown, options: unknown, known: readonly string[]): void {
  if (typeof (gateway as { handle?: unknown } | null | undefined)?.handle !== 'function')
    throw new ConfigurationError([{ path: 'gateway', found: describeValue(gateway), expected: GATEWAY }]);
  parseOptions(z.strictObject(Object.fromEntries(known.map((name) => [name, z.unknown().optional()]))), options, '');
}

/** What a framework calls a mounted gateway with. */
const CALLS = {
  express: ['gatewayRouter of @searchgate/express', 'a call (req, res, next) as app.use of Express makes'],
  koa: ['gatewayRouter of @searchgate/koa', 'a call (ctx, next) as app.use of Koa makes'],
  fetch: ['toFetchHandler', 'a call with a Request, which is c.req.raw in Hono'],
} as const;
const FOUND = 'a call of another framework';
const OTHERS = 'Elsewhere use @searchgate/express, @searchgate/koa, handleNode (node:http) or toFetchHandler';

/**
 * Refuses the call of another framework. If the call has a response of node:http, a process warning tells the mistake, and the caller gets a 500: thrown there,
 * an error would end the process.
 *
 * @param framework the one that a mount function is for.
 * @param functions found in the call: in a call of that framework, all of them are functions.
 * @param given the values of the call.
 * @returns whether the framework has made the call.
 * @throws ConfigurationError without such a response, where frameworks handle errors themselves.
 */
export function isCalledBy(framework: keyof typeof CALLS, functions: unknown[], given: unknown[]): boolean {
  if (functions.every((each) => typeof each === 'function')) return true;
  const [path, expected] = CALLS[framework];
  const error = new ConfigurationError([{ path, found: FOUND, expected: `${expected}. ${OTHERS}` }]);
  const res = given.find(isNodeReply);
  if (res === undefined) throw error;
  processWarnings.error({ error }, error.message);
  if (!res.headersSent) res.writeHead(500).end('The gateway is not mounted as its framework needs.\n');
  return false;
}

function isNodeReply(value: unknown): value is ServerResponse {
  return typeof (value as Partial<ServerResponse> | null | undefined)?.writeHead === 'function';
}
