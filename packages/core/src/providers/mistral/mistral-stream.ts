import type { LiveParts } from '../../provider-kit/live-parts.js';
import { LiveSegments } from '../../provider-kit/live-segments.js';
import type { CreateReducer, JsonObject, StreamReducer } from '../../provider-kit/reduce-stream.js';
import { listOf, objectOf, textOf } from '../../provider-kit/reply-fields.js';
import { saysError } from '../../provider-kit/upstream-failure.js';
import { MAX_ANNOTATIONS } from '../../text/reply-limits.js';

/**
 * Reduces the events of `POST /v1/conversations` with `stream` to one conversation (docs.mistral.ai and the types of SDK 2.7.0, read 2026-11-22). References
 * come as separate contents in place of citation markers (medium confidence).
 */
export const reduceConversation: CreateReducer = (live) => new StreamedConversation(live);

/** A step of the conversation. */
interface Entry {
  readonly type: string;
  readonly name?: unknown;
  model?: unknown;
  readonly content: JsonObject[];
}

class StreamedConversation implements StreamReducer {
  readonly #live: LiveConversation | undefined;
  readonly #entries = new Map<unknown, Entry>();
  #last: Entry | undefined;
  #id: unknown;
  /** The event that ends the stream and proves that it is whole, or a whole reply. */
  #end: JsonObject | undefined;
  #latest: JsonObject = {};

  constructor(live: LiveParts | undefined) {
    this.#live = live && new LiveConversation(live);
  }

  push(event: JsonObject): void {
    if (this.#end !== undefined) return;
    this.#latest = event;
    const type = String(event['type']);
    this.#id ??= event['conversation_id'];
    if (type === 'message.output.delta') this.#addContent(this.#entryOf(event, 'message.output'), event);
    else if (type.startsWith('tool.execution.')) this.#entryOf(event, 'tool.execution');
    else if (type === 'conversation.response.done') this.#end = this.#whole(event['usage']);
    else if (type === 'conversation.response.error' || saysError(event['error']) || (event['outputs'] ?? null) !== null)
      this.#end = event;
  }

  isWhole(): boolean {
    return this.#end !== undefined;
  }

  end(): JsonObject {
    return this.#end ?? this.#latest;
  }

  #whole(usage: unknown): JsonObject {
    return { conversation_id: this.#id, outputs: [...this.#entries.values()], usage };
  }

  #entryOf(event: JsonObject, type: string): Entry {
    const key = event['id'] ?? event['output_index'] ?? this.#last;
    const known = key === this.#last && this.#last?.type === type ? this.#last : this.#entries.get(key);
    if (known !== undefined) return known;
    const entry: Entry = { type, name: event['name'], content: [] };
    this.#last = entry;
    this.#entries.set(key, entry);
    // A whole reply is not read beyond this number of entries.
    if (this.#entries.size > MAX_ANNOTATIONS) this.#live?.stop();
    this.#live?.open(entry);
    return entry;
  }

  #addContent(entry: Entry, { model, content }: JsonObject): void {
    entry.model ??= model;
    // Text of an earlier entry would come at the wrong place.
    if (entry !== this.#last) this.#live?.stop();
    for (const part of Array.isArray(content) ? listOf(content) : [content]) {
      const chunk = typeof part === 'string' ? { type: 'text', text: part } : objectOf(part);
      const last = entry.content.at(-1);
      if (chunk['type'] === 'text' && last?.['type'] === 'text')
        last['text'] = `${textOf(last['text']) ?? ''}${textOf(chunk['text']) ?? ''}`;
      else if (entry.content.push({ ...chunk }) > MAX_ANNOTATIONS) this.#live?.stop();
      this.#live?.add(chunk);
    }
  }
}

/** Streams the text of the messages. */
class LiveConversation {
  readonly #segments: LiveSegments;
  /** The chunks of the current segment so far. */
  #chunks = 0;
  #hasText = false;

  constructor(live: LiveParts) {
    this.#segments = new LiveSegments(live);
  }

  open({ type }: Entry): void {
    if (type === 'tool.execution') {
      this.#segments.next();
      this.#chunks = 0;
      this.#hasText = false;
    } else if (this.#chunks > 0) this.#text('\n\n');
  }

  add(chunk: JsonObject): void {
    this.#chunks += 1;
    const { type, text, url, title, description } = chunk;
    if (type === 'text') this.#text(textOf(text) ?? '');
    if (type !== 'tool_reference' || typeof url !== 'string' || url === '') return;
    const position = this.#segments.addSource({ url, title: textOf(title), snippet: textOf(description) });
    if (this.#hasText) this.#segments.cite([position]);
  }

  stop(): void {
    this.#segments.stop();
  }

  #text(text: string): void {
    this.#hasText = true;
    this.#segments.text(text);
  }
}
