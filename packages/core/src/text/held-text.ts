import { type Cut, fenceEnd } from './live-cuts.js';

/** A longer held text is looked through again only when it has doubled, so that time stays linear in the text. */
const SHORT = 1_000;
/** When more than this is held back, nothing is handed over any more. */
const MAX_HELD = 100_000;

/** Says where a text can be cut, and takes what is in front of the cut. May freeze the text at any time. */
export interface TextTaker {
  /** Where the held text can be cut, which is no code. */
  nextCut(): Cut;
  /** Where the held code can be cut, of which so much is code for certain: there or before. */
  nextCodeCut(length: number): number;
  /** Takes text that {@link HeldText.context} is in front of. A fence that opens code comes with it. */
  takeText(text: string): void;
  /** Takes text from the inside of fenced code. The fence that closes it comes with it. */
  takeCode(text: string): void;
}

/** With a bracket a marker begins, with the other one what a program was to replace by a marker. */
const REMOVABLE = /^[[【\ue200]/;

/**
 * Holds back the end of a text that comes in parts, until it is decided what it is. What is decided goes to its taker: code inside of fences apart,
 * everything else as text.
 */
export class HeldText {
  readonly #taker: TextTaker;
  #held = '';
  /** How much of the text was in front of what is held. */
  #offset = 0;
  /** The last character of that; none at the beginning of the text. */
  #context = '';
  #lookedAt = 0;
  /** Set inside of fenced code: the characters that close it. */
  #fence: string | null = null;
  #isFrozen = false;

  constructor(taker: TextTaker) {
    this.#taker = taker;
  }

  get held(): string {
    return this.#held;
  }

  get offset(): number {
    return this.#offset;
  }

  get context(): string {
    return this.#context;
  }

  get isFrozen(): boolean {
    return this.#isFrozen;
  }

  push(part: string): void {
    if (this.#isFrozen || part === '') return;
    this.#held += part;
    this.look();
  }

  /** Hands over what is decided. */
  look(): void {
    const { length } = this.#held;
    if (length > SHORT && length < 2 * this.#lookedAt) return;
    if (length > MAX_HELD) this.freeze();
    while (!this.#isFrozen && (this.#fence === null || this.#passFence(this.#fence))) {
      const { cut, opened } = this.#taker.nextCut();
      if (opened === 'unclear') this.freeze();
      else this.take(opened?.lineEnd ?? cut);
      if (opened === undefined || opened === 'unclear') break;
      // The fence and what is in front of it were taken together; from the next line on it is code.
      this.#fence = opened.fence;
    }
    this.#lookedAt = this.#held.length;
  }

  /** Hands over so much of the held text, which is no code. */
  take(length: number): void {
    if (length === 0 || this.#isFrozen) return;
    this.#taker.takeText(this.#held.slice(0, length));
    this.#pass(length);
  }

  /** Ends fenced code with the text. @returns whether it was still open. */
  endCode(): boolean {
    if (this.#fence === null) return false;
    const { end } = fenceEnd(this.#held, this.#fence);
    this.#leaveFence(end ?? this.#held.length);
    return end === undefined;
  }

  /** Begins another text. */
  restart(): void {
    this.#held = '';
    this.#offset = 0;
    this.#context = '';
    this.#lookedAt = 0;
    this.#fence = null;
  }

  /** Hands over nothing any more. */
  freeze(): void {
    this.#isFrozen = true;
    this.restart();
  }

  /** Fenced code is no text up to the line that may close it. @returns whether to look further. */
  #passFence(fence: string): boolean {
    const { end, safe } = fenceEnd(this.#held, fence);
    const cut = this.#taker.nextCodeCut(end ?? safe);
    if (end === cut) this.#leaveFence(end);
    else this.#takeCode(cut);
    return end === cut && !this.#isFrozen;
  }

  #leaveFence(end: number): void {
    this.#takeCode(end);
    this.#fence = null;
    // A letter stands for the end of the code: nothing behind it belongs to what is in front.
    this.#context = 'x';
    // But a reader of the whole would part what is left on both sides of what is removed here.
    if (REMOVABLE.test(this.#held)) this.freeze();
  }

  #takeCode(length: number): void {
    if (length === 0 || this.#isFrozen) return;
    this.#taker.takeCode(this.#held.slice(0, length));
    this.#pass(length);
  }

  #pass(length: number): void {
    if (this.#isFrozen) return;
    this.#context = this.#held.charAt(length - 1);
    this.#held = this.#held.slice(length);
    this.#offset += length;
  }
}
