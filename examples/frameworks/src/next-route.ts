import { type Gateway, toFetchHandler } from '@searchgate/core';

type RouteHandler = (request: Request) => Promise<Response>;

/** What `app/search/[...path]/route.ts` of a Next application exports: `export const { GET, HEAD, POST } = routeHandlers(gateway);`. */
export function routeHandlers(gateway: Gateway): { GET: RouteHandler; HEAD: RouteHandler; POST: RouteHandler } {
  const handler = toFetchHandler(gateway, { prefix: '/search' });
  return { GET: handler, HEAD: handler, POST: handler };
}
