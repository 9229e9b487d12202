import type { createServer } from 'node:http';
import { type MountableGateway, toFetchHandler } from '@searchgate/core';
import { handleNode, stripMountPath } from '@searchgate/core/node';
import { gatewayRouter } from '@searchgate/express';
import { gatewayRouter as koaRouter } from '@searchgate/koa';
import { fetchHost, type HttpUnderTest, nodeHost } from '@searchgate/testing';
import express from 'express';
import express4 from 'express4';
import Koa from 'koa';
import mount from 'koa-mount';
import { afterEach, describe, expect, it } from 'vitest';
import { openStage, removePages, SAME_SITE, type User } from './stage.js';

removePages();

const PREFIX = '/deep/prefix';
const strip = stripMountPath(PREFIX);

/** An application that does not log disconnects of callers. */
function koa(): Koa {
  return Object.assign(new Koa(), { silent: true });
}

/** Each way to mount the dashboard, with its path. */
const MOUNTS: Record<string, (dashboard: MountableGateway) => Promise<HttpUnderTest>> = {
  'Express 5': (dashboard) => nodeHost(express().use(PREFIX, gatewayRouter(dashboard))),
  'Express 5, after a body parser': (dashboard) =>
    nodeHost(express().use(express.json()).use(PREFIX, gatewayRouter(dashboard))),
  'Express 5, with the prefix as an option': (dashboard) =>
    nodeHost(express().use(gatewayRouter(dashboard, { prefix: PREFIX }))),
  'Express 5, nested': (dashboard) =>
    nodeHost(express().use('/deep', express.Router().use('/prefix', gatewayRouter(dashboard)))),
  'Express 4': (dashboard) => nodeHost(express4().use(PREFIX, gatewayRouter(dashboard))),
  'Koa 3, with the prefix as an option': (dashboard) =>
    nodeHost(
      koa()
        .use(koaRouter(dashboard, { prefix: PREFIX }))
        .callback(),
    ),
  'Koa 3, in koa-mount': (dashboard) =>
    nodeHost(
      koa()
        .use(mount(PREFIX, koaRouter(dashboard)))
        .callback(),
    ),
  'node:http': (dashboard) =>
    nodeHost((req, res) => void handleNode(dashboard, { req, res, target: strip(req.url ?? '') ?? '/' })),
  fetch: async (dashboard) => fetchHost(toFetchHandler(dashboard, { prefix: PREFIX })),
};

const hosts: HttpUnderTest[] = [];
afterEach(() => Promise.all(hosts.splice(0).map((host) => host.stop())));

async function open(name: string) {
  const stage = openStage();
  const host = await MOUNTS[name]!(stage.dashboard);
  hosts.push(host);
  const send = (user: User | null, method: string, target: string, json?: object) =>
    host.send({
      method,
      target,
      headers: { ...(user !== null && { 'x-user': user }), ...(json !== undefined && SAME_SITE) },
      body:
        json === undefined ? null : { chunks: [Buffer.from(JSON.stringify(json))], framing: 'length', stalls: false },
    });
  const ask = async (...args: Parameters<typeof send>) => {
    const { status, headers, body } = await send(...args).response;
    const text = Buffer.from(body).toString();
    return { status, headers, text };
  };
  return { ...stage, send, ask };
}

describe.each(Object.keys(MOUNTS))('mounted in %s', (name) => {
  it('serves the page, its files and its API to permitted users', async () => {
    const { ask } = await open(name);
    const page = await ask('viewer', 'GET', `${PREFIX}/`);
    expect(page).toMatchObject({ status: 200, text: expect.stringContaining('<title>') });
    const file = await ask('viewer', 'GET', `${PREFIX}/assets/index-1a2b.js`);
    expect(file).toMatchObject({ status: 200, text: 'export {};' });
    const session = await ask('viewer', 'GET', `${PREFIX}/api/v1/session`);
    expect(JSON.parse(session.text)).toMatchObject({ role: 'viewer', can_ask: false });
  });

  it('redirects to the page with a trailing slash, relatively and with the query', async () => {
    const { ask } = await open(name);
    for (const query of ['', '?a=1']) {
      const { status, headers } = await ask('viewer', 'GET', `${PREFIX}${query}`);
      expect([status, headers['location']]).toEqual([307, `./prefix/${query}`]);
      const resolved = new URL(headers['location'] ?? '', `http://host${PREFIX}${query}`);
      expect(resolved.pathname + resolved.search).toBe(`${PREFIX}/${query}`);
    }
  });

  it('answers 404 with an empty body without permission, even without the trailing slash', async () => {
    const { ask } = await open(name);
    for (const path of ['', '/', '/assets/index-1a2b.js', '/api/v1/session', '/nothing']) {
      for (const method of ['GET', 'POST', 'HEAD']) {
        const json = method === 'POST' ? {} : undefined;
        const { status, text, headers } = await ask(null, method, `${PREFIX}${path}`, json);
        expect([path, method, status, text, headers['location']]).toEqual([path, method, 404, '', undefined]);
      }
    }
  });

  it('accepts changes, and refuses oversized bodies', async () => {
    const { ask } = await open(name);
    const made = await ask('operator', 'POST', `${PREFIX}/api/v1/organizations`, { id: 'new', name: 'New' });
    expect(JSON.parse(made.text)).toMatchObject({ id: 'new', name: 'New', balance: '0' });
    const large = { id: 'large', name: 'x'.repeat(70_000) };
    expect(await ask('operator', 'POST', `${PREFIX}/api/v1/organizations`, large)).toMatchObject({ status: 413 });
  });

  it('streams the answer to a question', async () => {
    const { ask } = await open(name);
    const question = { model: 'handbook/answer', query: 'When?', stream: true };
    const { status, headers, text } = await ask('operator', 'POST', `${PREFIX}/api/v1/ask/answer`, question);
    expect([status, headers['content-type']]).toEqual([200, 'text/event-stream; charset=utf-8']);
    expect(text).toContain('event: delta\ndata: {"text":"Thirty"}');
    expect(text).toContain('event: done\n');
  });
});

it('refuses a chunked body as soon as it is too large', async () => {
  const { dashboard } = openStage();
  const host = await nodeHost(createListener(dashboard));
  hosts.push(host);
  const headers = { 'x-user': 'operator', ...SAME_SITE };
  const body = { chunks: [Buffer.alloc(70_000, 32)], framing: 'chunked', stalls: true } as const;
  const { status } = await host.send({ method: 'POST', target: '/api/v1/organizations', headers, body }).response;
  expect(status).toBe(413);
});

function createListener(dashboard: MountableGateway): Parameters<typeof createServer>[1] & object {
  return (req, res) => void handleNode(dashboard, { req, res });
}
