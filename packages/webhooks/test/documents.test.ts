import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createGateway, type Gateway, memoryLedger } from '@searchgate/core';
import { fakeProvider } from '@searchgate/testing';
import type { Express } from 'express';
import { afterAll, expect, it, vi } from 'vitest';
import { deliverWebhooks } from '../src/index.js';
import { SECRET, startReceiver, until } from './receiver.js';

// Inside the package, so that the imports of the code resolve.
const cache = join(import.meta.dirname, '../node_modules/.cache');
mkdirSync(cache, { recursive: true });
const folder = mkdtempSync(join(cache, 'documents-'));
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

/** Imports the TypeScript block of a document that contains `part`. */
async function load(part: string, name: string, document = 'alerts.md'): Promise<unknown> {
  const text = readFileSync(join(import.meta.dirname, '../../../docs', document), 'utf8');
  const blocks = [...text.matchAll(/^```ts\n([^]*?)^```$/gm)].map(([, code = '']) => code);
  const file = join(folder, name);
  writeFileSync(file, blocks.find((code) => code.includes(part)) ?? '');
  return import(file);
}

it('shows an Express application that takes the alerts of a gateway, each once, and nothing unsigned', async () => {
  vi.stubEnv('ALERTS_SECRET', SECRET);
  const { app, seen } = (await load('express.raw', 'receiver.ts')) as { app: Express; seen: Map<string, unknown> };
  const server = createServer(app).listen(0, '127.0.0.1');
  await until(() => server.listening);
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/searchgate`;
  const gateways = Array.from({ length: 2 }, () => startGateway(url));
  for (const { gateway } of gateways) {
    const apiKey = { id: 'key', organizationId: 'acme', limit: '0.01' };
    await gateway.answer({ apiKey, model: 'local/answer', query: 'When did it open?' });
    await gateway.close();
  }
  for (const { stop } of gateways) await stop();
  const unsigned = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' });
  expect(unsigned.status).toBe(401);
  server.close();

  const told = [...seen.values()] as { data: { subject: string; threshold: string; usage: string } }[];
  expect(told.map(({ data }) => `${data.subject} ${data.threshold} ${data.usage}`).toSorted()).toEqual([
    'key 0.5 0.005',
    'key 1 0.01',
    'organization 0.5 0.01',
  ]);
});

const ledger = memoryLedger({ credits: { acme: '0.02' } });

/** A second gateway on the same ledger, as in another process. */
function startGateway(url: string) {
  const gateway = createGateway({
    providers: [fakeProvider({ id: 'local', price: '0.005' })],
    ledger,
    authenticate: () => null,
    alerts: { thresholds: ['0.5', '1'] },
  });
  const endpoints = [{ url, secret: SECRET, events: ['budget_threshold' as const] }];
  return { gateway, stop: deliverWebhooks(gateway, { endpoints }) };
}

it('shows receivers for Slack and e-mail, which take an alert only when they have passed it on', async () => {
  const { alertReceivers } = (await load('alertReceivers', 'slack-and-mail.ts', 'recipes/alert-receivers.md')) as {
    alertReceivers: (options: object) => Express;
  };
  const slack = await startReceiver([500], { isVerifying: false });
  const mails: { to: string; subject: string; text: string }[] = [];
  const app = alertReceivers({
    secret: SECRET,
    slackUrl: slack.url,
    sendMail: async (mail: (typeof mails)[number]) => void mails.push(mail),
    to: 'operators@example.com',
  });
  const server = createServer(app).listen(0, '127.0.0.1');
  await until(() => server.listening);
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const gateway = createGateway({
    providers: [fakeProvider({ id: 'local', price: '0.005' })],
    ledger: memoryLedger({ credits: { acme: '0.004' } }),
    authenticate: () => null,
  });
  const events = ['budget_exhausted' as const];
  const stop = deliverWebhooks(gateway, {
    endpoints: ['slack', 'mail'].map((path) => ({ url: `${url}/${path}`, secret: SECRET, events })),
  });
  const apiKey = { id: 'key', organizationId: 'acme', limit: null };
  await expect(gateway.answer({ apiKey, model: 'local/answer', query: 'Q' })).rejects.toThrow('credits');
  await until(() => slack.requests() === 1 && mails.length === 1);
  await gateway.close();
  await stop();
  // Slack failed once, so the gateway tried again.
  expect(slack.requests()).toBe(2);
  const first = 'acme: calls are refused, $0.004 of $0.004 are left';
  expect(JSON.parse(slack.bodies.at(-1) ?? '')).toEqual({ text: mails[0]?.text });
  expect(mails).toEqual([
    {
      to: 'operators@example.com',
      subject: first,
      text: expect.stringMatching(/wanted: 0\.005\nrest: 0\.004\nalertId: alert_[0-9a-f]{32}$/) as string,
    },
  ]);
  const unsigned = await fetch(`${url}/mail`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  });
  expect([unsigned.status, mails.length]).toEqual([401, 1]);
  server.close();
  server.closeAllConnections();
  await slack.close();
});

it('shows a gateway that delivers webhooks', async () => {
  vi.stubEnv('ALERTS_SECRET', SECRET);
  const sender = (await load('deliverWebhooks', 'sender.ts')) as { gateway: Gateway; stop: () => Promise<void> };
  await sender.gateway.close();
  await sender.stop();
});
