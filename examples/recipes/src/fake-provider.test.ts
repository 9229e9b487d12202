import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createGateway, formatUsd, memoryApiKeys, memoryLedger } from '@searchgate/core';
import { gatewayRouter } from '@searchgate/express';
import { fakeProvider } from '@searchgate/testing';
import express from 'express';
import { expect, it } from 'vitest';

const apiKey = 'a-secret-of-twenty-characters';
const leave = { url: 'https://example.org/leave', title: 'Leave', snippet: 'Thirty days.' };

it('answers, and charges a cent only for the answer', async () => {
  const provider = fakeProvider({ price: '0.01' });
  const ledger = memoryLedger({ credits: { acme: '1.00' } });
  const apiKeys = memoryApiKeys([{ apiKey, label: 'test', organizationId: 'acme' }]);
  const gateway = createGateway({ providers: [provider], ledger, apiKeys, maxAttempts: 1 });
  const server = express().use('/search', gatewayRouter(gateway)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/search/api/v1/answer`;
  const ask = (query: string) =>
    fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${apiKey}` },
      body: JSON.stringify({ model: 'fake/answer', query }),
    });

  provider.reply({ text: 'Thirty days [1].', citations: [leave] }, { failure: 'upstream_error' });
  const answered = await ask('How much leave do I get?');
  const failed = await ask('And in Spain?');

  expect(await answered.json()).toMatchObject({ answer: 'Thirty days [1].', citations: [leave] });
  expect(failed.status).toBe(502);
  expect(provider.requests.map(({ query }) => query)).toEqual(['How much leave do I get?', 'And in Spain?']);
  expect(formatUsd((await ledger.organizationTotals('acme')).usage)).toBe('0.01');
  server.closeAllConnections();
  server.close();
  await gateway.close();
});
