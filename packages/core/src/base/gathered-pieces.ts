/**
 * Collects pieces of bytes in a single block. A list of pieces would keep an object for each piece: about 200 bytes, also for a piece of one byte.
 *
 * Uses at most 1.5 times the limit while the block grows, then at most the limit.
 */
export class GatheredBytes {
  readonly #maxBytes: number;
  #block: Uint8Array = EMPTY;
  #length = 0;
  #pieces = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get length(): number {
    return this.#length;
  }

  /** @returns `false` for a piece beyond the limit of bytes or pieces, which is not added. */
  add(piece: Uint8Array): boolean {
    const length = this.#length + piece.byteLength;
    this.#pieces += 1;
    if (length > this.#maxBytes) return false;
    if (this.#pieces > LEAST_MAX_PIECES && this.#pieces > maxPiecesOf(this.#maxBytes)) return false;
    // Most bodies have a single piece, which is returned without a copy.
    if (this.#length === 0) this.#block = piece;
    else {
      // The buffer of the first piece belongs to others, so it must not be written to.
      if (length > this.#block.byteLength) this.#grow(length);
      this.#block.set(piece, this.#length);
    }
    this.#length = length;
    return true;
  }

  /** Returns all bytes. No more pieces may be added. */
  take(): Buffer {
    const { buffer, byteOffset, byteLength } = this.#block;
    const isWhole = Buffer.isBuffer(this.#block) && byteLength === this.#length;
    return isWhole ? (this.#block as Buffer) : Buffer.from(buffer, byteOffset, this.#length);
  }

  #grow(length: number): void {
    const capacity = Math.min(this.#maxBytes, Math.max(2 * length, LEAST_BLOCK));
    // Not from node's pool: a small block would keep 8 kB of the pool alive.
    const block = Buffer.allocUnsafeSlow(capacity);
    block.set(this.#block.subarray(0, this.#length));
    this.#block = block;
  }
}

/**
 * The most pieces of a body. Each piece takes about a microsecond of the event loop, at any size. A body of usual size may come byte by byte; the pieces of a
 * large body must have at least 16 bytes on average.
 */
export function maxPiecesOf(maxBytes: number): number {
  return LEAST_MAX_PIECES + Math.ceil(maxBytes / 16);
}

const LEAST_MAX_PIECES = 65_536;
const EMPTY = new Uint8Array();
const LEAST_BLOCK = 512;

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
