import { BACKSLASH, CARRIAGE_RETURN, CLOSE_BRACKET, LINE_FEED, OPEN_BRACKET } from './characters.js';
import { OPEN, type Reach } from './marker-forms.js';

/** Finds the brackets that belong together on a line, of which each character is read once. Offsets are those of the whole text. */
export class BracketPairs {
  /** Up to here the line was read. */
  #read = 0;
  /** Those that nothing closes so far. */
  #open: number[] = [];
  readonly #closing = new Map<number, number>();

  /**
   * Where the bracket is that closes the one at `at`; 0 where nothing does, {@link OPEN} where it may follow. To be asked in order of the text.
   *
   * @param base where the text of the reach begins.
   */
  closing(at: number, base: number, { text, limit, isOpen }: Reach): number {
    if (at >= this.#read) {
      this.#read = at;
      this.#open = [];
      this.#closing.clear();
    }
    for (let index = this.#read - base; index < limit && !this.#closing.has(at); index += 1) {
      const code = text.charCodeAt(index);
      if (code === LINE_FEED || code === CARRIAGE_RETURN) return 0;
      // What is escaped may not be there yet.
      if (code === BACKSLASH && index + 1 === limit) break;
      if (code === BACKSLASH) index += 1;
      else if (code === OPEN_BRACKET) this.#open.push(base + index);
      else if (code === CLOSE_BRACKET) this.#close(base + index);
      this.#read = base + index + 1;
    }
    const closing = this.#closing.get(at) ?? 0;
    if (closing === 0 && isOpen) return OPEN;
    return closing < base + limit ? closing : 0;
  }

  #close(at: number): void {
    const opening = this.#open.pop();
    if (opening !== undefined) this.#closing.set(opening, at);
  }
}
