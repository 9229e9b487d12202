/** One HTTP request as it goes over the wire. */
export interface WireRequest {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: WireBody | null;
}

export interface WireBody {
  /** Sent one by one. */
  readonly chunks: readonly Uint8Array[];
  /** With a `content-length`, or with `transfer-encoding: chunked` and so without telling its length. */
  readonly framing: 'length' | 'chunked';
  /** The chunks are sent and then nothing more, though more was promised. */
  readonly stalls: boolean;
}

/** One HTTP response as it came over the wire. */
export interface WireResponse {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Uint8Array;
}

/** A request under way. */
export interface Exchange {
  /** Rejects when the caller has disconnected. */
  readonly response: Promise<WireResponse>;
  /** Resolves when the body of the response, as far as it has arrived, has this text in it. */
  received(text: string): Promise<void>;
  /** Goes away without waiting for the response; resolves when the server has noticed. */
  disconnect(): Promise<void>;
}

/** A host with a gateway mounted in it. It answers requests that are not the gateway's with a 404 of its own. */
export interface HttpUnderTest {
  send(request: WireRequest): Exchange;
  stop(): Promise<void>;
}

/** More than any row promises to send and does not. */
export const PROMISED_BYTES = 500;
