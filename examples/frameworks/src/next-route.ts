import { type Gateway, toFetchHandler } from '@searchgate/core';

type RouteHandler = (request: Request) => Promise<Response>;

/** The exports of `app/search/[...path]/route.ts` in a Next application: `export const { GET, HEAD, POST } = routeHandlers(gateway);`. */
export function routeHandlers(gateway: Gateway): { GET: RouteHandler; HEAD: RouteHandler; POST: RouteHandler } {
  const handler = toFetchHandler(gateway, { prefix: '/search' });
  return { GET: handler, HEAD: handler, POST: handler };
}
