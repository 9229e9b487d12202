import { MAX_LINE_START } from './line-start.js';
import type { Reach } from './marker-forms.js';

/**
 * So far ahead is looked for the end of what has begun: a code span, a link, a list of numbers. What does not end there is text. It is also the most
 * that is held back of a text that comes in parts.
 */
export const MAX_LOOKAHEAD = 2_000;
/** A longer text that waits is read again only when so much of it has come in addition, so that time stays linear in the text. */
const MAX_OFTEN = 500;
const SHARE = 1 / 8;

const LINE_END = /\r\n?|\n/g;

/** The part of a text that is read, while it comes. */
export class ScannedText {
  text = '';
  /** How much was in front of {@link text}. */
  base = 0;
  /** Where it is read, in {@link text}. */
  at = 0;
  /** Whether nothing follows. */
  isEnded = false;
  /** What follows, and is not looked at yet. */
  #coming: string[] = [];
  #comingLength = 0;

  /** Where it is read, in the whole text. */
  get end(): number {
    return this.base + this.at;
  }

  /** @returns whether it is time to read on. */
  push(part: string): boolean {
    this.#coming.push(part);
    this.#comingLength += part.length;
    const waiting = this.text.length - this.at;
    return waiting <= MAX_OFTEN || this.#comingLength > waiting * SHARE;
  }

  /** Looks at what has come. */
  look(): void {
    // What is in front of a marker matters.
    const passed = Math.max(0, this.at - 2);
    this.text = this.text.slice(passed) + this.#coming.join('');
    this.#coming = [];
    this.#comingLength = 0;
    this.base += passed;
    this.at -= passed;
  }

  /** The line that begins at a place, as far as it is looked at. */
  lineAt(start: number): { readonly line: string; readonly isWhole: boolean } {
    const found = this.lineEnd(start);
    const end = found?.start ?? this.text.length;
    const isWhole = found !== undefined || this.isEnded || end - start >= MAX_LINE_START;
    return { line: this.text.slice(start, Math.min(end, start + MAX_LINE_START)), isWhole };
  }

  /** The next line end; `undefined` where none is complete. */
  lineEnd(from: number): { readonly start: number; readonly end: number } | undefined {
    LINE_END.lastIndex = from;
    const found = LINE_END.exec(this.text);
    if (found === null) return undefined;
    const end = found.index + found[0].length;
    return found[0] === '\r' && end === this.text.length && !this.isEnded ? undefined : { start: found.index, end };
  }

  /** What can be looked at of the line. */
  line(): Reach {
    const most = this.at + MAX_LOOKAHEAD;
    const { length } = this.text;
    return { text: this.text, limit: Math.min(most, length), isOpen: length < most && !this.isEnded };
  }
}
