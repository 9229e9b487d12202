/**
 * Whether more of a reply is wanted. `false`: no, it ends here. `'ending'`: its last word has come, so only its end is waited for, for a second at
 * most; then the connection can be used again.
 */
export type Wanted = boolean | 'ending';

/** One HTTP request to a provider. Hosts come from the provider's settings alone: nothing a caller sends can become part of a URL. */
export interface UpstreamRequest {
  readonly method: 'GET' | 'POST';
  /** Absolute http(s) URL built from the provider's `baseUrl`. */
  readonly url: URL;
  /** Lower-case names. `accept` and `user-agent` have defaults; `content-type` (with `json`) and `accept-encoding` are the client's own. */
  readonly headers: Readonly<Record<string, string>>;
  /** Sent as a JSON body. */
  readonly json?: unknown;
  /**
   * Gets the body of a 2xx reply piece by piece as it arrives, whole characters only; the reply's own `text` is then empty. Returns whether more
   * is wanted. What it throws ends the request, and {@link UpstreamClient.send} rejects with it.
   */
  readonly onText?: ((piece: string) => Wanted) | undefined;
  /**
   * Asked where the connection breaks, or the time is up: whether what `onText` got is the whole reply, though more would have come. Default: only behind
   * the last word.
   */
  readonly isWhole?: (() => boolean) | undefined;
}

/** A complete reply, whatever its status; the adapter decides what a status means. */
export interface UpstreamResponse {
  readonly status: number;
  /** A header's value (the first one when repeated), by lower-case name. */
  header(name: string): string | undefined;
  /** The whole body as text, within `maxUpstreamBytes`; empty where `onText` got it. */
  readonly text: string;
}

/**
 * The only way to a provider. Bound to one attempt: connect, headers and body share the attempt's deadline.
 */
export interface UpstreamClient {
  /**
   * Sends one request and reads the whole reply. Never retries, never follows redirects (a 3xx is returned as it is).
   *
   * @throws UpstreamError `upstream_unreachable` (DNS, refused, TLS, no connection in time, reset before the reply began),
   * `upstream_timeout` with the phase the deadline struck in (`connect` means that nothing was sent), `upstream_invalid_response`
   * (cut or oversized body, broken HTTP), `upstream_rejected` (a header that cannot be sent, such as a key with a line break).
   * @throws TypeError for a URL that is not http(s): a bug of the adapter.
   */
  send(request: UpstreamRequest): Promise<UpstreamResponse>;
}
