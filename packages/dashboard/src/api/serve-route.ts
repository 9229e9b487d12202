import type { GatewayRequest, GatewayResponse } from '@searchgate/core';
import { checkChange, type Exchange, json, METHODS, type Route, within } from './exchange.js';
import { Problem } from './problem.js';

/** Limits requests to a slow ledger. Administration limits each operation. */
const ROUTE_TIMEOUT_MS = 30_000;

/** Answers by the handler of the method, within the time limit. */
export async function serveRoute(route: Route, exchange: Exchange): Promise<GatewayResponse> {
  const { request, clock } = exchange;
  const method = METHODS.find((each) => each === (request.method === 'HEAD' ? 'GET' : request.method));
  const handler = method && route[method];
  if (handler === undefined) {
    const allowed = METHODS.filter((each) => route[each] !== undefined);
    return notAllowed(allowed.join(', ').replace('GET', 'GET, HEAD'));
  }
  if (method !== 'GET') checkChange(exchange, route);
  const response = (async () => handler(exchange))();
  const answered = route.isBounded ? await response : await within(response, ROUTE_TIMEOUT_MS, clock);
  if (answered !== 'late') return answered;
  throw tooLate(request);
}

/** Nobody knows whether a change was made, also when it was the reading behind the change that took too long. */
export function tooLate({ method }: GatewayRequest): Problem {
  const unknown = ' The change may have been made, or may still be: load the page again before you repeat it.';
  return new Problem(503, `The storage has not answered in time.${isRead(method) ? '' : unknown}`);
}

export function isRead(method: string): boolean {
  return method === 'GET' || method === 'HEAD';
}

export function notAllowed(allow: string): GatewayResponse {
  return json({ error: { message: 'This path does not support the HTTP method used.', field: null } }, 405, { allow });
}

const ID_AT = 3;
const PART_AT = 5;

/** The path with stars for its ids, which are the fourth and the sixth segment. */
export function patternOf(path: string): { pattern: string } & Pick<Exchange, 'id' | 'part'> {
  const segments = path.split('/').slice(1);
  const { [ID_AT]: id = '', [PART_AT]: part = '' } = segments;
  const pattern = segments.map((segment, at) => (at === ID_AT || at === PART_AT ? '*' : segment)).join('/');
  return { pattern, id: decoded(id) ?? id, part: decoded(part) ?? '' };
}

/** `undefined` for a malformed segment. */
function decoded(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
