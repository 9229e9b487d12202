import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import { RequestError } from '../base/errors/request-error.js';
import { GatheredBytes } from '../base/gathered-pieces.js';
import type { BodyLimits, Delivery, GatewayRequest, ReplyListener, RequestBody } from '../http/gateway-request.js';
import type { BodyProgress, Response } from './body-writers.js';

/** A request of node:http, node:https or node:http2. */
export type NodeIncoming = IncomingMessage | Http2ServerRequest;

/** A request and response of node:http, node:https or node:http2, as an adapter passes them. */
export interface NodeCall<Req extends NodeIncoming = NodeIncoming> {
  /** As the server gave it. */
  readonly req: Req;
  /** Not yet begun. */
  readonly res: ServerResponse | Http2ServerResponse;
  /**
   * Path and query below the mount path, as `stripMountPath` returns them; `null` for a request that is not below the mount path, which the gateway does not
   * serve. Default: `req.url`, from which Express has already removed the mount path.
   */
  readonly target?: string | null | undefined;
  /** The result of the host's body parser, if any; used only if the body has been read to its end. */
  readonly parsedBody?: unknown;
  /** Returns the caller's address as the framework sees it; called only when needed. Default: the address of the socket. */
  readonly clientAddress?: (() => string | undefined) | undefined;
}

/** Requests and responses of HTTP/2 behave like those of HTTP/1, although their types differ. */
export interface Http1Call {
  readonly req: IncomingMessage;
  readonly res: Response;
}

/** A view of a node:http request and its response, without copies. A class, because an object literal with an accessor takes 2 µs to make. */
export class NodeRequest<Host> implements GatewayRequest<Host>, Delivery {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly host: Host;
  readonly #call: NodeCall & Http1Call;
  #held: ArrivingBody | undefined;
  #reply: ReplyListener | undefined;
  #progress: BodyProgress | undefined;

  constructor(call: NodeCall, host: Host) {
    const { path, query } = splitTarget(call.target ?? call.req.url ?? '');
    this.method = call.req.method ?? '';
    this.path = path;
    this.query = query;
    this.host = host;
    this.#call = call as NodeCall & Http1Call;
  }

  header(name: string): string | undefined {
    const { headers, rawHeaders } = this.#call.req;
    const value = headers[name];
    if (Array.isArray(value)) return value.join(', ');
    return name === AUTHORIZATION && value !== undefined ? withOthers(value, rawHeaders) : value;
  }

  get clientAddress(): string | undefined {
    const { req, clientAddress } = this.#call;
    return clientAddress?.() ?? req.socket.remoteAddress;
  }

  get bodyHasArrived(): boolean {
    const { req } = this.#call;
    return this.#held?.hasArrived ?? (req.readableEnded || hasArrived(req));
  }

  holdBody(maxBodyBytes: number): void {
    const { req } = this.#call;
    const { 'content-length': length = '0', 'transfer-encoding': encoding } = req.headers;
    const hasBody = length !== '0' || encoding !== undefined || req.httpVersionMajor > 1;
    if (hasBody && !this.bodyHasArrived) this.#held ??= new ArrivingBody(req, maxBodyBytes);
  }

  readBody(limits: BodyLimits): RequestBody | Promise<RequestBody> {
    const { req, parsedBody } = this.#call;
    if (this.#held === undefined && req.readableEnded) return alreadyRead(parsedBody);
    const bytes = this.#held?.read(limits) ?? readNodeBody(req, limits);
    // A caller who sends less than announced has gone away, so the host has read a part.
    const whole = (all: Uint8Array): RequestBody =>
      all.length < Number(req.headers['content-length']) ? { parsed: undefined } : { bytes: all };
    return bytes instanceof Promise ? bytes.then(whole) : whole(bytes);
  }

  get disconnected(): boolean {
    const { res } = this.#call;
    return res.destroyed || res.headersSent;
  }

  follow(reply: ReplyListener): void {
    this.#reply = reply;
  }

  /** To be called once, when the response has been written or given to the framework. @param progress `null` for a response that nobody will write. */
  replied(progress: BodyProgress | null | undefined): void {
    const reply = this.#reply;
    if (reply === undefined) return;
    if (progress === null || this.isOver || this.#isHandedOver) {
      reply.over();
      return;
    }
    this.#progress = progress;
    const { res } = this.#call;
    const over = () => reply.over();
    (res.stream ?? res).once('finish', over).once('close', over);
    reply.watch(this);
  }

  /** Whether the system took all at once. Node tells so by `finish` a moment later, and listening costs more than looking. */
  get #isHandedOver(): boolean {
    const { stream, writableEnded, socket, writableLength } = this.#call.res;
    return writableEnded && stream === undefined && socket !== null && writableLength === 0;
  }

