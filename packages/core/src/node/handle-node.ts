import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Http2ServerRequest } from 'node:http2';
import { Readable } from 'node:stream';
import { processWarnings } from '../base/events/logger.js';
import { type GatewayResponse, isStreamed, type MountableGateway, type StreamedBody } from '../http/gateway-request.js';
import { type BodyProgress, bodyInPieces, PIECE_BYTES, ResponseWriter, readableBody } from './body-writers.js';
import { type Http1Call, type NodeCall, type NodeIncoming, NodeRequest } from './node-request.js';

/**
 * Serves a request of a server of node:http, node:https or node:http2. For plain node:http, and for adapters whose framework lets handlers write `res`. The
 * gateway's `authenticate` receives `req`.
 *
 * @returns whether the gateway served the request. If not, nothing has been read or written, and the host continues. Never rejects.
 */
export async function handleNode<Req extends NodeIncoming>(
  gateway: MountableGateway<Req>,
  call: NodeCall<Req>,
): Promise<boolean> {
  if (call.target === null) return false;
  const { req, res } = call as NodeCall & Http1Call;
  const request = new NodeRequest(call, call.req);
  let progress: BodyProgress | null | undefined = null;
  try {
    const response = await gateway.handle(request);
    if (response === undefined) return false;
    // A host that has answered itself sends nothing of ours.
    const isOurs = !res.headersSent && !res.writableEnded && !(res.stream ?? res).destroyed;
    const { status, headers, body } = response;
    if (!isStreamed(body)) {
      const paced = toNodeResponse({ req, res }, response);
      progress = isOurs ? writeNodeResponse(res, paced) : null;
    } else if (isOurs) {
      res.writeHead(status, fittingHeaders(req, headers));
      progress = writeStream(res, body);
    } else readableBody(body, res).body.destroy();
  } catch (error) {
    // Only another implementation of a gateway rejects, and only a host that changes `res` makes a write throw. The caller must not wait forever.
    processWarnings.error({ error }, 'a gateway failed outside its own error handling');
    res.destroy();
  }
  request.replied(progress);
  return true;
}

/**
 * Returns the gateway's response to a request of a node:http server, for adapters whose framework writes responses itself. A body that is a stream is either a
 * streamed answer, or a whole body that ends late, so that the caller can finish sending.
 *
 * @param host the value for the gateway's `authenticate`: the request of the framework.
 * @returns `undefined` if the gateway does not serve the request; nothing has been read then.
 */
export async function nodeResponse<Host>(
  gateway: MountableGateway<Host>,
  call: NodeCall,
  host: Host,
): Promise<NodeResponse | undefined> {
  if (call.target === null) return undefined;
  const request = new NodeRequest(call, host);
  const response = await gateway.handle(request);
  if (response === undefined) return undefined;
  const { req, res } = call as NodeCall & Http1Call;
  const paced = toNodeResponse({ req, res }, response);
  // A host that has answered itself gets the response, but cannot send it.
  request.replied(res.headersSent ? null : paced.progress);
  return paced;
}

/**
 * Writes a response directly to node's response, at a third of the cost of `res.json`. Headers that the host has set stay, unless the response sets the same
 * headers.
 */
function writeNodeResponse(
  res: ServerResponse,
  { status, headers, body, progress }: PacedResponse,
): BodyProgress | undefined {
  res.writeHead(status, headers);
  if (body instanceof Readable) body.pipe(res);
  else res.end(body);
  return progress;
}

/** Writes a streamed response behind its headers. */
function writeStream(res: ServerResponse, body: StreamedBody): BodyProgress {
  const writer = new ResponseWriter(res);
  body.pipeTo(writer);
  // If there is a first part, node sends the headers with it: a write to the socket is the most expensive step of a stream.
  if (res.writableLength === 0 && !res.writableEnded) res.flushHeaders();
  return writer;
}

/** A response in the terms of node's servers and the frameworks over them. */
export interface NodeResponse {
  /** The HTTP status. */
  readonly status: number;
  /** Lower-case names, with `content-length` where the length is known. */
  readonly headers: Readonly<Record<string, string>>;
  /** A stream where an answer is wanted while it comes, where the connection is closed while the caller may still be sending, and above 64 kB. */
  readonly body: string | Buffer | Readable | null;
}

interface PacedResponse extends NodeResponse {
  readonly progress?: BodyProgress | undefined;
}

/** How long the rest of a refused body is read and thrown away before the connection is closed. */
const DRAIN_MS = 1_000;

/** Fits a response to the protocol of its request. */
function toNodeResponse({ req, res }: Http1Call, { status, headers, body }: GatewayResponse): PacedResponse {
  // Properties by name, because copies by `...` cost a tenth of a short response.
  const fitting = fittingHeaders(req, headers);
  if (isStreamed(body)) {
    const { body: readable, progress } = readableBody(body, res);
    return { status, headers: fitting, body: readable, progress };
  }
  const leavesRest = headers['connection'] === 'close' && !req.readableEnded;
  if (leavesRest && req.httpVersionMajor === 2) resetBehindResponse(req as unknown as Http2ServerRequest);
  const isUnread = leavesRest && req.httpVersionMajor === 1 && body !== null;
  if (isUnread) return { status, headers: fitting, body: Readable.from(bodyThenDrain(req, body), NO_OBJECTS) };
  const isLong = body !== null && Number(headers['content-length']) > PIECE_BYTES;
  if (!isLong) return { status, headers: fitting, body: asBuffer(body) };
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  const { body: pieces, progress } = bodyInPieces(bytes, res);
  return { status, headers: fitting, body: pieces, progress };
}

const NO_OBJECTS = { objectMode: false };

/** Node writes any bytes, but frameworks tell bytes from other objects by `Buffer.isBuffer`. */
function asBuffer(body: string | Uint8Array | null): string | Buffer | null {
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
