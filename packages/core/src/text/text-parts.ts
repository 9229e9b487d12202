interface Part {
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
}

interface Shortened {
  readonly text: string;
  /** Where an offset of the whole text is now. Has to be asked in ascending order. */
  offsetOf(offset: number): number;
}

/**
 * Takes parts out of a text.
 *
 * @param parts in order of the text, without overlaps.
 */
export function withoutParts(whole: string, parts: readonly Part[]): Shortened {
  const kept: string[] = [];
  let from = 0;
  for (const { start, end } of parts) {
    kept.push(whole.slice(from, start));
    from = end;
  }
  kept.push(whole.slice(from));
  let [passed, removed] = [0, 0];
  return {
    text: kept.join(''),
    offsetOf(offset) {
      for (let part = parts[passed]; part !== undefined && part.end <= offset; part = parts[passed]) {
        removed += part.end - part.start;
        passed += 1;
      }
      const begun = parts[passed];
      return Math.min(offset, begun?.start ?? offset) - removed;
    },
  };
}