  get bufferedBytes(): number {
    return this.#progress?.bufferedBytes ?? this.#call.res.writableLength;
  }

  get writtenBytes(): number {
    return this.#progress?.writtenBytes ?? 0;
  }

  /** Node gives a connection to one response after the other. */
  get isBehindOther(): boolean {
    const { res } = this.#call;
    return res.stream === undefined && res.socket === null;
  }

  /** Node does not close responses behind that of a connection that has closed. */
  get isOver(): boolean {
    const { req, res } = this.#call;
    if (res.stream !== undefined) return res.stream.destroyed || res.stream.writableFinished;
    return res.writableFinished || res.destroyed || req.socket.destroyed;
  }

  destroy(): void {
    const { req, res } = this.#call;
    // Else the caller would take the part for the whole.
    res.stream?.close(NGHTTP2_CANCEL);
    (res.stream ?? req.socket).destroy();
  }
}

const NGHTTP2_CANCEL = 8;

/**
 * Of several `Authorization` headers Node keeps the first, but a proxy in front of the host may have checked another. So all headers count, joined to a list,
 * unless the host has replaced the value.
 *
 * @param rawHeaders alternating names and values.
 */
function withOthers(value: string, rawHeaders: readonly string[]): string {
  let [first, others] = ['', ''];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string;
    // Compares lengths first: converting all names to lower case for each request would be expensive.
    if (name.length !== AUTHORIZATION.length || name.toLowerCase() !== AUTHORIZATION) continue;
    const sent = rawHeaders[index + 1] as string;
    if (first === '') first = sent;
    else others += `, ${sent}`;
  }
  return others !== '' && first === value ? first + others : value;
}

const AUTHORIZATION = 'authorization';

/** A proxy may send the target in absolute form (RFC 9112 §3.2.2). */
function splitTarget(target: string): { path: string; query: string } {
  const local = target.startsWith('/') ? target : target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?]*/i, '');
  const queryAt = local.indexOf('?');
  return queryAt === -1
    ? { path: local, query: '' }
    : { path: local.slice(0, queryAt), query: local.slice(queryAt + 1) };
}

/** The body that the host has read: `undefined` where the host left nothing. Raw and text parsers return the body unparsed. */
function alreadyRead(parsed: unknown): RequestBody {
  if (parsed instanceof Uint8Array) return { bytes: parsed };
  if (typeof parsed === 'string') return { bytes: Buffer.from(parsed) };
  return { parsed };
}

/**
 * Reads a body from the stream, at a fraction of the cost of async iteration or a body parser. Returns a promise only if the body has not arrived yet.
 *
 * @throws RequestError `request_too_large`, `request_timeout`, `client_closed_request`.
 */
export function readNodeBody(req: IncomingMessage, limits: BodyLimits): Uint8Array | Promise<Uint8Array> {
  return hasArrived(req) ? takeArrived(req, limits) : new ArrivingBody(req, limits.maxBodyBytes).read(limits);
}

/**
 * Whether all bytes of a body have arrived, also if Node has not reported the end yet. Small bodies come with their headers, and so have usually arrived when
 * the caller has been authenticated.
 */
function hasArrived(req: IncomingMessage): boolean {
  if (req.destroyed || req.readableEncoding !== null) return false;
  return req.complete || req.readableLength === Number(req.headers['content-length']);
}

function takeArrived(req: IncomingMessage, { maxBodyBytes }: BodyLimits): Uint8Array {
  if (req.readableLength > maxBodyBytes) throw tooLarge(maxBodyBytes);
  // A read returns all bytes up to Node 24, but a single chunk from Node 26 and Deno 2.9 on (seen 2026-11-22).
  const first = req.read() as Buffer | null;
  const body = first !== null && req.readableLength === 0 ? first : withOtherChunks(req, first, maxBodyBytes);
  // Lets the stream end, because a keep-alive connection waits for the end.
  if (!req.complete) req.resume();
  return body;
}

