import { madeIn } from '../base/made-in.js';
import { LiveMessages, type MessageWriter } from './live-messages.js';
import type { LiveParts } from './live-parts.js';
import type { CreateReducer, JsonObject, StreamReducer } from './reduce-stream.js';
import { listOf, objectOf } from './reply-fields.js';
import { isSearch as isWebSearch } from './responses-reply.js';
import { saysError } from './upstream-failure.js';

export interface ReduceResponsesOptions {
  /** Creates the writer that receives the text of the messages while it arrives. */
  readonly writer: (live: LiveParts) => MessageWriter;
  /** Whether an item grounds an answer. @default a `web_search_call` that has not failed */
  readonly isSearch?: ((item: JsonObject) => boolean) | undefined;
  /** Called for each complete item. @default nothing is called */
  readonly onItem?: ((live: LiveParts, item: JsonObject) => void) | undefined;
}

/** The received part of an output item, for dialects whose last event omits the output. */
interface Item {
  item: JsonObject;
  readonly parts: Map<number, Part>;
}

interface Part {
  text: string;
  annotations: unknown[];
  isDone: boolean;
}

const COMPLETED = 'completed';
const ENDS = ['response.completed', 'response.incomplete', 'response.failed', 'response.cancelled'];

/**
 * Reduces a stream of Responses events (OpenAI's SDK 7.55.0 of 2026-11-10; streams of xAI and Perplexity as recorded in `vercel/ai`, 2026-07 and
 * 2026-09), for `jsonEndpoint`, to the `response` of its last event, which is the evidence. An error event is the whole reply.
 */
export function reduceResponses(options: ReduceResponsesOptions): CreateReducer {
  return (live) => new ResponsesReducer(options, live);
}

class ResponsesReducer implements StreamReducer {
  readonly #options: ReduceResponsesOptions;
  readonly #live: LiveParts | undefined;
  readonly #messages: LiveMessages | undefined;
  readonly #items = new Map<number, Item>();
  #place = 0;
  /** An error event, or a reply that is no stream. */
  #whole: JsonObject | undefined;
  #response: JsonObject | undefined;

  constructor(options: ReduceResponsesOptions, live: LiveParts | undefined) {
    this.#options = options;
    this.#live = live;
    this.#messages = live && new LiveMessages(options.writer(live));
  }

  push(event: JsonObject): void {
    if (this.#whole !== undefined) return;
    const { type, error, response } = event;
    if (typeof type !== 'string' || saysError(error)) this.#whole = event;
    else if (ENDS.includes(type)) this.#end(type, objectOf(response));
    else this.#read(type, event);
  }

  /** Takes the status from the event's name, unless the response has another status than `completed`. A status other than `completed` is never replaced. */
  #end(type: string, response: JsonObject): void {
    if ((this.#response?.['status'] ?? COMPLETED) !== COMPLETED) return;
    const { status = null } = response;
    const isOfEvent = status === null || status === COMPLETED;
    this.#response = { ...response, status: isOfEvent ? type.slice('response.'.length) : status };
  }

  isWhole(): boolean {
    return this.#whole !== undefined || this.#response !== undefined;
  }

  end(): JsonObject {
    const reply = this.#whole ?? this.#response ?? {};
    if (reply === this.#whole || listOf(reply['output']).length > 0) return reply;
    return { ...reply, output: Array.from(this.#items.values(), wholeItem) };
  }

  #read(type: string, event: JsonObject): void {
    if (type === 'response.web_search_call.completed') this.#messages?.searched();
    const place = event['output_index'];
    if (typeof place === 'number') this.#place = place;
    if (type.startsWith('response.output_item.')) this.#readItem(objectOf(event['item']), type.endsWith('.done'));
    if (type.startsWith('response.output_text.') || type === 'response.content_part.done') this.#readPart(type, event);
  }

  #readItem(item: JsonObject, isDone: boolean): void {
    const known = this.#itemAt(this.#place);
    // If the end of a message is missing, the status of its beginning does not tell how it ended.
    known.item = isDone || item['type'] !== 'message' ? item : { ...item, status: null };
    const { isSearch = isWebSearch, onItem } = this.#options;
    if (isDone && isSearch(item)) this.#messages?.searched();
    if (isDone && this.#live !== undefined) onItem?.(this.#live, item);
    if (item['type'] !== 'message') return;
    this.#messages?.begin(this.#place, item['phase']);
    if (!isDone) return;
    for (const [index, part] of listOf(item['content']).entries()) this.#endPart(known, index, objectOf(part));
    this.#messages?.end(this.#place);
  }

  #readPart(type: string, event: JsonObject): void {
    const { content_index = 0, delta, annotation, part } = event;
    const index = typeof content_index === 'number' ? content_index : 0;
    const item = this.#itemAt(this.#place);
    if (type === 'response.output_text.delta' && typeof delta === 'string') this.#add(item, index, { text: delta });
    if (type === 'response.output_text.annotation.added') this.#add(item, index, { annotations: [annotation] });
    if (type === 'response.content_part.done') this.#endPart(item, index, objectOf(part));
  }

  #add(item: Item, index: number, { text = '', annotations = [] }: { text?: string; annotations?: unknown[] }): void {
    const part = partAt(item, index);
    part.text += text;
    for (const annotation of annotations) part.annotations.push(annotation);
    this.#messages?.step(this.#place, { part: index, text, annotations });
  }

  /** Adds the text and annotations of the whole part that earlier events have left out. */
  #endPart(item: Item, index: number, { type, text, annotations }: JsonObject): void {
    if (type !== 'output_text') return;
    const part = partAt(item, index);
    if (part.isDone) return;
    part.isDone = true;
    const whole = typeof text === 'string' ? text : '';
    const rest = whole.startsWith(part.text) ? whole.slice(part.text.length) : '';
    this.#add(item, index, { text: rest, annotations: listOf(annotations).slice(part.annotations.length) });
    this.#messages?.step(this.#place, { part: index, isEnd: true });
  }

  #itemAt(place: number): Item {
    return madeIn(this.#items, place, () => ({ item: { type: 'message' }, parts: new Map() }));
  }
}

function partAt({ parts }: Item, index: number): Part {
  return madeIn(parts, index, () => ({ text: '', annotations: [], isDone: false }));
}

function wholeItem({ item, parts }: Item): JsonObject {
  if (parts.size === 0 || listOf(item['content']).length > 0) return item;
  const content = Array.from(parts.values(), ({ text, annotations }) => ({ type: 'output_text', text, annotations }));
  return { ...item, content };
}
