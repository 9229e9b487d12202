import { formatUsd } from '@searchgate/core';
import {
  type Answer,
  type AnswerCitation,
  type AnswerHead,
  type AnswerReply,
  byokText,
  type ChatOptions,
  costOf,
  replyValue,
  timeOfId,
  type WireFormat,
} from '@searchgate/core/extensions';
import { dataEvent } from '../forms/values.js';
import { urlCitations } from '../openai/url-citations.js';

export interface ChatFormatOptions {
  /** When the question was asked, in milliseconds since the Unix epoch. */
  readonly askedAtMs: number;
  /** Whether the usage of a stream is a chunk of its own, in place of a part of the last chunk of the message. */
  readonly includeUsage: boolean;
  /** Whether the answer is JSON, which has no markers to annotate. @default `false` */
  readonly isJson?: boolean | undefined;
  /** @default `number` */
  readonly usageCost?: UsageCost | undefined;
}

/** The form of `usage.cost`. */
export type UsageCost = NonNullable<ChatOptions['usageCost']>;

/**
 * An answer as a chat completion, whole or in chunks. A stream sends the sources as soon as they are known, and all of them again in the
 * last chunk of the message, for clients that read only one of the two: AI SDK's Perplexity provider reads those of the first chunk alone
 * (3.0.61 and 4.0.49, 2026-11-29). So the first chunk waits for the sources or the text, which follow at once. The annotations follow the whole text.
 */
export class ChatFormat implements WireFormat {
  readonly #options: ChatFormatOptions;
  #head: Pick<AnswerHead, 'id' | 'model'> = { id: '', model: '' };
  #content = '';
  #hasBegun = false;

  constructor(options: ChatFormatOptions) {
    this.#options = options;
  }

  body(reply: AnswerReply): string {
    const value = replyValue(reply);
    const { id, model, answer: content } = value;
    const message = { role: 'assistant', content, refusal: null, annotations: this.#annotations(content, value) };
    const completion = JSON.stringify({
      id,
      object: 'chat.completion',
      created: this.#created(id),
      model,
      choices: [{ index: 0, message, logprobs: null, finish_reason: finishOf(value) }],
      // OpenRouter's client needs the field in a whole completion, and takes no `null` in a chunk (@openrouter/sdk 1.3.19, 2026-11-29).
      system_fingerprint: null,
      ...sourcesOf(value),
    });
    return this.#withUsage(completion, reply);
  }

  startEvent(head: AnswerHead): string {
    this.#head = head;
    return '';
  }

  citationsEvent(citations: readonly AnswerCitation[]): string {
    const sources = sourcesOf({ citations });
    return this.#begin(sources) || dataEvent(this.#message({}, sources));
  }

  deltaEvent(text: string): string {
    this.#content += text;
    return this.#begin() + dataEvent(this.#message({ content: text }));
  }

  doneEvent(reply: AnswerReply): string {
    const value = replyValue(reply);
    const annotations = this.#annotations(this.#content, value) ?? [];
    const annotated = annotations.length === 0 ? '' : dataEvent(this.#message({ annotations }));
    const stop = this.#message({}, sourcesOf(value), finishOf(value));
    // Clients of Perplexity and OpenRouter look for the usage unasked, and beside the message (2026-11-29).
    const { includeUsage } = this.#options;
    const usage = this.#withUsage(includeUsage ? this.#chunk([]) : stop, reply);
    return `${this.#begin()}${annotated}${includeUsage ? dataEvent(stop) : ''}${dataEvent(usage)}${DONE}`;
  }

  errorEvent(body: string): string {
    return dataEvent(body);
  }

  /** `undefined` for an answer without sources. */
  #annotations(content: string, { answer, citations }: Answer): object[] | undefined {
    if (citations === undefined || this.#options.isJson) return citations && [];
    return urlCitations(content, { answer, citations }).map((url_citation) => ({ type: 'url_citation', url_citation }));
  }

  /** The chunk with the role, once. */
  #begin(sources: object = {}): string {
    if (this.#hasBegun) return '';
    this.#hasBegun = true;
    return dataEvent(this.#message({ role: 'assistant', content: '', refusal: null }, sources));
  }

  /** Without `usage`: OpenRouter's client takes no `null` there (@openrouter/sdk 1.3.19, 2026-11-29). */
  #message(delta: object, sources: object = {}, finishReason: string | null = null): string {
    return this.#chunk([{ index: 0, delta, logprobs: null, finish_reason: finishReason }], sources);
  }

  #chunk(choices: readonly object[], more: object = {}): string {
    const { id, model } = this.#head;
    return JSON.stringify({ id, object: 'chat.completion.chunk', created: this.#created(id), model, choices, ...more });
  }

  /** In seconds. Read from the answer's id, so that a replay has the same bytes. */
  #created(id: string): number {
    return Math.floor((timeOfId(id) ?? this.#options.askedAtMs) / 1_000);
  }

  /** Token counts are 0, because providers count differently or not at all. The cost is inserted as text: a number could be written with an exponent. */
  #withUsage(json: string, reply: AnswerReply): string {
    const cost = COSTS[this.#options.usageCost ?? 'number'](formatUsd(costOf(reply)), byokText(reply));
    return `${json.slice(0, -1)},"usage":{"prompt_tokens":0,"completion_tokens":0,"total_tokens":0${cost}}}`;
  }
}

const PARTS = '"input_tokens_cost":null,"output_tokens_cost":null,"request_cost":null';
/** The object is Perplexity's. A charge has no parts. */
const COSTS: Readonly<Record<UsageCost, (usd: string, byok: string) => string>> = {
  number: (usd, byok) => `,"cost":${usd}${byok}`,
  object: (usd, byok) => `,"cost":{${PARTS},"total_cost":${usd}}${byok}`,
  none: () => '',
};

function finishOf({ truncated }: Answer): 'length' | 'stop' {
  return truncated ? 'length' : 'stop';
}

const DONE = 'data: [DONE]\n\n';

/**
 * The two fields in which Perplexity's clients expect sources: `citations` has the addresses, `search_results` has the same sources with details
 * (the Python SDK needs `title` and `url` of each, 2026-11-22). Beside them, the gateway's own `grounding`.
 */
function sourcesOf({ citations, grounding }: Pick<Answer, 'citations' | 'grounding'>): object {
  const checked = grounding && { grounding };
  if (citations === undefined) return { ...checked };
  return {
    citations: citations.map(({ url }) => url),
    search_results: citations.map(({ title, url, snippet }) => ({ title, url, snippet })),
    ...checked,
  };
}
