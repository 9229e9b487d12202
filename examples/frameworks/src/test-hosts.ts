import { createServer, type Server } from 'node:http';
import { createAdaptorServer } from '@hono/node-server';
import { type INestApplication, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { Gateway } from '@searchgate/core';
import { closeServer } from '@searchgate/core/node';
import { gatewayRouter } from '@searchgate/express';
import type { HttpCapabilities } from '@searchgate/testing';
import type { FastifyInstance } from 'fastify';
import { H3 } from 'h3';
import { toNodeHandler } from 'h3/node';
import { createApp, fromNodeMiddleware, toNodeListener } from 'h3-v1';
import { buildApp as buildExpress } from './express.js';
import { buildApp as buildWithExpress } from './fastify-express.js';
import { buildApp as buildWithMiddie } from './fastify-middie.js';
import { buildApp as buildHono } from './hono.js';
import { buildApp as buildKoa } from './koa.js';
import { SearchModule } from './nest.js';
import { middleware } from './nitro.js';
import { buildServer } from './node-http.js';

/** An example's application, listening on a free loopback port. */
export interface RunningApp {
  readonly server: Server;
  close(): Promise<unknown>;
}

export interface TestHost {
  readonly name: string;
  readonly capabilities: HttpCapabilities;
  /** Rows whose path the framework changes. */
  readonly changesPathOf?: readonly string[];
  start(gateway: Gateway): Promise<RunningApp>;
}

const LOOPBACK = '127.0.0.1';
const READS_FIRST = { bodyParserInFront: false, sockets: true };
const OVER_FETCH = { ...READS_FIRST, seesHangUps: false };
const BEHIND_PARSER = { bodyParserInFront: true, sockets: true };

export const HOSTS: readonly TestHost[] = [
  {
    name: 'Express',
    capabilities: READS_FIRST,
    start: (gateway) => startServer(createServer(buildExpress(gateway)), gateway),
  },
  {
    name: 'Koa',
    capabilities: READS_FIRST,
    start(gateway) {
      const app = buildKoa(gateway);
      app.silent = true; // else Koa prints errors of disconnected callers
      const handle = app.callback();
      return startServer(
        createServer((req, res) => void handle(req, res)),
        gateway,
      );
    },
  },
  {
    name: 'Nest on Express',
    capabilities: BEHIND_PARSER,
    start: (gateway) => startNest(NestFactory.create(nestModule(gateway), SILENT)),
  },
  {
    name: 'Nest on Fastify',
    capabilities: READS_FIRST,
    start: (gateway) => startNest(NestFactory.create(nestModule(gateway), new FastifyAdapter(), SILENT)),
  },
  {
    name: 'Fastify with middie',
    capabilities: READS_FIRST,
    start: (gateway) => startFastify(buildWithMiddie(gateway)),
  },
  {
    name: 'Fastify with @fastify/express',
    capabilities: READS_FIRST,
    start: (gateway) => startFastify(buildWithExpress(gateway)),
  },
  {
    name: 'Hono',
    capabilities: OVER_FETCH,
    start(gateway) {
      // Else it replaces the global `Response`, whose errors h3 cannot read.
      const options = { fetch: buildHono(gateway).fetch, overrideGlobalObjects: false };
      return startServer(createAdaptorServer(options) as Server, gateway);
    },
  },
  {
    name: 'h3 v2, as in Nitro 3',
    capabilities: READS_FIRST,
    changesPathOf: ['leaves POST /api/v1/%61nswer to the host'],
    start(gateway) {
      const app = new H3().use(middleware(gateway));
      return startServer(createServer(toNodeHandler(app)), gateway);
    },
  },
  {
    name: 'h3 v1, as in Nuxt 4 and Nitro 2',
    capabilities: READS_FIRST,
    start(gateway) {
      const app = createApp().use(fromNodeMiddleware(gatewayRouter(gateway, { prefix: '/search' })));
      return startServer(createServer(toNodeListener(app)), gateway);
    },
  },
  {
    name: 'plain node:http',
    capabilities: READS_FIRST,
    start: (gateway) => startServer(buildServer(gateway), gateway),
  },
];

const SILENT = { logger: false } as const;

function nestModule(gateway: Gateway) {
  class AppModule {}
  Module({ imports: [SearchModule.serving(gateway)] })(AppModule);
  return AppModule;
}

async function startNest(creating: Promise<INestApplication>): Promise<RunningApp> {
  const app = await creating;
  await app.listen(0, LOOPBACK);
  return { server: app.getHttpServer() as Server, close: () => app.close() };
}

async function startFastify(building: Promise<FastifyInstance>): Promise<RunningApp> {
  const app = await building;
  await app.listen({ port: 0, host: LOOPBACK });
  return { server: app.server, close: () => app.close() };
}

async function startServer(server: Server, gateway: Gateway): Promise<RunningApp> {
  await new Promise<void>((resolve) => {
    server.listen(0, LOOPBACK, resolve);
  });
  return { server, close: () => closeServer(server, gateway.close()) };
}
