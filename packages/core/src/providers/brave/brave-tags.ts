import { z } from 'zod';
import { parseVendorJson } from '../../base/json-counts.js';
import { isObject, type JsonObject, optional, textOf } from '../../provider-kit/reply-fields.js';
import { joinCited } from '../../text/annotated-text.js';
import type { Source } from '../../text/collect-citations.js';
import { MAX_ANNOTATIONS } from '../../text/reply-limits.js';
import type { AnnotatedText } from '../../text/rewriter.js';
import { withoutThoughts } from '../../text/thoughts.js';

const usageTag = z.object({
  'X-Request-Queries': optional.number,
  'X-Request-Tokens-In': optional.number,
  'X-Request-Tokens-Out': optional.number,
  'X-Request-Total-Cost': optional.amount,
});

/** A text without thoughts, with marks in place of the tags. Marks count `sources` from 1. */
export interface TaggedText extends AnnotatedText {
  /** The sources of the first {@link MAX_ANNOTATIONS} citation tags, in order. */
  readonly sources: readonly Source[];
  /** Without fields if the text has no usage tag. */
  readonly usage: Partial<z.output<typeof usageTag>>;
}

/** Receives the parts of a tagged text, in order. */
interface TagTaker {
  text(part: string): void;
  /** A citation of the text so far. */
  citation(source: Source): void;
  usage?(usage: TaggedText['usage']): void;
}

/**
 * Reads the tags in the text of an answer by Brave: `<citation>{"number", "url", "snippet", …}</citation>` behind each cited sentence, and one
 * `<usage>{"X-Request-Total-Cost", …}</usage>` (as captured 2026-10-03). Brave does not escape tags, so a tag counts only around a single JSON object. The
 * numbers have gaps, and a page may have several numbers, so the position of the tag counts instead.
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
  const { marks, ...answer } = withoutThoughts(joinCited([...pieces, { text, positions: [] }]));
  return {
    ...answer,
    marks: marks.map((mark, index) => ({ ...mark, ids: [index + 1] })),
    sources: marks.flatMap(({ ids: [id] }) => sources[Number(id) - 1] ?? []),
    usage,
  };
}

const OPENING = /<(citation|usage)>/g;
const OPENINGS = ['<citation>', '<usage>'];
/** Far more than a tag has. A longer tag counts as text. */
const MAX_TAG_LENGTH = 20_000;
/** How many openings that begin no tag are examined before the reader stops looking for tags. */
const MAX_FALSE_OPENINGS = 1_000;

/** A tag is an opening, a JSON object, and the closing right behind the object. Strings in the object quote the page, so tags in them do not count. */
export function createTagReader(taker: TagTaker) {
  let citations = 0;
  let falseOpenings = 0;
  /** Received text that may begin a tag, not handed over yet. */
  let held = '';
  /** Set while the reader is inside a tag. */
  let object: ObjectScan | undefined;

  function take(name: string, body: JsonObject): void {
    if (name === 'usage') taker.usage?.(usageTag.parse(body));
    else {
      citations += 1;
      // Without a zod schema, because a text can have tens of thousands of tags.
      if (citations <= MAX_ANNOTATIONS) taker.citation({ url: textOf(body['url']), snippet: textOf(body['snippet']) });
    }
  }

  /** @returns the offset at which the tag ends; 0 if the text is no tag, `undefined` if the tag may continue. */
  function tagEnd(text: string, name: string, start: number): number | undefined {
    object ??= new ObjectScan();
    const end = object.end(text, start);
    if (end === 0) return 0;
    const closing = `</${name}>`;
    const behind = end === undefined ? '' : text.slice(end, end + closing.length);
    if (!closing.startsWith(behind)) return 0;
    if (end === undefined || behind !== closing) return text.length - start > MAX_TAG_LENGTH ? 0 : undefined;
    const body = parseVendorJson(text.slice(start, end));
    if (!isObject(body)) return 0;
    take(name, body);
    return end + closing.length;
  }

  function give(text: string): void {
    if (text !== '') taker.text(text);
  }

  /** Hands over the text that later text cannot change; at the end, all text. @returns the text still held back. */
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
    push: (part: string) => void (held = read(held + part, false)),
    /** Handles the text still held back as plain text. */
    end: () => void (held = read(held, true)),
  };
}

/** The offset of a possible beginning of an opening at the end of a text. */
function mayBegin(text: string): number {
  const start = text.lastIndexOf('<');
  const isBeginning = start !== -1 && OPENINGS.some((opening) => opening.startsWith(text.slice(start)));
  return isBeginning ? start : text.length;
}

/** Finds the end of a JSON object that may come in parts. Reads each character once. */
class ObjectScan {
  #read = 0;
  /** Offset from the start of the object; 0 until the end is found. */
  #end = 0;
  #depth = 0;
  #isInString = false;

  /** @returns the offset at which the object at `start` ends; 0 if no object begins at `start`, `undefined` if the object may continue. */
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

/** A character of a JSON object outside of its strings. */
const OF_OBJECT = /[\s\w{}[\]:,.+-]/;
