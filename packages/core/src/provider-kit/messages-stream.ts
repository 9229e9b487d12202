import type { Source } from '../text/collect-citations.js';
import { MAX_ANNOTATIONS } from '../text/reply-limits.js';
import { setKnown } from './chat-completion.js';
import type { LiveParts } from './live-parts.js';
import { LiveSegments } from './live-segments.js';
import { citedSource, foundSources, isOfTool } from './messages-reply.js';
import type { CreateReducer, JsonObject, StreamReducer } from './reduce-stream.js';
import { listOf, objectOf, textOf } from './reply-fields.js';
import { parseJsonObject, saysError } from './upstream-failure.js';

/**
 * Reduces the events of `POST /v1/messages` with `stream` to one message (platform.claude.com/docs/build-with-claude/streaming, read 2026-11-22).
 * DeepSeek offers the same API, so it probably sends the same events (medium confidence).
 */
export const reduceMessages: CreateReducer<LiveTurn> = (live) => new StreamedMessage(live);

/** A block that is still arriving. */
interface OpenBlock {
  readonly block: JsonObject;
  /** The input of a tool, which arrives as pieces of JSON. */
  input: string;
}

class StreamedMessage implements StreamReducer {
  readonly #live: LiveTurn | undefined;
  readonly #fields = new Map<string, unknown>();
  readonly #usage = new Map<string, unknown>();
  readonly #content: JsonObject[] = [];
  readonly #open = new Map<unknown, OpenBlock>();
  #isWhole = false;
  /** Whether content came after a stop reason. Reasons then come before the end too, and only the last event is evidence. */
  #goesOn = false;
  #failed: JsonObject | undefined;
  #latest: JsonObject = {};

  constructor(live: LiveTurn | undefined) {
    this.#live = live;
  }

  push(event: JsonObject): void {
    this.#latest = event;
    if (saysError(event['error'])) this.#fail(event);
    const { type, index } = event;
    if (type === 'message_start') this.#begin(objectOf(event['message']));
    else if (type === 'content_block_start') this.#openBlock(index, objectOf(event['content_block']));
    else if (type === 'content_block_delta') this.#extend(index, objectOf(event['delta']));
    else if (type === 'content_block_stop') this.#closeBlock(index);
    else if (type === 'message_delta') this.#update(objectOf(event['delta']), event['usage']);
    else if (type === 'message_stop') this.#isWhole = true;
    // A whole reply that is no stream.
    else if (Array.isArray(event['content'])) this.#begin(event, true);
  }

  /** True after the last event, or after a stop reason that follows all content. */
  isWhole(): boolean {
    return this.#failed !== undefined || this.#isWhole || (!this.#goesOn && this.#fields.has('stop_reason'));
  }

  end(): JsonObject {
    if (this.#failed !== undefined) return this.#failed;
    if (!this.isWhole()) return this.#latest;
    for (const index of this.#open.keys()) this.#closeBlock(index);
    return { ...Object.fromEntries(this.#fields), content: this.#content, usage: Object.fromEntries(this.#usage) };
  }

  #fail(event: JsonObject): void {
    this.#failed ??= event;
    this.#live?.stop();
  }

  /** @param isWhole whether the message is complete. */
  #begin({ content, ...message }: JsonObject, isWhole = false): void {
    this.#isWhole ||= isWhole;
    for (const [index, block] of listOf(content).entries()) {
      this.#openBlock(`begun ${index}`, objectOf(block));
      this.#closeBlock(`begun ${index}`);
    }
    this.#update(message, message['usage']);
  }

  /** Most counts are repeated with higher values; some come only with the first event. */
  #update(fields: JsonObject, usage: unknown): void {
    setKnown(this.#fields, fields);
    setKnown(this.#usage, objectOf(usage));
  }

  #openBlock(index: unknown, block: JsonObject): void {
    this.#voidReason();
    const opened = { block: { ...block }, input: '' };
    this.#open.set(index, opened);
    // A whole reply is read only up to this number of blocks.
    if (this.#content.push(opened.block) > MAX_ANNOTATIONS) this.#live?.stop();
    this.#live?.open(opened.block);
  }

  #voidReason(): void {
    this.#goesOn = this.#fields.delete('stop_reason') || this.#goesOn;
  }

  #extend(index: unknown, delta: JsonObject): void {
    const opened = this.#open.get(index);
    if (opened === undefined) return;
    this.#voidReason();
    const { block } = opened;
    if (delta['type'] === 'input_json_delta') opened.input += textOf(delta['partial_json']) ?? '';
    else if (delta['type'] === 'citations_delta') this.#cite(block, delta['citation']);
    else for (const name of GROWING) this.#append(block, name, delta[name]);
  }

  #cite(block: JsonObject, citation: unknown): void {
    if (!Array.isArray(block['citations'])) block['citations'] = [];
    (block['citations'] as unknown[]).push(citation);
    this.#live?.cite(block, citation);
  }

  #append(block: JsonObject, name: string, part: unknown): void {
    if (typeof part !== 'string') return;
    block[name] = (textOf(block[name]) ?? '') + part;
    if (name === 'text') this.#live?.text(block, part);
  }

  #closeBlock(index: unknown): void {
    const opened = this.#open.get(index);
    if (opened === undefined) return;
    this.#open.delete(index);
    // Throws where the block could not be sent back unchanged.
    if (opened.input !== '') opened.block['input'] = parseJsonObject({ status: 200, text: opened.input });
    this.#live?.close(opened.block);
  }
}

/** The fields of a block that arrive in parts. */
const GROWING = ['text', 'thinking', 'signature'] as const;

/** Streams the text of a turn, over all its rounds, while the blocks arrive. */
export class LiveTurn {
  readonly #segments: LiveSegments;
  readonly #titles = new Map<Source['url'], Source['title']>();
  /** The text block that is arriving. */
  #current: JsonObject | undefined;
  /** The positions of the sources that the current block has cited so far. */
  #positions: number[] = [];

  constructor(live: LiveParts) {
    this.#segments = new LiveSegments(live);
  }

  open(block: JsonObject): void {
    this.#settle();
    const type = textOf(block['type']) ?? '';
    if (isOfTool(type)) this.#segments.next();
    if (type === 'web_search_tool_result')
      for (const { url, title } of foundSources(block)) this.#titles.set(url, title);
    if (type !== 'text') return;
    this.#current = block;
    this.text(block, textOf(block['text']) ?? '');
    for (const citation of listOf(block['citations'])) this.cite(block, citation);
  }

  text(block: JsonObject, part: string): void {
    if (this.#isCurrent(block)) this.#segments.text(part);
  }

  cite(block: JsonObject, citation: unknown): void {
    if (!this.#isCurrent(block)) return;
    const source = citedSource(citation, this.#titles);
    if (source === undefined) return;
    this.#positions.push(this.#segments.addSource(source));
    this.#segments.keep();
  }

  close(block: JsonObject): void {
    if (block === this.#current) this.#settle();
  }

  stop(): void {
    this.#segments.stop();
  }

  /** Blocks arrive one after another. Later text of an earlier block would come at the wrong place, so it stops the stream. */
  #isCurrent(block: JsonObject): boolean {
    if (block['type'] === 'text' && block !== this.#current) this.stop();
    return block === this.#current;
  }

  /** Ends the current block: its markers follow the whole text. */
  #settle(): void {
    this.#segments.cite(this.#positions);
    this.#positions = [];
    this.#current = undefined;
  }
}
