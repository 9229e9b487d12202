import { type Annotation, insertMarkers } from './annotated-text.js';
import { signsIn } from './live-cuts.js';
import { createLiveText } from './live-text.js';
import { MAX_ANNOTATIONS, MAX_TOKENS } from './reply-limits.js';

/** Puts markers into a text while it comes, as `joinCited` does into a whole one. */
export interface LiveCited {
  text(part: string): void;
  /** Puts markers of these numbers behind the text so far. */
  cite(positions: readonly number[]): void;
}

/**
 * What is handed over is the beginning of what `joinCited` makes of the whole text. Where its limits may play a part, or where a marker belongs
 * behind fenced code, the rest is held back to the end.
 */
export function createLiveCited(handOver: (part: string) => void): LiveCited {
  let length = 0;
  let cited = 0;
  let signs = 0;
  /** Those whose place is still held back, each place once, in order of the text. */
  let waiting: Waiting[] = [];

  function insert(text: string, at: number): string {
    const now = waiting.filter(({ endIndex }) => endIndex < at + text.length);
    waiting = waiting.slice(now.length);
    const annotations = now.map(({ endIndex, positions }) => ({ endIndex: endIndex - at, positions }));
    return insertMarkers(text, annotations, 'utf16');
  }

  const isWaiting = (from: number, to: number) => waiting.some(({ endIndex }) => endIndex >= from && endIndex <= to);
  const live = createLiveText(insert, handOver, isWaiting);
  const isFull = () => cited > MAX_ANNOTATIONS || signs > MAX_TOKENS;

  return {
    text(part) {
      signs += signsIn(part);
      length += part.length;
      if (!isFull()) live.push(part);
    },
    cite(positions) {
      cited += 1;
      if (isFull()) return;
      const last = waiting.at(-1);
      if (last?.endIndex === length) last.positions.push(...positions);
      else waiting.push({ endIndex: length, positions: [...positions] });
    },
  };
}

interface Waiting extends Annotation {
  readonly positions: number[];
}
