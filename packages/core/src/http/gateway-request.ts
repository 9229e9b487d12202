import type { Clock } from '../base/time/clock.js';
import type { Delivery, ReplyListener } from '../limits/unsent-replies.js';

export type { Delivery, ReplyListener };

/**
 * A request as the core sees it: a plain object that wraps the request of the host's server. Building Web `Request` and `Response`
 * objects would cost about as much CPU as the rest of the gateway.
 *
 * @typeParam Host the type of {@link GatewayRequest.host}.
 */
export interface GatewayRequest<Host = unknown> {
  /** In upper case. */
  readonly method: string;
  /** Path below the mount point, without query string, such as `/api/v1/answer`. */
  readonly path: string;
  /** Query string without `?`. */
  readonly query: string;
  /** A header's value by lower-case name; repeated headers joined by `, `. */
  header(name: string): string | undefined;
  /** True when {@link readBody} need not wait. Such calls need no slot for reading a body. */
  readonly bodyHasArrived?: boolean | undefined;
  /**
   * Begins to receive the body before {@link readBody} is called. Call it before the first wait: the host's server keeps every piece of an
   * unread body separately, however small the pieces are. Optional: without it, the body is received by {@link readBody}.
   */
  holdBody?(maxBodyBytes: number): void;
  /**
   * Reads the whole body, once, or returns the value that the host's body parser has parsed. Need not return a promise for a body that has arrived.
   *
   * @throws RequestError `request_too_large`, `request_timeout`, `client_closed_request`.
   */
  readBody(limits: BodyLimits): RequestBody | Promise<RequestBody>;
  /**
   * True once no response can be sent: the caller has gone away, or the host has sent its own response. Polled before each
   * attempt: a listener would cost every request, and the attempt in flight is finished anyway.
   */
  readonly disconnected: boolean;
  /**
   * Names who has to be told how the response fares, before there is one. Optional: without it, a response counts as sent when it is returned, and the slot of
   * its call is free. The last listener counts.
   */
  follow?(reply: ReplyListener): void;
  /** The client's address; `undefined` when unknown. Read only for callers whose key has not been valid before. */
  readonly clientAddress?: string | undefined;
  /** The request object of the host's framework, passed unchanged to `authenticate` and `clientAddress`; the core does not read it. */
  readonly host?: Host | undefined;
}

/** How much of a request body is read, and how long. */
export interface BodyLimits {
  /** Longest body; a longer one is not read to its end. */
  readonly maxBodyBytes: number;
  /** Longest wait for the whole body, from the call of `readBody` on, so that a slow body is cut off too. */
  readonly bodyTimeoutMs: number;
  /** The clock of `bodyTimeoutMs`. */
  readonly clock: Clock;
}

/** The raw bytes, or the value that the host's body parser has made of them. */
export type RequestBody =
  | {
      /** The body as it was sent. */
      readonly bytes: Uint8Array;
    }
  | {
      /** What the host's body parser has made of it; `undefined` where the host has read the body and left nothing. */
      readonly parsed: unknown;
    };

/** The path of an endpoint: clients whose base URL is the whole address append a final slash. */
export function servedPath({ path }: Pick<GatewayRequest, 'path'>): string {
  return path.endsWith('/') && !path.endsWith('//') ? path.slice(0, -1) : path;
}

/**
 * The part of a gateway that host adapters use. It is no class, so that a gateway from another copy
 * of the package fits (CommonJS and ESM in one process).
 *
 * @typeParam Host the framework's request type that `authenticate` expects; `unknown` fits every framework.
 */
export interface MountableGateway<Host = unknown> {
  /**
   * Serves a request. Resolves to `undefined` for a path of the host, whose other routes then handle the request. Never rejects.
   * A property, not a method, so that TypeScript refuses a gateway whose `authenticate` expects the request of another framework.
   */
  readonly handle: (request: GatewayRequest<Host>) => Promise<GatewayResponse | undefined>;
}

/** A response that the adapter writes unchanged. For HEAD requests `body` is null and `content-length` is set. */
export interface GatewayResponse {
  /** The HTTP status. */
  readonly status: number;
  /** Lower-case names. Always contains `content-length` for a body that is no stream. */
  readonly headers: Readonly<Record<string, string>>;
  /** A stream for answers that are sent while they come; `null` for none. */
  readonly body: string | Uint8Array | StreamedBody | null;
}

/** A complete response: every response except a streamed answer. */
export interface TextResponse extends GatewayResponse {
  readonly body: string;
}

/** A body that arrives in parts. */
export interface StreamedBody {
  /** Writes all parts, earlier and later, until the body ends. Call it once, without delay. */
  pipeTo(writer: BodyWriter): void;
}

/** Receives the parts of a body. No method may throw. */
export interface BodyWriter {
  /** Sends a part, or buffers it for a slow caller. Never waits. */
  write(text: string): void;
  /** Ends the body. Nothing is written afterwards. */
  end(): void;
  /** Closes the connection, which shows the caller that the body is incomplete. */
  destroy(): void;
  /** The approximate number of written bytes that the caller has not read yet. */
  readonly bufferedBytes: number;
  /** True once the caller has gone away. */
  readonly isClosed: boolean;
}

export function isStreamed(body: GatewayResponse['body']): body is StreamedBody {
  return typeof body === 'object' && body !== null && 'pipeTo' in body;
}

/** A JSON response that no cache may keep. */
export function jsonResponse(requestId: string, text: string, { status, headers }: ResponseHead = OK): TextResponse {
  // Spreading the common headers would cost more than the rest of this function.
  const own = {
    'content-type': JSON_UTF8,
    'content-length': String(Buffer.byteLength(text)),
    'cache-control': 'no-store',
    'x-request-id': requestId,
    'x-content-type-options': 'nosniff',
  };
  return { status, headers: headers === undefined ? own : Object.assign(own, headers), body: text };
}

/** The headers of every response, with or without a body. */
export function commonHeaders(requestId: string): { 'x-request-id': string; 'x-content-type-options': string } {
  return { 'x-request-id': requestId, 'x-content-type-options': 'nosniff' };
}

export interface ResponseHead {
  readonly status: number;
  /** In addition to the headers of every response. */
  readonly headers?: Readonly<Record<string, string>>;
}

export const JSON_UTF8 = 'application/json; charset=utf-8';

const OK: ResponseHead = { status: 200 };
