import type { RequestFinished } from '../base/events/events.js';
import type { AnswerFields } from '../request/answer-fields.js';
import type { AnswerCitation, AnswerHead, AnswerReply } from '../request/answer-reply.js';
import type { JsonObject } from './parse-json.js';
import type { ErrorHeaders, PresentError } from './present-error.js';

/** A way to ask for an answer over HTTP: how a question is read, and how answers and errors are written. What lies between is one pipeline. */
export interface AnswerApi {
  readonly name: RequestFinished['endpoint'];
  /** @throws RequestError where a field is missing, wrong or not served. */
  read(body: JsonObject): AskedQuestion;
  /** `undefined` for the usual body of errors. */
  readonly presentError?: PresentError | undefined;
  /** `undefined` for none but the usual headers of errors. */
  readonly errorHeaders?: ErrorHeaders | undefined;
}

interface AskedQuestion {
  readonly fields: AnswerFields;
  /** How its answer is written. Must not keep the body of the request: it lives as long as the answer comes. */
  readonly format: AnswerFormat;
}

/** How an answer is written. The events are whole server-sent events, or empty where there is nothing to send. */
export interface AnswerFormat {
  /** The body of an answer that is given whole. */
  body(reply: AnswerReply): string;
  startEvent(head: AnswerHead): string;
  /** @param citations the whole list so far: entries are only appended. */
  citationsEvent(citations: readonly AnswerCitation[]): string;
  deltaEvent(text: string): string;
  /** The end of an answer that is whole. */
  doneEvent(reply: AnswerReply): string;
  /** The end of one that is not. @param body of the error. */
  errorEvent(body: string): string;
}
