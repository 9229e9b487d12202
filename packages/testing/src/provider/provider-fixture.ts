import type { AnswerOutcome, NanoUsd, UpstreamPhase, UpstreamReason } from '@searchgate/core/provider-kit';

interface Named {
  /** Names the test, such as `an answer with many citations`. */
  readonly name: string;
  /** Slug of the model that is asked. */
  readonly model: string;
  /** Lower-case names; `content-type` is JSON unless given. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

interface Fixture extends Named {
  /** Default 200. */
  readonly status?: number | undefined;
  /** What the provider sends: a text without change, anything else as JSON. */
  readonly reply: unknown;
}

/** A reply the adapter has to turn into exactly this answer. */
export interface AnswerFixture extends Fixture {
  readonly answer: AnswerOutcome;
  /** What the provider sends instead where the model streams: text, citations and cost have to be the same. */
  readonly stream?: StreamFixture | undefined;
}

/** A recorded stream of an answer. */
export interface StreamFixture {
  /** Every byte of it. */
  readonly body: string;
  /** Default `text/event-stream`. */
  readonly contentType?: string | undefined;
  /** The provider tells only at the end where markers stand or what they mean: all text comes without any. */
  readonly markersAreLate?: true | undefined;
  /** Citations may come behind the text whose markers count them. */
  readonly citationsAreLate?: true | undefined;
}

/** A reply the adapter has to turn into this failure. */
export interface FailureFixture extends Fixture {
  readonly failure: ExpectedFailure;
}

/** A stream the adapter has to turn into this failure, such as one with an event that reports an error. */
export interface StreamFailureFixture extends Named {
  readonly stream: Pick<StreamFixture, 'body' | 'contentType'>;
  readonly failure: ExpectedFailure;
}

/** A reply of the provider, and what its adapter has to make of it. */
export type ProviderFixture = AnswerFixture | FailureFixture | StreamFailureFixture;

/** The `UpstreamError` an adapter has to throw; what is not given is not checked, except that `cost` then has to be `null`. */
export interface ExpectedFailure {
  readonly reason: UpstreamReason;
  readonly phase?: UpstreamPhase | undefined;
  readonly cost?: NanoUsd | undefined;
  readonly retryAfterMs?: number | null | undefined;
}

export function isAnswerFixture(fixture: ProviderFixture): fixture is AnswerFixture {
  return 'answer' in fixture;
}

export function isStreamFailure(fixture: ProviderFixture): fixture is StreamFailureFixture {
  return !('reply' in fixture);
}

/** A fixture's reply as it goes over the wire. */
export function bodyOf({ reply }: AnswerFixture | FailureFixture): string {
  return typeof reply === 'string' ? reply : JSON.stringify(reply);
}
