import { OPEN_BRACKET, WIDE_CLOSE_BRACKET, WIDE_OPEN_BRACKET } from './characters.js';
import { MAX_MARKER_NUMBER } from './marker-numbers.js';
import { createMarkerPlaces, type MarkerPlaces } from './marker-places.js';
import { type MarkerToken, markerTokens } from './marker-tokens.js';
import { readableText } from './readable-text.js';
import { MAX_ANNOTATIONS } from './reply-limits.js';
import { type OffsetUnit, utf16Offsets } from './text-offsets.js';

/** What a part of a text rests on. */
export interface Annotation {
  /**
   * Where the part ends, exclusive, which is where the markers go. Beyond the text: its end. Zero, negative or no whole number:
   * nowhere.
   */
  readonly endIndex: number;
  /** Where the provider's own marker begins that the markers replace; without it they are inserted. */
  readonly replaceFrom?: number | undefined;
  /** The numbers of the markers: positions in a list of sources, from 1. With none, the replaced part is only taken out. */
  readonly positions: readonly number[];
}

/** A piece of text and what it rests on. */
export interface CitedPiece {
  readonly text: string;
  readonly positions: readonly number[];
}

/**
 * Turns annotations into `[n]` markers, the first {@link MAX_ANNOTATIONS} of them. Each follows the last visible character of its part,
 * never inside of a character, of code or of a link; overlapping replaced parts become one. Nothing else of the text is lost.
 *
 * Where a provider annotates, bracketed numbers in its text are words and no markers. They are escaped (`\[1]`), so that no reader
 * takes them for any.
 *
 * @throws UpstreamError `upstream_invalid_response` for a text longer than `MAX_ANSWER_LENGTH`.
 */
export function insertMarkers(annotated: string, annotations: readonly Annotation[], unit: OffsetUnit): string {
  const text = readableText(annotated);
  return insertBetween({ text, tokens: markerTokens(text) }, annotations, unit);
}

/** A readable text with its tokens. */
export interface TokenizedText {
  readonly text: string;
  readonly tokens: readonly MarkerToken[];
}

/** `insertMarkers` for a text whose tokens are known. */
export function insertBetween(
  { text, tokens }: TokenizedText,
  annotations: readonly Annotation[],
  unit: OffsetUnit,
): string {
  const places = createMarkerPlaces(text, tokens);
  const placed = toMarks(text, annotations.slice(0, MAX_ANNOTATIONS), unit).flatMap((mark) => place(mark, places));
  // Only its brace keeps the number in `\\sqrt[3]{x}` from being a marker.
  const marks = merge(placed.filter(({ start }) => text.slice(start - 1, start + 1) !== ']{'));
  const edits = marks.map((mark) => toEdit(mark, text));
  return apply(text, edits, escapesOf(text, tokens));
}

/** Joins the pieces of one text, each followed by the markers of what it rests on. */
export function joinCited(pieces: readonly CitedPiece[]): string {
  const annotations: Annotation[] = [];
  let endIndex = 0;
  for (const { text, positions } of pieces) {
    endIndex += text.length;
    if (positions.length > 0) annotations.push({ endIndex, positions });
  }
  return insertMarkers(pieces.map(({ text }) => text).join(''), annotations, 'utf16');
}

/** An annotation in UTF-16 offsets; `start` is `end` where nothing is replaced. */
interface Mark {
  readonly start: number;
  readonly end: number;
  readonly positions: Iterable<number>;
  /** Set behind fenced code, whose last line has to stay alone. */
  readonly onNewLine?: boolean;
}

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
}

/** In ascending order of their ends. */
function toMarks(text: string, annotations: readonly Annotation[], unit: OffsetUnit): Mark[] {
  const offsets = annotations.flatMap(({ endIndex, replaceFrom }) => [endIndex, replaceFrom ?? 0]);
  const inUtf16 = utf16Offsets(text, offsets, unit);
  const marks = annotations.flatMap(({ endIndex, replaceFrom, positions }): Mark[] => {
    const end = inUtf16.get(endIndex);
    if (end === undefined || end === 0) return [];
    const start = replaceFrom === undefined ? undefined : inUtf16.get(replaceFrom);
    const usable = positions.filter((position) => isUsable(position));
    return [{ start: start === undefined || start > end ? end : start, end, positions: usable }];
  });
  return marks.sort((a, b) => a.end - b.end);
}

