import type { AnswerFields } from '../request/answer-fields.js';
import type { AnswerCitation, AnswerHead, AnswerReply } from '../request/answer-reply.js';
import type { CallFields } from '../request/handle-answer.js';
import type { ErrorPresentation } from './present-error.js';
import type { JsonObject } from './read-request-body.js';

/** The form of one answer endpoint: reads questions, and writes answers and errors. All endpoints share one pipeline. */
export interface AnswerApi extends ErrorPresentation {
  /** In events. */
  readonly name: string;
  /** @throws RequestError when a field is missing, wrong or unsupported. */
  read(body: JsonObject): (AskedQuestion | AskedCall) & {
    /** The number of fields that the form does not know. Default: 0. */
    readonly ignoredFields?: number | undefined;
  };
  /** As in `Dialect`. */
  readonly keyHeader?: string | undefined;
  /** As in `Dialect`. */
  readonly isQuery?: boolean | undefined;
}

export interface AskedQuestion {
  readonly fields: AnswerFields;
  /** Writes the answer. Must not keep the body of the request, because the format lives until the answer has ended. */
  readonly format: WireFormat;
}

/** A call of any kind that is answered whole. */
interface AskedCall {
  readonly call: CallFields;
  readonly format: WholeFormat;
}

/** Writes a reply that is not streamed. */
export interface WholeFormat {
  /** The body. */
  body(reply: AnswerReply): string;
}

/** Writes an answer. Event methods return whole server-sent events, or an empty text for no event. */
export interface WireFormat extends WholeFormat {
  /** The first event of a stream. */
  startEvent(head: AnswerHead): string;
  /** @param citations the whole list so far: entries are only appended. */
  citationsEvent(citations: readonly AnswerCitation[]): string;
  /** A part of the text. */
  deltaEvent(text: string): string;
  /** The last events of a complete answer. */
  doneEvent(reply: AnswerReply): string;
  /** The last event of an incomplete answer. @param body of the error. */
  errorEvent(body: string): string;
}
