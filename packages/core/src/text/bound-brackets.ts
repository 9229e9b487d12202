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
 * The place of the first bracket that is one too many; the length of the text where there is none. By an expression, which passes over prose
 * several times faster than a loop. `indexOf` is no choice: it looks for one byte of a character and stops at every other character that has
 * that byte, as much of Japanese has that of `【`.
 */
export function bracketsEnd(text: string): number {
  if (text.length <= MAX_BRACKETS) return text.length;
  const bracket = /[[\]【】]/g;
  for (let count = 0; count < MAX_BRACKETS; count += 1) if (!bracket.test(text)) return text.length;
  return bracket.test(text) ? bracket.lastIndex - 1 : text.length;
}

function isBracket(code: number): boolean {
  if (code < OPEN_BRACKET) return false;
  return code === OPEN_BRACKET || code === CLOSE_BRACKET || code === WIDE_OPEN_BRACKET || code === WIDE_CLOSE_BRACKET;
}
