import net from 'node:net';
import type { HttpRequest } from './requests.js';
import { figureAt } from './statistics.js';
import { MARK } from './upstream/exa-stream.js';

export interface Streams {
  readonly port: number;
  readonly streams: number;
  readonly request: HttpRequest;
}

/** Delay between the provider's first text and its arrival at the client. */
export interface FirstEvents {
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Share of the streams that wait for their first text at once. All at once would delay each other. */
const OPENING = 0.1;
const TIMEOUT_MS = 60_000;
const NANOS_PER_MICRO = 1_000;
const MICROS_PER_MS = 1_000;
/** The end of a chunked body. */
const END = '\r\n0\r\n\r\n';
const MARK_CODE = MARK.charCodeAt(0);
const SENT = new RegExp(`${MARK}(\\d+) `);

let parts = 0;
let ends: Promise<unknown>[] = [];

/** Bare sockets, since an HTTP client would use the server's CPU. @returns when every stream has its first text. */
export async function openStreams({ port, streams, request }: Streams): Promise<FirstEvents> {
  parts = 0;
  ends = [];
  const bytes = bytesOf(request);
  const latencies: Promise<number>[] = [];
  for (let index = 0; index < streams; index += 1) {
    await latencies[index - Math.ceil(streams * OPENING)];
    const { first, end } = openStream(port, bytes);
    latencies.push(first);
    ends.push(end);
  }
  const sorted = Float64Array.from(await Promise.all(latencies)).sort();
  return { p50Ms: figureAt(sorted, 0.5), p99Ms: figureAt(sorted, 0.99) };
}

interface Opened {
  readonly first: Promise<number>;
  readonly end: Promise<unknown>;
}

function openStream(port: number, bytes: string): Opened {
  const socket = net.connect({ port, host: '127.0.0.1', noDelay: true }, () => socket.write(bytes));
  socket.setTimeout(TIMEOUT_MS, () => socket.destroy(new Error('a stream was silent')));
  let tail = '';
  const end = new Promise<unknown>((resolve, reject) => {
    socket.once('error', reject).once('end', () => reject(new Error('a stream was cut off')));
    socket.on('data', (chunk) => {
      for (let at = chunk.indexOf(MARK_CODE); at !== -1; at = chunk.indexOf(MARK_CODE, at + 1)) parts += 1;
      tail = (tail + chunk.toString('latin1', Math.max(0, chunk.length - END.length))).slice(-END.length);
      if (tail === END) resolve(socket.destroy());
    });
  });
  const first = new Promise<number>((resolve, reject) => {
    let head = '';
    const read = (chunk: Buffer): void => {
      const gotMicros = Number(process.hrtime.bigint()) / NANOS_PER_MICRO;
      head += chunk.toString('latin1');
      const sentMicros = SENT.exec(head)?.[1];
      if (sentMicros === undefined) return;
      socket.off('data', read);
      resolve((gotMicros - Number(sentMicros)) / MICROS_PER_MS);
    };
    socket.prependListener('data', read);
    end.then(() => reject(new Error(`a stream without text: ${head}`)), reject);
  });
  return { first, end };
}

/** @returns the number of text parts in all streams so far. */
export function receivedParts(): number {
  return parts;
}

/** Waits for the end of every stream. @returns the number of text parts. */
export async function endStreams(): Promise<number> {
  await Promise.all(ends);
  return parts;
}

function bytesOf({ method, path, headers, body }: HttpRequest): string {
  const all = { host: '127.0.0.1', ...headers, 'content-length': Buffer.byteLength(body) };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
}
