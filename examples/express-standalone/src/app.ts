import { gatewayRouter } from '@searchgate/express';
import type { Service } from '@searchgate/server';
import express, { type Express } from 'express';

/** An Express application that is only a gateway, a health check and the indexed documents. */
export function buildApp(service: Service): Express {
  const app = express();
  app.disable('x-powered-by');

  app.get('/healthz', (_request, response) => {
    const isClosing = service.isClosing();
    response
      .status(isClosing ? 503 : 200)
      .set('Cache-Control', 'no-store')
      .json({ status: isClosing ? 'closing' : 'ok' });
  });

  app.use(gatewayRouter(service.gateway));

  app.use((request, response) => {
    const page = service.page(request.path);
    if (page === undefined) response.status(404).json({ error: 'There is nothing at this path.' });
    else response.type('text/markdown; charset=utf-8').send(page);
  });

  return app;
}
