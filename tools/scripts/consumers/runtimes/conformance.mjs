/*
 * The published conformance suites on Node, Bun or Deno: the HTTP contract and every fault of an upstream, every nth row by the argument.
 */
import assert from 'node:assert/strict';
import { createGateway, memoryLedger, toFetchHandler } from '@searchgate/core';
import { handleNode } from '@searchgate/core/node';
import { exa } from '@searchgate/core/providers';
import { gatewayRouter as expressRouter } from '@searchgate/express';
import { gatewayRouter as koaRouter } from '@searchgate/koa';
import {
  FAULT_EXPECTATIONS,
  FAULTS,
  fetchHost,
  httpConformance,
  nodeHost,
  startFaultUpstream,
} from '@searchgate/testing';
import express from 'express';
import Koa from 'koa';

/** Generous for a busy machine; a hanging test must be named. */
const LIMIT_MS = 60_000;
/** Deadline of a call to a stalled upstream, far above the time of the exchange before it. */
const DEADLINE_MS = 4_000;
const everyNth = Number(process.argv[2]);
const tests = [];
let registered = 0;
const runner = {
  describe: (_name, body) => body(),
  it: (name, body) => registered++ % everyNth === 0 && tests.push({ name, body }),
};

const HOSTS = {
  'a fetch handler': (gateway) => fetchHost(toFetchHandler(gateway)),
  'node:http': (gateway) =>
    nodeHost(async (req, res) => {
      if (!(await handleNode(gateway, { req, res }))) res.writeHead(404).end();
    }),
  Express: (gateway) => nodeHost(express().use(expressRouter(gateway))),
  Koa: (gateway) => nodeHost(new Koa().use(koaRouter(gateway)).callback()),
};

for (const [host, start] of Object.entries(HOSTS)) {
  const it = (name, body) => runner.it(`${host}: ${name}`, body);
  // Over fetch, the signal is not informative after the body was read.
  const seesHangUps = host !== 'a fetch handler';
  httpConformance({
    ...runner,
    it,
    host,
    capabilities: { bodyParserInFront: false, sockets: true, seesHangUps },
    start,
  });
}
// In parallel, since several faults last until the deadline.
tests.push({ name: 'classifies each fault of an upstream', body: () => Promise.all(FAULTS.map(checkFault)) });

async function checkFault(fault) {
  const upstream = await startFaultUpstream({ healthyReply: { body: '{"answer":"Yes.","citations":[]}' } });
  const attempts = [];
  const gateway = createGateway({
    providers: [exa({ apiKey: 'a-key-of-exa', baseUrl: upstream.url })],
    ledger: memoryLedger({ credits: { acme: '1' } }),
    authenticate: () => null,
    maxAttempts: 1,
    models: { 'exa/answer': { timeoutMs: DEADLINE_MS } },
    onEvent: (event) => event.type === 'attempt_finished' && attempts.push(event),
  });
  const ask = () =>
    gateway.answer({ apiKey: { id: 'k', organizationId: 'acme' }, model: 'exa/answer', query: 'Is it?' });
  await upstream.setFault(fault);
  await assert.rejects(ask());
  await upstream.setFault('healthy');
  assert.equal((await ask()).answer, 'Yes.');
  await gateway.close();
  await upstream.close();
  const { outcome, phase, upstreamStatus } = attempts[0];
  const { reason, phase: expectedPhase, status } = FAULT_EXPECTATIONS[fault];
  assert.deepEqual([fault, outcome, phase, upstreamStatus], [fault, reason, expectedPhase, status]);
}

async function withinLimit(body) {
  let timer;
  const late = new Promise((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`not done after ${LIMIT_MS} ms`)), LIMIT_MS);
  });
  try {
    await Promise.race([body(), late]);
  } finally {
    clearTimeout(timer);
  }
}

const failures = [];
for (const { name, body } of tests) {
  try {
    await withinLimit(body);
  } catch (error) {
    failures.push(`${name}: ${error.message}`);
  }
}
assert(registered > 2_000, `only ${registered} rows were registered`);
assert.deepEqual(failures, []);
console.log(`    ${tests.length} tests of the HTTP contract and ${FAULTS.length} faults of an upstream`);
