/** Receives a streamed answer: first its head, then citations and parts of the text. The result of the call ends the stream. Must not throw. */
export interface AnswerListener {
  start(head: AnswerHead): void;
  /** The whole list so far: entries are only appended. */
  citations(citations: readonly AnswerCitation[]): void;
  delta(text: string): void;
}

/** The id of an answer, and the model and provider that serve it. */
export interface AnswerHead {
  /** Also the id of its ledger entry. */
  readonly id: string;
  /** The slug of the model that answers, which may be a fallback. */
  readonly model: string;
  /** The id of its provider. */
  readonly provider: string;
}

/** A source as callers see it. */
export interface AnswerCitation {
  /** Of the page, or its host name. */
  readonly title: string;
  /** The address of the page. */
  readonly url: string;
  /** The passage that is cited or matches; may be empty. */
  readonly snippet: string;
}
