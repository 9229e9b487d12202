import { z } from 'zod';
import { optionalAmount, optionalNumber } from '../../provider-kit/reply-fields.js';
import { joinCited } from '../../text/annotated-text.js';
import type { Source } from '../../text/collect-citations.js';
import { MAX_ANNOTATIONS } from '../../text/reply-limits.js';

const usageTag = z.object({
  'X-Request-Queries': optionalNumber,
  'X-Request-Tokens-In': optionalNumber,
  'X-Request-Tokens-Out': optionalNumber,
  'X-Request-Total-Cost': optionalAmount,
});

export interface TaggedText {
  /** With `[n]` markers where tags were, counted from 1 into `sources`. */
  readonly text: string;
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
 * `<usage>{"X-Request-Total-Cost", …}</usage>` (as captured 2026-10-03). Tags are not escaped, so only those around a JSON object are tags. The numbers have
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
  return { text: joinCited([...pieces, { text, positions: [] }]), sources, usage };
}

const OPENING = { citation: '<citation>', usage: '<usage>' } as const;
const CLOSING = { citation: '</citation>', usage: '</usage>' } as const;
type TagName = keyof typeof OPENING;
const NAMES: readonly TagName[] = ['citation', 'usage'];
const TAG = /<\/?(?:citation|usage)>/g;
const LONGEST = CLOSING.citation.length;

/** What follows an opening tag is held back until the next tag tells what it is. */
export function createTagReader(taker: TagTaker): TagReader {
  let citations = 0;
  /** An opening tag and what has come behind it, in parts, since joining them for each part would take too long. */
  let opened: { readonly name: TagName; readonly inside: string[] } | undefined;
  /** The end of what has come, which may begin a tag. */
  let rest = '';

  function takePlain(text: string): void {
    if (text === '') return;
    if (opened === undefined) taker.text(text);
    else opened.inside.push(text);
  }

  /** What was held back is text after all. */
  function giveUp(): void {
    if (opened === undefined) return;
    const { name, inside } = opened;
    opened = undefined;
    taker.text(OPENING[name] + inside.join(''));
  }

  /** @returns whether it was one. */
  function takeTag(name: TagName, inside: string): boolean {
    const body = jsonObject(inside);
    if (body === undefined) return false;
    if (name === 'usage') taker.usage?.(usageTag.parse(body));
    else {
      citations += 1;
      if (citations <= MAX_ANNOTATIONS) taker.citation({ url: textIn(body, 'url'), snippet: textIn(body, 'snippet') });
    }
    return true;
  }

  function readTag(tag: string): void {
    const closed = opened;
    if (closed !== undefined && tag === CLOSING[closed.name] && takeTag(closed.name, closed.inside.join(''))) {
      opened = undefined;
      return;
    }
    giveUp();
    const name = NAMES.find((each) => OPENING[each] === tag);
    if (name === undefined) taker.text(tag);
    else opened = { name, inside: [] };
  }

  return {
    push(part) {
      const text = rest + part;
      let from = 0;
      for (const { 0: tag, index } of text.matchAll(TAG)) {
        takePlain(text.slice(from, index));
        readTag(tag);
        from = index + tag.length;
      }
      const end = mayBegin(text, from);
      takePlain(text.slice(from, end));
      rest = text.slice(end);
    },
    end() {
      takePlain(rest);
      rest = '';
      giveUp();
    },
  };
}

/** Where the end of a text begins that further text may make a tag. */
function mayBegin(text: string, from: number): number {
  const start = text.lastIndexOf('<');
  if (start < from || text.length - start >= LONGEST) return text.length;
  const tail = text.slice(start);
  const isBeginning = NAMES.some((name) => OPENING[name].startsWith(tail) || CLOSING[name].startsWith(tail));
  return isBeginning ? start : text.length;
}

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