function isUsable(position: number): boolean {
  return Number.isInteger(position) && position > 0 && position <= MAX_MARKER_NUMBER;
}

/** Moves a mark to where it is read as one: out of code and links, before white space; nowhere when there is no such place. */
function place({ start, end, positions }: Mark, places: MarkerPlaces): Mark[] {
  const [first, last] = [places.tokenAround(start), places.tokenAround(end)];
  const isWhole = [first?.end ?? start, last?.end ?? end].every((edge) => edge === start || edge === end);
  if (start < end && isWhole) return [{ start, end: Math.max(start, places.beforeEscapes(end)), positions }];
  // Code and links lose a marker of the provider's own that is wholly inside; one that reaches out stays.
  const removed = start < end && first === last ? [{ start, end, positions: [] }] : [];
  const insertion = places.insertionAt(end);
  if (insertion === undefined) return removed;
  const { at, onNewLine } = insertion;
  return [...removed, { start: at, end: at, positions, ...(onNewLine ? { onNewLine } : {}) }];
}

/** Makes one mark of those that overlap or touch, in order of the text. */
function merge(marks: readonly Mark[]): Mark[] {
  const merged: Mark[] = [];
  let positions = new Set<number>();
  for (const mark of [...marks].sort((a, b) => a.start - b.start || a.end - b.end)) {
    const last = merged.at(-1);
    const isApart = last === undefined || mark.start > last.end;
    if (isApart) positions = new Set();
    for (const position of mark.positions) positions.add(position);
    const { start, end } = isApart ? mark : { start: last.start, end: Math.max(last.end, mark.end) };
    if (!isApart) merged.pop();
    merged.push({ ...(isApart ? mark : { ...last, ...mark }), start, end, positions });
  }
  return merged;
}

function toEdit({ start, end, positions, onNewLine = false }: Mark, text: string): Edit {
  const markers = Array.from(positions, (position) => `[${position}]`).join('');
  if (markers === '') return { start, end, replacement: '' };
  // What stands next to a marker must not change its meaning: `\\[1]`, `[[1]]`, `[1](https://…)`, `[1]{…}`.
  const before = onNewLine ? '\n' : /[\\[]/.test(text.charAt(start - 1)) ? ' ' : '';
  const after = /[({]/.test(text.charAt(end)) ? ' ' : '';
  return { start, end, replacement: before + markers + after };
}

/** In order of the text. */
function escapesOf(text: string, tokens: readonly MarkerToken[]): Edit[] {
  const edits: Edit[] = [];
  for (const { kind, start, end } of tokens) {
    for (let index = start; kind === 'markers' && index < end; index += 1) {
      const replacement = ESCAPES.get(text.charCodeAt(index));
      if (replacement !== undefined) edits.push({ start: index, end: index + 1, replacement });
    }
  }
  return edits;
}

const ESCAPES: ReadonlyMap<number, string> = new Map([
  [OPEN_BRACKET, '\\['],
  [WIDE_OPEN_BRACKET, '\\['],
  [WIDE_CLOSE_BRACKET, ']'],
]);

/** Applies the edits of two lists, each in order of the text; of two at one place the one of the first list. */
function apply(text: string, marks: readonly Edit[], escapes: readonly Edit[]): string {
  const output: string[] = [];
  let from = 0;
  let [mark, escape] = [0, 0];
  while (mark < marks.length || escape < escapes.length) {
    const isMark = (marks[mark]?.start ?? text.length + 1) <= (escapes[escape]?.start ?? text.length + 1);
    const edit = isMark ? marks[mark] : escapes[escape];
    if (isMark) mark += 1;
    else escape += 1;
    if (edit === undefined || edit.start < from) continue;
    output.push(text.slice(from, edit.start), edit.replacement);
    from = edit.end;
  }
  output.push(text.slice(from));
  return output.join('');
}
