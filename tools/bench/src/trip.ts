import { createHook } from 'node:async_hooks';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { type Profiler, Session } from 'node:inspector/promises';
import type { AddressInfo } from 'node:net';
import { PerformanceObserver } from 'node:perf_hooks';
import { createGateway, memoryApiKeys, memoryLedger } from '@searchgate/core';
import { handleNode } from '@searchgate/core/node';
import { exa } from '@searchgate/core/providers';
import { gatewayRouter } from '@searchgate/express';
import express from 'express';
import { API_KEY } from './servers/settings.js';
import type { Wanted } from './trip-caller.js';

/*
 * Counts what one warm answer takes, whatever the machine: files, functions and calls of the source in Express; promises and bytes of the heap in node:http.
 * With `--list`, prints every function with its calls. With `--costs`, prints promises and bytes alone, as JSON.
 */
const SOURCES = /\/packages\/((?:core|express|koa)\/src\/.+)$/;
const WARM_ANSWERS = 200;
const COUNTED_ANSWERS = 200;
const BYTES_PER_KB = 1_000;
/** Tsx adds this helper to every file, to name functions. */
const TSX_HELPER = '__name';

interface Trip {
  readonly files: number;
  readonly functions: number;
  readonly calls: number;
  readonly list: readonly string[];
}

type Ask = (answers: number) => Promise<void>;

/** Counts one run after the warm-up. */
async function tripOf(session: Session, ask: Ask): Promise<Trip> {
  await ask(WARM_ANSWERS);
  await session.post('Profiler.takePreciseCoverage');
  await ask(1);
  // Work deferred to the next turn belongs to the answer too.
  await new Promise((resolve) => setImmediate(resolve));
  const { result } = await session.post('Profiler.takePreciseCoverage');
  const ran = result.flatMap(({ url, functions }) => {
    const [, file] = SOURCES.exec(url) ?? [];
    return file === undefined ? [] : functions.flatMap((each) => callsOf(file, each));
  });
  ran.sort((one, other) => other.calls - one.calls);
  const list = ran.map(({ file, name, calls }) => `${String(calls).padStart(4)}  ${file}  ${name}`);
  const calls = ran.reduce((sum, each) => sum + each.calls, 0);
  return { files: new Set(ran.map(({ file }) => file)).size, functions: ran.length, calls, list };
}

function callsOf(file: string, { functionName, ranges }: Profiler.FunctionCoverage) {
  const calls = ranges[0]?.count ?? 0;
  if (calls === 0 || functionName === TSX_HELPER) return [];
  return [{ file, name: functionName || `(at ${ranges[0]?.startOffset})`, calls }];
}

/** Promises of one answer, node's own included. */
async function promisesOf(ask: Ask): Promise<number> {
  let promises = 0;
  const hook = createHook({ init: (_, type) => void (promises += type === 'PROMISE' ? 1 : 0) }).enable();
  await ask(COUNTED_ANSWERS);
  hook.disable();
  return Math.round(promises / COUNTED_ANSWERS);
}

/** Growth of the heap by one answer. @throws Error where a collection made the figure smaller. */
async function kilobytesOf(ask: Ask): Promise<number> {
  let collections = 0;
  const observer = new PerformanceObserver((list) => void (collections += list.getEntries().length));
  observer.observe({ entryTypes: ['gc'] });
  const before = process.memoryUsage().heapUsed;
  await ask(COUNTED_ANSWERS);
  const grown = process.memoryUsage().heapUsed - before;
  await new Promise((resolve) => setImmediate(resolve));
  observer.disconnect();
  if (collections > 0) throw new Error('the heap was collected: start with --min-semi-space-size=256');
  return Number((grown / COUNTED_ANSWERS / BYTES_PER_KB).toFixed(1));
}

const servers: Server[] = [];
async function listen(handler: RequestListener): Promise<string> {
  const server = createServer(handler);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const caller = fork(new URL('./trip-caller.ts', import.meta.url));
const [port] = (await once(caller, 'message')) as [number];
const gateway = createGateway({
  providers: [exa({ apiKey: 'exa-key', baseUrl: `http://127.0.0.1:${port}` })],
  apiKeys: memoryApiKeys([{ apiKey: API_KEY, label: 'bench', organizationId: 'bench', limit: '500.00' }]),
  ledger: memoryLedger({ credits: { bench: '1000.00' } }),
});
/** Asks one after the other. */
const asking = (origin: string, stream: boolean) => async (answers: number) => {
  caller.send({ origin, stream, answers } satisfies Wanted);
  await once(caller, 'message');
};

async function printCosts(): Promise<void> {
  const ask = asking(await listen((req, res) => void handleNode(gateway, { req, res })), false);
  await ask(WARM_ANSWERS);
  const kilobytes = await kilobytesOf(ask);
  const costs = { promises: await promisesOf(ask), kilobytes };
  if (process.argv.includes('--costs')) process.stdout.write(`${JSON.stringify(costs)}\n`);
  else process.stdout.write(`plain in node:http: ${costs.promises} promises, ${costs.kilobytes} kB\n`);
}

async function printTrips(): Promise<void> {
  const origin = await listen(express().use(gatewayRouter(gateway)));
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  for (const stream of [false, true]) {
    const { files, functions, calls, list } = await tripOf(session, asking(origin, stream));
    process.stdout.write(`${stream ? 'streamed' : 'plain'}: ${files} files, ${functions} functions, ${calls} calls\n`);
    if (process.argv.includes('--list')) process.stdout.write(`${list.join('\n')}\n\n`);
  }
  session.disconnect();
}

await printCosts();
if (!process.argv.includes('--costs')) await printTrips();
caller.disconnect();
for (const server of servers) server.close().closeAllConnections();
await gateway.close();
