import type { AnswerCitation, AnswerHead, AnswerListener, AnswerReply } from '../request/answer-reply.js';
import type { RequestState } from '../request/handle-request-lifecycle.js';
import type { WireFormat } from './answer-api.js';
import { replyHeaders } from './answer-headers.js';
import { EventsBody, type EventsBodyOptions } from './events-body.js';
import type { GatewayResponse, TextResponse } from './gateway-request.js';

export interface AnswerStreamOptions extends EventsBodyOptions {
  readonly state: RequestState;
  readonly format: WireFormat;
}

/** An answer as server-sent events, in the format of its endpoint. The response begins with the first event. */
export class AnswerStream implements AnswerListener {
  readonly #options: AnswerStreamOptions;
  readonly #body: EventsBody;

  constructor(options: AnswerStreamOptions) {
    this.#options = options;
    this.#body = new EventsBody(options);
  }

  get hasStarted(): boolean {
    return this.#body.hasStarted;
  }

  get isAbandoned(): boolean {
    return this.#body.isAbandoned;
  }

  start(head: AnswerHead): void {
    const { state, clock, format } = this.#options;
    state.firstContentMs = clock.monotonic();
    const headers = replyHeaders(state, state.firstContentMs);
    this.#body.start(state.context.requestId, headers, format.startEvent(head));
  }

  citations(citations: readonly AnswerCitation[]): void {
    this.#body.send(this.#options.format.citationsEvent(citations));
  }

  delta(text: string): void {
    this.#body.send(this.#options.format.deltaEvent(text));
  }

  finish(reply: AnswerReply): GatewayResponse {
    const response = this.#body.end(this.#options.format.doneEvent(reply));
    if (response === undefined) throw new Error('an answer has ended without having been streamed');
    return response;
  }

  /** Ends a stream that has begun by sending an error event. @returns `undefined` if no stream has begun: the error is then the response. */
  fail({ body }: TextResponse): GatewayResponse | undefined {
    return this.hasStarted ? this.#body.end(this.#options.format.errorEvent(body)) : undefined;
  }
}
