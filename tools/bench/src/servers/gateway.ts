import { createServer, type Server } from 'node:http';
import { createGateway, type Gateway, type GatewayEvent, memoryApiKeys } from '@searchgate/core';
import { exa } from '@searchgate/core/providers';
import { openLedger } from '../ledgers/open-ledger.js';
import { API_KEY, type Host, listenOnLoopback, ORGANIZATION, readSettings } from './settings.js';

/** In nanodollars. */
const CREDITS = 1_000_000n * 1_000_000_000n;
const KEY_LIMIT = '500000.00';

/** A forwarder has no limits, so the limits here exceed the number of measured streams. */
const ROOM = { maxInFlight: 2_000, maxInFlightPerKey: 2_000, maxConnectionsPerProvider: 2_000 };

/** No deadline either: a slow server is measured, not cut off. */
const NO_DEADLINE = { 'exa/answer': { timeoutMs: 600_000 } };

const { host, upstreamOrigin, uses } = readSettings();
const eventCounts = new Map<string, number>();

function countEvent({ type }: GatewayEvent): void {
  eventCounts.set(type, (eventCounts.get(type) ?? 0) + 1);
}

/** A gateway with all features in use: keys with limits, credits in a ledger, circuit breaker, a listener of events. */
async function fullGateway(): Promise<Gateway> {
  const ledger = await openLedger(uses ?? 'memory');
  await ledger.migrate?.();
  const grant = { grantId: ORGANIZATION, organizationId: ORGANIZATION, amount: CREDITS, note: 'benchmark' };
  await ledger.grant(grant);
  return createGateway({
    providers: [exa({ apiKey: 'exa-key', baseUrl: upstreamOrigin })],
    apiKeys: memoryApiKeys([{ apiKey: API_KEY, label: 'bench', organizationId: ORGANIZATION, limit: KEY_LIMIT }]),
    ledger,
    onEvent: countEvent,
    models: NO_DEADLINE,
    ...ROOM,
  });
}

/** Each loads only its own framework. */
const hosts: Record<Host, (gateway: Gateway) => Promise<Server>> = {
  async node(gateway) {
    const { handleNode } = await import('@searchgate/core/node');
    return createServer((req, res) => {
      void handleNode(gateway, { req, res }).then((ours) => {
        if (!ours) res.writeHead(404).end();
      });
    });
  },
  async express(gateway) {
    const { default: express } = await import('express');
    const { gatewayRouter } = await import('@searchgate/express');
    return createServer(express().use(gatewayRouter(gateway)));
  },
  async koa(gateway) {
    const { default: Koa } = await import('koa');
    const { gatewayRouter } = await import('@searchgate/koa');
    const handle = new Koa().use(gatewayRouter(gateway)).callback();
    return createServer((req, res) => void handle(req, res));
  },
};

listenOnLoopback(await hosts[host](await fullGateway()));
