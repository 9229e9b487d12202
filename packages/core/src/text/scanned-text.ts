import { BACK_QUOTE } from './characters.js';
import { type Blocks, MAX_LINE_START, readLineStart } from './line-start.js';
import { OPEN, type Reach } from './marker-forms.js';

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

/** The paragraph that is read: what begins in it ends in it. Offsets that are kept are those of the whole text. */
export class Paragraph {
  readonly #source: ScannedText;
  #blocks: Blocks = { containers: [], isParagraph: false };
  /** The last run of back-quotes that was looked at. */
  #ticks = { start: -1, end: -1 };
  /** From `#checked` to here there is no line end. */
  #lineEndsFrom = 0;
  /** The line ends of the paragraph up to here do not end it. */
  #checked = 0;
  #paragraphEnd: number | undefined;
  /** Up to where each kind of end was looked for and not found. */
  readonly #clearUntil = new Map<string, number>();

  constructor(source: ScannedText) {
    this.#source = source;
  }

  /** Another block begins. */
  begin(blocks: Blocks): void {
    this.#blocks = blocks;
    this.#checked = this.#source.end;
    this.#paragraphEnd = undefined;
    this.#clearUntil.clear();
  }

  /**
   * Looks for the end of something in its paragraph. No part of the text is searched twice for ends of one kind.
   *
   * @returns where it is; 0 for nowhere, {@link OPEN} where it may follow.
   */
  closing(
    from: number,
    kind: string,
    find: (from: number, reach: Reach) => { readonly end: number; readonly clearUntil: number },
  ): number {
    const reach = this.#reach();
    const start = Math.max(from, (this.#clearUntil.get(kind) ?? 0) - this.#source.base);
    const { end, clearUntil } = start < reach.limit ? find(start, reach) : { end: 0, clearUntil: start };
    if (end > 0) return end;
    this.#clearUntil.set(kind, this.#source.base + Math.max(start, clearUntil));
    return reach.isOpen ? OPEN : 0;
  }

  /** What can be looked at from here on: the rest of the paragraph, and not too much of it. */
  #reach(): Reach {
    const text = this.#source.text;
    const most = this.#source.at + MAX_LOOKAHEAD;
    while (this.#paragraphEnd === undefined) {
      const lineEnd = this.#source.lineEnd(
        Math.max(this.#source.end, this.#checked, this.#lineEndsFrom) - this.#source.base,
      );
      // Of a line end in two characters, one may be there.
      this.#lineEndsFrom = this.#source.base + (lineEnd?.start ?? Math.max(0, text.length - 1));
      if (lineEnd === undefined || lineEnd.start >= most) break;
      if (lineEnd.end >= text.length && !this.#source.isEnded) return { text, limit: lineEnd.start, isOpen: true };
      const { line, isWhole } = this.#source.lineAt(lineEnd.end);
      const start = readLineStart(line, isWhole, this.#blocks);
      if (start === undefined) return { text, limit: lineEnd.start, isOpen: true };
      if (start.kind !== 'continued') this.#paragraphEnd = this.#source.base + lineEnd.start;
      this.#checked = this.#source.base + lineEnd.end;
    }
    const end = this.#paragraphEnd === undefined ? text.length : this.#paragraphEnd - this.#source.base;
    const isOpen = this.#paragraphEnd === undefined && !this.#source.isEnded && text.length < most;
    return { text, limit: Math.min(end, most), isOpen };
  }

  /** Where a run of back-quotes ends, or so much of it as is looked at; of the last one, no character is looked at twice. */
  runEnd(start: number, limit: number): number {
    const from = this.#ticks.start === this.#source.base + start ? this.#ticks.end - this.#source.base : start;
    let end = Math.min(from, limit);
    while (end < limit && this.#source.text.charCodeAt(end) === BACK_QUOTE) end += 1;
    if (end > from) this.#ticks = { start: this.#source.base + start, end: this.#source.base + end };
    return end;
  }
}
