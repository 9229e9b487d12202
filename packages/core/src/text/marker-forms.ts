import {
  CLOSE_PARENTHESIS,
  COLON,
  DOT,
  EN_DASH,
  GREATER_THAN,
  HASH,
  isDigit,
  isLetter,
  isWhiteSpace,
  LESS_THAN,
  LINE_FEED,
  MINUS,
  OPEN_BRACE,
  OPEN_PARENTHESIS,
  PLUS,
  QUOTE,
  SLASH,
  SPACE,
  skip,
} from './characters.js';

/** Returned if the end may follow in text that has not come yet. */
export const OPEN = -1;

/** The part of a text that may be examined. */
export interface Reach {
  readonly text: string;
  /** Exclusive. */
  readonly limit: number;
  /** Whether more text may come. */
  readonly isOpen: boolean;
}

/** The numbers of `[1, 2]` and of `【1†source】`, up to and including the closing bracket. */
// A list is bounded, because an expression without a bound takes memory for each number.
export const NARROW_NUMBERS = /\^?(\d{1,3}(?: *[,;–-] *\d{1,3}){0,999})\]/y;
export const NARROW_BEGUN = /\^?[\d ,;–-]*/y;
export const WIDE_MARKER = /【(\d{1,3}(?: *[,;–-] *\d{1,3}){0,999})(?:†[^【】\r\n]*)?】/y;
export const WIDE_BEGUN = /【[\d ,;–-]*(?:†[^【】\r\n]*)?/y;

/** Matches an expression with the flag `y` at an index. */
export function matchAt(expression: RegExp, text: string, at: number): RegExpExecArray | null {
  expression.lastIndex = at;
  return expression.exec(text);
}

/** The text behind `[3]`. With an argument of LaTeX (`\sqrt[3]{x}`) or the address of a link, `[3]` is no citation marker. */
export type Behind = 'nothing' | 'argument' | 'address' | 'open';

export function whatIsBehind(reach: Reach, at: number): Behind {
  if (at >= reach.limit) return reach.isOpen ? 'open' : 'nothing';
  const code = reach.text.charCodeAt(at);
  if (code === OPEN_BRACE) return 'argument';
  if (code !== OPEN_PARENTHESIS) return 'nothing';
  const isAddress = startsWithAddress(reach, at + 1);
  return isAddress === undefined ? 'open' : isAddress ? 'address' : 'nothing';
}

/** Whether an address begins at an index, with `https:`, `www.`, `/` or `#`, perhaps after `<`, and not words in parentheses. */
function startsWithAddress({ text, limit, isOpen }: Reach, index: number): boolean | undefined {
  const start = text.charCodeAt(index) === LESS_THAN ? index + 1 : index;
  const code = text.charCodeAt(start);
  if (start < limit && (code === SLASH || code === HASH)) return true;
  let end = start;
  while (end < limit && (isLetter(text.charCodeAt(end)) || (end > start && isOfScheme(text.charCodeAt(end))))) end += 1;
  if (end > start && /^www\./i.test(text.slice(start, start + 4))) return true;
  if (end === limit && isOpen) return undefined;
  return end > start && end < limit && text.charCodeAt(end) === COLON;
}

function isOfScheme(code: number): boolean {
  return isDigit(code) || code === PLUS || code === MINUS || code === DOT;
}

/**
 * The end of `(https://… "title")`, including the parentheses; 0 if there is no address, {@link OPEN} if the end may follow. An address has no white space,
 * and its parentheses come in pairs, one level deep.
 */
export function targetEnd(reach: Reach, start: number): number {
  const { text, limit, isOpen } = reach;
  const none = isOpen ? OPEN : 0;
  if (start >= limit) return none;
  const behind = text.charCodeAt(start) === OPEN_PARENTHESIS ? whatIsBehind(reach, start) : 'nothing';
  if (behind !== 'address') return behind === 'open' ? OPEN : 0;
  let isNested = false;
  let index = start + 1;
  for (; index < limit; index += 1) {
    const code = text.charCodeAt(index);
    if (isWhiteSpace(code)) break;
    if (code === CLOSE_PARENTHESIS && !isNested) return index + 1;
    if (code === OPEN_PARENTHESIS && isNested) return 0;
    if (code === OPEN_PARENTHESIS || code === CLOSE_PARENTHESIS) isNested = code === OPEN_PARENTHESIS;
  }
  if (index === limit) return none;
  return isNested ? 0 : titledEnd(reach, index);
}

