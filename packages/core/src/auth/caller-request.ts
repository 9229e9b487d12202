/**
 * What a host's own code may read of a request.
 *
 * @typeParam Host the framework's own request: Express's `Request`, Koa's `Context`, a Web `Request`, node's `IncomingMessage`.
 */
export interface AuthenticatedRequest<Host = unknown> {
  readonly method: string;
  readonly path: string;
  /** A header's value by lower-case name. */
  header(name: string): string | undefined;
  /** The address the request came from, as the adapter sees it: of the socket, Express's `req.ip`, Koa's `ctx.ip`. */
  readonly clientAddress: string | undefined;
  /**
   * The request as the host's framework has it, with all that middleware before the gateway has put there: `host.user`, `host.session`,
   * `host.state`. `undefined` for calls in process, where there is none.
   */
  readonly host: Host | undefined;
}

/** The part of a request that tells who is calling. */
export interface CallerRequest extends Pick<AuthenticatedRequest, 'method' | 'path' | 'header'> {
  readonly host?: unknown;
  /** The address the request came from, as the adapter sees it. Read only when needed. */
  readonly clientAddress?: string | undefined;
  /** True once no answer can be given any more. */
  readonly disconnected?: boolean | undefined;
}

/** An object of plain values: a hook may take it apart, which the methods of an adapter's request do not survive. */
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
