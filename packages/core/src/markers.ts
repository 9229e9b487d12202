/*
 * Citation markers in answer texts. The gateway's own form is `[n]`, counted from 1 into the list of citations; providers write
 * `[1, 2]`, `[1-3]`, `[[1]]`, `[[1]](url)`, `[^1]` and `【1†source】` as well.
 *
 * A marker is one or more numbers of at most three digits in one of those brackets. Not markers, and left as they are:
 * - anything inside code (fenced blocks, back-quoted spans): `list[1]` there is a program;
 * - Markdown links, `[1](https://…)` included: they say themselves where they point, whatever the list of citations;
 * - an escaped bracket (`\[1]`) and a bracket before a brace (`\sqrt[3]{x}`);
 * - longer numbers (`[2026]`), a leading zero that is no known number (`[0, 1]` is an interval), a range with an unknown end (`[0-9]`).
 *
 * A removed marker takes the space before it along when punctuation, a space or nothing follows, and the `: ` after it where it opens a
 * line (`[9]: https://…`). No other character of a text is lost.
 */

const NUMBERS = String.raw`\d{1,3}(?: *[,;–-] *\d{1,3})*`;
const ADDRESS = String.raw`<?(?:[a-z][a-z\d+.-]*:|www\.|[/#])`;
// Repetitions are bounded or unambiguous, so that the time stays linear in the text, whatever a provider sends. Every alternative begins
// with its own character and looks behind only then, so that the search skips the prose between.
const LINK_TEXT = String.raw`\[(?<!\\\[)(?!\[${NUMBERS}\]\]\()(?:[^[\]\n]|\[[^[\]\n]{0,200}\]){0,1000}\]`;
const LINK_TARGET = String.raw`\((?=${ADDRESS})(?:[^()\s]|\([^()\s]{0,200}\)){1,2000}(?: +"[^"\n]{0,500}")?\)`;
const FENCED_CODE = '(```+(?![^\\n]*`)|~~~+)(?<=^[ \\t]*\\1)(?:[^]*?\\n[ \\t]*\\1[`~]*|[^]*)';
const CODE_SPAN = '(`+)(?<!`\\2)(?!`)[^\\n]{1,2000}?(?<!`)\\2(?!`)';

const EACH_MARKER = new RegExp(markerForms(`(${NUMBERS})`), 'gi');

/** Code or a link, which stay as they are, or a run of adjacent markers. */
const TOKEN = new RegExp(
  `${FENCED_CODE}|${CODE_SPAN}|${LINK_TEXT}${LINK_TARGET}|(?<run>(?:${markerForms(NUMBERS)})+)`,
  'gim',
);

/** Removing a marker can join a new one out of its surroundings (`[[9]8]`). Prose never nests brackets so deep. */
const MAX_PASSES = 20;

const NEEDS_NO_SPACE_BEFORE = /^(?:$|[\s.,;:!?…)\]}»”’。，、；：！？）」』】])/;

/**
 * Rewrites every marker to `[n]` by the provider's own numbering.
 *
 * @param positions the number a provider gives a source, as text → the source's position in the citations, from 1; 0 for a source that is no
 * citation. Markers of that and of unknown numbers are removed, so none points outside of the citations.
 */
export function renumberMarkers(text: string, positions: ReadonlyMap<string, number>): string {
  if (isIdentity(positions)) return normalizeMarkers(text, positions.size);
  const renumbered = rewriteMarkers(text, (number) => positions.get(number));
  return normalizeMarkers(renumbered, Math.max(0, ...positions.values()));
}

/** Rewrites every marker to `[n]` and removes those that point outside of `count` citations. Changes nothing when applied again. */
export function normalizeMarkers(text: string, count: number): string {
  if (isNormal(text, count)) return text;
  return untilStable(text, (current) => rewriteMarkers(current, positionWithin(count)));
}

/** Removes the markers that point to one of `count` citations, for callers who get no citations. Other bracketed numbers are text. */
export function stripMarkers(text: string, count: number): string {
  const keepOthers = (marker: string, positions: readonly number[]) => (positions.length === 0 ? marker : '');
  return untilStable(text, (current) =>
    replaceRuns(current, (run) => replaceMarkers(run, positionWithin(count), keepOthers)),
  );
}

function isIdentity(positions: ReadonlyMap<string, number>): boolean {
  let expected = 0;
  for (const [number, position] of positions) {
    expected += 1;
    if (position !== expected || number !== String(expected)) return false;
  }
  return true;
}

/** Tells cheaply that nothing is to be done, as in most answers: all brackets are those of `[n]` in range, none twice in a run. */
function isNormal(text: string, count: number): boolean {
  if (text.includes('【')) return false;
  let runStart = 0;
  let end = 0;
  for (let start = text.indexOf('['); start !== -1; start = text.indexOf('[', end)) {
    if (start !== end) runStart = start;
    end = text.indexOf(']', start) + 1;
    if (end === 0) return false;
    const number = text.slice(start + 1, end - 1);
    const isInRange = /^[1-9]\d{0,2}$/.test(number) && Number(number) <= count;
    if (!isInRange || text.indexOf(text.slice(start, end), runStart) !== start) return false;
  }
  return true;
}

