import {
  BACKSLASH,
  CARET,
  type Characters,
  CLOSE_BRACKET,
  CLOSE_PARENTHESIS,
  COLON,
  DAGGER,
  DOT,
  EN_DASH,
  HASH,
  isDigit,
  isLetter,
  isWhiteSpace,
  LESS_THAN,
  LINE_FEED,
  MINUS,
  OPEN_BRACE,
  OPEN_BRACKET,
  OPEN_PARENTHESIS,
  PLUS,
  QUOTE,
  SLASH,
  SPACE,
  skip,
  WIDE_CLOSE_BRACKET,
  WIDE_OPEN_BRACKET,
} from './characters.js';

/** A marker as it is written, with all that belongs to it: doubled brackets, and the address behind those. */
export interface WrittenMarker {
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
  /** Such as `1`, `1, 2` or `1-3`. */
  readonly numbers: string;
}

const NUMBERS = /^\d{1,3}(?: *[,;–-] *\d{1,3})*$/;
/** A longer list holds more numbers than there can be sources. */
const MAX_NUMBERS_LENGTH = 5_000;

/** The characters between the brackets of `[1, 2]`. */
function isOfNumbers(code: number): boolean {
  return isDigit(code) || code === SPACE || SEPARATORS.includes(code);
}

/** `,`, `-`, `;` and `–`. */
const SEPARATORS: readonly number[] = [44, MINUS, 59, EN_DASH];

/**
 * The marker whose closing bracket follows `before`, without what is around it: `[1, 2]`, `[^1]` or `【1†source】`. Looks back no further than the
 * bracket before, so that all looks at a text together cost time linear in it.
 *
 * @param end of the text before the bracket.
 */
export function bareMarker(before: Characters, end: number, closing: number): Omit<WrittenMarker, 'end'> | undefined {
  return closing === CLOSE_BRACKET ? narrowMarker(before, end) : wideMarker(before, end);
}

function narrowMarker(before: Characters, end: number): Omit<WrittenMarker, 'end'> | undefined {
  if (!isDigit(before.charCodeAt(end - 1))) return undefined;
  let first = end - 1;
  while (end - first <= MAX_NUMBERS_LENGTH && isOfNumbers(before.charCodeAt(first - 1))) first -= 1;
  const start = before.charCodeAt(first - 1) === CARET ? first - 2 : first - 1;
  if (!opensBracket(before, start)) return undefined;
  if (end - first > MAX_NUMBERS_LENGTH) return undefined;
  const numbers = before.slice(first, end);
  return NUMBERS.test(numbers) ? { start, numbers } : undefined;
}

function wideMarker(before: Characters, end: number): Omit<WrittenMarker, 'end'> | undefined {
  let first = end;
  while (!endsWideMarker(before.charCodeAt(first - 1))) first -= 1;
  const start = first - 1;
  if (before.charCodeAt(start) !== WIDE_OPEN_BRACKET || before.charCodeAt(start - 1) === BACKSLASH) return undefined;
  let last = first;
  while (last < end && isOfNumbers(before.charCodeAt(last))) last += 1;
  if (last < end && before.charCodeAt(last) !== DAGGER) return undefined;
  const numbers = before.slice(first, Math.min(last, first + MAX_NUMBERS_LENGTH));
  return NUMBERS.test(numbers) ? { start, numbers } : undefined;
}

/** Where a search back for the opening bracket ends. */
function endsWideMarker(code: number): boolean {
  return code === WIDE_OPEN_BRACKET || code === WIDE_CLOSE_BRACKET || code === LINE_FEED || Number.isNaN(code);
}

/** An opening bracket that no backslash escapes. */
export function opensBracket(before: Characters, index: number): boolean {
  return before.charCodeAt(index) === OPEN_BRACKET && before.charCodeAt(index - 1) !== BACKSLASH;
}

/** How many pairs of brackets stand around a marker: closing ones from `end` on in the text, opening ones at the end of what is before. */
export function pairsAround(
  before: Characters,
  start: number,
  after: { readonly text: string; readonly end: number },
): number {
  let pairs = 0;
  while (after.text.charCodeAt(after.end + pairs) === CLOSE_BRACKET && opensBracket(before, start - pairs - 1))
    pairs += 1;
  return pairs;
}

/** What follows `[3]` where it is an argument of LaTeX (`\sqrt[3]{x}`) or the text of a link, and no marker. */
export function makesNoMarker(text: string, index: number): boolean {
  const code = text.charCodeAt(index);
  return code === OPEN_BRACE || (code === OPEN_PARENTHESIS && startsWithAddress(text, index + 1));
}

/** Whether a link begins here, and not words in parentheses: with `https:`, `www.`, `/` or `#`, after `<` perhaps. */
function startsWithAddress(text: string, index: number): boolean {
  const start = text.charCodeAt(index) === LESS_THAN ? index + 1 : index;
  const code = text.charCodeAt(start);
  if (code === SLASH || code === HASH) return true;
  if (!isLetter(code)) return false;
  const end = skip(text, start, isOfScheme);
  return text.charCodeAt(end) === COLON || /^www\./i.test(text.slice(start, start + 4));
}

function isOfScheme(code: number): boolean {
  return isLetter(code) || isDigit(code) || code === PLUS || code === MINUS || code === DOT;
}

/**
 * The end of `(https://… "title")`, the parentheses included; 0 where there is none. An address has no white space, and its parentheses
 * are in pairs one level deep.
 */
export function targetEnd(text: string, start: number): number {
  if (text.charCodeAt(start) !== OPEN_PARENTHESIS || !startsWithAddress(text, start + 1)) return 0;
  let isNested = false;
  let index = start + 1;
  for (; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (isWhiteSpace(code)) break;
    if (code === CLOSE_PARENTHESIS && !isNested) return index + 1;
    if (code === OPEN_PARENTHESIS && isNested) return 0;
    if (code === OPEN_PARENTHESIS || code === CLOSE_PARENTHESIS) isNested = code === OPEN_PARENTHESIS;
  }
  return isNested ? 0 : titledEnd(text, index);
}

function titledEnd(text: string, start: number): number {
  const title = skip(text, start, (code) => code === SPACE);
  if (title === start || text.charCodeAt(title) !== QUOTE) return 0;
  const end = skip(text, title + 1, (code) => code !== QUOTE && code !== LINE_FEED);
  return text.startsWith('")', end) ? end + 2 : 0;
}
