import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createGateway, type Gateway, memoryApiKeys, memoryLedger } from '@searchgate/core';
import { exa } from '@searchgate/core/providers';
import { httpConformance, nodeHost, startFaultUpstream } from '@searchgate/testing';
import { chosenRows } from '@searchgate-internal/test-servers/chosen-rows';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HOSTS, type RunningApp } from './test-hosts.js';

const apiKey = 'sg_a-secret-of-twenty-characters';
const REPLY = { answer: 'Thirty days.', citations: [{ url: 'https://example.org/leave', title: 'Leave' }] };

const { it: register } = chosenRows({ describe, it }, 10);

/** Hosts whose contract is tested in packages/express, packages/koa and tools/openapi. */
const TESTED_ELSEWHERE = ['Express', 'Koa', 'plain node:http'];
const OTHERS = HOSTS.filter(({ name }) => !TESTED_ELSEWHERE.includes(name));

describe.each(OTHERS)('$name', ({ name, capabilities, changesPathOf = [], start }) => {
  // One application for all rows, though each row has its own gateway: Nest starts slowly.
  let current: Pick<Gateway, 'handle'>;
  let app: RunningApp;
  beforeAll(async () => {
    const front: Pick<Gateway, 'handle' | 'close'> = {
      handle: (request) => current.handle(request),
      close: () => Promise.resolve(),
    };
    app = await start(front as Gateway);
  });
  afterAll(() => app.close());

  httpConformance({
    describe,
    it: (row, run) => (changesPathOf.includes(row) ? undefined : register(row, run)),
    host: name,
    capabilities,
    rows: 'transport',
    async start(gateway) {
      current = gateway;
      const host = await nodeHost((req, res) => app.server.emit('request', req, res));
      return { ...host, send: (request) => host.send({ ...request, target: `/search${request.target}` }) };
    },
  });
});

describe.each(HOSTS)('$name', ({ start }) => {
  it('serves an answer on its own server, leaves other paths to the framework, and stops', async () => {
    const upstream = await startFaultUpstream({ healthyReply: { body: JSON.stringify(REPLY) } });
    const gateway = createGateway({
      providers: [exa({ apiKey: 'a-key-of-exa', baseUrl: upstream.url })],
      ledger: memoryLedger({ credits: { acme: '1' } }),
      apiKeys: memoryApiKeys([{ apiKey, label: 'demo', organizationId: 'acme' }]),
    });
    const app = await start(gateway);
    const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
    const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', connection: 'close' };
    const body = JSON.stringify({ model: 'exa/answer', query: 'How much leave do I get?' });
    const answer = await fetch(`${url}/search/api/v1/answer?trace=1`, { method: 'POST', headers, body });
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({ answer: REPLY.answer, citations: REPLY.citations });
    for (const path of ['/search', '/search/api/v1/other', '/api/v1/key', '/searched/api/v1/key'])
      expect([path, (await fetch(url + path, { headers })).status]).toEqual([path, 404]);
    await app.close();
    await gateway.close();
    await upstream.close();
  });

  it('stops while callers keep asking over kept-alive connections', async () => {
    const gateway = createGateway({
      providers: [exa({ apiKey: 'a-key-of-exa' })],
      ledger: memoryLedger(),
      apiKeys: memoryApiKeys([]),
    });
    const app = await start(gateway);
    const { port } = app.server.address() as AddressInfo;
    const callers = await Promise.all(Array.from({ length: 8 }, () => askUntilRefused(port)));
    await app.close();
    for (const { refused } of callers) await refused;
  });
});

/** Resolves with the first response. */
async function askUntilRefused(port: number): Promise<{ readonly refused: Promise<void> }> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const ask = async (): Promise<string | undefined> => {
    try {
      const asked = get({ host: '127.0.0.1', port, path: '/search/api/v1/key', agent });
      const [response] = (await once(asked, 'response')) as [IncomingMessage];
      await once(response.resume(), 'end');
      return undefined;
    } catch (error) {
      return (error as NodeJS.ErrnoException).code;
    }
  };
  await ask();
  const goOn = async (): Promise<void> => {
    while ((await ask()) !== 'ECONNREFUSED');
    agent.destroy();
  };
  return { refused: goOn() };
}
