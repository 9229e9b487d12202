import { ConfigurationError } from '../base/errors/configuration-error.js';
import { processWarnings } from '../base/events/logger.js';

/** What a mount function returns, and how its framework calls it. */
const MOUNTS = {
  express: ['gatewayRouter of @searchgate/express', 'a call (req, res, next) as app.use of Express makes'],
  koa: ['gatewayRouter of @searchgate/koa', 'a call (ctx, next) as app.use of Koa makes'],
  fetch: ['toFetchHandler', 'a call with a Request, which is c.req.raw in Hono'],
} as const;
const OTHERS = 'Elsewhere use @searchgate/express, @searchgate/koa, handleNode (node:http) or toFetchHandler';

/** A response of node:http. */
interface NodeReply {
  readonly headersSent: boolean;
  writeHead(status: number, headers: object): { end(text: string): void };
}

/**
 * Refuses the call of another framework. If the call has a response of node:http, a process warning tells the mistake, and the caller gets a 500: thrown there,
 * an error would end the process.
 *
 * @param framework the one that a mount function is for.
 * @param isRight whether the call looks like one of that framework.
 * @param given the values of the call.
 * @returns `isRight`.
 * @throws ConfigurationError without such a response, where frameworks handle errors themselves.
 */
export function isCalledBy(framework: keyof typeof MOUNTS, isRight: boolean, given: readonly unknown[]): boolean {
  if (isRight) return true;
  const [path, expected] = MOUNTS[framework];
  const error = new ConfigurationError([
    { path, found: 'a call of another framework', expected: `${expected}. ${OTHERS}` },
  ]);
  const res = given.find(isNodeReply);
  if (res === undefined) throw error;
  processWarnings.error({ error }, error.message);
  if (!res.headersSent)
    res.writeHead(500, { 'content-type': 'text/plain' }).end('The gateway is not mounted as its framework needs.\n');
  return false;
}

/** Whether a value is a response of node:http. */
export function isNodeReply(value: unknown): value is NodeReply {
  return typeof (value as Partial<NodeReply> | null | undefined)?.writeHead === 'function';
}
