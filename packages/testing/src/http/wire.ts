/** An HTTP request on the wire. */
export interface WireRequest {
  /** In upper case. */
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** `null` for none. */
  readonly body: WireBody | null;
}

/** A body as it goes over the wire. */
export interface WireBody {
  /** Sent one after another. */
  readonly chunks: readonly Uint8Array[];
  /** With a `content-length`, or with `transfer-encoding: chunked` and without a length. */
  readonly framing: 'length' | 'chunked';
  /** Sends the chunks, then stalls, though more was announced. */
  readonly stalls: boolean;
}

/** An HTTP response on the wire. */
export interface WireResponse {
  /** The HTTP status. */
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The bytes as they came, without the framing of chunks. */
  readonly body: Uint8Array;
}

/** A request in flight. */
export interface Exchange {
  /** Rejects after a disconnect. */
  readonly response: Promise<WireResponse>;
  /** Resolves when the response body so far contains this text. */
  received(text: string): Promise<void>;
  /** Disconnects without waiting for the response; resolves when the server has noticed. */
  disconnect(): Promise<void>;
}

/** A host with a mounted gateway. It answers all other requests with its own 404. */
export interface HttpUnderTest {
  /** Sends a request to the host. */
  send(request: WireRequest): Exchange;
  /** Closes the host and its connections. */
  stop(): Promise<void>;
}

/** More bytes than any stalling row announces. */
export const PROMISED_BYTES = 500;
