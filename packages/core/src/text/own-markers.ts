import { MAX_MARKER_NUMBER } from './marker-numbers.js';

export type { TextMarker } from './marker-writer.js';

import { type MarkedText, type TextMarker, withMarkers } from './marker-writer.js';
import { Scanner, type Token, type TokenReader } from './scanner.js';

/**
 * The markers of an answer, in order: each `[n]` that means one of `count` citations. What stands in code or in a link is no marker.
 *
 * @param isGlued whether they follow words without a space; else what does is the index of something (`list[1]`).
 */
export function ownMarkers(text: string, count: number, isGlued: boolean): readonly TextMarker[] {
  // Takes a hundredth of the time that the walk does.
  if (count === 0 || !text.includes('[')) return [];
  const found = new OwnMarkers(isGlued);
  return found.end(text).markers.filter(({ position }) => position <= count);
}

/** Finds the markers of a text that comes in parts, which have their own form already. */
export class OwnMarkers implements TokenReader {
  readonly #isGlued: boolean;
  readonly #scanner = new Scanner(this);
  #parts: string[] = [];
  #length = 0;
  #markers: TextMarker[] = [];
  #lastEnd = -1;

  constructor(isGlued: boolean) {
    this.#isGlued = isGlued;
  }

  /** @returns what is decided. */
  push(part: string): MarkedText {
    this.#scanner.push(part);
    return this.#take();
  }

  /** Takes the last part. */
  end(part: string): MarkedText {
    this.#scanner.push(part);
    this.#scanner.finish();
    return this.#take();
  }

  #take(): MarkedText {
    const taken = { text: this.#parts.join(''), markers: this.#markers };
    this.#parts = [];
    this.#length = 0;
    this.#markers = [];
    return taken;
  }

  /** Gets what the scanner found. */
  add({ kind, text, start, end, numbers, isGlued = false }: Token): void {
    const at = this.#length;
    this.#parts.push(text);
    this.#length += text.length;
    const isMarker = kind === 'marker' && text === `[${numbers}]` && !text.startsWith('[0');
    if (!isMarker || (isGlued && !this.#isGlued && start !== this.#lastEnd)) return;
    this.#lastEnd = end;
    this.#markers.push({ start: at, end: at + text.length, position: Number(numbers) });
  }
}

/** A text that says where its markers are, or else has them in their own form. */
export interface CitedAnswer {
  readonly text: string;
  readonly markers?: readonly TextMarker[] | undefined;
  readonly citations: readonly unknown[];
}

/** The markers of an answer: those it is said to have, where they are there. */
export function markersOf({ text, markers, citations }: CitedAnswer): readonly TextMarker[] {
  const count = citations.length;
  return (markers && checkedMarkers({ text, markers }, count)) ?? ownMarkers(text, count, false);
}

/** Whether a text says anything beside markers of so many citations. Default: beside bracketed numbers. */
export function hasWords(text: string, count = MAX_MARKER_NUMBER): boolean {
  return NO_MARKER.test(text) || withMarkers({ text, markers: ownMarkers(text, count, true) }, () => 0).text !== '';
}

/** What is in no marker `[n]`. Nearly every answer begins with it. */
const NO_MARKER = /[^\s\d[\]]/;

/** The text of an answer without its markers. */
export function unmarkedText(answer: CitedAnswer): string {
  return withMarkers({ text: answer.text, markers: markersOf(answer) }, () => 0).text;
}

/** The markers a text is said to have, those of so many citations; `undefined` where they are not there, whatever was handed over. */
export function checkedMarkers({ text, markers }: MarkedText, count: number): readonly TextMarker[] | undefined {
  if (!Array.isArray(markers)) return undefined;
  let last = 0;
  let isWithin = true;
  for (const marker of markers as readonly (Partial<TextMarker> | null)[]) {
    const { start = -1, end = 0, position } = marker ?? {};
    if (!Number.isInteger(start) || start < last || text.slice(start, end) !== `[${position}]`) return undefined;
    last = end;
    isWithin &&= Number(position) <= count;
  }
  const found: readonly TextMarker[] = markers;
  return isWithin ? found : found.filter(({ position }) => position <= count);
}
