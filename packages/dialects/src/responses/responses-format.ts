import { formatUsd } from '@searchgate/core';
import {
  type Answer,
  type AnswerHead,
  type AnswerReply,
  costOf,
  oneLine,
  replyValue,
  timeOfId,
  type WireFormat,
} from '@searchgate/core/extensions';
import { urlCitations } from '../openai/url-citations.js';

export interface ResponsesFormatOptions {
  /** When the question was asked, in milliseconds since the Unix epoch. */
  readonly askedAtMs: number;
  /** Whether the search has the addresses of its sources. */
  readonly includeSources: boolean;
}

/**
 * An answer as a response of OpenAI: a search, and the message that it led to. A stream has the events that the types of openai 7.57 describe (2026-11-27).
 * The search ends after the text, because sources may come late, and the annotations follow the whole text.
 */
export class ResponsesFormat implements WireFormat {
  readonly #options: ResponsesFormatOptions;
  #head: Pick<AnswerHead, 'id' | 'model'> = { id: '', model: '' };
  #text = '';
  #sequenceNumber = 0;

  constructor(options: ResponsesFormatOptions) {
    this.#options = options;
  }

  body(reply: AnswerReply): string {
    const value = replyValue(reply);
    this.#head = value;
    return this.#completed(reply, [this.#search(value.citations), this.#message([partOf(value.answer, value)])]);
  }

  startEvent(head: AnswerHead): string {
    this.#head = head;
    const status = 'in_progress';
    const response = { ...this.#state([]), status };
    const search = this.#search();
    return [
      this.#event('created', { response }),
      this.#event('in_progress', { response }),
      this.#event('output_item.added', { output_index: 0, item: { ...search, status } }),
      ...STEPS.map((step) => this.#event(`web_search_call.${step}`, { output_index: 0, item_id: search.id })),
      this.#event('output_item.added', { output_index: 1, item: { ...this.#message([]), status } }),
      this.#textEvent('content_part.added', { part: partOf('') }),
    ].join('');
  }

  citationsEvent(): string {
    return '';
  }

  deltaEvent(text: string): string {
    this.#text += text;
    return this.#textEvent('output_text.delta', { delta: text, logprobs: [] });
  }

  doneEvent(reply: AnswerReply): string {
    const value = replyValue(reply);
    const part = partOf(this.#text, value);
    const search = this.#search(value.citations);
    const message = this.#message([part]);
    return [
      ...part.annotations.map((annotation, annotation_index) =>
        this.#textEvent('output_text.annotation.added', { annotation_index, annotation }),
      ),
      this.#textEvent('output_text.done', { text: part.text, logprobs: [] }),
      this.#textEvent('content_part.done', { part }),
      this.#event('output_item.done', { output_index: 1, item: message }),
      this.#event('output_item.done', { output_index: 0, item: search }),
      this.#write('response.completed', `{"response":${this.#completed(reply, [search, message])}}`),
    ].join('');
  }

  /**
   * With the flat fields that OpenAI documents, and `error`, which OpenAI sends and its Python client needs (2026-11-27). No `response.failed`: LangChain
   * would take it for the end of a whole answer.
   */
  errorEvent(body: string): string {
    const { error } = JSON.parse(body) as { readonly error: Readonly<Record<string, unknown>> };
    const { code, message, param } = error;
    return this.#write('error', JSON.stringify({ code, message, param, error }));
  }

  #textEvent(type: string, fields: object): string {
    return this.#event(type, { item_id: this.#idOf('msg'), output_index: 1, content_index: 0, ...fields });
  }

  #event(type: string, fields: object): string {
    return this.#write(`response.${type}`, JSON.stringify(fields));
  }

  #write(type: string, fields: string): string {
    const head = `"type":"${type}","sequence_number":${this.#sequenceNumber++}`;
    return `event: ${type}\ndata: {${head},${oneLine(fields.slice(1))}\n\n`;
  }

  #completed(reply: AnswerReply, output: readonly object[]): string {
    // The cost as text: a number could be written with an exponent.
    const usage = `${TOKENS},"cost":${formatUsd(costOf(reply))}}`;
    return `${JSON.stringify(this.#state(output)).slice(0, -1)},"usage":${usage}}`;
  }

  #state(output: readonly object[]) {
    const { id, model } = this.#head;
    const created_at = Math.floor((timeOfId(id) ?? this.#options.askedAtMs) / 1_000);
    return { id, object: 'response', created_at, status: 'completed', model, output, ...NOTHING, ...SETTINGS };
  }

  /** Without the query, which would have to be kept until the answer has ended. */
  #search(citations: Answer['citations'] = []) {
    const sources = citations.map(({ url }) => ({ type: 'url', url }));
    const action = { type: 'search', ...(this.#options.includeSources && { sources }) };
    return { id: this.#idOf('ws'), type: 'web_search_call', status: 'completed', action };
  }

  #message(content: readonly object[]) {
    return { id: this.#idOf('msg'), type: 'message', role: 'assistant', status: 'completed', content };
  }

  /** Made of the answer's id, so that a replay has the same bytes. */
  #idOf(prefix: 'ws' | 'msg'): string {
    return this.#head.id.replace('ans', prefix);
  }
}

const STEPS = ['in_progress', 'searching', 'completed'];

// Fields that OpenAI's types require, though no answer has a value for them. Tokens are 0, because providers count differently or not at all.
const NOTHING = { access_programs: null, error: null, incomplete_details: null, instructions: null, metadata: null };
const SETTINGS = { parallel_tool_calls: false, temperature: null, tool_choice: 'auto', tools: [], top_p: null };
const INPUT = { input_tokens: 0, input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 } };
const OUTPUT = { output_tokens: 0, output_tokens_details: { reasoning_tokens: 0 }, total_tokens: 0 };
const TOKENS = JSON.stringify({ ...INPUT, ...OUTPUT }).slice(0, -1);

/** @param text the answer's text as the caller received it. */
function partOf(text: string, { answer, citations = [] }: Pick<Answer, 'answer' | 'citations'> = { answer: text }) {
  const annotations = urlCitations(text, { answer, citations });
  return { type: 'output_text', text, annotations: annotations.map((place) => ({ type: 'url_citation', ...place })) };
}
