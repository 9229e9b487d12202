import type { RequestFinished } from './events.js';
import type { Logger } from './logger.js';
import type { AttemptFinished } from './provider-events.js';
import type { AttemptSpan, AttemptStart, RequestSpan, RequestStart, Tracer } from './tracer.js';

/** Calls the host's code. @returns `undefined` if the code fails. */
type Guard = <T>(action: () => T) => T | undefined;

/** Wraps the host's tracer so that its errors do not affect calls. */
export class Tracing {
  readonly #tracer: Tracer;
  readonly #guard: Guard;

  constructor(tracer: Tracer, logger: Logger) {
    this.#tracer = tracer;
    this.#guard = guardWith(logger);
  }

  startRequest(start: RequestStart): TracedRequest | undefined {
    const span = this.#guard(() => this.#tracer.startRequest(start));
    return span === undefined ? undefined : new TracedRequest(span, this.#guard);
  }
}

/** A span whose errors do not affect calls. */
class Traced<Finished, Span extends SpanOf<Finished>> {
  protected readonly span: Span;
  protected readonly guard: Guard;

  constructor(span: Span, guard: Guard) {
    this.span = span;
    this.guard = guard;
  }

  /** Begins work once with the span active, also if the span fails. */
  run<T>(work: () => Promise<T>): Promise<T> {
    let begun: Promise<T> | undefined;
    // An error of the work must not count as an error of the span.
    const begin = () => (begun ??= new Promise((resolve) => resolve(work())));
    this.guard(() => this.span.run(() => void begin()));
    return begin();
  }

  end(finished: Finished): void {
    this.guard(() => this.span.end(finished));
  }
}

interface SpanOf<Finished> {
  run(work: () => void): void;
  end(finished: Finished): void;
}

/** The span of an attempt. */
export type TracedAttempt = Traced<AttemptFinished, AttemptSpan>;

/** The span of a call. */
export class TracedRequest extends Traced<RequestFinished, RequestSpan> {
  startAttempt(start: AttemptStart): TracedAttempt | undefined {
    const span = this.guard(() => this.span.startAttempt(start));
    return span === undefined ? undefined : new Traced(span, this.guard);
  }
}

/** Logs only the first error, because a broken tracer fails for every call. */
function guardWith(logger: Logger): Guard {
  let hasFailed = false;

  function report(error: unknown): void {
    if (!hasFailed) logger.error({ error }, 'the tracer failed');
    hasFailed = true;
  }

  return (action) => {
    try {
      const result = action();
      if (result instanceof Promise) result.catch(report);
      return result;
    } catch (error) {
      report(error);
      return undefined;
    }
  };
}
