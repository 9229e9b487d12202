/**
 * Bytes that come in pieces, kept as one block. A list of the pieces would keep an object for each: some 200 bytes, also of a piece of one byte.
 *
 * Takes at most the limit, and half of it once more while the block grows.
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

  /** @returns false for a piece that makes them more bytes, or more pieces, than the limit. Nothing is kept of it. */
  add(piece: Uint8Array): boolean {
    const length = this.#length + piece.byteLength;
    this.#pieces += 1;
    if (length > this.#maxBytes) return false;
    if (this.#pieces > LEAST_MAX_PIECES && this.#pieces > maxPiecesOf(this.#maxBytes)) return false;
    // Most have one piece, which is handed on as it is.
    if (this.#length === 0) this.#block = piece;
    else {
      // The first piece is not ours to write behind.
      if (length > this.#block.byteLength) this.#grow(length);
      this.#block.set(piece, this.#length);
    }
    this.#length = length;
    return true;
  }

  /** All that was added. Nothing can be added any more. */
  take(): Buffer {
    const { buffer, byteOffset, byteLength } = this.#block;
    const isWhole = Buffer.isBuffer(this.#block) && byteLength === this.#length;
    return isWhole ? (this.#block as Buffer) : Buffer.from(buffer, byteOffset, this.#length);
  }

  #grow(length: number): void {
    const capacity = Math.min(this.#maxBytes, Math.max(2 * length, LEAST_BLOCK));
    // Not of node's pool, of which a small block would keep 8 kB.
    const block = Buffer.allocUnsafeSlow(capacity);
    block.set(this.#block.subarray(0, this.#length));
    this.#block = block;
  }
}

/**
 * The most pieces of a body: each costs about a microsecond of the event loop, whatever its size. A request of the usual size may come byte by byte; a large
 * body has pieces of 16 bytes at least, on the average.
 */
export function maxPiecesOf(maxBytes: number): number {
  return LEAST_MAX_PIECES + Math.ceil(maxBytes / 16);
}

const LEAST_MAX_PIECES = 65_536;
const EMPTY = new Uint8Array();
const LEAST_BLOCK = 512;
