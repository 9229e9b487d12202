import type { ServerResponse } from 'node:http';
import { createFakeClock, type FakeClock } from '@searchgate/testing';
import type { Clock } from '../../src/base/time/clock.js';
import { createGateway, type GatewayEvent, type Ledger, memoryApiKeys, memoryLedger } from '../../src/index.js';
import { handleNode } from '../../src/node/index.js';
import type { Provider } from '../../src/provider-kit/index.js';
import { tavily } from '../../src/providers/index.js';
import { serve } from '../every-model/serve.js';
import type { RecordedStream } from '../recorded-streams.js';
import { openStream, type StreamEvent } from '../stream-client.js';
import { MAX_UPSTREAM_BYTES } from './faults.js';

const KEY = 'a-secret-of-twenty-characters';
/** Unique delays, so that their timers can be recognized. */
const DEADLINE_MS = 29_003;
const KEEP_ALIVE_MS = 37_001;
const START_MS = Date.UTC(2026, 10, 21);
const FALLBACK_REPLY = JSON.stringify({
  answer: 'Yes.',
  results: [{ url: 'https://example.org/a', title: 'A', content: 'Opened.' }],
});

export interface Scene {
  readonly stream: RecordedStream;
  readonly hasFallback: boolean;
  /** Default `true`. */
  readonly includeCitations?: boolean;
  /** Sends a reply; `delivered` resolves when the caller has got text. Resolves when only the deadline is left to wait for. */
  readonly play: (res: ServerResponse, delivered: Promise<void>) => unknown;
  /** Whether the deadline passes afterwards. */
  readonly timesOut?: boolean;
}

/** The result of one call. */
export interface Ending {
  readonly status: number;
  readonly events: readonly StreamEvent[];
  /** The body of a whole response. */
  readonly json: unknown;
  readonly money: Money;
  readonly finished: readonly GatewayEvent[];
  /** Number of timers left after the call. */
  readonly timers: number;
  /** Errors in the log. */
  readonly logged: readonly string[];
}

interface Money {
  readonly held: bigint;
  /** Kind and amount of the log's entries, losses last. */
  readonly entries: readonly (readonly [kind: string, amount: bigint])[];
  /** Usage of the organization and of the key. */
  readonly usages: readonly bigint[];
}

export interface Stage {
  /** Asks a new gateway for a stream, over HTTP, and waits until the provider's connection is closed or free. */
  run(scene: Scene): Promise<Ending>;
  close(): Promise<void>;
}

/** A provider, a healthy fallback and a host on loopback ports. */
export async function openStage(): Promise<Stage> {
  let receive: (res: ServerResponse) => void = () => undefined;
  let opened: OpenGateway | undefined;
  const upstream = await serve((req, res) => {
    res.on('error', () => undefined);
    req.resume().once('end', () => receive(res));
  });
  const healthy = await serve((_req, res) => {
    res.setHeader('content-type', 'application/json').end(FALLBACK_REPLY);
  });
  const host = await serve((req, res) => {
    if (opened !== undefined) void handleNode(opened.gateway, { req, res });
  });
  const fallback = tavily({ apiKey: 'a-key', baseUrl: healthy.url });

  return {
    async run(scene) {
      opened = openGateway(scene, [scene.stream.create({ apiKey: 'a-key', baseUrl: upstream.url }), fallback]);
      const { gateway, clock, timers, ledger, finished, logged } = opened;
      const closed: Promise<unknown>[] = [];
      const delivered = latch();
      const played = latch();
      receive = (res) => {
        closed.push(new Promise((resolve) => res.once('close', resolve)));
        void Promise.resolve(scene.play(res, delivered.opened)).then(played.open);
      };
      const body = {
        model: scene.stream.model,
        query: 'When?',
        stream: true,
        include_citations: scene.includeCitations ?? true,
      };
      const responding = openStream(host.url, { apiKey: KEY, body, onDelta: delivered.open });
      if (scene.timesOut) {
        await played.opened;
        await turns();
        await clock.advance(DEADLINE_MS);
      }
      const response = await responding;
      const events = await response.end();
      await Promise.all(closed);
      const status = response.message.statusCode ?? 0;
      const json = events.length === 0 ? await response.json() : undefined;
      const ending = { status, events, json, money: await moneyOf(ledger), timers: timers.size };
      await gateway.close();
      return { ...ending, finished, logged };
    },
    async close() {
      for (const server of [host, upstream, healthy]) await server.close();
    },
  };
}

type OpenGateway = ReturnType<typeof openGateway>;

/** A gateway for one call, and its observable state. */
function openGateway({ stream: { model }, hasFallback }: Scene, providers: readonly Provider[]) {
  const { clock, timers } = watchedClock();
  const ledger = memoryLedger({ credits: { acme: '10.00' }, clock });
  const finished: GatewayEvent[] = [];
  const logged: string[] = [];
  const gateway = createGateway({
    providers,
    apiKeys: memoryApiKeys([{ apiKey: KEY, id: 'key', label: 'demo', organizationId: 'acme', limit: '5.00' }]),
    ledger,
    clock,
    fallbacks: hasFallback ? { [model]: ['tavily/answer'] } : {},
    models: { [model]: { timeoutMs: DEADLINE_MS } },
    streamKeepAliveMs: KEEP_ALIVE_MS,
    maxUpstreamBytes: MAX_UPSTREAM_BYTES,
    // So that retryable errors end the call like all others.
    maxAttempts: hasFallback ? 2 : 1,
    logger: { warn: () => undefined, error: (_fields, message) => void logged.push(message) },
    onEvent: (event) => void (event.type === 'request_finished' && finished.push(event)),
  });
  return { gateway, ledger, clock, timers, finished, logged };
}

/** Starts a streamed reply with the first recorded events. */
export async function begin(res: ServerResponse, sent: readonly string[]): Promise<void> {
  // Some prices depend on the hour in the provider's reply.
  res.writeHead(200, { 'content-type': 'text/event-stream', date: new Date(START_MS).toUTCString() });
  res.flushHeaders();
  if (sent.length > 0) res.write(sent.join(''));
  await turns();
}

/** Enough turns for this process to read freshly written bytes. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => void setImmediate(resolve));
}

function latch() {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}

/** A clock that does not move, and its timers of deadlines and silence. */
function watchedClock(): { readonly clock: FakeClock; readonly timers: ReadonlySet<object> } {
  const fake = createFakeClock(START_MS);
  const timers = new Set<object>();
  const schedule: Clock['schedule'] = (delayMs, callback, background) => {
    const timer = {};
    if (delayMs === DEADLINE_MS || delayMs === KEEP_ALIVE_MS) timers.add(timer);
    const run = () => {
      timers.delete(timer);
      callback();
    };
    const cancel = fake.schedule(delayMs, run, background);
    return () => {
      timers.delete(timer);
      cancel();
    };
  };
  return { clock: { ...fake, schedule }, timers };
}

async function moneyOf(ledger: Ledger): Promise<Money> {
  const organization = await ledger.organizationTotals('acme');
  const key = await ledger.keyTotals('key');
  const { entries } = await ledger.entries({ keyId: 'key' });
  return {
    held: organization.held + key.held,
    usages: [organization.usage, key.usage],
    entries: entries.map(({ kind, amount }) => [kind, amount] as const).sort(([a], [b]) => (a < b ? -1 : 1)),
  };
}
