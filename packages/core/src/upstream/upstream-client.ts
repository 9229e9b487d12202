/**
 * Whether the rest of a reply is wanted. `false`: no, close the connection. `'ending'`: the last event has come; wait at most a second for the end of the
 * reply, so that the connection can be used again.
 */
export type Wanted = boolean | 'ending';

/** One HTTP request to a provider. The host comes from the provider's settings only, never from a caller. */
export interface UpstreamRequest {
  /** A GET has no body. */
  readonly method: 'GET' | 'POST';
  /** Absolute http(s) URL built from the provider's `baseUrl`. */
  readonly url: URL;
  /** Lower-case names. `accept` and `user-agent` have defaults; `content-type` (with `json`) and `accept-encoding` are set by the client. */
  readonly headers: Readonly<Record<string, string>>;
  /** Sent as a JSON body. */
  readonly json?: unknown;
  /**
   * Receives the body of a 2xx reply piece by piece while it arrives, in whole characters; the reply's `text` is then empty. Returns whether the rest
   * is wanted. An exception ends the request, and {@link UpstreamClient.send} rejects with it.
   */
  readonly onText?: ((piece: string) => Wanted) | undefined;
  /**
   * Called when the connection breaks or the time is up: whether `onText` has received the whole reply already. Default: only after
   * `'ending'`.
   */
  readonly isWhole?: (() => boolean) | undefined;
}

/** A complete reply of any status. The adapter decides on the meaning of the status. */
export interface UpstreamResponse {
  /** Any status, also of an error. */
  readonly status: number;
  /** A header's value (the first one when repeated), by lower-case name. */
  header(name: string): string | undefined;
  /** The whole body as text, within `maxUpstreamBytes`; empty if `onText` received it. */
  readonly text: string;
}

/**
 * The only way to send requests to a provider. Bound to one attempt: connect, headers and body share the attempt's deadline.
 */
export interface UpstreamClient {
  /**
   * Sends one request and reads the whole reply. Never retries, never follows redirects (a 3xx is returned like any reply).
   *
   * @throws UpstreamError `upstream_unreachable` (DNS, refused, TLS, no connection in time, reset before the reply began),
   * `upstream_timeout` with the phase in which the deadline passed (`connect` means that nothing was sent), `upstream_invalid_response`
   * (cut or oversized body, broken HTTP), `upstream_rejected` (a header that cannot be sent, such as a key with a line break).
   * @throws TypeError for a URL that is not http(s): a bug of the adapter.
   */
  send(request: UpstreamRequest): Promise<UpstreamResponse>;
}
