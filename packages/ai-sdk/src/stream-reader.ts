import { APICallError, type LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { type EventSourceMessage, type FlexibleSchema, parseJSON } from '@ai-sdk/provider-utils';
import type { AnswerBody } from '@searchgate/core';
import { answerMetadata, FAILED, finishOf, NO_USAGE, sourcesOf } from './answer-parts.js';
import { answerSchema, citationsSchema, deltaSchema, errorSchema, startSchema } from './wire.js';

type Part = LanguageModelV4StreamPart;
type ErrorOptions = ConstructorParameters<typeof APICallError>[0];

/** Details of the call, for errors in its stream. */
export interface StreamedCall {
  readonly url: string;
  readonly requestBodyValues: unknown;
  readonly responseHeaders: Record<string, string>;
}

const TEXT_ID = 'answer';
const WAS_CUT = 'The stream ended before the answer was complete.';

/** Turns the events of one answer into stream parts: one block of text, each source once, and `finish` at the end. */
export class StreamReader {
  readonly #call: StreamedCall;
  #answerId = '';
  #text = '';
  #hasText = false;
  #sources = 0;
  #hasEnded = false;

  constructor(call: StreamedCall) {
    this.#call = call;
  }

  /** Whether `finish` has been emitted; no part follows it. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** @returns no parts for an unknown event. @throws JSONParseError, TypeValidationError for a malformed event. */
  async read({ event, data }: EventSourceMessage): Promise<Part[]> {
    const parse = <T>(schema: FlexibleSchema<T>) => parseJSON({ text: data, schema });
    switch (event) {
      case 'start': {
        const { id, model } = await parse(startSchema);
        this.#answerId = id;
        return [{ type: 'response-metadata', id, modelId: model }];
      }
      case 'citations':
        return this.#newSources((await parse(citationsSchema)).citations);
      case 'delta':
        return this.#delta((await parse(deltaSchema)).text);
      case 'done':
        return this.#done(await parse(answerSchema));
      case 'error': {
        const envelope = await parse(errorSchema);
        const { code, message, retryable } = envelope.error;
        return this.#fail(message, { statusCode: code, isRetryable: retryable, data: envelope, responseBody: data });
      }
      default:
        return [];
    }
  }

  /** For a stream that ended before its last event, or failed with `cause`. The gateway still finishes the answer; a retry gets it. */
  cut(cause?: unknown): Part[] {
    return this.#hasEnded ? [] : this.#fail(WAS_CUT, { isRetryable: true, cause });
  }

  #delta(text: string): Part[] {
    const begin: Part[] = this.#hasText ? [] : [{ type: 'text-start', id: TEXT_ID }];
    this.#hasText = true;
    this.#text += text;
    return [...begin, { type: 'text-delta', id: TEXT_ID, delta: text }];
  }

  /** Each event carries the whole list so far; entries are only appended. */
  #newSources(citations: AnswerBody['citations'] = []): Part[] {
    const sources = sourcesOf(this.#answerId, citations, this.#sources);
    this.#sources += sources.length;
    return sources;
  }

  #done(answer: AnswerBody): Part[] {
    const providerMetadata = answerMetadata(answer, this.#text);
    const finish: Part = { type: 'finish', finishReason: finishOf(answer), usage: NO_USAGE, providerMetadata };
    return [...this.#newSources(answer.citations), ...this.#endText(), finish];
  }

  #fail(message: string, details: Partial<ErrorOptions>): Part[] {
    const error = new APICallError({ ...this.#call, ...details, message });
    const finish: Part = { type: 'finish', finishReason: FAILED, usage: NO_USAGE };
    return [...this.#endText(), { type: 'error', error }, finish];
  }

  #endText(): Part[] {
    this.#hasEnded = true;
    return this.#hasText ? [{ type: 'text-end', id: TEXT_ID }] : [];
  }
}
