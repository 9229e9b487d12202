import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Http2ServerRequest } from 'node:http2';
import { Readable } from 'node:stream';
import { processWarnings } from '../base/events/logger.js';
import { type GatewayResponse, isStreamed, type MountableGateway } from '../http/gateway-request.js';
import { NO_READER, ResponseWriter, readableBody } from './body-writers.js';
import { type Http1Call, type NodeCall, type NodeIncoming, NodeRequest } from './node-request.js';

/**
 * Serves one exchange of a server of node:http, node:https or node:http2: what adapters do whose framework leaves `res` to its handlers, and all that plain node:http
 * needs. The gateway's `authenticate` gets `req`.
 *
 * @returns whether the request was the gateway's. If not, nothing has been read or written and the host goes on as if we were not there.
 * Never rejects.
 */
export async function handleNode<Req extends NodeIncoming>(
  gateway: MountableGateway<Req>,
  call: NodeCall<Req>,
): Promise<boolean> {
  if (call.target === null) return false;
  const { req, res } = call as NodeCall & Http1Call;
  try {
    const response = await gateway.handle(new NodeRequest(call, call.req));
    if (response === undefined) return false;
    if (isWhole(response)) writeNodeResponse(res, toNodeResponse(req, response));
    else writeStreamedResponse(res, { ...response, headers: fittingHeaders(req, response.headers) });
  } catch (error) {
    // Only a gateway that is not ours rejects, and only a host that changes `res` makes it throw. The caller must get a response.
    processWarnings.error({ error }, 'a gateway failed outside its own error handling');
    res.destroy();
  }
  return true;
}

/**
 * What the gateway answers to one exchange of a node:http server, for adapters whose framework writes responses itself. A body that is a
 * stream is an answer that is still coming, or gives all it has at once and ends late, so that the caller can finish sending.
 *
 * @param host what the gateway's `authenticate` gets: the framework's own request.
 * @returns `undefined` when the request is not the gateway's; nothing has been read then.
 */
export async function nodeResponse<Host>(
  gateway: MountableGateway<Host>,
  call: NodeCall,
  host: Host,
): Promise<NodeResponse | undefined> {
  if (call.target === null) return undefined;
  const response = await gateway.handle(new NodeRequest(call, host));
  const { req, res } = call as NodeCall & Http1Call;
  if (response === undefined || isWhole(response)) return response && toNodeResponse(req, response);
  const { status, headers, body } = response;
  return {
    status,
    headers: fittingHeaders(req, headers),
    body: isStreamed(body) ? readableBody(body, res) : null,
  };
}

/**
 * Writes a response straight to node's object, which costs a third of what `res.json` does. Headers the host has set before stay, unless the
 * response has the same ones. Writes nothing when the caller has gone or the host has answered already.
 */
function writeNodeResponse(res: ServerResponse, { status, headers, body }: NodeResponse): void {
  if (res.headersSent || res.writableEnded || res.destroyed) return;
  res.writeHead(status, headers);
  if (body === null || typeof body === 'string' || Buffer.isBuffer(body)) res.end(body);
  else body.pipe(res);
}

/** Begins a response whose body is still to come. Writes nothing when the caller has gone or the host has answered already. */
function writeStreamedResponse(res: ServerResponse, { status, headers, body }: GatewayResponse): void {
  const writer = new ResponseWriter(res);
  const isOurs = !res.headersSent && !writer.isClosed;
  if (isOurs) res.writeHead(status, headers);
  if (isStreamed(body)) body.pipeTo(isOurs ? writer : NO_READER);
  // They go with the first part where that is there: one write to the socket, which is the dearest thing a stream does.
  if (isOurs && res.writableLength === 0 && !res.writableEnded) res.flushHeaders();
}

/** A response in the terms of node's servers and the frameworks over them. */
export interface NodeResponse {
  readonly status: number;
  /** Lower-case names, with `content-length` where the length is known. */
  readonly headers: Readonly<Record<string, string>>;
  /** A stream where an answer is wanted while it comes, and where the connection is closed while the caller may still be sending. */
  readonly body: string | Buffer | Readable | null;
}

/** A response that is no stream of events. */
interface WholeResponse extends GatewayResponse {
  readonly body: string | Uint8Array | null;
}

function isWhole(response: GatewayResponse): response is WholeResponse {
  return !isStreamed(response.body);
}

/** How long the rest of a refused body is read and thrown away before the connection is closed. */
const DRAIN_MS = 1_000;

/** Fits a response to the protocol of its request. */
function toNodeResponse(req: IncomingMessage, { status, headers, body }: WholeResponse): NodeResponse {
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
function fittingHeaders(
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
