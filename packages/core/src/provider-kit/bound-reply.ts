import { MAX_ANNOTATIONS } from '../text/reply-limits.js';

/** A list that is too long has at least two characters per element, so its text is at least this long. */
const MIN_LENGTH_OF_MANY = 2 * MAX_ANNOTATIONS;
/** Most values in a reply after its lists are cut. Values inside lists and objects count too. */
const MAX_VALUES = 100_000;
/** How deep lists and objects may be nested in a reply. */
const MAX_DEPTH = 64;

/**
 * Cuts every list of a parsed reply to its first {@link MAX_ANNOTATIONS} elements.
 *
 * @param length of the reply's text: most replies are too short to contain a list that must be cut.
 * @returns false for a reply with more values or deeper nesting than any provider sends: checking its shape would take too long.
 */
export function boundReply(reply: object, length: number): boolean {
  if (length < MIN_LENGTH_OF_MANY) return true;
  let values = 0;
  function isBounded(value: unknown, depth: number): boolean {
    values += 1;
    if (typeof value !== 'object' || value === null) return values <= MAX_VALUES;
    if (values > MAX_VALUES || depth > MAX_DEPTH) return false;
    if (!Array.isArray(value)) return areBounded(value, depth);
    if (value.length > MAX_ANNOTATIONS) value.length = MAX_ANNOTATIONS;
    return value.every((element) => isBounded(element, depth + 1));
  }
  function areBounded(fields: object, depth: number): boolean {
    for (const name in fields) if (!isBounded((fields as Record<string, unknown>)[name], depth + 1)) return false;
    return true;
  }
  return isBounded(reply, 0);
}

const QUOTE = 34;
const BACKSLASH = 92;

/** Any shorter text is parsed in a few milliseconds. */
const MIN_LENGTH = 50_000;

/** Whether a long JSON text nests lists and objects deeper than any provider does. Parsing such a text takes ten times as long as usual. */
export function isNestedTooDeep(text: string): boolean {
  if (text.length < MIN_LENGTH) return false;
  let depth = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === QUOTE) index = stringEnd(text, index + 1);
    else if (opens(code)) depth += 1;
    else if (closes(code)) depth -= 1;
    if (depth > MAX_DEPTH) return true;
  }
  return false;
}

/** The index of the closing quotation mark. */
function stringEnd(text: string, start: number): number {
  let index = start;
  for (let code = text.charCodeAt(index); index < text.length && code !== QUOTE; code = text.charCodeAt(index))
    index += code === BACKSLASH ? 2 : 1;
  return index;
}

/** `[` or `{`, which differ in one bit. */
function opens(code: number): boolean {
  return (code | 32) === 123;
}

/** `]` or `}`. */
function closes(code: number): boolean {
  return (code | 32) === 125;
}
