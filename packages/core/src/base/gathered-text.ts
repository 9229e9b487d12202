/**
 * Collects pieces of text. Concatenation would make a deep tree with a node of 32 bytes for each piece, also for a single character. So every
 * {@link PIECES_IN_BLOCK} pieces are joined to a block.
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

  /** Returns the text added since the last call. */
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
