import { gatewayRouter } from '@searchgate/koa';
import type { Service } from '@searchgate/server';
import Koa from 'koa';

/** A Koa application that only serves a gateway and its server's own paths. */
export function buildApp({ gateway, handleOthers }: Service): Koa {
  const app = new Koa();
  app.use(gatewayRouter(gateway));
  app.use((ctx) => {
    ctx.respond = false;
    return handleOthers(ctx.req, ctx.res);
  });
  return app;
}
