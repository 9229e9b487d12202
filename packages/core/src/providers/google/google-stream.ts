import { setKnown } from '../../provider-kit/chat-completion.js';
import type { StreamEnd } from '../../provider-kit/completeness.js';
import type { LiveParts } from '../../provider-kit/live-parts.js';
import type { CreateReducer, JsonObject, StreamReducer } from '../../provider-kit/reduce-stream.js';
import { listOf, objectOf, ownChoice } from '../../provider-kit/reply-fields.js';
import { saysError } from '../../provider-kit/upstream-failure.js';
import { MAX_ANNOTATIONS } from '../../text/reply-limits.js';

/**
 * Reduces the chunks of `streamGenerateContent`, each in the form of a reply, to one reply (ai.google.dev/api/generate-content, read 2026-11-22). Not
 * documented (medium confidence): a part continues in the next chunk, and the last grounding is complete.
 *
 * Google has no last event, and some streams say `STOP` with every chunk. So a stream is whole if its last content has a reason and its body ended in
 * order: a stream that is cut or stalls behind a `STOP` may not have been finished.
 */
export const reduceCandidate: CreateReducer = (live) => new StreamedCandidate(live);

class StreamedCandidate implements StreamReducer {
  readonly #live: LiveParts | undefined;
  readonly #top = new Map<string, unknown>();
  readonly #usage = new Map<string, unknown>();
  readonly #grounding = new Map<string, unknown>();
  readonly #parts: JsonObject[] = [];
  #finishReason: unknown = null;
  #hasCandidate = false;
  #failed: JsonObject | undefined;
  /** The last character handed over. */
  #before = '';
  #isHeld = false;

  constructor(live: LiveParts | undefined) {
    this.#live = live;
  }

  push(chunk: JsonObject): void {
    const { candidates, usageMetadata, ...others } = chunk;
    if (saysError(others['error'])) this.#failed ??= chunk;
    // A blocked prompt stays blocked.
    if (this.#isBlocked()) delete others['promptFeedback'];
    setKnown(this.#top, others);
    setKnown(this.#usage, objectOf(usageMetadata));
    const candidate = ownChoice(candidates);
    if (Object.keys(candidate).length === 0 || this.#failed !== undefined) return;
    const { content, finishReason, groundingMetadata } = candidate;
    const parts = listOf(objectOf(content)['parts']).map(objectOf);
    this.#hasCandidate = true;
    const isBroken = this.#finishReason !== null && this.#finishReason !== 'STOP';
    if (parts.some(({ text }) => text !== '')) this.#finishReason = finishReason || null;
    // After a reason that broke the answer off, only a chunk with more content can set another reason.
    else if (!isBroken) this.#finishReason = finishReason || this.#finishReason;
    this.#addGrounding(objectOf(groundingMetadata));
    for (const [index, part] of parts.entries()) this.#addPart(part, index === 0);
  }

  isWhole(end: StreamEnd): boolean {
    if (this.#failed !== undefined) return true;
    return end !== 'cut' && (this.#finishReason !== null || this.#isBlocked());
  }

  #isBlocked(): boolean {
    return Boolean(objectOf(this.#top.get('promptFeedback'))['blockReason']);
  }

  end(): JsonObject {
    if (this.#failed !== undefined) return this.#failed;
    const candidate = {
      content: { parts: this.#parts },
      finishReason: this.#finishReason,
      groundingMetadata: Object.fromEntries(this.#grounding),
    };
    return {
      ...Object.fromEntries(this.#top),
      candidates: this.#hasCandidate ? [candidate] : [],
      usageMetadata: Object.fromEntries(this.#usage),
    };
  }

  /** The last list of each kind that is not empty. */
  #addGrounding(metadata: JsonObject): void {
    const isEmpty = (value: unknown) => Array.isArray(value) && value.length === 0;
    setKnown(this.#grounding, Object.fromEntries(Object.entries(metadata).filter(([, value]) => !isEmpty(value))));
  }

  /** @param mayGoOn whether the part can continue the last part. */
  #addPart(part: JsonObject, mayGoOn: boolean): void {
    const { text } = part;
    const isThought = part['thought'] === true;
    const last = this.#parts.at(-1);
    const goesOn = mayGoOn && typeof text === 'string' && typeof last?.['text'] === 'string';
    if (goesOn && (last['thought'] === true) === isThought) last['text'] = `${last['text'] as string}${text}`;
    // A whole reply is not read beyond this number of parts.
    else if (this.#parts.push({ ...part }) > MAX_ANNOTATIONS) this.#isHeld = true;
    if (typeof text === 'string' && !isThought) this.#handOver(text);
  }

  /**
   * Hands over the text up to the first place where inserting and removing a citation marker could change the text. The text behind that place waits
   * for the end.
   */
  #handOver(text: string): void {
    if (this.#isHeld || text === '') return;
    const from = this.#before.length;
    const found = TRACES.exec(this.#before + text);
    this.#isHeld = found !== null;
    const safe = found === null ? text : text.slice(0, Math.max(0, found.index - from));
    this.#before = text.slice(-1);
    if (safe !== '') this.#live?.text(safe);
  }
}

/** Brackets, escapes, code blocks, and an opening that behind a marker would be read as the address of a link. */
const TRACES = /[\\[\]【】]|``|~~|(?<=\S)[({]/;
