import type { RequestFinished } from './events.js';
import type { AttemptFinished } from './provider-events.js';

/**
 * Where spans are made, such as `gatewayTracer()` of `@searchgate/opentelemetry`. Unlike listeners of events, its methods are called while the
 * call runs, so they must be quick. What they throw is logged once and changes nothing for the caller.
 */
export interface Tracer {
  /**
   * Called before anything of the call is awaited: what is active where the host began the call is active here.
   * @returns `undefined` for a call that gets no spans.
   */
  startRequest(start: RequestStart): RequestSpan | undefined;
}

/** One call, over HTTP or in process. */
export interface RequestSpan {
  /** Calls `work` once, before it returns, with the span active for it and for all that it begins. */
  run(work: () => void): void;
  /** @returns `undefined` for an attempt that gets no span. */
  startAttempt(start: AttemptStart): AttemptSpan | undefined;
  /** Called once, last: for a streamed answer when its stream ends. Gets the event of the call. */
  end(finished: RequestFinished): void;
}

/** One attempt at a provider. Several of one call may be open at once. */
export interface AttemptSpan {
  /** Calls `work`, which sends the request to the provider, once, before it returns, with the span active. */
  run(work: () => void): void;
  /** Called once, last. Gets the event of the attempt. */
  end(finished: AttemptFinished): void;
}

/** What is known of a call when it begins. */
export type RequestStart = Pick<RequestFinished, 'endpoint'>;

/** What is known of an attempt when it begins. */
export type AttemptStart = Pick<AttemptFinished, 'requestId' | 'attempt' | 'provider' | 'model'>;
