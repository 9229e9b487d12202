import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import type { BodyLimits, GatewayRequest, RequestBody } from '../http/gateway-request.js';
import { ArrivingBody, hasArrived, readNodeBody } from './read-node-body.js';

/** A request of node:http, node:https or node:http2. */
export type NodeIncoming = IncomingMessage | Http2ServerRequest;

/** One exchange of a server of node:http, node:https or node:http2, as an adapter hands it over. */
export interface NodeCall<Req extends NodeIncoming = NodeIncoming> {
  readonly req: Req;
  readonly res: ServerResponse | Http2ServerResponse;
  /**
   * Path and query below the mount point, as `stripMountPath` finds them; `null` for a request that is not below it, which is not the gateway's.
   * Default: `req.url`, from which Express has already taken the mount path off.
   */
  readonly target?: string | null | undefined;
  /** What the host's body parser made of the body, if there is one; used only when the body has been read to its end. */
  readonly parsedBody?: unknown;
  /** The address of the caller as the framework sees it, asked for only when needed. Default: the socket's. */
  readonly clientAddress?: (() => string | undefined) | undefined;
}

/** Requests and responses of HTTP/2 behave as those of HTTP/1, which their types do not say. */
export interface Http1Call {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
}

/** A view of a node:http exchange, nothing copied. A class, because an object with an accessor of its own takes 2 µs to make. */
export class NodeRequest<Host> implements GatewayRequest<Host> {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly host: Host;
  readonly #call: NodeCall & Http1Call;
  #held: ArrivingBody | undefined;

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
    return bytes instanceof Promise ? bytes.then((all) => ({ bytes: all })) : { bytes };
  }

  get disconnected(): boolean {
    const { res } = this.#call;
    return res.destroyed || res.headersSent;
  }
}

/**
 * Of several `Authorization` headers Node keeps the first, and a proxy in front of the host may have checked another one. So all of them count,
 * as one list, unless the host has put a value of its own in their place.
 *
 * @param rawHeaders names and values in turns.
 */
function withOthers(value: string, rawHeaders: readonly string[]): string {
  let [first, others] = ['', ''];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string;
    // The length first: on the path of each request a loop that puts names into lower case is dear.
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

/** Raw and text parsers hand over the body as it came. */
function alreadyRead(parsed: unknown): RequestBody {
  if (parsed instanceof Uint8Array) return { bytes: parsed };
  if (typeof parsed === 'string') return { bytes: Buffer.from(parsed) };
  if (parsed === undefined)
    throw new Error('the host read the request body and kept it: mount the gateway first, or set req.body');
  return { parsed };
}
