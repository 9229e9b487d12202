import { BACKSLASH, isWhiteSpace, skip } from './characters.js';
import { HeldText, type TextTaker } from './held-text.js';
import { bracketsIn, type Cut, lastCut } from './live-cuts.js';
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

class MarkedText implements LiveText, TextTaker {
  readonly #rewrite: RewritePart;
  readonly #handOver: (part: string) => void;
  readonly #isInsertion: IsInsertion;
  readonly #text = new HeldText(this);
  #brackets = 0;
  #hasGiven = false;
  /** White space that was rewritten and may be the text's end. */
  #space = '';
  /** What is decided with the part that is looked at: handed over at once, however many pieces of code it has. */
  #decided = '';
  /** Only white space was seen behind the last fenced code. */
  #isBehindFence = false;

  constructor(rewrite: RewritePart, handOver: (part: string) => void, isInsertion: IsInsertion) {
    this.#rewrite = rewrite;
    this.#handOver = handOver;
    this.#isInsertion = isInsertion;
  }

  push(part: string): void {
    this.#text.push(part);
    const decided = this.#decided;
    this.#decided = '';
    if (decided !== '') this.#handOver(decided);
  }

  nextCut(): Cut {
    const { held, context } = this.#text;
    const found = lastCut(held, context === '');
    if (typeof found.opened !== 'object') return found;
    const { lineEnd } = found.opened;
    const line = held.lastIndexOf('\n', lineEnd - 1) + 1;
    return this.#isInserted(line + 1, lineEnd - 1) ? { cut: 0, opened: 'unclear' } : found;
  }

  nextCodeCut(length: number): number {
    if (this.#isInserted(0, length)) this.#text.freeze();
    return length;
  }

  /** What is put into code goes behind it, on a line of its own: the rest is held back. */
  #isInserted(from: number, to: number): boolean {
    const { offset } = this.#text;
    return this.#isInsertion(offset + from, offset + to);
  }

  takeText(text: string): void {
    const { context, offset } = this.#text;
    const isOfCode = this.#isBehindFence && this.#isInserted(0, skip(text, 0, isPassedBack));
    this.#isBehindFence = false;
    const isMarked = SPECIAL.test(text) || this.#isInserted(0, text.length - 1);
    const written = isMarked ? this.#rewrite(context + text, offset - context.length).slice(context.length) : text;
    if (isMarked) this.#brackets += bracketsIn(text) + bracketsIn(written);
    if (isOfCode || this.#brackets > MAX_BRACKETS) this.#text.freeze();
    else this.#give(written);
  }

  /** Goes as it is. */
  takeCode(text: string): void {
    this.#isBehindFence = true;
    this.#give(text);
  }

  /** White space in front belongs to no answer, also where a marker was removed from the beginning, and neither does that at the end. */
  #give(written: string): void {
    const text = this.#hasGiven ? this.#space + written : written.trimStart();
    const part = text.trimEnd();
    this.#space = text.slice(part.length);
    if (part === '') return;
    this.#hasGiven = true;
    this.#decided += part;
  }
}

const SPECIAL = /[[\]【】]/;

/** Over these, what is put in goes back to what it belongs to. */
function isPassedBack(code: number): boolean {
  return code === BACKSLASH || isWhiteSpace(code);
}
