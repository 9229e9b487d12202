import { isRequestError, type RequestError } from '../base/errors/request-error.js';
import type { Clock } from '../base/time/clock.js';
import type { AnswerCitation, AnswerHead, AnswerListener } from '../kinds/answer/answer-listener.js';
import type { Answer } from './answer-reply.js';
import type { RequestState } from './handle-request-lifecycle.js';

/** An event of a streamed answer. The same events as over HTTP. */
export type AnswerEvent =
  | ({ readonly type: 'start' } & AnswerHead)
  /** The whole list so far: entries are only appended. */
  | {
      readonly type: 'citations';
      /** In the order of their markers: `[1]` is the first. */
      readonly citations: readonly AnswerCitation[];
    }
  | {
      readonly type: 'delta';
      /** The next part of the text, with its markers. */
      readonly text: string;
    }
  /** The last event, with the result that `gateway.answer` would have given. */
  | {
      readonly type: 'done';
      /** The whole answer with its cost. */
      readonly answer: Answer;
    }
  /** The last event in place of `done`: the answer broke off and is not charged. A call aborted by its own `signal` still runs on, and is charged. */
  | {
      readonly type: 'error';
      /** Why the stream ended early. */
      readonly error: RequestError;
    };

/** Queues the events of one call for a loop that reads at its own pace. The longest answer limits the size of the queue. */
export class AnswerEventQueue implements AnswerListener {
  /** Set when the call has begun. */
  state: RequestState | undefined;
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
    if (this.state !== undefined) this.state.firstContentMs = this.#clock.monotonic();
    this.#push({ type: 'start', ...head });
  }

  citations(citations: readonly AnswerCitation[]): void {
    this.#push({ type: 'citations', citations: [...citations] });
  }

  delta(text: string): void {
    this.#push({ type: 'delta', text });
  }

  /** @param begin starts the call. */
  async *iterate(begin: () => Promise<Answer>): AsyncGenerator<AnswerEvent, void, undefined> {
    begin().then(
      (answer) => this.#end({ type: 'done', answer }),
      (error: unknown) => this.#fail(error),
    );
    for (;;) {
      // Takes all events at once: every `shift` of a long array would move all other entries.
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