function withOtherChunks(req: IncomingMessage, first: Buffer | null, maxBodyBytes: number): Uint8Array {
  const body = new GatheredBytes(maxBodyBytes);
  if (first !== null) body.add(first);
  while (req.readableLength > 0) {
    const chunk = req.read() as Buffer | null;
    if (chunk !== null) body.add(chunk);
  }
  return body.take();
}

/** A chunk of one byte takes six bytes on the wire, and may have an extension of 16 kB (Node 20 to 24, seen 2026-11-26). */
const WIRE_BYTES_PER_BYTE = 8;
/** The size of a read from the socket, which may include bytes behind the body. */
const SOCKET_READ_BYTES = 65_536;

/** Returns a function that tells whether more bytes came over the wire than a body within the limit needs. Not over HTTP/2, whose connection has other streams. */
function wireGuard({ httpVersionMajor, socket }: IncomingMessage, maxBodyBytes: number): () => boolean {
  if (httpVersionMajor !== 1) return () => false;
  const most = socket.bytesRead + WIRE_BYTES_PER_BYTE * maxBodyBytes + SOCKET_READ_BYTES;
  return () => socket.bytesRead > most;
}

function tooLarge(maxBodyBytes: number): RequestError {
  return new RequestError('request_too_large', { details: { maxBodyBytes } });
}

/**
 * Collects a body while it arrives. Node would keep a list of its chunks: up to 27,000 chunks of one byte, which take 10 MB. Removes its listeners at the
 * end.
 */
export class ArrivingBody {
  readonly #req: IncomingMessage;
  readonly #bytes: GatheredBytes;
  readonly #isOverWire: () => boolean;
  readonly #maxBodyBytes: number;
  /** The length of the body in bytes; NaN if the caller does not tell the length. */
  readonly #expected: number;
  #outcome: Uint8Array | RequestError | undefined;
  #onOutcome: (() => void) | undefined;

  constructor(req: IncomingMessage, maxBodyBytes: number) {
    this.#req = req;
    this.#bytes = new GatheredBytes(maxBodyBytes);
    this.#isOverWire = wireGuard(req, maxBodyBytes);
    this.#maxBodyBytes = maxBodyBytes;
    this.#expected = req.destroyed ? Number.NaN : Number(req.headers['content-length']);
    if (req.destroyed) this.#onGone();
    else req.on('data', this.#onData).on('end', this.#onEnd).on('error', this.#onGone).on('close', this.#onGone);
    // A listener does not start a stream that the host has paused.
    if (req.isPaused()) req.resume();
  }

  get hasArrived(): boolean {
    return this.#outcome !== undefined;
  }

  /** Call once. The time limit begins here. Pauses a stream that was not read to its end. */
  read({ bodyTimeoutMs, clock }: BodyLimits): Uint8Array | Promise<Uint8Array> {
    if (this.#outcome instanceof Uint8Array) return this.#outcome;
    if (this.#outcome !== undefined) return Promise.reject(this.#outcome);
    return new Promise((resolve, reject) => {
      const cancelTimer = clock.schedule(bodyTimeoutMs, () => this.#end(new RequestError('request_timeout')));
      this.#onOutcome = () => {
        cancelTimer();
        if (this.#outcome instanceof RequestError) {
          this.#req.pause();
          reject(this.#outcome);
        } else if (this.#outcome !== undefined) resolve(this.#outcome);
      };
    });
  }

  readonly #onData = (chunk: Buffer | string): void => {
    // Chunks are texts if the host called `req.setEncoding`.
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    if (this.#isOverWire() || !this.#bytes.add(bytes)) this.#end(tooLarge(this.#maxBodyBytes));
    // All bytes are here before Node reports the end. The stream must end, because a keep-alive connection waits for the end.
    else if (this.#bytes.length === this.#expected) {
      this.#end(this.#bytes.take());
      this.#req.resume();
    }
  };

  readonly #onEnd = (): void => this.#end(this.#bytes.take());

  readonly #onGone = (cause?: Error): void => this.#end(new RequestError('client_closed_request', { cause }));

  #end(outcome: Uint8Array | RequestError): void {
    this.#outcome = outcome;
    this.#req.off('data', this.#onData).off('end', this.#onEnd).off('error', this.#onGone).off('close', this.#onGone);
    if (this.#onOutcome !== undefined) this.#onOutcome();
    // Discards further chunks instead of buffering them.
    else if (!(outcome instanceof Uint8Array)) this.#req.resume();
  }
}
