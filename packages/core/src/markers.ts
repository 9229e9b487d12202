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
// Repetitions are bounded or unambiguous, so that the time stays linear in the text, whatever a provider sends.
const LINK_TEXT = String.raw`\[(?:[^[\]\n]|\[[^[\]\n]{0,200}\]){0,1000}\]`;
const LINK_TARGET = String.raw`\((?=${ADDRESS})(?:[^()\s]|\([^()\s]{0,200}\)){1,2000}(?: +"[^"\n]{0,500}")?\)`;
const LINKED_MARKER = String.raw`\[\[${NUMBERS}\]\]\(`;
const FENCED_CODE = '^[ \\t]*(```+(?![^\\n]*`)|~~~+)(?:[^]*?\\n[ \\t]*\\1[`~]*|[^]*)';
const CODE_SPAN = '(?<!`)(`+)(?!`)[^\\n]{1,2000}?(?<!`)\\2(?!`)';

const EACH_MARKER = new RegExp(markerForms(`(${NUMBERS})`), 'gi');

/** Code or a link, which stay as they are, or a run of adjacent markers with the space between it and a word. */
const TOKEN = new RegExp(
  [
    FENCED_CODE,
    CODE_SPAN,
    `(?<!\\\\)(?!${LINKED_MARKER})${LINK_TEXT}${LINK_TARGET}`,
    `(?<space>(?<=\\S)[ \\t]+)?(?<!\\\\)(?<run>(?:${markerForms(NUMBERS)})+)`,
  ].join('|'),
  'gim',
);

/** Removing a marker can join a new one out of its surroundings (`[[9]8]`). Prose never nests brackets so deep. */
const MAX_PASSES = 20;

const NEEDS_NO_SPACE_BEFORE = /^(?:$|[\s.,;:!?…)\]}»”’。，、；：！？）」』】])/;

/**
 * Rewrites every marker to `[n]` by the provider's own numbering.
 *
 * @param positions the number a provider gives a source, as text → the source's position in the citations, from 1. Markers of unknown numbers
 * are removed, so none points outside of the citations.
 */
export function renumberMarkers(text: string, positions: ReadonlyMap<string, number>): string {
  const renumbered = rewriteMarkers(text, (number) => positions.get(number));
  return normalizeMarkers(renumbered, Math.max(0, ...positions.values()));
}

/** Rewrites every marker to `[n]` and removes those that point outside of `count` citations. Changes nothing when applied again. */
export function normalizeMarkers(text: string, count: number): string {
  return untilStable(text, (current) => rewriteMarkers(current, positionWithin(count)));
}

/** Removes the markers that point to one of `count` citations, for callers who get no citations. Other bracketed numbers are text. */
export function stripMarkers(text: string, count: number): string {
  const keepOthers = (marker: string, positions: readonly number[]) => (positions.length === 0 ? marker : '');
  return untilStable(text, (current) =>
    replaceRuns(current, (run) => replaceMarkers(run, positionWithin(count), keepOthers)),
  );
}

type PositionOf = (number: string) => number | undefined;

function positionWithin(count: number): PositionOf {
  return (number) => (Number(number) <= count && !number.startsWith('0') ? Number(number) : undefined);
}

function rewriteMarkers(text: string, positionOf: PositionOf): string {
  return replaceRuns(text, (run) => {
    const written = new Set<number>();
    return replaceMarkers(run, positionOf, (_marker, positions) => {
      const fresh = positions.filter((position) => !written.has(position));
      for (const position of fresh) written.add(position);
      return fresh.map((position) => `[${position}]`).join('');
    });
  });
}

/** Replaces each run of adjacent markers, tidying the white space where nothing is left of one. */
function replaceRuns(text: string, replace: (run: string) => string): string {
  if (!/[[【]/.test(text)) return text;
  const tokens = new RegExp(TOKEN);
  let output = '';
  let from = 0;
  for (let match = tokens.exec(text); match !== null; match = tokens.exec(text)) {
    const { run, space = '' } = match.groups ?? {};
    if (run === undefined) continue;
    const replacement = replace(run);
    output += text.slice(from, match.index);
    from = match.index + match[0].length;
    if (replacement !== '') output += space + replacement;
    else if (output === '' || output.endsWith('\n')) from += /^:?[ \t]*/.exec(text.slice(from, from + MAX_GAP))?.[0].length ?? 0;
    else if (!NEEDS_NO_SPACE_BEFORE.test(text.slice(from, from + 1))) output += space;
    tokens.lastIndex = from;
  }
  return output + text.slice(from);
}

function replaceMarkers(run: string, positionOf: PositionOf, replace: (marker: string, positions: readonly number[]) => string): string {
  return run.replace(EACH_MARKER, (marker, ...numbers: (string | undefined)[]) => {
    const positions = positionsOf(numbers.slice(0, 3).find((group) => group !== undefined) ?? '', positionOf);
    return positions === undefined ? marker : replace(marker, positions);
  });
}

/** The positions a marker's numbers stand for, without the unknown ones; `undefined` when they are no citation numbers at all. */
function positionsOf(numbers: string, positionOf: PositionOf): number[] | undefined {
  const positions: (number | undefined)[] = [];
  for (const part of numbers.split(/[,;]/)) {
    const [first = '', last, ...rest] = part.split(/[–-]/).map((number) => number.trim());
    if (rest.length > 0) return undefined;
    if (positionOf(first) === undefined && (last !== undefined || first.startsWith('0'))) return undefined;
    if (last !== undefined && (positionOf(last) === undefined || Number(last) < Number(first))) return undefined;
    for (let number = Number(first); number <= Number(last ?? first); number += 1) positions.push(positionOf(String(number)));
  }
  return positions.filter((position) => position !== undefined);
}

function markerForms(numbers: string): string {
  return [
    String.raw`\[\[${numbers}\]\](?:${LINK_TARGET})?`,
    String.raw`\[\^?${numbers}\](?!\{|\(${ADDRESS})`,
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
