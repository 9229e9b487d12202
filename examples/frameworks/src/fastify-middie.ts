import middie from '@fastify/middie';
import type { Gateway } from '@searchgate/core';
import { gatewayRouter } from '@searchgate/express';
import { type FastifyInstance, fastify } from 'fastify';

/** Fastify with @fastify/middie, which strips the mount path. It runs before Fastify reads bodies, so content type parsers do not matter. */
export async function buildApp(gateway: Gateway): Promise<FastifyInstance> {
  const app = fastify();
  await app.register(middie);
  app.use('/search', gatewayRouter(gateway));
  app.addHook('onClose', () => gateway.close());
  return app;
}
