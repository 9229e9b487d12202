import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { compileFunction } from 'node:vm';
import * as core from '@searchgate/core';
import * as providers from '@searchgate/core/providers';
import * as onExpress from '@searchgate/express';
import * as onKoa from '@searchgate/koa';
import express from 'express';
import Koa from 'koa';
import { expect, it } from 'vitest';

const MODULES: Readonly<Record<string, object>> = {
  '@searchgate/core': core,
  '@searchgate/core/providers': providers,
  '@searchgate/express': onExpress,
  '@searchgate/koa': onKoa,
  express: { default: express },
  koa: { default: Koa },
};

/** `import a from 'm'` and `import { a } from 'm'`, each on a line of its own. */
const IMPORT = /^import (?:(\w+)|(\{[^}]+\})) from '([^']+)';$/gm;

/** The complete server on a page. */
function serverOf(page: string): string {
  const text = readFileSync(new URL(`../../../${page}`, import.meta.url), 'utf8');
  const servers = [...text.matchAll(/^```ts\n([^]*?)^```/gm)]
    .map(([, code = '']) => code)
    .filter((code) => code.includes('app.listen(3000)'));
  expect(servers).toHaveLength(1);
  return servers[0] ?? '';
}

/** Runs a server of a page on a free port. */
function start(code: string): Server {
  const body = code
    .replace(IMPORT, (_, name: string | undefined, names: string | undefined, module: string) =>
      name === undefined ? `const ${names} = modules['${module}'];` : `const ${name} = modules['${module}'].default;`,
    )
    .replace('app.listen(3000)', "return app.listen(0, '127.0.0.1')");
  return compileFunction(body, ['modules', 'process'])(MODULES, {
    env: { EXA_API_KEY: 'unused', MY_APP_KEY: 'change-me-to-a-long-secret' },
  }) as Server;
}

it.each([
  ['express', 'README.md'],
  ['express', 'docs/quickstart.md'],
  ['koa', 'docs/hosts/koa.md'],
])('the server for %s that %s shows serves its models to its key, and to no other', async (name, page) => {
  const code = serverOf(page);
  expect(code).toContain(`@searchgate/${name}`);
  const server = start(code);
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  const ask = (key: string) =>
    fetch(`http://127.0.0.1:${port}/api/v1/models`, { headers: { authorization: `Bearer ${key}` } });
  const reply = await ask('change-me-to-a-long-secret');
  expect(reply.status).toBe(200);
  const { data } = (await reply.json()) as { data: { id: string }[] };
  expect(data.map(({ id }) => id)).toContain('exa/answer');
  expect((await ask('another-long-secret-of-someone')).status).toBe(401);
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});
