import {
  BACK_QUOTE,
  BACKSLASH,
  CARRIAGE_RETURN,
  CLOSE_BRACKET,
  CLOSE_PARENTHESIS,
  COLON,
  isBlank,
  isWhiteSpace,
  LINE_FEED,
  OPEN_BRACKET,
  OPEN_PARENTHESIS,
  QUOTE,
  skip,
  TILDE,
  WIDE_CLOSE_BRACKET,
  WIDE_OPEN_BRACKET,
} from './characters.js';

export interface Cut {
  /** Up to here the text is decided; 0 for not at all. */
  readonly cut: number;
  /** The first fence on the way, whose line is complete; `unclear` where a fence follows what a rewriter may remove. */
  readonly opened?: { readonly fence: string; readonly lineEnd: number } | 'unclear';
}

/** What is open on a line. Brackets of both kinds are counted apart, and none of them is open on the next line. */
interface Line {
  narrow: number;
  wide: number;
  /** The length of the run of back-quotes that may begin a code span; 0 for none. */
  ticks: number;
  /** Open parentheses of what may be the address of a link; 0 for none. */
  address: number;
  quotes: number;
  isBlank: boolean;
  /** So far only blanks and what may be a marker that is removed. */
  isRemovable: boolean;
}

function newLine(): Line {
  return { narrow: 0, wide: 0, ticks: 0, address: 0, quotes: 0, isBlank: true, isRemovable: true };
}

/** @param atStart whether the text begins a line; else it goes on behind an ordinary character. */
export function lastCut(text: string, atStart: boolean): Cut {
  const plain = atStart ? 0 : plainEnd(text);
  let cut = lastOrdinary(text, plain);
  if (plain === text.length) return { cut };
  const line = newLine();
  if (!atStart) Object.assign(line, { isBlank: false, isRemovable: false });
  let index = plain;
  while (index < text.length) {
    const code = text.charCodeAt(index);
    if (code === LINE_FEED || code === CARRIAGE_RETURN) {
      Object.assign(line, newLine());
      index += 1;
      continue;
    }
    const end = isOfRun(code) ? skip(text, index, (each) => each === code) : index + 1;
    // A run may go on.
    if (end === text.length && isOfRun(code)) break;
    if (end - index >= 3) {
      const opened = openedFence(text, { start: index, end, line });
      if (opened === 'waiting') break;
      if (opened !== undefined) return { cut, opened };
    }
    read(line, { text, code, start: index, end });
    index = end;
    if (isOrdinary(code) && isClosed(line)) cut = index;
  }
  return { cut };
}

/** Before any of these nothing is open, and no line begins. Most parts of an answer have none. */
const OPENS = /[[\]【】`~\n\r]/;

function plainEnd(text: string): number {
  const first = text.search(OPENS);
  return first === -1 ? text.length : first;
}

/** The end of the last ordinary character before `end`; 0 for none. */
function lastOrdinary(text: string, before: number): number {
  let end = before;
  while (end > 0 && !isOrdinary(text.charCodeAt(end - 1))) end -= 1;
  return end;
}

interface Run {
  readonly start: number;
  readonly end: number;
  readonly line: Line;
}

/** Three characters or more at the beginning of a line open fenced code; behind back-quotes the line has no further ones. */
function openedFence(text: string, { start, end, line }: Run): Cut['opened'] | 'waiting' {
  if (!line.isRemovable) return undefined;
  if (!line.isBlank) return 'unclear';
  const lineFeed = text.indexOf('\n', end);
  const isTilde = text.charCodeAt(start) === TILDE;
  const hasMore = text.slice(end, lineFeed === -1 ? text.length : lineFeed).includes('`');
  if (hasMore && !isTilde) return undefined;
  if (lineFeed === -1) return 'waiting';
  return { fence: text.slice(start, end), lineEnd: lineFeed };
}

interface Piece {
  readonly text: string;
  readonly code: number;
  readonly start: number;
  readonly end: number;
}

