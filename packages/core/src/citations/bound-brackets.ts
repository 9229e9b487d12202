import { CLOSE_BRACKET, OPEN_BRACKET, WIDE_CLOSE_BRACKET, WIDE_OPEN_BRACKET } from './characters.js';
import { MAX_BRACKETS } from './reply-limits.js';
import { TextBuffer } from './text-buffer.js';

/**
 * A text with at most {@link MAX_BRACKETS} brackets: all later ones are removed. Each bracket has to be looked at on its own, so
 * brackets cost far more time than prose.
 */
export function boundBrackets(text: string): string {
  const end = bracketsEnd(text);
  if (end === text.length) return text;
  const rest = new TextBuffer(text.length - end);
  for (let index = end; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (!isBracket(code)) rest.appendCode(code);
  }
  return text.slice(0, end) + rest.toString();
}

/**
 * The place of the first bracket that is one too many; the length of the text where there is none. By a loop: `indexOf` looks for one byte of a
 * character, and stops at every character of a text that has that byte too, as half of Japanese does that of `【`.
 */
export function bracketsEnd(text: string): number {
  if (text.length <= MAX_BRACKETS) return text.length;
  let count = 0;
  for (let index = 0; index < text.length; index += 1) {
    if (!isBracket(text.charCodeAt(index))) continue;
    count += 1;
    if (count > MAX_BRACKETS) return index;
  }
  return text.length;
}

function isBracket(code: number): boolean {
  if (code < OPEN_BRACKET) return false;
  return code === OPEN_BRACKET || code === CLOSE_BRACKET || code === WIDE_OPEN_BRACKET || code === WIDE_CLOSE_BRACKET;
}