function titledEnd({ text, limit, isOpen }: Reach, start: number): number {
  const none = isOpen ? OPEN : 0;
  let at = start;
  while (at < limit && text.charCodeAt(at) === SPACE) at += 1;
  if (at === limit) return none;
  if (at === start || text.charCodeAt(at) !== QUOTE) return 0;
  at += 1;
  while (at < limit && text.charCodeAt(at) !== QUOTE && text.charCodeAt(at) !== LINE_FEED) at += 1;
  if (at + 1 >= limit) return at < limit && text.charCodeAt(at) === LINE_FEED ? 0 : none;
  return text.startsWith('")', at) ? at + 2 : 0;
}

/** Whether a character in the parentheses of a link belongs to the address. */
export function isOfAddress(code: number): boolean {
  return code !== GREATER_THAN && !isWhiteSpace(code);
}

/** The highest number of a citation marker: longer numbers are years and other figures. A source beyond it can be listed, but not cited. */
export const MAX_MARKER_NUMBER = 999;

/** Returns the position of the source with a number, from 1; 0 for a source that is no citation, `undefined` for an unknown number. */
export type PositionOf = (number: string) => number | undefined;

const COUNTED = /^[1-9]\d*$/;
const ONE_NUMBER = /^\d+$/;

export function positionWithin(count: number): PositionOf {
  const last = Math.min(count, MAX_MARKER_NUMBER);
  return (number) => (COUNTED.test(number) && Number(number) <= last ? Number(number) : undefined);
}

/**
 * The positions of the numbers of a marker, without sources that are no citations; `undefined` if a number is unknown.
 *
 * @param numbers such as `1`, `1, 2` or `1-3`.
 * @param most the maximum number of positions, 1 or more.
 */
export function positionsOf(numbers: string, positionOf: PositionOf, most: number): readonly number[] | undefined {
  if (ONE_NUMBER.test(numbers)) {
    const position = positionOf(numbers);
    if (position === undefined) return undefined;
    return position === 0 || position > MAX_MARKER_NUMBER ? [] : [position];
  }
  const positions: number[] = [];
  for (let start = 0; start < numbers.length; ) {
    const part = nextPart(numbers, start);
    const found = positionsOfPart(part.ends, positionOf, most);
    if (found === undefined) return undefined;
    for (const position of found) if (positions.length < most) positions.push(position);
    start = part.end;
  }
  return positions;
}

interface Part {
  /** A number, or the two numbers of a range. */
  readonly ends: readonly string[];
  /** The index at which the next part begins. */
  readonly end: number;
}

/** The numbers from an index up to the next comma or semicolon. */
function nextPart(numbers: string, start: number): Part {
  const ends: string[] = [];
  let index = start;
  let isRange = true;
  while (isRange && index < numbers.length) {
    const end = skip(numbers, index, isDigit);
    ends.push(numbers.slice(index, end));
    isRange = false;
    for (index = end; index < numbers.length && !isDigit(numbers.charCodeAt(index)); index += 1)
      isRange ||= isDash(numbers.charCodeAt(index));
  }
  return { ends, end: index };
}

function isDash(code: number): boolean {
  return code === MINUS || code === EN_DASH;
}

/** The positions of a number or a range. Both ends of a range must be known, the numbers between need not. */
function positionsOfPart(ends: readonly string[], positionOf: PositionOf, most: number): number[] | undefined {
  const [first = '', last = first, ...others] = ends;
  const length = Number(last) - Number(first) + 1;
  const known = positionOf(first) !== undefined && positionOf(last) !== undefined;
  if (!known || others.length > 0 || length < 1) return undefined;
  const numbers =
    length === 1
      ? [first]
      : Array.from({ length: Math.min(length, most) }, (_, index) => String(Number(first) + index));
  return numbers
    .map((number) => positionOf(number) ?? 0)
    .filter((position) => position !== 0 && position <= MAX_MARKER_NUMBER);
}
