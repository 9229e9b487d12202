import { setImmediate, setTimeout } from 'node:timers/promises';
import autocannon from 'autocannon';
import { Pool } from 'undici';
import { announceReady, serve } from './processes/serve.js';
import type { HttpRequest } from './requests.js';
import { figureAt } from './statistics.js';
import { endStreams, openStreams, receivedParts } from './stream-client.js';

export interface Load {
  readonly port: number;
  readonly connections: number;
  readonly requests: readonly HttpRequest[];
  /** What every reply must have; default 200. */
  readonly status?: number | undefined;
}

export interface Drive {
  /** All replies, also those that only opened the connections. */
  readonly completed: number;
  readonly seconds: number;
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Often enough that autocannon sees its end soon. */
const SAMPLE_INTERVAL_MS = 10;
/** A busy machine may be slow; a reply that never comes must fail the run. */
const TIMEOUT_SECONDS = 60;
/** Timers are only exact to a millisecond or two, so the rest of the time is spent spinning. */
const SPIN_MS = 1.5;
/** A server that is so many seconds of requests behind cannot keep the rate. */
const MAX_BACKLOG_SECONDS = 2;

/**
 * Sends `amount` requests by autocannon, one under way on each connection. An amount and not a time: when its time is over, autocannon breaks
 * off what is under way, and answers could not be matched with requests at the upstream. The first reply of each connection is left out of the
 * latencies, because connecting is in it.
 */
async function closedLoop(load: Load & { readonly amount: number }): Promise<Drive> {
  const { port, connections, requests, amount, status: expected = 200 } = load;
  const latenciesMs: number[] = [];
  const unexpected: unknown[] = [];
  const opened = new Set<autocannon.Client>();
  let [clients, firstMs, lastMs] = [0, 0, 0];
  // As an option, autocannon would copy all requests for every connection.
  const setupClient = (client: autocannon.Client): void => {
    const offset = clients++;
    client.setRequests(requests.length === 1 ? [...requests] : requests.filter((_, i) => i % connections === offset));
  };
  const times = { sampleInt: SAMPLE_INTERVAL_MS, timeout: TIMEOUT_SECONDS };
  const options = { url: origin(port), connections, amount, setupClient, ...times };
  await new Promise<void>((resolve, reject) => {
    const run = autocannon(options, (error: Error | null) => (error ? reject(error) : resolve()));
    run.on('response', (client, status, _bytes, latencyMs) => {
      lastMs = performance.now();
      if (status !== expected) unexpected.push(status);
      if (opened.has(client)) latenciesMs.push(latencyMs);
      else opened.add(client);
      if (firstMs === 0) firstMs = lastMs;
    });
    run.on('reqError', (error: unknown) => unexpected.push(error));
  });
  if (unexpected.length > 0) throw new Error(`${unexpected.length} unexpected replies: ${String(unexpected[0])}`);
  return driveOf(latenciesMs, latenciesMs.length + opened.size, lastMs - firstMs);
}

/**
 * Sends at a fixed rate, whether replies come or not. A latency counts from the time at which its request was to be sent: a server that stalls
 * is charged for every request that its stall delayed. Requests beyond the connections wait, and their time runs.
 */
async function openLoop(
  load: Load & { readonly requestsPerSecond: number; readonly durationMs: number },
): Promise<Drive> {
  const { port, connections, requestsPerSecond, durationMs } = load;
  const pool = new Pool(origin(port), { connections });
  try {
    await Promise.all(Array.from({ length: connections }, (_, index) => send(pool, load, index)));
    const total = Math.round((requestsPerSecond * durationMs) / 1_000);
    const latenciesMs: number[] = [];
    const replies: Promise<unknown>[] = [];
    const startMs = performance.now();
    for (let index = 0; index < total; index += 1) {
      const dueMs = startMs + (index * 1_000) / requestsPerSecond;
      for (let leftMs = 1; leftMs > 0; leftMs = dueMs - performance.now()) {
        await (dueMs - performance.now() > SPIN_MS ? setTimeout(dueMs - performance.now() - SPIN_MS) : setImmediate());
      }
      replies.push(send(pool, load, index).then(() => latenciesMs.push(performance.now() - dueMs)));
      if (replies.length - latenciesMs.length > requestsPerSecond * MAX_BACKLOG_SECONDS) {
        throw new Error(`the server cannot keep ${requestsPerSecond} requests per second`);
      }
    }
    await Promise.all(replies);
    return driveOf(latenciesMs, total + connections, performance.now() - startMs);
  } finally {
    await pool.destroy();
  }
}

async function send(pool: Pool, { requests, status = 200 }: Load, index: number): Promise<void> {
  const request = requests[index % requests.length];
  if (request === undefined) throw new Error('there is no request to send');
  const { statusCode, body } = await pool.request(request);
  await body.dump();
  if (statusCode !== status) throw new Error(`unexpected reply: ${statusCode}`);
}

function origin(port: number): string {
  return `http://127.0.0.1:${port}`;
}

function driveOf(latenciesMs: readonly number[], completed: number, elapsedMs: number): Drive {
  const sorted = Float64Array.from(latenciesMs).sort();
  const seconds = elapsedMs / 1_000;
  const [p50Ms, p99Ms] = [figureAt(sorted, 0.5), figureAt(sorted, 0.99)];
  return { completed, seconds, requestsPerSecond: sorted.length / seconds, p50Ms, p99Ms };
}

/** The process that sends the load, apart from the servers and from the run. */
const generator = { closedLoop, openLoop, openStreams, receivedParts, endStreams };
export type LoadGenerator = typeof generator;
serve(generator);
announceReady();
