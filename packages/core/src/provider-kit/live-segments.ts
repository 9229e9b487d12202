import { isVisible } from '../base/options/characters.js';
import type { CitedPiece } from '../text/annotated-text.js';
import type { Source } from '../text/collect-citations.js';
import { MAX_ANNOTATIONS } from '../text/reply-limits.js';
import type { LiveParts } from './live-parts.js';

/**
 * Streams the text of a model that uses tools between segments of text. The text handed over is the beginning of the text that `joinSegments`
 * makes. `joinSegments` may drop a segment without citations, so each segment is held back until it cites a source.
 */
export class LiveSegments {
  readonly #live: LiveParts;
  #sources = 0;
  #cited = 0;
  /** The pieces of a segment that may be dropped; `null` when the segment stays. */
  #held: CitedPiece[] | null = [];
  #hasWords = false;
  #isKept = false;
  #hasReleased = false;
  #isStopped = false;

  constructor(live: LiveParts) {
    this.#live = live;
  }

  /** @returns the number of the source, for {@link cite}. */
  addSource(source: Source): number {
    this.#sources += 1;
    // The rest of a longer list is ignored.
    if (this.#sources > MAX_ANNOTATIONS) this.stop();
    if (!this.#isStopped) this.#live.sources([source]);
    return this.#sources;
  }

  text(text: string): void {
    this.#hasWords ||= isVisible(text);
    this.#add({ text, positions: [] });
  }

  /** Adds the markers of these sources after the text so far. */
  cite(positions: readonly number[]): void {
    if (positions.length === 0) return;
    this.#isKept = true;
    this.#add({ text: '', positions });
  }

  /** Keeps the segment, because it will cite a source. */
  keep(): void {
    this.#isKept = true;
    this.#release();
  }

  /** Begins another segment after the use of a tool. */
  next(): void {
    this.#held = [];
    this.#hasWords = false;
    this.#isKept = false;
  }

  /** Stops handing over. */
  stop(): void {
    this.#isStopped = true;
    this.#held = [];
  }

  #add(piece: CitedPiece): void {
    if (this.#isStopped) return;
    const last = this.#held?.at(-1);
    if (this.#held === null) this.#write(piece);
    else if (last?.positions.length === 0) this.#held.splice(-1, 1, { ...piece, text: last.text + piece.text });
    else this.#held.push(piece);
    this.#release();
  }

  #release(): void {
    if (this.#held === null || !this.#isKept || !this.#hasWords || this.#isStopped) return;
    if (this.#hasReleased) this.#write({ text: '\n\n', positions: [] });
    for (const piece of this.#held) this.#write(piece);
    this.#held = null;
    this.#hasReleased = true;
  }

  #write({ text, positions }: CitedPiece): void {
    const isCited = positions.length > 0 && this.#cited < MAX_ANNOTATIONS;
    if (isCited) this.#cited += 1;
    this.#live.text(text, isCited ? [{ at: text.length, ids: positions }] : []);
  }
}
