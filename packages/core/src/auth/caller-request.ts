/**
 * The part of a request that the host's code may read.
 *
 * @typeParam Host the framework's request: Express's `Request`, Koa's `Context`, a Web `Request`, node's `IncomingMessage`.
 */
export interface AuthenticatedRequest<Host = unknown> {
  /** In upper case. */
  readonly method: string;
  /** Below the mount path, without the query. */
  readonly path: string;
  /** The value of a header, by lower-case name. */
  header(name: string): string | undefined;
  /** The address the request came from, as the adapter sees it: of the socket, Express's `req.ip`, Koa's `ctx.ip`. */
  readonly clientAddress: string | undefined;
  /**
   * The request of the host's framework, with the values set by earlier middleware: `host.user`, `host.session`, `host.state`. `undefined` for calls in
   * process.
   */
  readonly host: Host | undefined;
}

/** The part of a request that authentication needs. */
export interface CallerRequest extends Pick<AuthenticatedRequest, 'method' | 'path' | 'header'> {
  readonly host?: unknown;
  /** The address the request came from, as the adapter sees it. Read only when needed. */
  readonly clientAddress?: string | undefined;
  /** True once the caller can no longer receive an answer. */
  readonly disconnected?: boolean | undefined;
}

/** The request as an object of plain values, so that a hook may destructure it; the methods of an adapter's request would lose `this`. */
export function viewOf(request: CallerRequest): AuthenticatedRequest {
  const { method, path, host } = request;
  return {
    method,
    path,
    header: (name) => request.header(name),
    // Read only when needed.
    get clientAddress() {
      return request.clientAddress;
    },
    host,
  };
}
