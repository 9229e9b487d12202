import { type MarkerToken, markerTokens } from '../markers.js';

/** What a provider counts in when it says where in a text something stands. */
export type OffsetUnit = 'utf16' | 'utf8' | 'code_points';

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
 * Turns annotations into `[n]` markers. Each stands behind the last visible character of its part, never inside of a character, of
 * code or of a link; overlapping replaced parts become one. Nothing else of the text is lost.
 *
 * Where a provider annotates, bracketed numbers in its text are words and no markers: they are escaped (`\[1]`), so that nobody
 * takes them for any.
 */
export function insertMarkers(text: string, annotations: readonly Annotation[], unit: OffsetUnit): string {
  const tokens = markerTokens(text);
  const placed = toMarks(text, annotations, unit).flatMap((mark) => place(mark, text, tokens));
  // Only its brace keeps the number in `\\sqrt[3]{x}` from being a marker.
  const marks = merge(placed.filter(({ start }) => text.slice(start - 1, start + 1) !== ']{'));
  return apply(text, [...marks.map((mark) => toEdit(mark, text)), ...escapesOf(text, tokens)]);
}

/** Joins the pieces of one text, each followed by the markers of what it rests on. */
export function joinCited(pieces: readonly CitedPiece[]): string {
  let text = '';
  const annotations = pieces.map((piece) => {
    text += piece.text;
    return { endIndex: text.length, positions: piece.positions };
  });
  return insertMarkers(text, annotations, 'utf16');
}

/** An annotation in UTF-16 offsets; `start` is `end` where nothing is replaced. */
interface Mark {
  readonly start: number;
  readonly end: number;
  readonly positions: readonly number[];
  /** Set behind fenced code, whose last line has to stay alone. */
  readonly onNewLine?: boolean;
}

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
}

function toMarks(text: string, annotations: readonly Annotation[], unit: OffsetUnit): Mark[] {
  const offsets = annotations.flatMap(({ endIndex, replaceFrom }) => [endIndex, replaceFrom ?? 0]);
  const inUtf16 = utf16Offsets(text, offsets, unit);
  return annotations.flatMap(({ endIndex, replaceFrom, positions }) => {
    const end = inUtf16.get(endIndex);
    if (end === undefined || end === 0) return [];
    const start = replaceFrom === undefined ? undefined : inUtf16.get(replaceFrom);
    const usable = positions.filter((position) => Number.isInteger(position) && position > 0);
    return [{ start: start === undefined || start > end ? end : start, end, positions: [...new Set(usable)] }];
  });
}

/** Each offset in UTF-16 units, in one walk over the text; one inside of a character becomes the character's end. */
function utf16Offsets(text: string, offsets: readonly number[], unit: OffsetUnit): Map<number, number> {
  const wanted = [...new Set(offsets.filter((offset) => Number.isInteger(offset) && offset >= 0))].sort(
    (a, b) => b - a,
  );
  const found = new Map<number, number>();
  let counted = 0;
  let end = 0;
  const settle = () => {
    for (let next = wanted.at(-1); next !== undefined && next <= counted; next = wanted.at(-1)) {
      found.set(next, end);
      wanted.pop();
    }
  };
  settle();
  for (const character of text) {
    if (wanted.length === 0) break;
    counted += sizeOf(character, unit);
    end += character.length;
    settle();
  }
  for (const beyond of wanted) found.set(beyond, text.length);
  return found;
}

function sizeOf(character: string, unit: OffsetUnit): number {
  if (unit === 'utf16') return character.length;
  if (unit === 'code_points') return 1;
  const codePoint = character.codePointAt(0) ?? 0;
  if (codePoint < 0x80) return 1;
  if (codePoint < 0x800) return 2;
  return codePoint < 0x1_0000 ? 3 : 4;
}

