import { MAX_ANNOTATIONS } from './reply-limits.js';
import type { AnnotatedText, Mark } from './rewriter.js';
import { type Token, tokensOf } from './scanner.js';
import { type OffsetUnit, utf16Offsets } from './text-offsets.js';

/** The sources of a part of a text. */
export interface Annotation {
  /** Where the part ends, exclusive. An offset beyond the text means its end. An annotation with zero, a negative or no whole number is ignored. */
  readonly endIndex: number;
  /** Where the provider's citation marker begins, which is replaced. */
  readonly replaceFrom?: number | undefined;
  /** The provider's numbers of the sources. */
  readonly positions: readonly number[];
}

/** A piece of text and its sources. */
export interface CitedPiece {
  /** As the provider wrote it. */
  readonly text: string;
  /** The provider's numbers of the sources. */
  readonly positions: readonly number[];
}

export interface TokenizedText {
  readonly text: string;
  readonly tokens?: readonly Token[] | undefined;
}

/** Joins the pieces of a text. */
export function joinCited(pieces: readonly CitedPiece[]): AnnotatedText {
  const marks: Mark[] = [];
  let at = 0;
  for (const { text, positions } of pieces) {
    at += text.length;
    if (positions.length > 0 && marks.length < MAX_ANNOTATIONS) marks.push({ at, ids: positions });
  }
  return { text: pieces.map(({ text }) => text).join(''), marks };
}

/** Joins annotated texts with a separator. */
export function joinAnnotated(texts: readonly AnnotatedText[], separator = ''): AnnotatedText {
  const marks: Mark[] = [];
  let length = 0;
  for (const [index, { text, marks: own }] of texts.entries()) {
    if (index > 0) length += separator.length;
    for (const mark of own) marks.push({ ...mark, at: mark.at + length });
    length += text.length;
  }
  return { text: texts.map(({ text }) => text).join(separator), marks };
}

/**
 * Removes the provider's citation markers from a text, and returns a mark for each of the first {@link MAX_ANNOTATIONS} annotations. Overlapping markers are
 * merged; a marker that would cut code or a link stays.
 *
 * @param given the text, with its tokens if they are known.
 */
export function annotate(
  { text, tokens }: TokenizedText,
  annotations: readonly Annotation[],
  unit: OffsetUnit,
): AnnotatedText {
  const places = placesOf(text, annotations.slice(0, MAX_ANNOTATIONS), unit);
  if (!places.some(({ start, end }) => start < end))
    return { text, marks: places.map(({ end, ids }) => ({ at: end, ids })) };
  const around = tokenFinder(tokens ?? tokensOf(text));
  const merged: Place[] = [];
  for (const place of places.map((each) => whole(each, around)).sort((a, b) => a.start - b.start || a.end - b.end)) {
    const last = merged.at(-1);
    if (last === undefined || last.start === last.end || place.start > last.end) merged.push(place);
    else merged[merged.length - 1] = { ...last, end: Math.max(last.end, place.end), ids: [...last.ids, ...place.ids] };
  }
  return withoutPlaces(text, merged);
}

interface Place {
  readonly start: number;
  readonly end: number;
  readonly ids: readonly number[];
}

/** The places of annotations, by their ends, in UTF-16 code units. For an annotation without a marker to replace, `start` is `end`. */
function placesOf(text: string, annotations: readonly Annotation[], unit: OffsetUnit): Place[] {
  const offsets = annotations.flatMap(({ endIndex, replaceFrom = 0 }) => [endIndex, replaceFrom]);
  const inUtf16 = utf16Offsets(text, offsets, unit);
  const places = annotations.flatMap(({ endIndex, replaceFrom, positions }): Place[] => {
    const end = inUtf16.get(endIndex) ?? 0;
    const start = Math.min(inUtf16.get(replaceFrom ?? endIndex) ?? end, end);
    return end === 0 ? [] : [{ start, end, ids: positions }];
  });
  return places.sort((a, b) => a.end - b.end);
}

/** Cuts no code and no link: a place is removed only if it is inside of a token, or contains tokens whole. */
function whole(place: Place, around: (offset: number) => Token | undefined): Place {
  const [first, last] = [around(place.start), around(place.end)];
  return place.start === place.end || first === last ? place : { ...place, start: place.end };
}

/** Returns a function that finds the code or link around an offset, by bisection. */
function tokenFinder(tokens: readonly Token[]): (offset: number) => Token | undefined {
  const wholes = tokens.filter(({ kind }) => kind !== 'text' && kind !== 'marker');
  return (offset) => {
    let [low, high] = [0, wholes.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((wholes[middle]?.end ?? 0) <= offset) low = middle + 1;
      else high = middle;
    }
    const token = wholes[low];
    return token !== undefined && token.start < offset ? token : undefined;
  };
}

function withoutPlaces(text: string, places: readonly Place[]): AnnotatedText {
  const kept: string[] = [];
  const marks: Mark[] = [];
  let from = 0;
  let length = 0;
  for (const { start, end, ids } of places) {
    kept.push(text.slice(from, start));
    length += start - from;
    marks.push(start < end ? { at: length, ids, isReplacement: true } : { at: length, ids });
    from = end;
  }
  kept.push(text.slice(from));
  return { text: kept.join(''), marks };
}
