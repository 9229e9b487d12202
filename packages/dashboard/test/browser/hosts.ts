import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { MountableGateway } from '@searchgate/core';
import { gatewayRouter as expressRouter } from '@searchgate/express';
import { gatewayRouter as koaRouter } from '@searchgate/koa';
import express from 'express';
import express4 from 'express4';
import helmet from 'helmet';
import Koa from 'koa';
import koaHelmet from 'koa-helmet';
import { onTestFinished } from 'vitest';

export const GATEWAY_PATH = '/deep/prefix/search';
export const DASHBOARD_PATH = '/deep/prefix/admin';

type Mounts = Readonly<Record<typeof GATEWAY_PATH | typeof DASHBOARD_PATH, MountableGateway>>;

/** Servers that send helmet's default Content-Security-Policy with every response. */
export const HOSTS = {
  'Express 5': (mounts: Mounts) => onExpress(express, mounts),
  'Express 4': (mounts: Mounts) => onExpress(express4, mounts),
  'Koa 3': onKoa,
} satisfies Record<string, (mounts: Mounts) => RequestListener>;

function onExpress(framework: typeof express, mounts: Mounts): RequestListener {
  const app = framework();
  app.use(helmet());
  for (const [path, gateway] of Object.entries(mounts)) app.use(path, expressRouter(gateway));
  return app;
}

function onKoa(mounts: Mounts): RequestListener {
  const app = new Koa();
  app.use(koaHelmet());
  for (const [prefix, gateway] of Object.entries(mounts)) app.use(koaRouter(gateway, { prefix }));
  const listener = app.callback();
  return (req, res) => void listener(req, res);
}

/** Serves on a free loopback port until the end of the test. @returns the origin. */
export async function listen(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(async () => {
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
