import type { Clock } from '../base/time/clock.js';
import { type BodyWriter, commonHeaders, type GatewayResponse, type StreamedBody } from './gateway-request.js';

export interface StreamLimits {
  /** Longest silence of a stream, before a keep-alive comment. */
  readonly keepAliveMs: number;
  /** Most bytes of a stream that are buffered for a slow caller. */
  readonly maxBufferedBytes: number;
}

export interface EventsBodyOptions {
  /** Sends the response whose body is this stream. */
  readonly begin: (response: GatewayResponse) => void;
  readonly clock: Clock;
  /** Gives the number of the current turn of the event loop. */
  readonly turn: () => number;
  readonly limits: StreamLimits;
}

/** Tells proxies not to hold back or change events. */
const STREAM_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
};

/**
 * A body of server-sent events. The response begins with {@link EventsBody.start}. Until then, the call can still end with another response.
 *
 * A slow caller does not slow the call: unread events are buffered up to a limit, and above the limit the connection is closed. When a
 * caller goes away, the call runs to its end.
 */
export class EventsBody implements StreamedBody {
  readonly #options: EventsBodyOptions;
  /** Text written before the writer is known; `null` after that. */
  #waiting: string | null = '';
  #writer: BodyWriter | undefined;
  #response: GatewayResponse | undefined;
  #hasEnded = false;
  #wasCut = false;
  /** The turn of the event loop of the last write. */
  #lastTurn = 0;
  #lastWriteMs = 0;
  #cancelTimer = (): void => undefined;

  constructor(options: EventsBodyOptions) {
    this.#options = options;
  }

  get hasStarted(): boolean {
    return this.#response !== undefined;
  }

  /** Whether the caller has gone away, or was disconnected for reading too slowly. */
  get isAbandoned(): boolean {
    return this.#wasCut || this.#writer?.isClosed === true;
  }

  /** Begins the response. @param headers in addition to those of every stream. @param first events, if any. */
  start(requestId: string, headers: Readonly<Record<string, string>> = {}, first = ''): GatewayResponse {
    const response = {
      status: 200,
      headers: { ...STREAM_HEADERS, ...commonHeaders(requestId), ...headers },
      body: this,
    };
    this.#response = response;
    this.#lastWriteMs = this.#options.clock.monotonic();
    this.send(first);
    this.#keepAlive();
    this.#options.begin(response);
    return response;
  }

  pipeTo(writer: BodyWriter): void {
    this.#writer = writer;
    if (this.#wasCut) {
      writer.destroy();
      return;
    }
    if (this.#waiting !== null && this.#waiting !== '') this.send(this.#waiting);
    this.#waiting = null;
    if (this.#hasEnded) writer.end();
  }

  /** @param text whole events. */
  send(text: string): void {
    if (text === '' || this.isAbandoned) return;
    this.#lastWriteMs = this.#options.clock.monotonic();
    if (this.#isBehind()) this.#cut();
    else if (this.#writer === undefined) this.#waiting += text;
    else this.#writer.write(text);
  }

  /**
   * Whether the caller has left too many earlier bytes unread. Checked before the first write of each turn only: a caller has no time to read
   * the parts of a long answer that arrive in one turn.
   */
  #isBehind(): boolean {
    const turn = this.#options.turn();
    if (turn === this.#lastTurn) return false;
    this.#lastTurn = turn;
    const buffered = this.#writer?.bufferedBytes ?? this.#waiting?.length ?? 0;
    return buffered > this.#options.limits.maxBufferedBytes;
  }

  #cut(): void {
    this.#wasCut = true;
    this.#waiting = '';
    this.#cancelTimer();
    this.#writer?.destroy();
  }

  /** Ends a stream that has begun. @param last events, if any. @returns `undefined` if no stream has begun. */
  end(last = ''): GatewayResponse | undefined {
    if (this.#response === undefined) return undefined;
    this.send(last);
    this.#hasEnded = true;
    this.#cancelTimer();
    if (!this.#wasCut) this.#writer?.end();
    return this.#response;
  }

  /** Ends a stream that has begun, for an error. @returns `undefined` if no stream has begun: the error is then the response. */
  fail(): GatewayResponse | undefined {
    return this.end();
  }

  /** Checks with one timer when the last write was, instead of setting a timer for every write. */
  #keepAlive(): void {
    const { clock, limits } = this.#options;
    const silentMs = clock.monotonic() - this.#lastWriteMs;
    const isDue = silentMs >= limits.keepAliveMs;
    if (isDue) this.send(': keep-alive\n\n');
    if (this.#hasEnded || this.isAbandoned) return;
    const waitMs = isDue ? limits.keepAliveMs : limits.keepAliveMs - silentMs;
    this.#cancelTimer = clock.schedule(waitMs, () => this.#keepAlive(), 'background');
  }
}
