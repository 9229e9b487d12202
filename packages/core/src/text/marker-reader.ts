import {
  BACK_QUOTE,
  CARRIAGE_RETURN,
  type Characters,
  CLOSE_BRACKET,
  isBlank,
  LINE_FEED,
  OPEN_BRACKET,
  skip,
  TILDE,
  WIDE_CLOSE_BRACKET,
} from './characters.js';
import { bareMarker, makesNoMarker, opensBracket, pairsAround, targetEnd, type WrittenMarker } from './marker-forms.js';

/** A part of a text that begins with a back-quote, a tilde or an opening bracket. */
interface Passage {
  /** No marker is read inside of fenced code, a code span or a link; `prose` opens none of them. */
  readonly kind: 'fence' | 'code' | 'link' | 'prose';
  /** Exclusive. */
  readonly end: number;
}

/** Reads code, links and markers in one walk over a text, from left to right, in time linear in the text whatever is in it. */
export interface MarkerReader {
  /** What begins at a place that holds a back-quote, a tilde or an opening bracket. */
  passageAt(index: number, before: TextBefore): Passage;
  /** The marker that ends with the closing bracket at a place; it begins in the text before. */
  markerAt(index: number, before: TextBefore): WrittenMarker | undefined;
}

/** The text in front of a place, which may have been rewritten on the way there. */
interface TextBefore extends Characters {
  /** Where the place is in it. */
  readonly length: number;
}

export function opensPassage(code: number): boolean {
  return code === OPEN_BRACKET || code === BACK_QUOTE || code === TILDE;
}

export function closesMarker(code: number): boolean {
  return code === CLOSE_BRACKET || code === WIDE_CLOSE_BRACKET;
}

/** Where the prose ends that begins at a place: in front of the next character that opens a passage or closes a marker. */
export function proseEnd(text: string, start: number): number {
  let end = start;
  while (end < text.length && isProse(text.charCodeAt(end))) end += 1;
  return end;
}

function isProse(code: number): boolean {
  // Most characters are letters and spaces, which one or two comparisons tell apart from the others.
  if (code < OPEN_BRACKET || (code > BACK_QUOTE && code < TILDE)) return true;
  return !opensPassage(code) && !closesMarker(code);
}

/** @param readEnd links are looked for up to here, exclusive. Default: in the whole text. */
export function createMarkerReader(text: string, readEnd = text.length): MarkerReader {
  const links = linkEnds(text, readEnd);
  const spanEnd = codeSpanEnds(text);
  return {
    passageAt(index, before) {
      const code = text.charCodeAt(index);
      if (code === OPEN_BRACKET) {
        const end = links?.get(index) ?? 0;
        return end === 0 ? { kind: 'prose', end: index + 1 } : { kind: 'link', end };
      }
      const runEnd = skip(text, index, (each) => each === code);
      if (isFence(text, index, runEnd) && isBlankLine(before))
        return { kind: 'fence', end: fencedEnd(text, index, runEnd) };
      const end = code === BACK_QUOTE ? spanEnd(index, runEnd) : 0;
      return end === 0 ? { kind: 'prose', end: runEnd } : { kind: 'code', end };
    },
    markerAt(index, before) {
      const bare = bareMarker(before, before.length, text.charCodeAt(index));
      if (bare === undefined) return undefined;
      const { start, numbers } = bare;
      const pairs = pairsAround(before, start, { text, end: index + 1 });
      if (pairs > 0) return { start: start - pairs, end: doubledEnd(text, index + 1 + pairs), numbers };
      const isNone = text.charCodeAt(index) === CLOSE_BRACKET && makesNoMarker(text, index + 1);
      return isNone ? undefined : { start, end: index + 1, numbers };
    },
  };
}

/** The end of a marker in double brackets: an address behind it belongs to it. */
export function doubledEnd(text: string, end: number): number {
  return targetEnd(text, end) || end;
}

