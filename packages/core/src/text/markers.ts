/*
 * Citation markers in answer texts. The gateway's own form is `[n]`, counted from 1 into the list of citations; providers write
 * `[1, 2]`, `[1-3]`, `[[1]]`, `[[1]](url)`, `[^1]` and `【1†source】` as well.
 *
 * A marker is one or more numbers of at most three digits in one of those brackets. Not markers, and left as they are:
 * - anything inside code (fenced blocks, back-quoted spans): `list[1]` there is a program;
 * - Markdown links, `[1](https://…)` included: they say themselves where they point, whatever the list of citations;
 * - an escaped bracket (`\[1]`) and a bracket before a brace (`\sqrt[3]{x}`);
 * - longer numbers (`[2026]`), a leading zero that is no known number (`[0, 1]` is an interval), a range with an unknown end (`[0-9]`), a list of
 *   more than 5,000 characters.
 *
 * A removed marker takes the space before it along when punctuation, a space or nothing follows, and the `: ` after it where it opens a
 * line (`[9]: https://…`). No other character of a text is lost.
 *
 * Whatever a provider sends, the time is linear in the text: it is read once from left to right, and a marker is looked at where it closes,
 * in the text as rewritten up to there. So one that appears only when another is removed (`[[9]8]`) is read like any other.
 */
import { isIdentity, isNormal } from './is-normal.js';
import { MAX_MARKER_NUMBER, type PositionOf, positionsOf, positionWithin } from './marker-numbers.js';
import { rewriteMarkers } from './rewrite-markers.js';

/**
 * Rewrites every marker to `[n]` by the provider's own numbering.
 *
 * @param positions the number a provider gives a source, as text → the source's position in the citations, from 1; 0 for a source that is no
 * citation. Markers of that and of unknown numbers are removed, so none points outside of the citations.
 */
export function renumberMarkers(text: string, positions: ReadonlyMap<string, number>): string {
  if (isIdentity(positions)) return normalizeMarkers(text, positions.size);
  const positionOf = within(positions);
  const own = positionWithin(Math.max(0, ...positions.values()));
  // A range with an end unknown to the provider, which readers of the gateway's own numbers would take for a marker, goes like unknown numbers.
  const unknown = (numbers: string) => (positionsOf(numbers, own, 1) === undefined ? undefined : []);
  return rewriteMarkers(text, (numbers, most) => positionsOf(numbers, positionOf, most) ?? unknown(numbers));
}

/** Rewrites every marker to `[n]` and removes those that point outside of `count` citations. Changes nothing when applied again. */
export function normalizeMarkers(text: string, count: number): string {
  if (isNormal(text, count)) return text;
  const positionOf = positionWithin(count);
  return rewriteMarkers(text, (numbers, most) => positionsOf(numbers, positionOf, most));
}

/** Removes the markers that point to one of `count` citations, for callers who get no citations. Other bracketed numbers are text. */
export function stripMarkers(text: string, count: number): string {
  const positionOf = positionWithin(count);
  return rewriteMarkers(text, (numbers) => (positionsOf(numbers, positionOf, 1)?.length ? [] : undefined));
}

function within(positions: ReadonlyMap<string, number>): PositionOf {
  return (number) => {
    const position = positions.get(number);
    return (position ?? 0) > MAX_MARKER_NUMBER ? undefined : position;
  };
}
