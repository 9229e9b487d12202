import { setTimeout } from 'node:timers/promises';
import { Pool } from 'undici';
import type { HttpRequest } from './requests.js';
import { figureAt } from './statistics.js';

export interface OpenLoad {
  readonly port: number;
  readonly request: HttpRequest;
  readonly perSecond: number;
  readonly durationMs: number;
}

const MS_PER_SECOND = 1_000;
/** The first requests connect, and are not measured. */
const SETTLE_MS = 300;
const TIMEOUT_MS = 60_000;

/**
 * Sends a request at each planned time, on another connection if all are busy. A latency counts from the planned time, so a reply that delays the next
 * requests delays their latencies too. @throws Error for an unexpected reply.
 */
export async function openLoop({ port, request, perSecond, durationMs }: OpenLoad) {
  const deadlines = { headersTimeout: TIMEOUT_MS, bodyTimeout: TIMEOUT_MS, connectTimeout: TIMEOUT_MS };
  const pool = new Pool(`http://127.0.0.1:${port}`, deadlines);
  const [latenciesMs, unexpected]: [number[], unknown[]] = [[], []];
  const startedMs = performance.now() + SETTLE_MS;
  const ask = async (planned: number): Promise<void> => {
    const { statusCode, body } = await pool.request(request);
    await body.arrayBuffer();
    if (planned >= 0) latenciesMs.push(performance.now() - startedMs - planned);
    if (statusCode !== 200) unexpected.push(statusCode);
  };
  const asked: Promise<unknown>[] = [];
  for (let planned = -SETTLE_MS; planned < durationMs; planned += MS_PER_SECOND / perSecond) {
    const leftMs = startedMs + planned - performance.now();
    if (leftMs > 0) await setTimeout(Math.ceil(leftMs));
    asked.push(ask(planned).catch((error: unknown) => unexpected.push(error)));
  }
  await Promise.all(asked);
  await pool.close();
  if (unexpected.length > 0) throw new Error(`${unexpected.length} unexpected replies: ${String(unexpected[0])}`);
  const sorted = Float64Array.from(latenciesMs).sort();
  return { completed: asked.length, p50Ms: figureAt(sorted, 0.5), p99Ms: figureAt(sorted, 0.99) };
}
