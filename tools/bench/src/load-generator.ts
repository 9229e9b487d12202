import autocannon from 'autocannon';
import { openLoop } from './open-loop-client.js';
import { announceReady, serve } from './processes/serve.js';
import type { HttpRequest } from './requests.js';
import { figureAt } from './statistics.js';
import { endStreams, openStreams, receivedParts } from './stream-client.js';

export interface Load {
  readonly port: number;
  readonly connections: number;
  readonly request: HttpRequest;
  readonly amount: number;
}

export interface Drive {
  /** Number of all replies, including the first of each connection. */
  readonly completed: number;
  readonly seconds: number;
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Short, so that autocannon notices its end soon. */
const SAMPLE_INTERVAL_MS = 10;
/** Generous for a busy machine; a missing reply must fail the run. */
const TIMEOUT_SECONDS = 60;

/**
 * Sends `amount` requests by autocannon, one at a time on each connection. An amount, not a duration: at the end of a duration autocannon aborts
 * requests in flight, and answers could not be matched with requests at the upstream. The latencies omit the first reply of each connection,
 * which includes connecting.
 */
async function closedLoop({ port, connections, request, amount }: Load): Promise<Drive> {
  const latenciesMs: number[] = [];
  const unexpected: unknown[] = [];
  const opened = new Set<autocannon.Client>();
  let [firstMs, lastMs] = [0, 0];
  const times = { sampleInt: SAMPLE_INTERVAL_MS, timeout: TIMEOUT_SECONDS };
  const options = { url: `http://127.0.0.1:${port}`, connections, amount, requests: [request], ...times };
  await new Promise<void>((resolve, reject) => {
    const run = autocannon(options, (error: Error | null) => (error ? reject(error) : resolve()));
    run.on('response', (client, status, _bytes, latencyMs) => {
      lastMs = performance.now();
      if (status !== 200) unexpected.push(status);
      if (opened.has(client)) latenciesMs.push(latencyMs);
      else opened.add(client);
      if (firstMs === 0) firstMs = lastMs;
    });
    run.on('reqError', (error: unknown) => unexpected.push(error));
  });
  if (unexpected.length > 0) throw new Error(`${unexpected.length} unexpected replies: ${String(unexpected[0])}`);
  const sorted = Float64Array.from(latenciesMs).sort();
  const seconds = (lastMs - firstMs) / 1_000;
  const [p50Ms, p99Ms] = [figureAt(sorted, 0.5), figureAt(sorted, 0.99)];
  return { completed: sorted.length + opened.size, seconds, requestsPerSecond: sorted.length / seconds, p50Ms, p99Ms };
}

/** The process that generates the load, separate from the servers and the run. */
const generator = { closedLoop, openLoop, openStreams, receivedParts, endStreams };
export type LoadGenerator = typeof generator;
serve(generator);
announceReady();
