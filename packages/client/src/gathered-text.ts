/** Collects pieces of text. Concatenating strings would keep 32 bytes per piece, however small. */
export interface GatheredText {
  add(piece: string): void;
  /** Returns and clears the text collected so far. */
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
