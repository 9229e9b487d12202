import type { Clock } from '../base/time/clock.js';
import type { AnswerCitation, AnswerHead, AnswerListener, AnswerReply } from '../request/answer-reply.js';
import type { RequestState } from '../request/handle-request-lifecycle.js';
import type { AnswerFormat } from './answer-api.js';
import { cacheHeaders, rateLimitHeaders, serverTiming } from './answer-headers.js';
import type { BodyWriter, GatewayResponse, StreamedBody, TextResponse } from './gateway-request.js';
import { commonHeaders } from './json-response.js';
import { REPLAYED } from './present-error.js';

export interface StreamLimits {
  /** How long a stream may be silent. */
  readonly keepAliveMs: number;
  /** Most of a stream that is kept for a caller who reads slowly. */
  readonly maxBufferedBytes: number;
}

export interface AnswerStreamOptions {
  /** Sends the response whose body this is. */
  readonly begin: (response: GatewayResponse) => void;
  readonly call: RequestState;
  readonly format: AnswerFormat;
  readonly clock: Clock;
  /** The turn of the event loop. */
  readonly turn: () => number;
  readonly limits: StreamLimits;
}

/** No proxy may keep events back or change them. */
const STREAM_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
};

/**
 * An answer as server-sent events, in the format of its endpoint. The response begins with the first event; until then the call
 * can still end in any other one.
 *
 * A caller who reads slowly holds up no one: what it has not taken is kept, up to a limit, beyond which its connection is closed. When a
 * caller goes away, the call runs to its end.
 */
export class AnswerStream implements AnswerListener, StreamedBody {
  readonly #options: AnswerStreamOptions;
  /** What was written before there was a writer; `null` after. */
  #waiting: string | null = '';
  #writer: BodyWriter | undefined;
  #response: GatewayResponse | undefined;
  #hasEnded = false;
  #wasCut = false;
  /** The turn of the event loop in which something was written last. */
  #lastTurn = 0;
  #lastWriteMs = 0;
  #cancelTimer = (): void => undefined;

  constructor(options: AnswerStreamOptions) {
    this.#options = options;
  }

  get hasStarted(): boolean {
    return this.#response !== undefined;
  }

  /** Whether the caller has gone away, or was closed for reading too slowly. */
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

  /** Ends a stream that has begun with an error; `undefined` where none has, so that the error is the response. */
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
   * Whether the caller has left too much of what came before. Looked at once a turn, before anything is written: a long answer that comes
   * at once says nothing about a caller who has had no time to take it.
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

  /** One timer that looks when the last write was, instead of one for every write. */
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
