export type { TextMarker } from './marker-writer.js';

import { type MarkedText, type TextMarker, withMarkers } from './marker-writer.js';
import { Scanner, type Token, type TokenReader } from './scanner.js';

/**
 * The citation markers of an answer, in order: each `[n]` with a number up to `count`, outside of code and links.
 *
 * @param isGlued whether markers may follow words without a space; otherwise `[1]` in `list[1]` is no marker.
 */
export function ownMarkers(text: string, count: number, isGlued: boolean): readonly TextMarker[] {
  // Takes a hundredth of the time of the scan.
  if (count === 0 || !text.includes('[')) return [];
  const found = new OwnMarkers(isGlued);
  return found.end(text).markers.filter(({ position }) => position <= count);
}

/** Finds the markers `[n]` of a text that comes in parts. */
export class OwnMarkers implements TokenReader {
  readonly #isGlued: boolean;
  readonly #scanner = new Scanner(this);
  #text = '';
  #markers: TextMarker[] = [];
  #lastEnd = -1;

  constructor(isGlued: boolean) {
    this.#isGlued = isGlued;
  }

  /** @returns the text that later parts cannot change, with its markers. */
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
    const taken = { text: this.#text, markers: this.#markers };
    this.#text = '';
    this.#markers = [];
    return taken;
  }

  /** Receives the tokens of the scanner. */
  add({ kind, text, start, end, numbers, isGlued = false }: Token): void {
    const at = this.#text.length;
    this.#text += text;
    const isMarker = kind === 'marker' && text === `[${numbers}]` && !text.startsWith('[0');
    if (!isMarker || (isGlued && !this.#isGlued && start !== this.#lastEnd)) return;
    this.#lastEnd = end;
    this.#markers.push({ start: at, end: at + text.length, position: Number(numbers) });
  }
}

/** An answer with the places of its markers, or with markers `[n]` in its text. */
export interface CitedAnswer {
  readonly text: string;
  readonly markers?: readonly TextMarker[] | undefined;
  readonly citations: readonly unknown[];
}

/** The markers of an answer: its `markers` if they are valid, else the markers found in its text. */
export function markersOf({ text, markers, citations }: CitedAnswer): readonly TextMarker[] {
  const count = citations.length;
  return (markers && checkedMarkers({ text, markers }, count)) ?? ownMarkers(text, count, false);
}

/** The text of an answer without its markers. */
export function unmarkedText(answer: CitedAnswer): string {
  return withMarkers({ text: answer.text, markers: markersOf(answer) }, () => 0).text;
}

/** The given markers of a text that are within `count` citations; `undefined` if a marker is not in the text, for values of any type. */
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
