import { gatewayRouter } from '@searchgate/koa';
import type { Service } from '@searchgate/server';
import Koa from 'koa';

/** A Koa application that is only a gateway, a health check and the indexed documents. */
export function buildApp(service: Service): Koa {
  const app = new Koa();

  app.use(async (ctx, next) => {
    if (ctx.path !== '/healthz') {
      await next();
      return;
    }
    const isClosing = service.isClosing();
    ctx.status = isClosing ? 503 : 200;
    ctx.set('Cache-Control', 'no-store');
    ctx.body = { status: isClosing ? 'closing' : 'ok' };
  });

  app.use(gatewayRouter(service.gateway));

  app.use((ctx) => {
    const page = service.page(ctx.path);
    ctx.status = page === undefined ? 404 : 200;
    ctx.type = page === undefined ? 'json' : 'text/markdown; charset=utf-8';
    ctx.body = page ?? { error: 'There is nothing at this path.' };
  });

  return app;
}
