import type { RequestFinished } from './events.js';
import type { AttemptFinished } from './provider-events.js';

/**
 * Makes spans, such as `gatewayTracer()` of `@searchgate/opentelemetry`. Unlike event listeners, its methods run during the call, so they must be fast. Their
 * errors are logged once and do not affect the caller.
 */
export interface Tracer {
  /**
   * Called before the call awaits anything, so the host's active span is active here.
   * @returns `undefined` for a call without spans.
   */
  startRequest(start: RequestStart): RequestSpan | undefined;
}

/** The span of a call, over HTTP or in process. */
export interface RequestSpan {
  /** Calls `work` once, before `run` returns, with the span active for `work` and for all that `work` begins. */
  run(work: () => void): void;
  /** @returns `undefined` for an attempt without a span. */
  startAttempt(start: AttemptStart): AttemptSpan | undefined;
  /** Called once, last, with the event of the call; for a streamed answer when its stream ends. */
  end(finished: RequestFinished): void;
}

/** The span of an attempt at a provider. A call may have several open attempts. */
export interface AttemptSpan {
  /** Calls `work`, which sends the request to the provider, once, before `run` returns, with the span active. */
  run(work: () => void): void;
  /** Called once, last, with the event of the attempt. */
  end(finished: AttemptFinished): void;
}

/** The data of a call at its beginning. */
export type RequestStart = Pick<RequestFinished, 'endpoint'>;

/** The data of an attempt at its beginning. */
export interface AttemptStart extends Pick<AttemptFinished, 'requestId' | 'attempt' | 'provider' | 'model'> {
  /** The category of the model, such as `answer`. */
  readonly category: string;
}
