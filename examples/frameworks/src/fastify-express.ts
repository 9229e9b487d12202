import fastifyExpress from '@fastify/express';
import type { Gateway } from '@searchgate/core';
import { gatewayRouter } from '@searchgate/express';
import { type FastifyInstance, fastify } from 'fastify';

/**
 * Fastify with @fastify/express, for applications that move from Express to Fastify. It decodes the path in `req.url`; with a prefix the router
 * reads the undecoded path.
 */
export async function buildApp(gateway: Gateway): Promise<FastifyInstance> {
  const app = fastify();
  await app.register(fastifyExpress);
  app.use(gatewayRouter(gateway, { prefix: '/search' }));
  app.addHook('onClose', () => gateway.close());
  return app;
}
