import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { request } from 'undici';
import { answerRequest } from './requests.js';

/*
 * The vendor and the caller of `trip.ts`, in a process of their own: their promises and their memory are not the gateway's. Tells the port of the
 * vendor, then makes each wanted number of answers, and tells that they are there.
 */
export interface Wanted {
  readonly origin: string;
  readonly stream: boolean;
  readonly answers: number;
}

const FIXTURE = new URL('../../../packages/core/src/providers/exa/fixtures/answer.json', import.meta.url);
const DELTAS = 5;

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

const upstream = createServer((req, res) => void answerAsExa(req, res));
upstream.listen(0, '127.0.0.1', () => process.send?.((upstream.address() as AddressInfo).port));
async function make({ origin, stream, answers }: Wanted): Promise<void> {
  for (let count = 0; count < answers; count += 1) await ask(origin, stream);
  process.send?.('answered');
}
process.on('message', (wanted: Wanted) => void make(wanted));
process.once('disconnect', () => process.exit());
