import { bracketsEnd } from './bound-brackets.js';
import { closesMarker, createMarkerReader, opensPassage, proseEnd } from './marker-reader.js';
import { MAX_TOKENS } from './reply-limits.js';

/** A part of a text that matters to markers. */
export interface MarkerToken {
  /** No marker is read inside of fenced code, a code span or a link; `markers` is a run of adjacent ones. */
  readonly kind: 'fence' | 'code' | 'link' | 'markers';
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
}

/**
 * What in a text is read as markers, and where none is read; in order, without overlaps. For those who put markers into a text.
 * Nothing is read behind the first
 * {@link MAX_TOKENS} of them, or behind the first `MAX_BRACKETS` brackets.
 */
export function markerTokens(text: string): MarkerToken[] {
  const tokens: MarkerToken[] = [];
  const readEnd = bracketsEnd(text);
  const reader = createMarkerReader(text, readEnd);
  const before = {
    length: 0,
    charCodeAt: (at: number) => text.charCodeAt(at),
    slice: (start: number, end: number) => text.slice(start, end),
  };
  let index = 0;
  while (index < readEnd && tokens.length < MAX_TOKENS) {
    const code = text.charCodeAt(index);
    before.length = index;
    if (opensPassage(code)) {
      const { kind, end } = reader.passageAt(index, before);
      if (kind !== 'prose') tokens.push({ kind, start: index, end });
      index = end;
    } else if (closesMarker(code)) {
      const marker = reader.markerAt(index, before);
      if (marker !== undefined) addMarker(tokens, marker);
      index = marker?.end ?? index + 1;
    } else index = proseEnd(text, index);
  }
  return tokens;
}

/** What was found inside of the marker is a part of it; adjacent markers are one run. */
function addMarker(tokens: MarkerToken[], { start, end }: { readonly start: number; readonly end: number }): void {
  while ((tokens.at(-1)?.start ?? -1) >= start) tokens.pop();
  const last = tokens.at(-1);
  const isAdjacent = last?.kind === 'markers' && last.end === start;
  if (isAdjacent) tokens.pop();
  tokens.push({ kind: 'markers', start: isAdjacent ? last.start : start, end });
}
