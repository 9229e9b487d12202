import { boundBrackets } from './bound-brackets.js';
import { isBlank, skip } from './characters.js';
import { pairsAround, type WrittenMarker } from './marker-forms.js';
import { closesMarker, createMarkerReader, doubledEnd, opensPassage, proseEnd } from './marker-reader.js';
import { MAX_ANNOTATIONS } from './reply-limits.js';
import { TextBuffer } from './text-buffer.js';

/**
 * What becomes of a marker: the positions to write in its place, none to remove it; `undefined` when it is no marker and stays.
 *
 * @param numbers as they were written, such as `1`, `1, 2` or `1-3`.
 * @param most how many positions are wanted at most, 1 or more.
 */
export type Decide = (numbers: string, most: number) => readonly number[] | undefined;

/** So many markers may a text gain by its lists and ranges; then each of them becomes a single marker. */
const MAX_GAINED_MARKERS = MAX_ANNOTATIONS;

/** Writes a text again with other markers, in one walk. A run of adjacent markers has each position once. */
export function rewriteMarkers(unbounded: string, decide: Decide): string {
  const text = boundBrackets(unbounded);
  // No marker ends behind the last closing bracket.
  const last = Math.max(text.lastIndexOf(']'), text.lastIndexOf('】'));
  // Of many answers this is all there is to do; the walk would take six times as long.
  if (last === -1) return text;
  const reader = createMarkerReader(text);
  const rewritten = new RewrittenText(text);
  let gainable = MAX_GAINED_MARKERS;
  let index = 0;
  while (index <= last) {
    const code = text.charCodeAt(index);
    const marker = closesMarker(code) ? reader.markerAt(index, rewritten.characters) : undefined;
    const positions = marker && decide(marker.numbers, gainable + 1);
    if (marker !== undefined && positions !== undefined) {
      index = rewritten.replace(marker, positions);
      gainable -= Math.max(0, positions.length - 1);
      continue;
    }
    const end = opensPassage(code) ? reader.passageAt(index, rewritten.characters).end : proseEnd(text, index + 1);
    rewritten.characters.append(text, index, end);
    index = end;
  }
  rewritten.characters.append(text, index);
  return rewritten.characters.toString();
}

/** Adjacent markers, as they have been written. */
interface Run {
  readonly start: number;
  end: number;
  readonly positions: number[];
  /** The same positions, once there are many. */
  many?: Set<number>;
}

const FEW = 8;

function says({ positions, many }: Run, position: number): boolean {
  return many === undefined ? positions.includes(position) : many.has(position);
}

function add(run: Run, position: number): void {
  run.positions.push(position);
  run.many?.add(position);
  if (run.positions.length === FEW) run.many = new Set(run.positions);
}

/** The text as far as it has been rewritten. */
class RewrittenText {
  readonly characters: TextBuffer;
  readonly #text: string;
  /** All so far: what follows may take the last ones out, as a wide marker does with those it holds, and join the one before. */
  readonly #runs: Run[] = [];

  constructor(text: string) {
    this.#text = text;
    this.characters = new TextBuffer(text.length);
  }

  /** Writes the markers of these positions instead of one; returns where to read on. */
  replace(marker: WrittenMarker, positions: readonly number[]): number {
    let next = this.#replaceOnce(marker, positions);
    for (let run = this.#doubledRun(next); run !== undefined; run = this.#doubledRun(next))
      next = this.#replaceOnce(run, run.positions);
    return next;
  }

  #replaceOnce({ start, end }: Omit<WrittenMarker, 'numbers'>, positions: readonly number[]): number {
    this.characters.truncate(start);
    while ((this.#runs.at(-1)?.start ?? -1) >= start) this.#runs.pop();
    if (positions.length === 0) return this.#closeGap(end);
    const run = this.#runAt(start);
    for (const position of positions) {
      if (says(run, position)) continue;
      add(run, position);
      this.characters.append(`[${position}]`);
    }
    run.end = this.characters.length;
    return end;
  }

  /** The run that markers written at this place belong to. */
  #runAt(start: number): Run {
    const last = this.#runs.at(-1);
    if (last?.end === start) return last;
    const run: Run = { start, end: start, positions: [] };
    this.#runs.push(run);
    return run;
  }

  /** A run of one marker in brackets at the end of the text so far. */
  #doubledRun(next: number): (Run & Omit<WrittenMarker, 'numbers'>) | undefined {
    const run = this.#runs.at(-1);
    if (run?.end !== this.characters.length || run.positions.length !== 1) return undefined;
    const pairs = pairsAround(this.characters, run.start, { text: this.#text, end: next });
    if (pairs === 0) return undefined;
    return { ...run, start: run.start - pairs, end: doubledEnd(this.#text, next + pairs) };
  }

  /** Tidies the white space where a marker has been removed; returns where to read on. */
  #closeGap(next: number): number {
    const { characters } = this;
    const before = characters.charCodeAt(characters.length - 1);
    const after = this.#text.charAt(next);
    if (characters.length === 0 || before === 10) return endOfOpening(this.#text, next);
    if (NEEDS_NO_SPACE_BEFORE.test(after)) {
      while (isBlank(characters.charCodeAt(characters.length - 1))) characters.truncate(characters.length - 1);
    } else if (joins(String.fromCharCode(before), after)) characters.append(' ');
    return next;
  }
}

const NEEDS_NO_SPACE_BEFORE = /^(?:$|[\s.,;:!?…)\]}»”’。，、；：！？）」』】])/;

/** Whether two characters would mean something together: code, or a link. */
function joins(before: string, after: string): boolean {
  return after === before ? /[`~]/.test(before) : before === ']' && /[({]/.test(after);
}

/** Where the text of a line begins whose opening marker is gone: behind the colon and the white space that followed it. */
function endOfOpening(text: string, from: number): number {
  return skip(text, text[from] === ':' ? from + 1 : from, isBlank);
}
