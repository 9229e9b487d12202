import { gatewayRouter } from '@searchgate/express';
import type { Service } from '@searchgate/server';
import express, { type Express } from 'express';

/** An Express application that only serves a gateway and its server's own paths. */
export function buildApp({ gateway, handleOthers }: Service): Express {
  const app = express();
  app.disable('x-powered-by');
  app.use(gatewayRouter(gateway));
  app.use((request, response) => void handleOthers(request, response));
  return app;
}