/** Moves a mark to where it is read as one: out of code and links, before white space; nowhere when there is no such place. */
function place({ start, end, positions }: Mark, text: string, tokens: readonly MarkerToken[]): Mark[] {
  const [first, last] = [tokenAround(tokens, start), tokenAround(tokens, end)];
  const isWhole = [first?.end ?? start, last?.end ?? end].every((edge) => edge === start || edge === end);
  if (start < end && isWhole) return [{ start, end: Math.max(start, retreat(text, end, /\\/)), positions }];
  // Code and links lose a marker of the provider's own that is wholly inside; one that reaches out stays.
  const removed = start < end && first === last ? [{ start, end, positions: [] }] : [];
  return [...removed, ...placeInsertion(end, { text, tokens, positions })];
}

interface Insertion {
  readonly text: string;
  readonly tokens: readonly MarkerToken[];
  readonly positions: readonly number[];
}

function placeInsertion(offset: number, { text, tokens, positions }: Insertion): Mark[] {
  const end = retreat(text, offset, /[\s\\]/);
  const around = tokenAround(tokens, end);
  if (around?.kind === 'fence') {
    // What never ends has no place behind it; and the last line of a fence has to stay alone.
    const isClosed = /\n[ \t]*(?:`{3,}|~{3,})$/.test(text.slice(around.start, around.end));
    return isClosed ? [{ start: around.end, end: around.end, positions, onNewLine: true }] : [];
  }
  const behind = around?.end ?? endOfRow(text, end);
  return behind === 0 ? [] : [{ start: behind, end: behind, positions }];
}

/** The code or link that an offset is inside of or ends, by bisection. */
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

/** Back over characters that have to stay in front of what follows them, such as a backslash and what it escapes. */
function retreat(text: string, offset: number, over: RegExp): number {
  let end = offset;
  while (end > 0 && over.test(text.charAt(end - 1))) end -= 1;
  return end;
}

/** A row of back-quotes or tildes means something else when it is parted. */
function endOfRow(text: string, offset: number): number {
  let end = offset;
  while (end > 0 && /[`~]/.test(text.charAt(end)) && text[end] === text[end - 1]) end += 1;
  return end;
}

/** Makes one mark of those that overlap or touch, in order of the text. */
function merge(marks: readonly Mark[]): Mark[] {
  const merged: Mark[] = [];
  for (const mark of [...marks].sort((a, b) => a.start - b.start || a.end - b.end)) {
    const last = merged.at(-1);
    if (last === undefined || mark.start > last.end) {
      merged.push(mark);
      continue;
    }
    const positions = [...new Set([...last.positions, ...mark.positions])];
    merged[merged.length - 1] = { ...last, ...mark, start: last.start, end: Math.max(last.end, mark.end), positions };
  }
  return merged;
}

function toEdit({ start, end, positions, onNewLine = false }: Mark, text: string): Edit {
  if (positions.length === 0) return { start, end, replacement: '' };
  // What stands next to a marker must not change its meaning: `\\[1]`, `[[1]]`, `[1](https://…)`, `[1]{…}`.
  const before = onNewLine ? '\n' : /[\\[]/.test(text.charAt(start - 1)) ? ' ' : '';
  const after = /[({]/.test(text.charAt(end)) ? ' ' : '';
  return { start, end, replacement: before + positions.map((position) => `[${position}]`).join('') + after };
}

function escapesOf(text: string, tokens: readonly MarkerToken[]): Edit[] {
  const runs = tokens.filter(({ kind }) => kind === 'markers');
  return runs.flatMap(({ start, end }) =>
    [...text.slice(start, end).matchAll(/[[【】]/g)].map(({ 0: bracket, index }) => {
      const replacement = bracket === '】' ? ']' : '\\[';
      return { start: start + index, end: start + index + 1, replacement };
    }),
  );
}

/** Applies the edits; of two at one place the first one given. */
function apply(text: string, edits: readonly Edit[]): string {
  let output = '';
  let from = 0;
  for (const { start, end, replacement } of [...edits].sort((a, b) => a.start - b.start)) {
    if (start < from) continue;
    output += text.slice(from, start) + replacement;
    from = end;
  }
  return output + text.slice(from);
}
