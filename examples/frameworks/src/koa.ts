import type { Gateway } from '@searchgate/core';
import { gatewayRouter } from '@searchgate/koa';
import Koa from 'koa';

/** Koa 2 and 3. Koa has no mount paths, so the router needs a prefix. */
export function buildApp(gateway: Gateway): Koa {
  const app = new Koa();
  app.use(gatewayRouter(gateway, { prefix: '/search' }));
  return app;
}
