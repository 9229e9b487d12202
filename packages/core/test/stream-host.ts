import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach } from 'vitest';
import { type Clock, systemClock } from '../src/base/time/clock.js';
import { createGateway, type GatewayEvent, type GatewayOptions, memoryApiKeys, memoryLedger } from '../src/index.js';
import type { LedgerEntry } from '../src/ledger/index.js';
import { handleNode } from '../src/node/index.js';
import type { Provider } from '../src/provider-kit/index.js';

export const KEY = 'a-secret-of-twenty-characters';
export const PRICE = 5_000_000n;
export const QUESTION = JSON.stringify({ model: 'exa/answer', query: 'When?', stream: true });
const KEEP_ALIVE_MS = 37_001;
export const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

const stops: (() => Promise<unknown>)[] = [];

/** Stops everything that a test has started, after each test of the calling file. */
export function stopAfterEach(): void {
  afterEach(async () => {
    for (const stop of stops.splice(0).toReversed()) await stop();
  });
}

/** Serves a listener until the end of the test. */
export async function listen(listener: (req: IncomingMessage, res: ServerResponse) => void) {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  stops.push(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return { server, port, url: `http://127.0.0.1:${port}` };
}

export const connectionsOf = (server: Server) =>
  new Promise<number>((resolve) => server.getConnections((_error, count) => resolve(count)));

/** The system's clock, and its number of waiting timers of deadlines and silence. */
function watchedClock() {
  const waiting = new Set<object>();
  const clock: Clock = {
    ...systemClock,
    schedule(delayMs, callback, background) {
      const timer = {};
      const isOurs = background === undefined || delayMs === KEEP_ALIVE_MS;
      if (isOurs) waiting.add(timer);
      const run = () => {
        waiting.delete(timer);
        callback();
      };
      const cancel = systemClock.schedule(delayMs, run, background);
      return () => {
        waiting.delete(timer);
        cancel();
      };
    },
  };
  return { clock, waiting };
}

/** A gateway behind a node server, and its observable state. */
export async function start(provider: Provider, options: Partial<GatewayOptions> = {}) {
  const { clock, waiting } = watchedClock();
  const events: GatewayEvent[] = [];
  const ledger = memoryLedger({ credits: { acme: '100.00' } });
  const gateway = createGateway({
    providers: [provider],
    apiKeys: memoryApiKeys([{ apiKey: KEY, id: 'key', label: 'demo', organizationId: 'acme', limit: null }]),
    ledger,
    clock,
    maxAttempts: 1,
    providerFailureThreshold: 1_000_000,
    streamKeepAliveMs: KEEP_ALIVE_MS,
    onEvent: (event) => void events.push(event),
    ...options,
  });
  const host = await listen((req, res) => void handleNode(gateway, { req, res }));
  stops.push(() => gateway.close());
  const finished = () => events.filter((event) => event.type === 'request_finished');
  const until = async (calls: number) => {
    while (finished().length < calls) await turn();
    return finished();
  };
  const entries = async () => {
    const all: LedgerEntry[] = [];
    let cursor: string | null | undefined;
    do {
      const page = await ledger.entries({ organizationId: 'acme', limit: 1_000, ...(cursor ? { cursor } : {}) });
      all.push(...page.entries);
      cursor = page.nextCursor;
    } while (cursor);
    return all;
  };
  return { gateway, host, finished, until, events, entries, waiting, totals: () => ledger.organizationTotals('acme') };
}
