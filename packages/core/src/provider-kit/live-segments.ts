import type { CitedPiece } from '../text/annotated-text.js';
import type { Source } from '../text/collect-citations.js';
import { MAX_ANNOTATIONS } from '../text/reply-limits.js';
import type { LiveParts } from './live-parts.js';

/**
 * The text of a model that uses tools between segments of text, while it comes: what is handed over is the beginning of what `joinSegments`
 * makes of the whole. A segment that cites nothing may be one of those it drops, so each is held back until it cites something.
 */
export class LiveSegments {
  readonly #live: LiveParts;
  #sources = 0;
  #cited = 0;
  /** The pieces of a segment that may be dropped; `null` for one that stays. */
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
    // Of a longer list not all is read.
    if (this.#sources > MAX_ANNOTATIONS) this.stop();
    if (!this.#isStopped) this.#live.sources([source]);
    return this.#sources;
  }

  text(text: string): void {
    this.#hasWords ||= text.trim() !== '';
    this.#add({ text, positions: [] });
  }

  /** Puts the markers of these sources behind the text so far. */
  cite(positions: readonly number[]): void {
    if (positions.length === 0) return;
    this.#isKept = true;
    this.#add({ text: '', positions });
  }

  /** Says that something in the segment is going to be cited. */
  keep(): void {
    this.#isKept = true;
    this.#release();
  }

  /** A tool was used. */
  next(): void {
    this.#held = [];
    this.#hasWords = false;
    this.#isKept = false;
  }

  /** Hands over nothing further. */
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
