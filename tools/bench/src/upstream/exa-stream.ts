import type { Socket } from 'node:net';
import { CITATIONS, EXA_COST_USD } from './exa-reply.js';

/** Occurs once in every part of a streamed answer, so that parts can be counted anywhere. */
export const MARK = '@';
export const DELTAS_PER_SECOND = 20;
/** Streams are spread over ticks of this length, so that their parts are spread over time. */
const TICK_MS = 5;
const TURNS = 1_000 / DELTAS_PER_SECOND / TICK_MS;

const HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n';
const TEXTS = [
  ' it opened @ in May',
  ' @ of 2021 [1][2], and',
  ' some @ 40,000 vehicles',
  ' cross it @ every day',
  ' [3].@ A toll is paid',
];
const DELTAS = TEXTS.map((text) => Buffer.from(chunkOf({ delta: { role: 'assistant', content: text } })));
const END = Buffer.from(
  `${chunkOf({ delta: {}, finish_reason: 'stop' }, { costDollars: { total: EXA_COST_USD } })}${framed('data: [DONE]\n\n')}0\r\n\r\n`,
);

/** One event, as one part of a chunked body. */
function chunkOf(choice: object, others: object = {}): string {
  const id = '0c1f6b2e9a7d4f5380b1c2d3e4f5a6b7';
  const choices = [{ index: 0, finish_reason: null, ...choice }];
  return framed(
    `data: ${JSON.stringify({ id, object: 'chat.completion.chunk', created: 1_763_800_000, choices, ...others })}\n\n`,
  );
}

function framed(text: string): string {
  return `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
}

/** Open streams take turns on one timer, until the run ends them. */
interface Stream {
  readonly socket: Socket;
  hasBegun: boolean;
}
const turns: Stream[][] = Array.from({ length: TURNS }, () => []);
let [opened, turn, sent] = [0, 0, 0];
let timer: NodeJS.Timeout | undefined;

export function openStream(socket: Socket): void {
  turns[opened++ % TURNS]?.push({ socket, hasBegun: false });
  timer ??= setInterval(tick, TICK_MS);
}

function tick(): void {
  turn += 1;
  const delta = DELTAS[Math.floor(turn / TURNS) % DELTAS.length] as Buffer;
  for (const stream of turns[turn % TURNS] ?? []) {
    stream.socket.write(stream.hasBegun ? delta : firstParts());
    stream.hasBegun = true;
    sent += 1;
  }
}

/** The first text contains its send time. All processes of a machine share this clock. */
function firstParts(): string {
  const content = `${MARK}${process.hrtime.bigint() / 1_000n} is when`;
  return (
    HEAD +
    chunkOf({ delta: { role: 'assistant', content: '' } }, { citations: CITATIONS }) +
    chunkOf({ delta: { content } })
  );
}

/** @returns the number of text parts sent. */
export function endStreams(): number {
  clearInterval(timer);
  timer = undefined;
  for (const { socket } of turns.flatMap((each) => each.splice(0))) socket.write(END);
  const total = sent;
  sent = 0;
  return total;
}
