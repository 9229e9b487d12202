import {
  BACKSLASH,
  CLOSE_BRACKET,
  OPEN_BRACE,
  OPEN_BRACKET,
  OPEN_PARENTHESIS,
  WIDE_CLOSE_BRACKET,
  WIDE_OPEN_BRACKET,
} from './characters.js';
import { MAX_MARKER_NUMBER } from './marker-numbers.js';
import { createMarkerPlaces, type MarkerPlaces } from './marker-places.js';
import { type MarkerToken, markerTokens } from './marker-tokens.js';
import { readableText } from './readable-text.js';
import { MAX_ANNOTATIONS } from './reply-limits.js';
import { type OffsetUnit, utf16Offsets } from './text-offsets.js';
import { withoutParts } from './text-parts.js';

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
export function insertBetween(given: TokenizedText, annotations: readonly Annotation[], unit: OffsetUnit): string {
  const marks = placeAll(toMarks(given.text, annotations.slice(0, MAX_ANNOTATIONS), unit), given);
  const removed = marks.filter(({ start, end, positions }) => start < end && positions.length === 0);
  if (removed.length === 0) return write(marks, given);
  // What was around a removed part may now be other code or another marker, so the text is read again without it.
  const { text, offsetOf } = withoutParts(given.text, removed);
  const rest = { text, tokens: markerTokens(text) };
  const moved = marks.map((mark) => ({ ...mark, start: offsetOf(mark.start), end: offsetOf(mark.end) }));
  return write(placeAll(moved.filter(isCiting), rest).filter(isCiting), rest);
}

function isCiting({ positions }: Mark): boolean {
  return positions.length > 0;
}

/** @param marks in ascending order of their ends. */
function placeAll(marks: readonly Mark[], { text, tokens }: TokenizedText): readonly Mark[] {
  const places = createMarkerPlaces(text, tokens);
  const placed: Mark[] = [];
  for (const mark of marks) place(mark, places, placed);
  return merge(placed.filter(({ start }) => !isBeforeArgument(text, start)));
}

function write(marks: readonly Mark[], { text, tokens }: TokenizedText): string {
  return apply(
    text,
    marks.map((mark) => toEdit(mark, text)),
    escapesOf(text, tokens),
  );
}

/** Only its brace keeps the number in `\\sqrt[3]{x}` from being a marker. */
function isBeforeArgument(text: string, at: number): boolean {
  return text.charCodeAt(at) === OPEN_BRACE && text.charCodeAt(at - 1) === CLOSE_BRACKET;
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
  readonly positions: readonly number[];
  /** Whether it goes behind fenced code, whose last line has to stay alone. */
  readonly onNewLine: boolean;
}

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
}

/** In ascending order of their ends. */
function toMarks(text: string, annotations: readonly Annotation[], unit: OffsetUnit): Mark[] {
  const offsets: number[] = [];
  for (const { endIndex, replaceFrom = 0 } of annotations) offsets.push(endIndex, replaceFrom);
  const inUtf16 = utf16Offsets(text, offsets, unit);
  const marks: Mark[] = [];
  for (const { endIndex, replaceFrom, positions } of annotations) {
    const end = inUtf16.get(endIndex) ?? 0;
    const start = Math.min(inUtf16.get(replaceFrom ?? endIndex) ?? end, end);
    marks.push({ start, end, positions: positions.filter(isUsable), onNewLine: false });
  }
  return marks.sort((a, b) => a.end - b.end);
}

function isUsable(position: number): boolean {
  return Number.isInteger(position) && position > 0 && position <= MAX_MARKER_NUMBER;
}

/** Moves a mark to where it is read as one: out of code and links, before white space; nowhere when there is no such place. */
function place(mark: Mark, places: MarkerPlaces, placed: Mark[]): void {
  const { start, end, positions } = mark;
  if (start < end) {
    const [first, last] = [places.tokenAround(start), places.tokenAround(end)];
    if (isEdge(first, mark) && isEdge(last, mark)) {
      placed.push({ ...mark, end: Math.max(start, places.beforeEscapes(end)) });
      return;
    }
    // Code and links lose a marker of the provider's own that is wholly inside; one that reaches out stays.
    if (first === last) placed.push({ ...mark, positions: [] });
  }
  const insertion = places.insertionAt(end);
  if (insertion === undefined) return;
  const { at, onNewLine } = insertion;
  placed.push({ start: at, end: at, positions, onNewLine });
}

/** Whether no token is there, or one that ends with the mark or where it begins. */
function isEdge(token: MarkerToken | undefined, { start, end }: Mark): boolean {
  return token === undefined || token.end === start || token.end === end;
}

/** Makes one mark of those that overlap or touch, in order of the text. */
function merge(marks: readonly Mark[]): Mark[] {
  const merged: MergedMark[] = [];
  let last: MergedMark | undefined;
  for (const { start, end, positions, onNewLine } of marks.toSorted((a, b) => a.start - b.start || a.end - b.end)) {
    if (last === undefined || start > last.end) {
      last = { start, end, positions: [...positions], onNewLine };
      merged.push(last);
      continue;
    }
    last.end = Math.max(last.end, end);
    for (const position of positions) last.positions.push(position);
    last.onNewLine ||= onNewLine;
  }
  return merged;
}

interface MergedMark extends Mark {
  end: number;
  readonly positions: number[];
  onNewLine: boolean;
}

function toEdit({ start, end, positions, onNewLine }: Mark, text: string): Edit {
  if (positions.length === 0) return { start, end, replacement: '' };
  let markers = '';
  for (const position of positions.length === 1 ? positions : new Set(positions)) markers += `[${position}]`;
  // What stands next to a marker must not change its meaning: `\\[1]`, `[[1]]`, `[1](https://…)`, `[1]{…}`.
  const [codeBefore, codeAfter] = [text.charCodeAt(start - 1), text.charCodeAt(end)];
  const isOpened = codeBefore === BACKSLASH || codeBefore === OPEN_BRACKET;
  const before = onNewLine ? '\n' : isOpened ? ' ' : '';
  const after = codeAfter === OPEN_PARENTHESIS || codeAfter === OPEN_BRACE ? ' ' : '';
  return { start, end, replacement: before + markers + after };
}

/** In order of the text. */
function escapesOf(text: string, tokens: readonly MarkerToken[]): Edit[] {
  const edits: Edit[] = [];
  for (const { kind, start, end } of tokens) {
    for (let index = start; kind === 'markers' && index < end; index += 1) {
      const code = text.charCodeAt(index);
      const replacement = code < OPEN_BRACKET ? undefined : ESCAPES.get(code);
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
