import { type Gateway, toFetchHandler } from '@searchgate/core';
import { Hono } from 'hono';

/** Hono, on Node with `serve` of @hono/node-server, and unchanged on Bun and Deno. */
export function buildApp(gateway: Gateway): Hono {
  const app = new Hono();
  const handler = toFetchHandler(gateway, { prefix: '/search' });
  app.all('/search/*', (context) => handler(context.req.raw));
  return app;
}
