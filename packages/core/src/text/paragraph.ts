import { BACK_QUOTE } from './characters.js';
import { type Blocks, readLineStart } from './line-start.js';
import { OPEN, type Reach } from './marker-forms.js';
import { MAX_LOOKAHEAD, type ScannedText } from './scanned-text.js';

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
