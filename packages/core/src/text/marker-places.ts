import { BACK_QUOTE, BACKSLASH, isBlank, isWhiteSpace, skip, TILDE } from './characters.js';
import type { MarkerToken } from './marker-tokens.js';

/** Where in a text markers can be put so that they are read as such. */
export interface MarkerPlaces {
  /** The code or link that an offset is inside of or ends. */
  tokenAround(offset: number): MarkerToken | undefined;
  /** Back over backslashes, which have to stay in front of what they escape. */
  beforeEscapes(offset: number): number;
  /** Where a marker goes that belongs at this offset; `undefined` when there is no such place. */
  insertionAt(offset: number): Insertion | undefined;
}

interface Insertion {
  readonly at: number;
  /** Set behind fenced code, whose last line has to stay alone. */
  readonly onNewLine: boolean;
}

/**
 * Finds places in a text. They have to be asked for by offset, in ascending order: what was walked over for one is not walked over again for the next, so
 * that many annotations in one stretch of white space take no more time than one.
 */
export function createMarkerPlaces(text: string, tokens: readonly MarkerToken[]): MarkerPlaces {
  const beforeEscapes = backOver(text, (code) => code === BACKSLASH);
  const beforeSpace = backOver(text, (code) => code === BACKSLASH || isWhiteSpace(code));
  const behindRow = createRowEnds(text);
  const closed = new Map<MarkerToken, boolean>();

  function isClosed(fence: MarkerToken): boolean {
    let answer = closed.get(fence);
    answer ??= endsWithFence(text, fence);
    closed.set(fence, answer);
    return answer;
  }

  const places: MarkerPlaces = {
    beforeEscapes,
    tokenAround: (offset) => tokenAround(tokens, offset),
    insertionAt(offset) {
      const end = beforeSpace(offset);
      const around = tokenAround(tokens, end);
      // Fenced code that never ends has no place behind it.
      if (around?.kind === 'fence') return isClosed(around) ? { at: around.end, onNewLine: true } : undefined;
      const at = around?.end ?? behindRow(end);
      return at === 0 ? undefined : { at, onNewLine: false };
    },
  };
  return places;
}

/** Whether the last line of fenced code begins with what its first one begins with, and so closes it. */
function endsWithFence(text: string, { start, end }: MarkerToken): boolean {
  const opening = text.slice(
    start,
    skip(text, start, (code) => code === text.charCodeAt(start)),
  );
  const lineFeed = text.lastIndexOf('\n', end - 1);
  return lineFeed > start && text.startsWith(opening, skip(text, lineFeed + 1, isBlank));
}

/** By bisection. */
function tokenAround(tokens: readonly MarkerToken[], offset: number): MarkerToken | undefined {
  let low = 0;
  let high = tokens.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((tokens[middle]?.start ?? offset) < offset) low = middle + 1;
    else high = middle;
  }
  const token = tokens[low - 1];
  return token !== undefined && token.kind !== 'markers' && token.end >= offset ? token : undefined;
}

function isOfRow(code: number): boolean {
  return code === BACK_QUOTE || code === TILDE;
}

/** Walks back from an offset over certain characters, none of which is in front of the text; for ascending offsets. */
function backOver(text: string, isOver: (code: number) => boolean): (offset: number) => number {
  let walked = { from: -1, to: -1 };
  return (offset) => {
    let end = offset;
    while (end !== walked.from && isOver(text.charCodeAt(end - 1))) end -= 1;
    walked = { from: offset, to: end === walked.from ? walked.to : end };
    return walked.to;
  };
}

/** Walks to the end of a row of back-quotes or tildes, which means something else when it is parted; for ascending offsets. */
function createRowEnds(text: string): (offset: number) => number {
  let last = -1;
  return (offset) => {
    if (offset <= last) return last;
    last = offset;
    while (isOfRow(text.charCodeAt(last)) && text[last] === text[last - 1]) last += 1;
    return last;
  };
}
