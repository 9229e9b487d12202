import { MONTHS } from './dates.js';
import words from './words.json' with { type: 'json' };

/** Longer sentences are cut, in UTF-16 code units. */
const MAX_SENTENCE = 1_500;
/** An open bracket holds a sentence together no longer than this. */
const MAX_BRACKET = 500;
/** The most full stops, quotation marks and blanks that are waited for. */
const MAX_RUN = 50;

const ENDS = /[\p{STerm}…]/u;
const CLOSERS = /["'”’»)\]*_~]/;
const BLANK = /[^\S\r\n]/;
const LINE_END = /[\r\n]/;
const WORD_BEFORE = /(?:[\p{L}\p{M}]\.?)+$|\d+$/u;
const ABBREVIATIONS: ReadonlySet<string> = new Set(words.abbreviations.split(' '));

/** Finds the ends of sentences in a text that comes in parts, of any script. Each character is looked at a bounded number of times. */
export class SentenceScanner {
  #at = 0;
  #first = -1;
  #openAt = -1;
  #depth = 0;
  #isSpan = false;
  #isFence = false;
  /** Whether the sentence that was found last is a line of code. */
  isCode = false;

  /**
   * The end of the first sentence.
   *
   * @param text what follows the sentence before; it only grows. @param isEnd whether it is whole.
   * @returns `undefined` while later text may belong to the sentence.
   */
  endOf(text: string, isEnd: boolean): number | undefined {
    for (; this.#at < text.length; this.#at += 1) {
      const character = text.charAt(this.#at);
      const end = this.#look(text, character, isEnd);
      if (end === 'open') return undefined;
      if (end !== 'inside') return this.#found(end);
    }
    return isEnd && text !== '' ? this.#found(text.length) : undefined;
  }

  #found(end: number): number {
    this.#at = 0;
    this.#first = -1;
    this.#depth = 0;
    this.#isSpan = false;
    return end;
  }

  #look(text: string, character: string, isEnd: boolean): Decision {
    const at = this.#at;
    if (LINE_END.test(character)) return this.#first === -1 ? 'inside' : at;
    if (at >= MAX_SENTENCE) return cutBefore(text, at);
    if (this.#first === -1) {
      if (BLANK.test(character)) return 'inside';
      if (!isEnd && text.length < at + 3) return 'open';
      this.#open(text, at);
    }
    if (this.isCode) return 'inside';
    if (character === '`') this.#isSpan = !this.#isSpan;
    if (this.#isSpan) return 'inside';
    if (character === '[' || character === '(') {
      if (this.#depth === 0) this.#openAt = at;
      this.#depth += 1;
    } else if ((character === ']' || character === ')') && this.#depth > 0) this.#depth -= 1;
    if (!ENDS.test(character) || (this.#depth > 0 && at - this.#openAt < MAX_BRACKET)) return 'inside';
    return this.#judge(text, at, isEnd);
  }

  /** Begins a sentence, which may be a line of fenced code. */
  #open(text: string, at: number): void {
    this.#first = at;
    const isMark = text.startsWith('```', at) || text.startsWith('~~~', at);
    this.isCode = this.#isFence || isMark;
    if (isMark) this.#isFence = !this.#isFence;
  }

  /** Whether a full stop ends the sentence. */
  #judge(text: string, at: number, isEnd: boolean): Decision {
    const most = at + MAX_RUN;
    let end = at + 1;
    while (end < text.length && end < most && (ENDS.test(text.charAt(end)) || CLOSERS.test(text.charAt(end)))) end += 1;
    let next = end;
    while (next < text.length && next < most && BLANK.test(text.charAt(next))) next += 1;
    if (next === text.length) return isEnd ? end : next < most ? 'open' : end;
    const following = text.charAt(next);
    if (LINE_END.test(following)) return end;
    if (!/[.!?…]/.test(text.charAt(at))) return end;
    if (next === end || /\p{Ll}/u.test(following)) return 'inside';
    return text.charAt(at) === '.' && end === at + 1 && isAbbreviation(text, at, next) ? 'inside' : end;
  }
}

type Decision = number | 'inside' | 'open';

/** Whether a full stop belongs to a short word, an initial, a number of a list or the day of a month. */
function isAbbreviation(text: string, at: number, next: number): boolean {
  const [word = ''] = WORD_BEFORE.exec(text.slice(Math.max(0, at - 12), at)) ?? [];
  if (/^\d/.test(word)) {
    const [following = ''] = /^\p{L}+/u.exec(text.slice(next, next + 12)) ?? [];
    const isList = /^[\s>#*-]*\d{1,3}$/.test(text.slice(Math.max(0, at - 12), at)) && at < 12;
    return isList || (word.length < 3 && MONTHS.has(following.toLowerCase()));
  }
  return /^\p{L}$/u.test(word) || word.includes('.') || ABBREVIATIONS.has(word.toLowerCase());
}

/** Between words where possible. */
function cutBefore(text: string, at: number): number {
  const space = text.lastIndexOf(' ', at);
  if (space > at / 2) return space;
  return /[\uD800-\uDBFF]/.test(text.charAt(at - 1)) ? at - 1 : at;
}