/** Three characters or more; behind back-quotes the line has no further ones. */
function isFence(text: string, start: number, end: number): boolean {
  if (end - start < 3) return false;
  if (text.charCodeAt(start) === TILDE) return true;
  return text.charCodeAt(skip(text, end, (code) => code !== LINE_FEED && code !== BACK_QUOTE)) !== BACK_QUOTE;
}

/** Whether the line so far has only indentation. */
function isBlankLine(before: TextBefore): boolean {
  let end = before.length;
  while (isBlank(before.charCodeAt(end - 1))) end -= 1;
  const code = before.charCodeAt(end - 1);
  return end === 0 || code === LINE_FEED || code === CARRIAGE_RETURN;
}

/** Fenced code ends with the first line that begins with the same characters, at least as many; or with the text. */
function fencedEnd(text: string, start: number, end: number): number {
  const fence = text.slice(start, end);
  for (let line = text.indexOf('\n', end); line !== -1; line = text.indexOf('\n', line + 1)) {
    const first = skip(text, line + 1, isBlank);
    if (text.startsWith(fence, first))
      return skip(text, first + fence.length, (code) => code === BACK_QUOTE || code === TILDE);
  }
  return text.length;
}

/**
 * Finds where the code span ends that a run of back-quotes opens: behind the next run of the same length on its line; 0 where there is
 * none. Each line is read once for the runs it has, so that one that opens nothing costs no search.
 */
function codeSpanEnds(text: string): (start: number, end: number) => number {
  const lastOfLength = new Map<number, number>();
  let lineEnd = -1;

  function readLine(from: number): void {
    lastOfLength.clear();
    const found = text.indexOf('\n', from);
    lineEnd = found === -1 ? text.length : found;
    let run = 0;
    for (let index = from; index <= lineEnd; index += 1) {
      if (text.charCodeAt(index) === BACK_QUOTE) run += 1;
      else if (run > 0) {
        lastOfLength.set(run, index - run);
        run = 0;
      }
    }
  }

  return (start, end) => {
    if (end > lineEnd) readLine(end);
    if ((lastOfLength.get(end - start) ?? 0) < end) return 0;
    let run = nextRun(text, end);
    while (run.end - run.start !== end - start) run = nextRun(text, run.end);
    return run.end;
  };
}

function nextRun(text: string, from: number): { readonly start: number; readonly end: number } {
  const found = text.indexOf('`', from);
  const start = found === -1 ? text.length : found;
  return { start, end: skip(text, start, (code) => code === BACK_QUOTE) };
}

/**
 * Where each Markdown link ends, by where it begins. A link is a pair of brackets on one line with an address behind
 * it, unless it is a marker in double brackets (`[[1]](https://…)`). `undefined` for a text without links.
 */
function linkEnds(text: string, readEnd: number): ReadonlyMap<number, number> | undefined {
  if (!text.includes('](')) return undefined;
  const ends = new Map<number, number>();
  const open: number[] = [];
  let marker = { start: -1, end: -1 };
  for (let index = 0; index < readEnd; index += 1) {
    const code = text.charCodeAt(index);
    if (code < OPEN_BRACKET && code !== LINE_FEED) continue;
    if (code === LINE_FEED) open.length = 0;
    else if (code === OPEN_BRACKET) open.push(index);
    if (!closesMarker(code)) continue;
    const bare = bareMarker(text, index, code);
    const start = code === CLOSE_BRACKET ? open.pop() : bare?.start;
    if (start === undefined) continue;
    const isDoubled = marker.start === start + 1 && marker.end === index;
    if (isDoubled || bare !== undefined) marker = { start, end: index + 1 };
    if (code === CLOSE_BRACKET && !isDoubled && opensBracket(text, start)) {
      const end = targetEnd(text, index + 1);
      if (end > 0) ends.set(start, end);
    }
  }
  return ends;
}