/** A part of a text that matters to markers. */
export interface MarkerToken {
  /** No marker is read inside of fenced code, a code span or a link; `markers` is a run of adjacent ones. */
  readonly kind: 'fence' | 'code' | 'link' | 'markers';
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
}

/** What in a text is read as markers, and where none is read; in order, without overlaps. For those who put markers into a text. */
export function markerTokens(text: string): MarkerToken[] {
  return [...text.matchAll(TOKEN)].map((match) => {
    const [whole, fence, codeSpan] = match;
    const code = fence === undefined ? codeSpan && 'code' : 'fence';
    const kind = code || (match.groups?.['run'] === undefined ? 'link' : 'markers');
    return { kind, start: match.index, end: match.index + whole.length } as const;
  });
}

/** 0: a source that is no citation. `undefined`: no source. */
type PositionOf = (number: string) => number | undefined;

function positionWithin(count: number): PositionOf {
  return (number) => (Number(number) <= count && !number.startsWith('0') ? Number(number) : undefined);
}

function rewriteMarkers(text: string, positionOf: PositionOf): string {
  return replaceRuns(text, (run) => {
    let written = '';
    return replaceMarkers(run, positionOf, (_marker, positions) => {
      const fresh = positions
        .map((position) => `[${position}]`)
        .filter((marker) => !written.includes(marker))
        .join('');
      written += fresh;
      return fresh;
    });
  });
}

/** Replaces each run of adjacent markers, tidying the white space where nothing is left of one. */
function replaceRuns(text: string, replace: (run: string) => string): string {
  const tokens = new RegExp(TOKEN);
  let output = '';
  let from = 0;
  for (let match = tokens.exec(text); match !== null; match = tokens.exec(text)) {
    const run = match.groups?.['run'];
    if (run === undefined) continue;
    const replacement = replace(run);
    output += text.slice(from, match.index) + replacement;
    from = match.index + run.length;
    if (replacement !== '') continue;
    if (output === '' || output.endsWith('\n')) from = endOfOpening(text, from);
    else if (NEEDS_NO_SPACE_BEFORE.test(text.slice(from, from + 1))) output = withoutTrailingSpace(output);
    tokens.lastIndex = from;
  }
  return output + text.slice(from);
}

/** Where the text of a line begins whose opening marker is gone: behind the colon and the white space that followed it. */
function endOfOpening(text: string, from: number): number {
  let end = text[from] === ':' ? from + 1 : from;
  while (text[end] === ' ' || text[end] === '\t') end += 1;
  return end;
}

function withoutTrailingSpace(text: string): string {
  let end = text.length;
  while (text[end - 1] === ' ' || text[end - 1] === '\t') end -= 1;
  return text.slice(0, end);
}

type ReplaceMarker = (marker: string, positions: readonly number[]) => string;

function replaceMarkers(run: string, positionOf: PositionOf, replace: ReplaceMarker): string {
  return run.replace(EACH_MARKER, (marker: string, ...groups: (string | undefined)[]) => {
    const [doubled, single, wide] = groups;
    const positions = positionsOf(single ?? doubled ?? wide ?? '', positionOf);
    return positions === undefined ? marker : replace(marker, positions);
  });
}

/** The positions a marker's numbers stand for, without the unknown ones; `undefined` when they are no citation numbers at all. */
function positionsOf(numbers: string, positionOf: PositionOf): number[] | undefined {
  if (/\D/.test(numbers)) return positionsOfList(numbers, positionOf);
  const position = positionOf(numbers);
  if (position !== undefined) return position === 0 ? [] : [position];
  return numbers.startsWith('0') ? undefined : [];
}

function positionsOfList(numbers: string, positionOf: PositionOf): number[] | undefined {
  const lists = numbers.split(/[,;]/).map((part) => {
    const [first = '', ...ends] = part.split(/[–-]/).map((number) => number.trim());
    return ends.length === 0 ? positionsOf(first, positionOf) : positionsOfRange([first, ...ends], positionOf);
  });
  return lists.includes(undefined) ? undefined : lists.flatMap((positions) => positions ?? []);
}

function positionsOfRange([first = '', last = '', ...others]: string[], positionOf: PositionOf): number[] | undefined {
  const known = positionOf(first) !== undefined && positionOf(last) !== undefined;
  if (!known || others.length > 0 || Number(last) < Number(first)) return undefined;
  const numbers = Array.from({ length: Number(last) - Number(first) + 1 }, (_, index) => String(Number(first) + index));
  return numbers.map((number) => positionOf(number) ?? 0).filter((position) => position !== 0);
}

function markerForms(numbers: string): string {
  return [
    String.raw`\[(?<!\\\[)(?:\[${numbers}\]\](?:${LINK_TARGET})?|\^?${numbers}\](?!\{|\(${ADDRESS}))`,
    String.raw`【${numbers}(?:†[^】\n]{0,200})?】`,
  ].join('|');
}

function untilStable(text: string, rewrite: (text: string) => string): string {
  let current = text;
  for (let pass = 0; pass < MAX_PASSES; pass += 1) {
    const next = rewrite(current);
    if (next === current) break;
    current = next;
  }
  return current;
}
