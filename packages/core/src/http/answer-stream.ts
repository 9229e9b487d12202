import type { Clock } from '../base/time/clock.js';
import type { AnswerCitation, AnswerHead, AnswerListener, AnswerReply } from '../request/answer-reply.js';
import type { RequestState } from '../request/handle-request-lifecycle.js';
import type { AnswerFormat } from './answer-api.js';
import { cacheHeaders, rateLimitHeaders, serverTiming } from './answer-headers.js';
import type { BodyWriter, GatewayResponse, StreamedBody, TextResponse } from './gateway-request.js';
import { commonHeaders } from './json-response.js';
import { REPLAYED } from './present-error.js';

export interface StreamLimits {
  /** Longest silence of a stream, before a keep-alive comment. */
  readonly keepAliveMs: number;
  /** Most bytes of a stream that are buffered for a slow caller. */
  readonly maxBufferedBytes: number;
}

export interface AnswerStreamOptions {
  /** Sends the response whose body is this stream. */
  readonly begin: (response: GatewayResponse) => void;
  readonly call: RequestState;
  readonly format: AnswerFormat;
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
 * An answer as server-sent events, in the format of its endpoint. The response begins with the first event. Until then, the call
 * can still end with another response.
 *
 * A slow caller does not slow the call: unread events are buffered up to a limit, and above the limit the connection is closed. When a
 * caller goes away, the call runs to its end.
 */
export class AnswerStream implements AnswerListener, StreamedBody {
  readonly #options: AnswerStreamOptions;
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

  constructor(options: AnswerStreamOptions) {
    this.#options = options;
  }

  get hasStarted(): boolean {
    return this.#response !== undefined;
  }

  /** Whether the caller has gone away, or was disconnected for reading too slowly. */
  get isAbandoned(): boolean {
    return this.#wasCut || this.#writer?.isClosed === true;
  }

  start(head: AnswerHead): void {
    const { call, clock, begin, format } = this.#options;
    call.firstContentMs = clock.monotonic();
    const headers = {
      ...STREAM_HEADERS,
      ...commonHeaders(call.trace.requestId),
      ...serverTiming(call, call.firstContentMs),
      ...(call.replay === null ? {} : REPLAYED),
      ...rateLimitHeaders(call),
      ...cacheHeaders(call),
    };
    this.#response = { status: 200, headers, body: this };
    this.#send(format.startEvent(head));
    this.#keepAlive();
    begin(this.#response);
  }

  citations(citations: readonly AnswerCitation[]): void {
    this.#send(this.#options.format.citationsEvent(citations));
  }

  delta(text: string): void {
    this.#send(this.#options.format.deltaEvent(text));
  }

  finish(reply: AnswerReply): GatewayResponse {
    if (this.#response === undefined) throw new Error('an answer has ended without having been streamed');
    this.#send(this.#options.format.doneEvent(reply));
    this.#end();
    return this.#response;
  }

  /** Ends a stream that has begun by sending an error event. @returns `undefined` if no stream has begun: the error is then the response. */
  fail({ body }: TextResponse): GatewayResponse | undefined {
    if (this.#response === undefined) return undefined;
    this.#send(this.#options.format.errorEvent(body));
    this.#end();
    return this.#response;
  }

  pipeTo(writer: BodyWriter): void {
    this.#writer = writer;
    if (this.#wasCut) {
      writer.destroy();
      return;
    }
    if (this.#waiting !== null && this.#waiting !== '') this.#send(this.#waiting);
    this.#waiting = null;
    if (this.#hasEnded) writer.end();
  }

  #send(text: string): void {
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

  #end(): void {
    this.#hasEnded = true;
    this.#cancelTimer();
    if (!this.#wasCut) this.#writer?.end();
  }

  /** Checks with one timer when the last write was, instead of setting a timer for every write. */
  #keepAlive(): void {
    const { clock, limits } = this.#options;
    const silentMs = clock.monotonic() - this.#lastWriteMs;
    const isDue = silentMs >= limits.keepAliveMs;
    if (isDue) this.#send(': keep-alive\n\n');
    if (this.#hasEnded || this.isAbandoned) return;
    const waitMs = isDue ? limits.keepAliveMs : limits.keepAliveMs - silentMs;
    this.#cancelTimer = clock.schedule(waitMs, () => this.#keepAlive(), 'background');
  }
}