function read(line: Line, { text, code, start, end }: Piece): void {
  if (code === BACK_QUOTE) {
    if (line.ticks === 0) line.ticks = end - start;
    else if (line.ticks === end - start) line.ticks = 0;
  } else if (code === OPEN_BRACKET) line.narrow += 1;
  else if (code === WIDE_OPEN_BRACKET) line.wide += 1;
  else if (code === CLOSE_BRACKET) line.narrow = Math.max(0, line.narrow - 1);
  else if (code === WIDE_CLOSE_BRACKET) line.wide = Math.max(0, line.wide - 1);
  else readAddress(line, { text, code, start });
  if (!line.isRemovable || isBlank(code)) return;
  line.isBlank = false;
  // A wide marker may have words in it, and a doubled one an address behind it.
  const isInside = line.wide > 0 || line.address > 0;
  if (!isOfMarker(code) && !isInside) line.isRemovable = false;
}

/** `(https://… "title")` behind a closing bracket. */
function readAddress(line: Line, { text, code, start }: Omit<Piece, 'end'>): void {
  const opens = code === OPEN_PARENTHESIS && (line.address > 0 || text.charCodeAt(start - 1) === CLOSE_BRACKET);
  if (opens) line.address += 1;
  else if (line.address === 0) return;
  else if (code === QUOTE) line.quotes += 1;
  else if (code === CLOSE_PARENTHESIS && line.quotes % 2 === 0) line.address -= 1;
}

function isClosed({ narrow, wide, ticks, address }: Line): boolean {
  return narrow === 0 && wide === 0 && ticks === 0 && address === 0;
}

/** A character with which nothing begins and behind which nothing is decided by what follows. */
function isOrdinary(code: number): boolean {
  if (isWhiteSpace(code) || isOpening(code) || isClosing(code)) return false;
  const isHighSurrogate = code >= 0xd800 && code <= 0xdbff;
  return !UNDECIDED.includes(code) && !isHighSurrogate;
}

/** A colon may go with the marker in front of it, and a marker may follow the address of another. */
const UNDECIDED: readonly number[] = [BACK_QUOTE, TILDE, BACKSLASH, CLOSE_PARENTHESIS, COLON];

function isOpening(code: number): boolean {
  return code === OPEN_BRACKET || code === WIDE_OPEN_BRACKET;
}

function isClosing(code: number): boolean {
  return code === CLOSE_BRACKET || code === WIDE_CLOSE_BRACKET;
}

/** Brackets, numbers, `:` and what else stands in a marker that a rewriter may remove from the beginning of a line. */
function isOfMarker(code: number): boolean {
  return isOpening(code) || isClosing(code) || OF_MARKER.includes(String.fromCharCode(code));
}

const OF_MARKER = '0123456789,;–-^:†()';

/** Where fenced code ends; where it may go on, up to where it surely does. */
export function fenceEnd(text: string, fence: string): { readonly end?: number; readonly safe: number } {
  for (let line = text.indexOf('\n'); line !== -1; line = text.indexOf('\n', line + 1)) {
    const first = skip(text, line + 1, isBlank);
    // At the end of the text, the beginning of a fence may become one.
    if (!fence.startsWith(text.slice(first, first + fence.length))) continue;
    const end = skip(text, first, isOfRun);
    return end === text.length ? { safe: line } : { end, safe: line };
  }
  return { safe: text.length };
}

/** A character that opens code, alone or in a run. */
function isOfRun(code: number): boolean {
  return code === BACK_QUOTE || code === TILDE;
}

const SIGN = /[[\]【】`~]/;

/** How many characters a text has of which each code passage, link and marker has one or more. */
export function signsIn(text: string): number {
  if (!SIGN.test(text)) return 0;
  let count = bracketsIn(text);
  for (let index = 0; index < text.length; index += 1) {
    if (isOfRun(text.charCodeAt(index))) count += 1;
  }
  return count;
}

/** How many brackets a text has. */
export function bracketsIn(text: string): number {
  let count = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (isOpening(code) || isClosing(code)) count += 1;
  }
  return count;
}
