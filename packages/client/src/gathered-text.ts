/** Text that comes in pieces, however small: adding strings up keeps 32 bytes for each piece. */
export interface GatheredText {
  add(piece: string): void;
  /** All that was added since it was last taken. */
  take(): string;
}

const PIECES_IN_BLOCK = 256;

export function gatheredText(): GatheredText {
  let blocks: string[] = [];
  let pieces: string[] = [];
  return {
    add(piece) {
      if (piece === '' || pieces.push(piece) < PIECES_IN_BLOCK) return;
      blocks.push(pieces.join(''));
      pieces = [];
    },
    take() {
      const text = blocks.concat(pieces).join('');
      [blocks, pieces] = [[], []];
      return text;
    },
  };
}
