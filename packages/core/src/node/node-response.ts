import type { IncomingMessage } from 'node:http';
import type { Http2ServerRequest } from 'node:http2';
import { Readable } from 'node:stream';
import { type GatewayResponse, isStreamed } from '../http/gateway-request.js';

/** A response in the terms of node's servers and the frameworks over them. */
export interface NodeResponse {
  readonly status: number;
  /** Lower-case names, with `content-length` where the length is known. */
  readonly headers: Readonly<Record<string, string>>;
  /** A stream where an answer is wanted while it comes, and where the connection is closed while the caller may still be sending. */
  readonly body: string | Buffer | Readable | null;
}

/** A response that is no stream of events. */
export interface WholeResponse extends GatewayResponse {
  readonly body: string | Uint8Array | null;
}

export function isWhole(response: GatewayResponse): response is WholeResponse {
  return !isStreamed(response.body);
}

/** How long the rest of a refused body is read and thrown away before the connection is closed. */
const DRAIN_MS = 1_000;

/** Fits a response to the protocol of its request. */
export function toNodeResponse(req: IncomingMessage, { status, headers, body }: WholeResponse): NodeResponse {
  const leavesRest = headers['connection'] === 'close' && !req.readableEnded;
  if (leavesRest && req.httpVersionMajor === 2) resetBehindResponse(req as unknown as Http2ServerRequest);
  const isUnread = leavesRest && req.httpVersionMajor === 1 && body !== null;
  return {
    status,
    headers: fittingHeaders(req, headers),
    body: isUnread ? Readable.from(bodyThenDrain(req, body), NO_OBJECTS) : asBuffer(body),
  };
}

const NO_OBJECTS = { objectMode: false };

/** Node writes any bytes, but frameworks tell bytes from other objects by `Buffer.isBuffer`. */
function asBuffer(body: WholeResponse['body']): string | Buffer | null {
  if (body === null || typeof body === 'string' || Buffer.isBuffer(body)) return body;
  return Buffer.from(body.buffer, body.byteOffset, body.byteLength);
}

/** HTTP/2 has no header `connection`, and node refuses it there. */
export function fittingHeaders(
  { httpVersionMajor }: IncomingMessage,
  headers: GatewayResponse['headers'],
): GatewayResponse['headers'] {
  if (httpVersionMajor === 1 || headers['connection'] === undefined) return headers;
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name !== 'connection'));
}

/** Over HTTP/2 the connection goes on, but nothing takes the rest: `NO_ERROR` asks the caller to stop sending it (RFC 9113 §8.1). */
function resetBehindResponse(req: Http2ServerRequest): void {
  const { stream } = req;
  if (stream.endAfterHeaders) return;
  stream.once('finish', () => {
    setImmediate(() => {
      stream.close();
      // A stream that is paused stays open, whatever it has been closed with.
      req.resume();
    });
  });
}

/**
 * A caller that is still sending would meet a reset, and might never see the response, if the connection were closed at once. It has
 * the whole response by its `content-length`; the connection follows when the request's body has ended, or after a moment.
 */
async function* bodyThenDrain(req: IncomingMessage, body: string | Uint8Array): AsyncGenerator<string | Uint8Array> {
  yield body;
  await drained(req);
}

function drained(req: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(stop, DRAIN_MS);
    req.once('end', stop).once('close', stop).resume();

    function stop(): void {
      clearTimeout(timer);
      req.off('end', stop).off('close', stop);
      resolve();
    }
  });
}
