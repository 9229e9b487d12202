/**
 * Text that comes in pieces. Adding strings up makes a tree with a node for each piece: 32 bytes, also for one character, and a deep one to read.
 * So every so many pieces are made one.
 */
export class GatheredText {
  #blocks: string[] = [];
  #pieces: string[] = [];

  add(piece: string): void {
    if (piece === '') return;
    this.#pieces.push(piece);
    if (this.#pieces.length < PIECES_IN_BLOCK) return;
    this.#blocks.push(this.#pieces.join(''));
    this.#pieces = [];
  }

  /** All that was added since it was last taken. */
  take(): string {
    const [first = ''] = this.#pieces;
    const isOne = this.#blocks.length === 0 && this.#pieces.length <= 1;
    const text = isOne ? first : this.#blocks.concat(this.#pieces).join('');
    if (text !== '') {
      this.#blocks = [];
      this.#pieces = [];
    }
    return text;
  }
}

const PIECES_IN_BLOCK = 256;
