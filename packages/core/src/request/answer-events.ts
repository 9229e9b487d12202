import type { AnswerCitation, AnswerHead, AnswerListener } from '../answer/answer.js';
import { isRequestError, type RequestError } from '../base/errors/request-error.js';
import type { Clock } from '../base/time/clock.js';
import type { Answer } from './answer-reply.js';
import type { RequestState } from './handle-request-lifecycle.js';

/** A part of an answer that comes while it is written. The same events as over HTTP. */
export type AnswerEvent =
  | ({ readonly type: 'start' } & AnswerHead)
  /** The whole list so far: entries are only appended. */
  | { readonly type: 'citations'; readonly citations: readonly AnswerCitation[] }
  | { readonly type: 'delta'; readonly text: string }
  /** Last: the answer that `gateway.answer` would have given. */
  | { readonly type: 'done'; readonly answer: Answer }
  /** Last, instead of `done`: the answer is not whole, and nothing was charged. Where the call's own `signal` ended it, it runs on and is charged. */
  | { readonly type: 'error'; readonly error: RequestError };

/** Keeps the events of one call for a loop that takes them at its own pace. It is bounded by the length of an answer. */
export class AnswerEventQueue implements AnswerListener {
  /** Set when the call has begun. */
  call: RequestState | undefined;
  readonly #clock: Clock;
  #events: AnswerEvent[] = [];
  #failure: unknown;
  #hasStarted = false;
  #hasEnded = false;
  #wake = (): void => undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  start(head: AnswerHead): void {
    this.#hasStarted = true;
    if (this.call !== undefined) this.call.firstContentMs = this.#clock.monotonic();
    this.#push({ type: 'start', ...head });
  }

  citations(citations: readonly AnswerCitation[]): void {
    this.#push({ type: 'citations', citations: [...citations] });
  }

  delta(text: string): void {
    this.#push({ type: 'delta', text });
  }

  /** @param begin makes the call. */
  async *iterate(begin: () => Promise<Answer>): AsyncGenerator<AnswerEvent, void, undefined> {
    begin().then(
      (answer) => this.#end({ type: 'done', answer }),
      (error: unknown) => this.#fail(error),
    );
    for (;;) {
      // All at once: taking the first off a long list, again and again, moves the others each time.
      const events = this.#events;
      this.#events = [];
      if (events.length > 0) yield* events;
      else if (this.#failure !== undefined) throw this.#failure as Error;
      else if (this.#hasEnded) return;
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  #fail(error: unknown): void {
    if (this.#hasStarted && isRequestError(error)) this.#end({ type: 'error', error });
    else this.#failure = error;
    this.#wake();
  }

  #end(event: AnswerEvent): void {
    this.#push(event);
    this.#hasEnded = true;
  }

  #push(event: AnswerEvent): void {
    if (this.#hasEnded) return;
    this.#events.push(event);
    this.#wake();
  }
}
