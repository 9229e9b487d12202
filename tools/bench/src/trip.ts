import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type Profiler, Session } from 'node:inspector/promises';
import type { AddressInfo } from 'node:net';
import { createGateway, memoryApiKeys, memoryLedger } from '@searchgate/core';
import { exa } from '@searchgate/core/providers';
import { gatewayRouter } from '@searchgate/express';
import express from 'express';
import { request } from 'undici';
import { answerRequest } from './requests.js';
import { API_KEY } from './servers/settings.js';

/** Counts the files, functions and calls of one warm answer in the source. With `--list`, prints every function with its calls. */
const SOURCES = /\/packages\/((?:core|express|koa)\/src\/.+)$/;
const FIXTURE = new URL('../../../packages/core/src/providers/exa/fixtures/answer.json', import.meta.url);
const WARM_ANSWERS = 20;
const DELTAS = 5;
/** Tsx adds this helper to every file, to name functions. */
const TSX_HELPER = '__name';

interface Trip {
  readonly files: number;
  readonly functions: number;
  readonly calls: number;
  readonly list: readonly string[];
}

const reply = readFileSync(FIXTURE, 'utf8');
const { answer, citations, costDollars } = JSON.parse(reply) as {
  answer: string;
  citations: object[];
  costDollars: object;
};
const words = answer.split(/(?= )/);
/** Sends the upstream's next delta, once the caller has the previous delta. */
let sendNext: (() => void) | undefined;

/** Answers as Exa: whole, or as a stream of single deltas. */
async function answerAsExa(req: IncomingMessage, res: ServerResponse): Promise<void> {
  let body = '';
  for await (const chunk of req) body += String(chunk);
  if (!body.includes('"stream":true')) return void res.setHeader('content-type', 'application/json').end(reply);
  res.setHeader('content-type', 'text/event-stream');
  const send = (event: object) => res.write(`data: ${JSON.stringify(event)}\n\n`);
  send({ citations });
  for (let index = 0; index < DELTAS; index += 1) {
    const part = words.slice((index * words.length) / DELTAS, ((index + 1) * words.length) / DELTAS);
    const received = new Promise<void>((resolve) => (sendNext = resolve));
    send({ choices: [{ delta: { content: part.join('') } }] });
    await received;
  }
  send({ choices: [{ delta: {}, finish_reason: 'stop' }], costDollars });
  res.end('data: [DONE]\n\n');
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** @throws Error if the answer is incomplete, or a delta did not arrive separately. */
async function ask(origin: string, stream: boolean): Promise<void> {
  const { statusCode, body } = await request(origin, answerRequest({ stream }));
  let [text, deltas] = ['', 0];
  for await (const chunk of body) {
    text += String(chunk);
    const known = text.split('event: delta\n').length - 1;
    if (known > deltas) sendNext?.();
    deltas = known;
  }
  const isWhole = stream ? text.includes('event: done\n') && deltas >= DELTAS : text.includes('"answer":');
  if (statusCode !== 200 || !isWhole) throw new Error(`status ${statusCode}: ${text}`);
}

/** Counts one run after the warm-up. */
async function tripOf(session: Session, run: () => Promise<void>): Promise<Trip> {
  for (let count = 0; count < WARM_ANSWERS; count += 1) await run();
  await session.post('Profiler.takePreciseCoverage');
  await run();
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

const upstream = createServer((req, res) => void answerAsExa(req, res));
const gateway = createGateway({
  providers: [exa({ apiKey: 'exa-key', baseUrl: await listen(upstream) })],
  apiKeys: memoryApiKeys([{ apiKey: API_KEY, label: 'bench', organizationId: 'bench', limit: '500.00' }]),
  ledger: memoryLedger({ credits: { bench: '1000.00' } }),
});
const server = createServer(express().use(gatewayRouter(gateway)));
const origin = await listen(server);
const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
for (const stream of [false, true]) {
  const { files, functions, calls, list } = await tripOf(session, () => ask(origin, stream));
  process.stdout.write(`${stream ? 'streamed' : 'plain'}: ${files} files, ${functions} functions, ${calls} calls\n`);
  if (process.argv.includes('--list')) process.stdout.write(`${list.join('\n')}\n\n`);
}
session.disconnect();
for (const each of [server, upstream]) each.close().closeAllConnections();
await gateway.close();
