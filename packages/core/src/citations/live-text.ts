import { BACKSLASH, isWhiteSpace, skip } from './characters.js';
import { bracketsIn, fenceEnd, isOpening, lastCut } from './live-cuts.js';
import { MAX_BRACKETS } from './reply-limits.js';

/** Rewrites a text while it comes. */
export interface LiveText {
  /** Takes the next part, and hands over what is decided with it. What is still held back when the text ends is not handed over. */
  push(part: string): void;
}

/**
 * Rewrites a part of a text that can be followed by anything.
 *
 * @param at where the part begins in all that was pushed.
 */
export type RewritePart = (text: string, at: number) => string;

type IsInsertion = (from: number, to: number) => boolean;

/** A longer held text is looked through again only when it has doubled, so that time stays linear in the text. */
const SHORT = 1_000;
/** When more than this is held back, nothing is handed over any more. */
const MAX_HELD = 100_000;

/**
 * Rewrites the markers of a text in parts, with the same result as for the whole text: it is cut only where a rewriter of whole texts would
 * neither look back nor ahead, which is behind an ordinary character on a line where no bracket, code or link is open. White space and
 * what else may belong to a marker is held back.
 *
 * Where that cannot be known any more (code fences behind markers, far too many brackets), the rest is held back to the end.
 *
 * @param rewrite such as `normalizeMarkers`.
 * @param isInsertion whether `rewrite` is still to put something in at a place of all that was pushed, both ends included. It does so with
 * the first part that goes beyond the place. Default: it only changes markers.
 */
export function createLiveText(
  rewrite: RewritePart,
  handOver: (part: string) => void,
  isInsertion: IsInsertion = () => false,
): LiveText {
  return new MarkedText(rewrite, handOver, isInsertion);
}

class MarkedText implements LiveText {
  readonly #rewrite: RewritePart;
  readonly #handOver: (part: string) => void;
  readonly #isInsertion: IsInsertion;
  /** The length of what was pushed and is not held. */
  #taken = 0;
  #held = '';
  #lookedAt = 0;
  #brackets = 0;
  #isFrozen = false;
  #hasGiven = false;
  /** White space that was rewritten and may be the text's end. */
  #space = '';
  /** The character in front of what is held; none at the beginning of the text. */
  #context = '';
  /** Set inside of fenced code: the characters that close it. */
  #fence: string | null = null;
  /** Only white space was seen behind the last fenced code. */
  #isBehindFence = false;

  constructor(rewrite: RewritePart, handOver: (part: string) => void, isInsertion: IsInsertion) {
    this.#rewrite = rewrite;
    this.#handOver = handOver;
    this.#isInsertion = isInsertion;
  }

  push(part: string): void {
    if (this.#isFrozen || part === '') return;
    this.#held += part;
    const { length } = this.#held;
    if (length > SHORT && length < 2 * this.#lookedAt) return;
    if (length > MAX_HELD) this.#freeze();
    else this.#look();
    this.#lookedAt = this.#held.length;
  }

  #look(): void {
    while (!this.#isFrozen && (this.#fence === null || this.#passFence(this.#fence))) {
      const { cut, opened } = lastCut(this.#held, this.#context === '');
      if (opened === 'unclear') this.#freeze();
      if (opened === undefined) this.#cutAt(cut);
      if (opened === undefined || opened === 'unclear') return;
      this.#openFence(opened);
    }
  }

  /** The fence and what is in front of it are rewritten together; from the next line on it is code. */
  #openFence({ fence, lineEnd }: { readonly fence: string; readonly lineEnd: number }): void {
    const line = this.#held.lastIndexOf('\n', lineEnd - 1) + 1;
    if (this.#isInserted(line + 1, lineEnd - 1)) return;
    this.#cutAt(lineEnd);
    this.#fence = fence;
  }

  /** What is put into code goes behind it, on a line of its own: the rest is held back. */
  #isInserted(from: number, to: number): boolean {
    const isInserted = this.#isInsertion(this.#taken + from, this.#taken + to);
    if (isInserted) this.#freeze();
    return isInserted;
  }

  /** Hands over everything in front of a cut. */
  #cutAt(end: number): void {
    if (end === 0) return;
    if (this.#isBehindFence && this.#isInserted(0, skip(this.#held, 0, isPassedBack))) return;
    this.#isBehindFence = false;
    const part = this.#held.slice(0, end);
    const isMarked = SPECIAL.test(part) || this.#isInsertion(this.#taken, this.#taken + end - 1);
    const at = this.#taken - this.#context.length;
    const written = isMarked ? this.#rewrite(this.#context + part, at).slice(this.#context.length) : part;
    if (isMarked) this.#brackets += bracketsIn(part) + bracketsIn(written);
    if (this.#brackets > MAX_BRACKETS) {
      this.#freeze();
      return;
    }
    this.#context = part.charAt(end - 1);
    this.#take(end);
    this.#give(written);
  }

  #take(length: number): void {
    this.#held = this.#held.slice(length);
    this.#taken += length;
  }

  /** Fenced code goes as it is, up to the line that may close it. @returns whether to look further. */
  #passFence(fence: string): boolean {
    const { end, safe } = fenceEnd(this.#held, fence);
    if (this.#isInserted(0, end ?? safe)) return false;
    this.#give(this.#held.slice(0, end ?? safe));
    this.#take(end ?? safe);
    if (end === undefined) return false;
    this.#fence = null;
    this.#isBehindFence = true;
    // A letter stands for the end of the code: nothing behind it belongs to what is in front.
    this.#context = 'x';
    // But a rewriter would part what is left on both sides of a marker that is removed here.
    if (isOpening(this.#held.charCodeAt(0))) this.#freeze();
    return !this.#isFrozen;
  }

  /** White space in front belongs to no answer, also where a marker was removed from the beginning, and neither does that at the end. */
  #give(written: string): void {
    if (written === '') return;
    const text = this.#hasGiven ? this.#space + written : written.trimStart();
    const part = text.trimEnd();
    this.#space = part === text ? '' : text.slice(part.length);
    if (part === '') return;
    this.#hasGiven = true;
    this.#handOver(part);
  }

  #freeze(): void {
    this.#isFrozen = true;
    this.#held = '';
  }
}

const SPECIAL = /[[\]【】]/;

/** Over these, what is put in goes back to what it belongs to. */
function isPassedBack(code: number): boolean {
  return code === BACKSLASH || isWhiteSpace(code);
}
