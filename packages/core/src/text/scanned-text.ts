import { BACK_QUOTE } from './characters.js';
import { type Blocks, MAX_LINE_START, readLineStart } from './line-start.js';
import { OPEN, type Reach } from './marker-forms.js';

/**
 * The number of characters within which a code span, a link or a list of numbers must end; otherwise its beginning is text. Also the most characters that are
 * held back of a streamed text.
 */
export const MAX_LOOKAHEAD = 2_000;
/** A longer waiting text is read again only after it has grown by {@link SHARE}, so that the time stays linear in the text. */
const MAX_OFTEN = 500;
const SHARE = 1 / 8;

const LINE_END = /\r\n?|\n/g;

/** The part of a streamed text that is being scanned. */
export class ScannedText {
  text = '';
  /** The length of the text before {@link text}. */
  base = 0;
  /** The current index in {@link text}. */
  at = 0;
  /** Whether the text has ended. */
  isEnded = false;
  /** The text that was not scanned yet. */
  #coming = '';

  /** The current offset in the whole text. */
  get end(): number {
    return this.base + this.at;
  }

  /** @returns whether to continue scanning. */
  push(part: string): boolean {
    this.#coming += part;
    const waiting = this.text.length - this.at;
    return waiting <= MAX_OFTEN || this.#coming.length > waiting * SHARE;
  }

  /** Adds the new parts to the scanned text. */
  look(): void {
    // Keeps two characters, because the character before a marker matters.
    const passed = Math.max(0, this.at - 2);
    this.text = this.text.slice(passed) + this.#coming;
    this.#coming = '';
    this.base += passed;
    this.at -= passed;
  }

  /** The line that begins at an index, up to {@link MAX_LINE_START} characters. */
  lineAt(start: number): { readonly line: string; readonly isWhole: boolean } {
    const found = this.lineEnd(start);
    const end = found?.start ?? this.text.length;
    const isWhole = found !== undefined || this.isEnded || end - start >= MAX_LINE_START;
    return { line: this.text.slice(start, Math.min(end, start + MAX_LINE_START)), isWhole };
  }

  /** The next line end; `undefined` if no line end is complete. */
  lineEnd(from: number): { readonly start: number; readonly end: number } | undefined {
    LINE_END.lastIndex = from;
    const found = LINE_END.exec(this.text);
    if (found === null) return undefined;
    const end = found.index + found[0].length;
    return found[0] === '\r' && end === this.text.length && !this.isEnded ? undefined : { start: found.index, end };
  }

  /** The reach of a token on the line. */
  line(): Reach {
    const most = this.at + MAX_LOOKAHEAD;
    const { length } = this.text;
    return { text: this.text, limit: Math.min(most, length), isOpen: length < most && !this.isEnded };
  }
}

/** The current paragraph: inline code and tags end within their paragraph. Stored offsets refer to the whole text. */
export class Paragraph {
  readonly #source: ScannedText;
  #blocks: Blocks = { containers: [], isParagraph: false };
  /** The last examined run of back-quotes. */
  #ticks = { start: -1, end: -1 };
  /** There is no line end between `#checked` and this offset. */
  #lineEndsFrom = 0;
  /** The paragraph does not end before this offset. */
  #checked = 0;
  #paragraphEnd: number | undefined;
  /** For each kind of end, the offset up to which no end was found. */
  readonly #clearUntil = new Map<string, number>();

  constructor(source: ScannedText) {
    this.#source = source;
  }

  /** Begins another block. */
  begin(blocks: Blocks): void {
    this.#blocks = blocks;
    this.#checked = this.#source.end;
    this.#paragraphEnd = undefined;
    if (this.#clearUntil.size > 0) this.#clearUntil.clear();
  }

  /**
   * Finds the end of a code span or tag in its paragraph. Searches no part of the text twice for the same kind of end.
   *
   * @returns the index of the end; 0 if there is no end, {@link OPEN} if the end may follow.
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

  /** The rest of the paragraph, up to {@link MAX_LOOKAHEAD} characters. */
  #reach(): Reach {
    const text = this.#source.text;
    const most = this.#source.at + MAX_LOOKAHEAD;
    while (this.#paragraphEnd === undefined) {
      const lineEnd = this.#source.lineEnd(
        Math.max(this.#source.end, this.#checked, this.#lineEndsFrom) - this.#source.base,
      );
      // The first character of a two-character line end may be the last character of the text.
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

  /** The end of a run of back-quotes, at most `limit`. Reads no character of the last run twice. */
  runEnd(start: number, limit: number): number {
    const from = this.#ticks.start === this.#source.base + start ? this.#ticks.end - this.#source.base : start;
    let end = Math.min(from, limit);
    while (end < limit && this.#source.text.charCodeAt(end) === BACK_QUOTE) end += 1;
    if (end > from) this.#ticks = { start: this.#source.base + start, end: this.#source.base + end };
    return end;
  }
}
