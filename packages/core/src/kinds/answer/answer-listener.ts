/** Receives a streamed answer: first its head, then citations and parts of the text. The result of the call ends the stream. Must not throw. */
export interface AnswerListener {
  start(head: AnswerHead): void;
  /** The whole list so far: entries are only appended. */
  citations(citations: readonly AnswerCitation[]): void;
  delta(text: string): void;
}

/** The id of an answer, and the model and provider that serve it. */
export interface AnswerHead {
  readonly id: string;
  readonly model: string;
  readonly provider: string;
}

/** A source as callers see it. */
export interface AnswerCitation {
  readonly title: string;
  readonly url: string;
  readonly snippet: string;
}
