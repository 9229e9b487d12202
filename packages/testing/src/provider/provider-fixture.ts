import type {
  AnswerOutcome,
  EmbedOutcome,
  ExtractOutcome,
  NanoUsd,
  ProviderEmbed,
  ProviderExtract,
  ProviderRerank,
  ProviderSearch,
  RerankOutcome,
  SearchOutcome,
  UpstreamPhase,
  UpstreamReason,
} from '@searchgate/core/provider-kit';

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
  readonly kind?: 'answer' | undefined;
  readonly answer: AnswerOutcome;
  /** The streamed reply of a streaming model: text, citations and cost have to be the same. */
  readonly stream?: StreamFixture | undefined;
}

/** A reply with the expected outcome of the port `search`. Missing fields may be absent or `null`. */
export interface SearchFixture extends Fixture {
  readonly kind: 'search';
  /** Default: a question, up to 10 results, without content. */
  readonly call?: Partial<Omit<ProviderSearch, 'model'>> | undefined;
  readonly outcome: SearchOutcome;
}

/** A reply with the expected outcome of the port `extract`. Missing fields may be absent or `null`. */
export interface ExtractFixture extends Fixture {
  readonly kind: 'extract';
  /** Default: the addresses of the outcome's pages, as Markdown. */
  readonly call?: Partial<Omit<ProviderExtract, 'model'>> | undefined;
  readonly outcome: ExtractOutcome;
}

/** A reply with the expected outcome of the port `rerank`. */
export interface RerankFixture extends Fixture {
  readonly kind: 'rerank';
  /** Default: a question with as many documents as the outcome has ranks, all of them wanted. */
  readonly call?: Partial<Omit<ProviderRerank, 'model'>> | undefined;
  readonly outcome: RerankOutcome;
}

/** A reply with the expected outcome of the port `embed`. */
export interface EmbedFixture extends Fixture {
  readonly kind: 'embed';
  /** Default: as many texts as the outcome has vectors, without a role, and vectors of the model's own length. */
  readonly call?: Partial<Omit<ProviderEmbed, 'model'>> | undefined;
  readonly outcome: EmbedOutcome;
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

/** A reply with a successful result, for any port. */
export type OutcomeFixture = AnswerFixture | SearchFixture | ExtractFixture | RerankFixture | EmbedFixture;

/** A reply of the provider with the expected result. */
export type ProviderFixture = OutcomeFixture | FailureFixture | StreamFailureFixture;

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

export function isOutcomeFixture(fixture: ProviderFixture): fixture is OutcomeFixture {
  return 'answer' in fixture || 'outcome' in fixture;
}

export function isStreamFailure(fixture: ProviderFixture): fixture is StreamFailureFixture {
  return !('reply' in fixture);
}

/** A fixture's reply on the wire. */
export function bodyOf({ reply }: OutcomeFixture | FailureFixture): string {
  return typeof reply === 'string' ? reply : JSON.stringify(reply);
}
