import type { Clock } from '../base/time/clock.js';

/**
 * A request as the core sees it: a plain object over whatever the host's server provides. Building Web `Request` and `Response`
 * objects would cost about as much CPU as the rest of the gateway.
 *
 * @typeParam Host what {@link GatewayRequest.host} is.
 */
export interface GatewayRequest<Host = unknown> {
  readonly method: string;
  /** Path below the mount point, without query string, such as `/api/v1/answer`. */
  readonly path: string;
  /** Query string without `?`. */
  readonly query: string;
  /** A header's value by lower-case name; repeated headers joined by `, `. */
  header(name: string): string | undefined;
  /** True when {@link readBody} has nothing to wait for any more. Such calls need no slot for the read of a body. */
  readonly bodyHasArrived?: boolean | undefined;
  /**
   * Begins to take a body in that is still to come, for the time before {@link readBody} is called. To be called before anything is waited for: the
   * host's server keeps the pieces of a body that no one takes, however small they are. Without it, nothing is taken.
   */
  holdBody?(maxBodyBytes: number): void;
  /**
   * Reads the whole body, once, or hands over what the host's body parser has already parsed. What is there already needs no promise.
   *
   * @throws RequestError `request_too_large`, `request_timeout`, `client_closed_request`.
   */
  readBody(limits: BodyLimits): RequestBody | Promise<RequestBody>;
  /**
   * True once no answer can be given any more: the caller has gone away, or the host has answered in our place. Polled before each
   * attempt: listening would cost every request, and the attempt in flight is finished anyway.
   */
  readonly disconnected: boolean;
  /** The address the request came from; `undefined` where it is not known. Read only for callers whose key was not valid before. */
  readonly clientAddress?: string | undefined;
  /** The request as the host's framework has it, handed to `authenticate` and `clientAddress` as it is; nothing else reads it. */
  readonly host?: Host | undefined;
}

export interface BodyLimits {
  readonly maxBodyBytes: number;
  /** Longest wait for the whole body, counted from when it is asked for, so that a body that drips is cut off too. */
  readonly bodyTimeoutMs: number;
  /** What `bodyTimeoutMs` is measured by. */
  readonly clock: Clock;
}

/** Bytes as they came, or the value a body parser of the host made of them. */
export type RequestBody = { readonly bytes: Uint8Array } | { readonly parsed: unknown };

/**
 * The part of a gateway that servers are connected to. Adapters ask for this and not for a class, so that a gateway from another copy
 * of the package (CommonJS beside ESM) fits.
 *
 * @typeParam Host the framework's own request, as `authenticate` wants it; `unknown` fits every framework.
 */
export interface MountableGateway<Host = unknown> {
  /**
   * Serves a request; resolves to `undefined` when it is not the gateway's, so that the host's other routes see it. Never rejects.
   * A property, not a method: TypeScript then refuses a gateway whose `authenticate` wants the request of another framework.
   */
  readonly handle: (request: GatewayRequest<Host>) => Promise<GatewayResponse | undefined>;
}

/** A complete response for the adapter to write as it is. For HEAD requests `body` is null and `content-length` is set. */
export interface GatewayResponse {
  readonly status: number;
  /** Lower-case names. Always contains `content-length` when there is a body that is no stream. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | StreamedBody | null;
}

/** A response that is there already, as all but streamed answers are. */
export interface TextResponse extends GatewayResponse {
  readonly body: string;
}

/** A body that comes in parts. */
export interface StreamedBody {
  /** Writes what is there and what comes until the body ends. To be called once, at once. */
  pipeTo(writer: BodyWriter): void;
}

/** Where the parts of a body go. No method may throw. */
export interface BodyWriter {
  /** Takes a part, and keeps it where the caller is slow to read. Never waits. */
  write(text: string): void;
  end(): void;
  /** Closes the connection, which tells the caller that the body is not whole. */
  destroy(): void;
  /** About how much has been written that the caller has not taken yet. */
  readonly bufferedBytes: number;
  /** True once the caller has gone away. */
  readonly isClosed: boolean;
}

export function isStreamed(body: GatewayResponse['body']): body is StreamedBody {
  return typeof body === 'object' && body !== null && 'pipeTo' in body;
}
