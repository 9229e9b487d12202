import type {
  AnswerOutcome,
  NanoUsd,
  PortName,
  Provider,
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
  /** May be left out: other fixtures have to name their port. */
  readonly kind?: 'answer' | undefined;
  /** The whole outcome, with the cost. */
  readonly answer: AnswerOutcome;
  /** The streamed reply of a streaming model: text, citations and cost have to be the same. */
  readonly stream?: StreamFixture | undefined;
}

type Port<Name extends PortName> = NonNullable<Provider[Name]>;
/** The function of a port. */
type Ask<Name extends PortName> = Extract<Port<Name>[keyof Port<Name>], (...given: never[]) => unknown>;

/** A reply with the expected outcome of a port other than `answer`. Missing fields of pages may be absent or `null`. */
export interface PortFixture<Name extends PortName> extends Fixture {
  /** The port that is called. */
  readonly kind: Name;
  /**
   * The fields of the call that differ. Default: a question, or the addresses of the outcome's pages, or as many texts as the outcome has entries; up to 10
   * results without content, Markdown, all ranks, vectors of the model's own length without a role.
   */
  readonly call?: Partial<Omit<Parameters<Ask<Name>>[0], 'model'>> | undefined;
  /** The whole outcome, with the cost. */
  readonly outcome: Awaited<ReturnType<Ask<Name>>>;
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
  /** Compared with the error that the adapter throws. */
  readonly failure: ExpectedFailure;
}

/** A stream with the expected failure of the adapter, such as a stream with an error event. */
export interface StreamFailureFixture extends Named {
  /** The whole stream, as it came. */
  readonly stream: Pick<StreamFixture, 'body' | 'contentType'>;
  /** Compared with the error that the adapter throws. */
  readonly failure: ExpectedFailure;
}

/** A reply with a successful result, for any port. */
export type OutcomeFixture = AnswerFixture | { [Name in PortName]: PortFixture<Name> }[PortName];

/** A reply of the provider with the expected result. */
export type ProviderFixture = OutcomeFixture | FailureFixture | StreamFailureFixture;

/** The expected `UpstreamError`. Omitted fields are not checked, except that `cost` defaults to `null`. */
export interface ExpectedFailure {
  /** The adapter's class of the error. */
  readonly reason: UpstreamReason;
  /** How far the exchange came. */
  readonly phase?: UpstreamPhase | undefined;
  /** Nanodollars that the reply reports. */
  readonly cost?: NanoUsd | undefined;
  /** The pause that the reply asks for; `null` for none. */
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
