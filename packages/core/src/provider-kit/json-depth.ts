import { MAX_DEPTH } from './bound-reply.js';

const QUOTE = 34;
const BACKSLASH = 92;

/** A shorter text is parsed in a few milliseconds, whatever is in it. */
const MIN_LENGTH = 50_000;

/** Whether a long JSON text nests lists and objects deeper than any provider does. Parsing takes ten times as long for such a text as for others. */
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

/** Where the closing quotation mark stands. */
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
