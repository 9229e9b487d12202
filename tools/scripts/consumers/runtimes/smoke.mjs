/*
 * A host on Node, Bun or Deno: asks a provider over TLS through every server of the runtime, reads the whole answer, and ends by itself.
 * The certificate in tls/ is valid only for `localhost`; check-runtimes.ts makes the runtime trust its authority.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { join } from 'node:path';
import { createGateway, memoryApiKeys, memoryLedger, toFetchHandler } from '@searchgate/core';
import { handleNode } from '@searchgate/core/node';
import { exa } from '@searchgate/core/providers';
import { gatewayRouter as expressRouter } from '@searchgate/express';
import { gatewayRouter as koaRouter } from '@searchgate/koa';
import express from 'express';
import Koa from 'koa';

const apiKey = 'sg_a-key-for-the-smoke-test';
const sentence = 'The Zephyr Bridge opened in May 2021, as “Zéphyr” 🌉. ';
const answer = sentence.repeat(10_000).trim();
const citations = [
  { url: 'https://example.org/zephyr', title: 'Zephyr Bridge' },
  { url: 'https://example.org/traffic', title: 'Traffic' },
];

/** Answers as Exa, in pieces that cut characters. */
async function startUpstream() {
  const file = (name) => readFileSync(join(import.meta.dirname, 'tls', name));
  const body = Buffer.from(JSON.stringify({ answer, citations, costDollars: { total: 0.005 } }));
  const server = createTlsServer({ key: file('localhost-key.pem'), cert: file('localhost.pem') }, (req, res) => {
    req.resume().on('end', () => {
      res.writeHead(200, { 'content-type': 'application/json' });
      for (let at = 0; at < body.length; at += 60_001) res.write(body.subarray(at, at + 60_001));
      res.end();
    });
  });
  return { port: await portOf(server), stop: () => stopServer(server) };
}

function portOf(server) {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve(server.address().port));
  });
}

function stopServer(server) {
  return new Promise((resolve) => {
    server.close(resolve);
    server.closeAllConnections();
  });
}

async function nodeHost(listener) {
  const server = createServer(listener);
  return { port: await portOf(server), stop: () => stopServer(server) };
}

/** Every server of this runtime, with the gateway under /search. */
function hosts(gateway) {
  const fetchHandler = toFetchHandler(gateway, { prefix: '/search' });
  const { Bun, Deno } = globalThis;
  return {
    'node:http': () =>
      nodeHost((req, res) => {
        const target = req.url.slice('/search'.length);
        void handleNode(gateway, { req, res, target }).then((ours) => ours || res.writeHead(404).end());
      }),
    Express: () => nodeHost(express().use('/search', expressRouter(gateway))),
    Koa: () => nodeHost(new Koa().use(koaRouter(gateway, { prefix: '/search' })).callback()),
    ...(Bun && {
      'Bun.serve': () => {
        const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: fetchHandler });
        return { port: server.port, stop: () => server.stop(true) };
      },
    }),
    ...(Deno && {
      'Deno.serve': () => {
        const server = Deno.serve({ port: 0, hostname: '127.0.0.1', onListen: () => undefined }, fetchHandler);
        return { port: server.addr.port, stop: () => server.shutdown() };
      },
    }),
  };
}

function buildGateway(baseUrl) {
  return createGateway({
    providers: [exa({ apiKey: 'a-key-of-exa', baseUrl })],
    ledger: memoryLedger({ credits: { acme: '1' } }),
    apiKeys: memoryApiKeys([{ apiKey, label: 'smoke', organizationId: 'acme' }]),
    maxAttempts: 1,
  });
}

async function call(port, path, body) {
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
  const method = body === undefined ? 'GET' : 'POST';
  const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
  const response = await fetch(`http://127.0.0.1:${port}/search/api/v1${path}`, init);
  return { status: response.status, json: await response.json() };
}

const question = { model: 'exa/answer', query: 'When did the bridge open?' };

async function checkHost(name, start) {
  const { port, stop } = await start();
  const before = (await call(port, '/key')).json.usage;
  const replies = await Promise.all(Array.from({ length: 5 }, () => call(port, '/answer', question)));
  for (const { status, json } of replies) {
    assert.equal(status, 200, `${name}: ${JSON.stringify(json)}`);
    assert.equal(json.answer, answer, `${name}: the answer is not whole`);
    assert.deepEqual(
      json.citations.map(({ url, title }) => ({ url, title })),
      citations,
    );
    assert.deepEqual(json.usage, { cost: 0.005 });
  }
  assert.equal(((await call(port, '/key')).json.usage - before).toFixed(3), '0.025');
  await stop();
  console.log(`    ${name}`);
}

const upstream = await startUpstream();
const gateway = buildGateway(`https://localhost:${upstream.port}`);
for (const [name, start] of Object.entries(hosts(gateway))) await checkHost(name, start);
await gateway.close();

// A certificate for another name must be refused: keys only go to servers that prove their name.
const misnamed = buildGateway(`https://127.0.0.1:${upstream.port}`);
const refused = misnamed.answer({ apiKey: { id: 'k', organizationId: 'acme' }, ...question });
await assert.rejects(refused, { reason: 'upstream_unreachable' });
await misnamed.close();
await upstream.stop();
