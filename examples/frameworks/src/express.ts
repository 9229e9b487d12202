import type { Gateway } from '@searchgate/core';
import { gatewayRouter } from '@searchgate/express';
import express, { type Express } from 'express';

/** Express 4 and 5. `app.use` strips the mount path, so the router needs no prefix. */
export function buildApp(gateway: Gateway): Express {
  const app = express();
  app.use('/search', gatewayRouter(gateway));
  return app;
}
