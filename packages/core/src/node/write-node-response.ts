import type { ServerResponse } from 'node:http';
import { type GatewayResponse, isStreamed } from '../http/gateway-request.js';
import { NO_READER, ResponseWriter } from './body-writers.js';
import type { NodeResponse } from './node-response.js';

/**
 * Writes a response straight to node's object, which costs a third of what `res.json` does. Headers the host has set before stay, unless the
 * response has the same ones. Writes nothing when the caller has gone or the host has answered already.
 */
export function writeNodeResponse(res: ServerResponse, { status, headers, body }: NodeResponse): void {
  if (res.headersSent || res.writableEnded || res.destroyed) return;
  res.writeHead(status, headers);
  if (body === null || typeof body === 'string' || Buffer.isBuffer(body)) res.end(body);
  else body.pipe(res);
}

/** Begins a response whose body is still to come. Writes nothing when the caller has gone or the host has answered already. */
export function writeStreamedResponse(res: ServerResponse, { status, headers, body }: GatewayResponse): void {
  const writer = new ResponseWriter(res);
  const isOurs = !res.headersSent && !writer.isClosed;
  if (isOurs) res.writeHead(status, headers);
  if (isStreamed(body)) body.pipeTo(isOurs ? writer : NO_READER);
  // They go with the first part where that is there: one write to the socket, which is the dearest thing a stream does.
  if (isOurs && res.writableLength === 0 && !res.writableEnded) res.flushHeaders();
}
