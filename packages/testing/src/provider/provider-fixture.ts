import type { AnswerOutcome, NanoUsd, UpstreamPhase, UpstreamReason } from '@searchgate/core/provider-kit';

interface Named {
  /** Names the test, such as `an answer with many citations`. */
  readonly name: string;
  /** Slug of the asked model. */
  readonly model: string;
  /** Lower-case names; `content-type` is JSON unless given. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

interface Fixture extends Named {
  /** Default 200. */
  readonly status?: number | undefined;
  /** The provider's reply: a text unchanged, anything else as JSON. */
  readonly reply: unknown;
}

/** A reply with the expected answer of the adapter. */
export interface AnswerFixture extends Fixture {
  readonly answer: AnswerOutcome;
  /** The streamed reply of a streaming model: text, citations and cost have to be the same. */
  readonly stream?: StreamFixture | undefined;
}

/** A recorded stream of an answer. */
export interface StreamFixture {
  /** The complete body. */
  readonly body: string;
  /** Default `text/event-stream`. */
  readonly contentType?: string | undefined;
  /** The provider sends positions or meaning of markers only at the end: all text streams without markers. */
  readonly markersAreLate?: true | undefined;
  /** Citations may follow the text with their markers. */
  readonly citationsAreLate?: true | undefined;
}

/** A reply with the expected failure of the adapter. */
export interface FailureFixture extends Fixture {
  readonly failure: ExpectedFailure;
}

/** A stream with the expected failure of the adapter, such as a stream with an error event. */
export interface StreamFailureFixture extends Named {
  readonly stream: Pick<StreamFixture, 'body' | 'contentType'>;
  readonly failure: ExpectedFailure;
}

/** A reply of the provider with the expected result. */
export type ProviderFixture = AnswerFixture | FailureFixture | StreamFailureFixture;

/** The expected `UpstreamError`. Omitted fields are not checked, except that `cost` defaults to `null`. */
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

/** A fixture's reply on the wire. */
export function bodyOf({ reply }: AnswerFixture | FailureFixture): string {
  return typeof reply === 'string' ? reply : JSON.stringify(reply);
}
