import { z } from 'zod';
import { joinCited } from '../../citations/annotated-text.js';
import type { Source } from '../../citations/collect-citations.js';
import { MAX_ANNOTATIONS } from '../../citations/reply-limits.js';
import { optionalAmount, optionalNumber } from '../../provider-kit/reply-fields.js';

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

const CLOSING: ReadonlyMap<string, string> = new Map([
  ['<citation>', '</citation>'],
  ['<usage>', '</usage>'],
]);

/**
 * Reads what Brave puts into the text of an answer: `<citation>{"number", "url", "snippet", …}</citation>` behind what it cites, and one
 * `<usage>{"X-Request-Total-Cost", …}</usage>` (as captured 2026-10-03). Tags are not escaped, so only those around a JSON object are tags. The numbers have
 * gaps, and one address may have several; offsets say where the tag stands anyway.
 */
export function readTags(tagged: string): TaggedText {
  const parts = tagged.split(/(<\/?(?:citation|usage)>)/);
  const sources: Source[] = [];
  const pieces: { text: string; positions: number[] }[] = [];
  let usage: TaggedText['usage'] = {};
  let text = '';
  for (let index = 0; index < parts.length; index += 1) {
    const [part = '', inside = '', after] = parts.slice(index, index + 3);
    const body = after !== undefined && CLOSING.get(part) === after ? jsonObject(inside) : undefined;
    if (body === undefined) {
      text += part;
      continue;
    }
    index += 2;
    if (part === '<usage>') usage = usageTag.parse(body);
    else if (sources.length < MAX_ANNOTATIONS) {
      sources.push({ url: textIn(body, 'url'), snippet: textIn(body, 'snippet') });
      pieces.push({ text, positions: [sources.length] });
      text = '';
    }
  }
  return { text: joinCited([...pieces, { text, positions: [] }]), sources, usage };
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
