import { z } from 'zod';
import { optionalAmount, optionalNumber } from '../../provider-kit/reply-fields.js';
import { joinCited } from '../../text/annotated-text.js';
import type { Source } from '../../text/collect-citations.js';
import { MAX_ANNOTATIONS } from '../../text/reply-limits.js';
import type { AnnotatedText } from '../../text/rewriter.js';

const usageTag = z.object({
  'X-Request-Queries': optionalNumber,
  'X-Request-Tokens-In': optionalNumber,
  'X-Request-Tokens-Out': optionalNumber,
  'X-Request-Total-Cost': optionalAmount,
});

/** A text with marks where tags were, counted from 1 into `sources`. */
export interface TaggedText extends AnnotatedText {
  /** One for each tag, in order; the first {@link MAX_ANNOTATIONS} of them. */
  readonly sources: readonly Source[];
  /** Without fields where the text has no such tag. */
  readonly usage: Partial<z.output<typeof usageTag>>;
}

/** What is found in a tagged text, in its order. */
export interface TagTaker {
  text(part: string): void;
  /** The text so far rests on it. */
  citation(source: Source): void;
  usage?(usage: TaggedText['usage']): void;
}

/** Reads a tagged text part by part. */
export interface TagReader {
  push(part: string): void;
  /** Takes what is still held back for text. */
  end(): void;
}

/**
 * Reads what Brave puts into the text of an answer: `<citation>{"number", "url", "snippet", …}</citation>` behind what it cites, and one
 * `<usage>{"X-Request-Total-Cost", …}</usage>` (as captured 2026-10-03). Tags are not escaped, so only those around one JSON object are tags. The numbers have
 * gaps, and one address may have several; offsets say where the tag stands anyway.
 */
export function readTags(tagged: string): TaggedText {
  const sources: Source[] = [];
  const pieces: { text: string; positions: number[] }[] = [];
  let usage: TaggedText['usage'] = {};
  let text = '';
  const reader = createTagReader({
    text: (part) => void (text += part),
    citation(source) {
      sources.push(source);
      pieces.push({ text, positions: [sources.length] });
      text = '';
    },
    usage: (found) => void (usage = found),
  });
  reader.push(tagged);
  reader.end();
  return { ...joinCited([...pieces, { text, positions: [] }]), sources, usage };
}

const OPENING = /<(citation|usage)>/g;
const OPENINGS = ['<citation>', '<usage>'];
/** Far more than a tag has. What is longer is text. */
const MAX_TAG_LENGTH = 20_000;
/** So many openings that begin no tag are looked at: what a text has of them is in its prose. */
const MAX_FALSE_OPENINGS = 1_000;

/** A tag is an opening, one JSON object, and the closing right behind it. Whatever the strings of the object hold is of the page, and no tag. */
export function createTagReader(taker: TagTaker): TagReader {
  let citations = 0;
  let falseOpenings = 0;
  /** What has come and is not handed over: the beginning of a tag. */
  let held = '';
  /** Set inside of a tag. */
  let object: ObjectScan | undefined;

  function take(name: string, body: Record<string, unknown>): void {
    if (name === 'usage') taker.usage?.(usageTag.parse(body));
    else {
      citations += 1;
      if (citations <= MAX_ANNOTATIONS) taker.citation({ url: textIn(body, 'url'), snippet: textIn(body, 'snippet') });
    }
  }

  /** @returns where the tag ends whose name and object these are; 0 for no tag, `undefined` where it may go on. */
  function tagEnd(text: string, name: string, start: number): number | undefined {
    object ??= new ObjectScan();
    const end = object.end(text, start);
    if (end === 0) return 0;
    const closing = `</${name}>`;
    const behind = end === undefined ? '' : text.slice(end, end + closing.length);
    if (!closing.startsWith(behind)) return 0;
    if (end === undefined || behind !== closing) return text.length - start > MAX_TAG_LENGTH ? 0 : undefined;
    const body = jsonObject(text.slice(start, end));
    if (body === undefined) return 0;
    take(name, body);
    return end + closing.length;
  }

  function give(text: string): void {
    if (text !== '') taker.text(text);
  }

  /** Hands over what is decided; at the end, everything. */
  function read(text: string, isEnd: boolean): string {
    let from = 0;
    let at = 0;
    for (;;) {
      OPENING.lastIndex = at;
      const found = falseOpenings < MAX_FALSE_OPENINGS ? OPENING.exec(text) : null;
      if (found === null) break;
      const [opening, name = ''] = found;
      give(text.slice(from, found.index));
      from = found.index;
      const end = tagEnd(text, name, from + opening.length);
      if (end === undefined && !isEnd) return text.slice(from);
      object = undefined;
      at = end || from + opening.length;
      if (end) from = end;
      else falseOpenings += 1;
    }
    const end = isEnd ? text.length : Math.max(from, mayBegin(text));
    give(text.slice(from, end));
    return text.slice(end);
  }

  return {
    push: (part) => void (held = read(held + part, false)),
    end: () => void (held = read(held, true)),
  };
}

/** Where the end of a text begins that further text may make an opening. */
function mayBegin(text: string): number {
  const start = text.lastIndexOf('<');
  const isBeginning = start !== -1 && OPENINGS.some((opening) => opening.startsWith(text.slice(start)));
  return isBeginning ? start : text.length;
}

/** Looks for the end of a JSON object, which may come in parts, so that each character is read once. */
class ObjectScan {
  #read = 0;
  /** From the start of the object; 0 where it is not found. */
  #end = 0;
  #depth = 0;
  #isInString = false;

  /** @returns where the object ends that begins at `start`; 0 where none does, `undefined` where it may go on. */
  end(text: string, start: number): number | undefined {
    if (this.#end > 0) return start + this.#end;
    for (let at = start + this.#read; at < text.length; at += 1) {
      const character = text.charAt(at);
      // An escaped character may come with the next part.
      if (this.#isInString && character === '\\') {
        if (at + 1 === text.length) break;
        at += 1;
      } else if (character === '"') this.#isInString = !this.#isInString;
      else if (this.#isInString ? character < ' ' : !OF_OBJECT.test(character)) return 0;
      else if (!this.#isInString) {
        if (character === '{') this.#depth += 1;
        else if (this.#depth === 0) return 0;
        if (character === '}') this.#depth -= 1;
        if (this.#depth === 0) {
          this.#end = at + 1 - start;
          return at + 1;
        }
      }
      this.#read = at + 1 - start;
    }
    return undefined;
  }
}

/** What a JSON object has outside of its strings. */
const OF_OBJECT = /[\s\w{}[\]:,.+-]/;

/** Read by hand: one text can hold tens of thousands of tags. */
function textIn(body: Record<string, unknown>, field: string): string | undefined {
  const value = body[field];
  return typeof value === 'string' ? value : undefined;
}

function jsonObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
