import { gatewayRouter } from '@searchgate/express';
import type { Service } from '@searchgate/server';
import express, { type Express } from 'express';

/** An Express application that is only a gateway, and what a server around it needs. */
export function buildApp({ gateway, handleOthers }: Service): Express {
  const app = express();
  app.disable('x-powered-by');
  app.use(gatewayRouter(gateway));
  app.use((request, response) => void handleOthers(request, response));
  return app;
}
