import type { ServerResponse } from 'node:http';
import type { Writable } from 'node:stream';
import { type Clock, systemClock } from '@searchgate/core/ledger';
import { FAULT_REPLIES, type Fault, type FaultReply, type ReplyFault } from './faults.js';

/** The replies of a fault upstream. */
export interface FaultScript {
  /** The reply while healthy; `body_cut` cuts it in half. */
  readonly healthyReply: FaultReply;
  /** Replies in the provider's shape, above all for `error_in_200` and `empty_answer`. Default: plain replies. */
  readonly replies?: { readonly [F in ReplyFault]?: FaultReply | undefined } | undefined;
  /** The clock of `slow_drip`. Default: real time. */
  readonly clock?: Clock | undefined;
  /** Default 1,000. */
  readonly dripIntervalMs?: number | undefined;
}

/** A fault that appears when a request arrives. */
export type RequestFault = Exclude<Fault, 'connection_refused'>;

const FLOOD_BYTES = 16 * 1_024 * 1_024;
const OVERSIZED_CHUNK = Buffer.alloc(64 * 1_024, ' ');

const INFORMATIONAL = ['100 Continue', '102 Processing', '103 Early Hints']
  .map((status) => `HTTP/1.1 ${status}\r\nx-hint: none\r\n\r\n`)
  .join('');
const INFORMATIONAL_BURST = 20;

/** Not faults: the healthy reply, alone or after several informational replies. */
export type Health = 'healthy' | 'healthy_after_informational';

/** Answers one request according to the fault, or not at all. */
export function playFault(fault: RequestFault | Health, response: ServerResponse, script: FaultScript): void {
  const { healthyReply } = script;
  switch (fault) {
    case 'healthy':
      reply(response, healthyReply);
      return;
    case 'healthy_after_informational':
      response.socket?.write(INFORMATIONAL.repeat(INFORMATIONAL_BURST));
      reply(response, healthyReply);
      return;
    case 'no_bytes':
      return;
    case 'headers_then_stall':
      writeHead(response, { ...healthyReply, status: 200 });
      response.flushHeaders();
      return;
    case 'slow_drip':
      writeHead(response, { ...healthyReply, status: 200 });
      drip(response, script);
      return;
    case 'body_cut':
      writeHead(response, { ...healthyReply, status: 200 });
      response.write(halfOf(healthyReply.body), () => response.socket?.end());
      return;
    case 'length_and_chunks':
      response.socket?.write(`${rawHead(healthyReply)}transfer-encoding: chunked\r\n\r\n${chunked(healthyReply.body)}`);
      return;
    case 'two_lengths':
      response.socket?.write(`${rawHead(healthyReply)}content-length: 1\r\n\r\n${healthyReply.body}`);
      return;
    case 'informational_flood':
      if (response.socket) flood(response.socket, INFORMATIONAL);
      return;
    case 'oversized_body':
      response.writeHead(200, { 'content-type': 'application/json' });
      flood(response, OVERSIZED_CHUNK);
      return;
    case 'connection_reset':
      response.socket?.resetAndDestroy();
      return;
    default:
      reply(response, script.replies?.[fault] ?? FAULT_REPLIES[fault]);
  }
}

function writeHead(response: ServerResponse, { status = 200, headers = {}, body }: FaultReply): void {
  const length = Buffer.byteLength(body);
  response.writeHead(status, { 'content-type': 'application/json', ...headers, 'content-length': length });
}

function reply(response: ServerResponse, whole: FaultReply): void {
  writeHead(response, whole);
  response.end(whole.body);
}

function halfOf(body: string): Buffer {
  const bytes = Buffer.from(body);
  return bytes.subarray(0, bytes.length >> 1);
}

/** One byte now and one per interval, until the client hangs up; the last byte is never sent. */
function drip(response: ServerResponse, script: FaultScript): void {
  const { healthyReply, clock = systemClock, dripIntervalMs = 1_000 } = script;
  const bytes = Buffer.from(healthyReply.body);
  let cancelNext: () => void = () => undefined;
  const write = (index: number): void => {
    if (index >= bytes.length - 1) return;
    response.write(bytes.subarray(index, index + 1));
    cancelNext = clock.schedule(dripIntervalMs, () => write(index + 1), 'background');
  };
  response.once('close', () => cancelNext());
  write(0);
}

/** Sixteen megabytes without a length, as fast as the client reads, or until it hangs up. */
function flood(to: Writable, chunk: string | Buffer): void {
  let sent = 0;
  const more = (): void => {
    while (sent < FLOOD_BYTES) {
      if (to.destroyed) return;
      sent += chunk.length;
      if (!to.write(chunk)) {
        to.once('drain', more);
        return;
      }
    }
    to.end();
  };
  more();
}

/** The head of the reply without its last lines, for responses that node cannot write itself. */
function rawHead({ headers = {}, body }: FaultReply): string {
  const fields = { 'content-type': 'application/json', ...headers, 'content-length': Buffer.byteLength(body) };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 200 OK\r\n${lines.join('')}`;
}

function chunked(body: string): string {
  return `${Buffer.byteLength(body).toString(16)}\r\n${body}\r\n0\r\n\r\n`;
}
