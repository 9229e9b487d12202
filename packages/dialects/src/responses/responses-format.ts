import { formatUsd } from '@searchgate/core';
import {
  type Answer,
  type AnswerHead,
  type AnswerReply,
  byokText,
  costOf,
  type JsonObject,
  oneLine,
  replyValue,
  timeOfId,
  type WireFormat,
} from '@searchgate/core/extensions';
import { urlCitations } from '../openai/url-citations.js';
import CONSTANTS from './response-constants.json' with { type: 'json' };

export interface ResponsesFormatOptions {
  /** When the question was asked, in milliseconds since the Unix epoch. */
  readonly askedAtMs: number;
  /** Whether the request declares a web search. Clients fail at the item of a tool that they have not declared (AI SDK 5.0.277, 2026-11-29). */
  readonly hasSearch: boolean;
  /** Whether the search has the addresses of its sources. */
  readonly includeSources: boolean;
  /** The form of the text that the request asks for; JSON has no markers to annotate. Default: plain text. */
  readonly text?: JsonObject | undefined;
}

/**
 * An answer as a response of OpenAI: a declared search, and the message that it led to. A stream has the events that the types of openai 7.57 describe (2026-11-27).
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
    return this.#ended(reply, value, this.#output([this.#partOf(value.answer, value)], value));
  }

  startEvent(head: AnswerHead): string {
    this.#head = head;
    const status = 'in_progress';
    const response = { ...this.#state([], status), usage: null };
    return [
      this.#event('created', { response }),
      this.#event('in_progress', { response }),
      ...this.#output([]).flatMap((item, output_index) => [
        this.#event('output_item.added', { output_index, item: { ...item, status } }),
        ...(item.type === 'message' ? [] : STEPS).map((step) =>
          this.#event(`web_search_call.${step}`, { output_index, item_id: item.id }),
        ),
      ]),
      this.#textEvent('content_part.added', { part: this.#partOf('') }),
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
    const part = this.#partOf(this.#text, value);
    const output = this.#output([part], value);
    return [
      ...part.annotations.map((annotation, annotation_index) =>
        this.#textEvent('output_text.annotation.added', { annotation_index, annotation }),
      ),
      this.#textEvent('output_text.done', { text: part.text, logprobs: [] }),
      this.#textEvent('content_part.done', { part }),
      ...output.map((item, output_index) => this.#event('output_item.done', { output_index, item })),
      this.#write(`response.${statusOf(value)}`, `{"response":${this.#ended(reply, value, output)}}`),
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
    const output_index = this.#options.hasSearch ? 1 : 0;
    return this.#event(type, { item_id: this.#idOf('msg'), output_index, content_index: 0, ...fields });
  }

  #event(type: string, fields: object): string {
    return this.#write(`response.${type}`, JSON.stringify(fields));
  }

  #write(type: string, fields: string): string {
    const head = `"type":"${type}","sequence_number":${this.#sequenceNumber++}`;
    return `event: ${type}\ndata: {${head},${oneLine(fields.slice(1))}\n\n`;
  }

  #ended(reply: AnswerReply, { truncated, grounding }: Ending, output: readonly object[]): string {
    // The cost as text: a number could be written with an exponent.
    const usage = `${TOKENS},"cost":${formatUsd(costOf(reply))}${byokText(reply)}}`;
    const details = truncated && { incomplete_details: { reason: 'max_output_tokens' } };
    const state = { ...this.#state(output, statusOf({ truncated })), ...details, grounding };
    return `${JSON.stringify(state).slice(0, -1)},"usage":${usage}}`;
  }

  #state(output: readonly object[], status: string) {
    const { id, model } = this.#head;
    const created_at = Math.floor((timeOfId(id) ?? this.#options.askedAtMs) / 1_000);
    const text = { format: this.#options.text ?? PLAIN };
    return { id, object: 'response', created_at, status, model, output, text, ...CONSTANTS };
  }

  #output(content: readonly object[], value: Cut & Pick<Answer, 'citations'> = {}) {
    const message = { id: this.#idOf('msg'), type: 'message', role: 'assistant', status: statusOf(value), content };
    return [...(this.#options.hasSearch ? [this.#search(value.citations)] : []), message];
  }

  /** Without the query, which would have to be kept until the answer has ended. */
  #search(citations: Answer['citations'] = []) {
    const sources = citations.map(({ url }) => ({ type: 'url', url }));
    const action = { type: 'search', ...(this.#options.includeSources && { sources }) };
    return { id: this.#idOf('ws'), type: 'web_search_call', status: 'completed', action };
  }

  /** @param text the answer's text as the caller received it. */
  #partOf(text: string, { answer, citations = [] }: Pick<Answer, 'answer' | 'citations'> = { answer: text }) {
    const isJson = this.#options.text?.['type'] === 'json_schema';
    const places = isJson ? [] : urlCitations(text, { answer, citations });
    const annotations = places.map((place) => ({ type: 'url_citation', ...place }));
    return { type: 'output_text', text, annotations, logprobs: [] };
  }

  /** Made of the answer's id, so that a replay has the same bytes. */
  #idOf(prefix: 'ws' | 'msg'): string {
    return this.#head.id.replace('ans', prefix);
  }
}

type Cut = Pick<Answer, 'truncated'>;
type Ending = Pick<Answer, 'truncated' | 'grounding'>;

function statusOf({ truncated }: Cut): 'incomplete' | 'completed' {
  return truncated ? 'incomplete' : 'completed';
}

const STEPS = ['in_progress', 'searching', 'completed'];

const PLAIN = { type: 'text' };

// CONSTANTS are fields that the types of openai 7.57, the schemas of @openrouter/sdk 1.3.19 and Open Responses' `ResponseResource` require (2026-11-29). `null`: no
// answer has a value, a time of completion would change in a replay. Neutral where Open Responses takes no `null`: providers are asked for no sampling.
// Tokens are 0, because providers count differently or not at all.
const INPUT = { input_tokens: 0, input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 } };
const OUTPUT = { output_tokens: 0, output_tokens_details: { reasoning_tokens: 0 }, total_tokens: 0 };
const TOKENS = JSON.stringify({ ...INPUT, ...OUTPUT }).slice(0, -1);
