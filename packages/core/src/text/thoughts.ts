import { UpstreamError } from '../base/errors/upstream-error.js';
import { parseVendorJson } from '../base/json-counts.js';
import type { AnnotatedText, Mark } from './marks.js';
import { TAG_WORD, type ThoughtTag, thoughtTagAt } from './thought-tags.js';

/*
 * Some models write their thoughts into the text of the answer. Thoughts are:
 * - the text from an opening tag at the beginning of a line up to the next closing tag, or to the end of the text;
 * - the text from any other opening tag up to the next closing tag. Without a closing tag, the text talks about the tag;
 * - all text before a closing tag alone, because the prompts of some models contain the opening tag.
 * A tag is text in code and in quotation marks. A closing tag is text inside of a sentence: after a word and a space, with a punctuation mark or a word in
 * lower case behind; with an opening tag before, only if at most a short word such as "and" stands between. A JSON text is data, and stays unchanged.
 */

const SPECIAL = /[\r\n`<＜◁&[]/;
const TAG_BEGIN = /[<＜◁&[]/;
const QUOTES_BEFORE = /["'“‘«(]$/;
const QUOTES_BEHIND = /^["'”’»)]/;
const WORD_BEFORE = /[\p{L}\p{N},:;] $/u;
const SENTENCE_BEHIND = /^(?:[.,;:!?)]| \p{Ll})/u;
const SHORT_WORD = /[>＞▷;\]][\s,.…]{0,4}\p{Ll}{0,3}[\s,.…]{0,4}$/u;
/** Most characters behind a closing tag that can decide whether the tag is in code. */
const MAX_LINE = 1_000;

/** Removes the thoughts from a text that comes in parts. The result does not depend on the division into parts. */
export class ThoughtReader {
  readonly #give: (text: string, marks: readonly Mark[]) => void;
  /** Most characters of the beginning that are held back up to a closing tag, which can turn them into thoughts. */
  hold: number;
  /** The text that is not read, and its offset in the whole text. */
  #held = '';
  #offset = 0;
  /** Marks of the unread text, by offsets in the whole text. */
  readonly #marks: Mark[] = [];
  /** Text that is read, and not handed over. */
  #out = '';
  #outMarks: Mark[] = [];
  /** The offset in the read text from which it may be a thought; -1 outside. */
  #from = -1;
  /** Whether the thought needs no closing tag. */
  #isSure = false;
  /** Whether the text has had more than white space, since the last closing tag alone. */
  #hasWords = false;
  #hasGiven = false;
  /** Whether no text has followed the last thought. */
  #isBehind = false;
  /** Whether the current line has only white space and signs of quotes so far. */
  #isBlank = true;
  /** The last two characters of the line. */
  #last = '';
  /** The back-quotes that may have begun code. */
  #code = '';
  #isFence = false;

  constructor(give: (text: string, marks: readonly Mark[]) => void, hold = 0) {
    this.#give = give;
    this.hold = hold;
  }

  /** @throws UpstreamError `upstream_invalid_response` for a closing tag that turns text into thoughts that was handed over. */
  push(part: string, marks: readonly Mark[] = [], isEnd = false): void {
    const at = this.#offset + this.#held.length;
    for (const mark of marks) this.#marks.push({ ...mark, at: mark.at + at });
    this.#held += part;
    this.#place();
    while (this.#held !== '' && this.#read(isEnd));
    if (isEnd && this.#isSure) this.#cut(this.#from);
    const end = isEnd || this.#from === -1 ? this.#out.length : this.#from;
    const isReady = isEnd || this.#hasGiven || (this.#hasWords && end > this.hold);
    if (!isReady || (end === 0 && (this.#outMarks[0]?.at ?? 1) > 0)) return;
    const text = this.#out.slice(0, end);
    const given = this.#outMarks.filter((mark) => mark.at <= end);
    this.#hasGiven = true;
    this.#out = this.#out.slice(end);
    this.#outMarks = this.#outMarks.slice(given.length).map((mark) => ({ ...mark, at: mark.at - end }));
    if (this.#from !== -1) this.#from = 0;
    this.#give(text, given);
  }

  /** Reads the next characters as text. @returns true, for a condition. */
  #take(length: number): true {
    const text = this.#held.slice(0, length);
    if (/\S/.test(text)) {
      this.#isBehind = false;
      this.#hasWords ||= this.#from === -1;
      this.#isBlank &&= /^[\s>]*$/.test(text);
    }
    this.#last = (this.#last + text.slice(-2)).slice(-2);
    this.#out += text;
    return this.#skip(length);
  }

  #skip(length: number): true {
    this.#held = this.#held.slice(length);
    this.#offset += length;
    this.#place();
    return true;
  }

  /** Places the marks of the text that is read, or drops them behind a thought. A mark at the end of a text belongs to it. */
  #place(): void {
    if (this.#marks.length === 0) return;
    const next = this.#marks.findIndex(({ at }) => at > this.#offset);
    const placed = this.#marks.splice(0, next === -1 ? this.#marks.length : next);
    const shift = this.#out.length - this.#offset;
    if (!this.#isBehind) for (const mark of placed) this.#outMarks.push({ ...mark, at: mark.at + shift });
  }

  /** Reads one part of the text. @returns `false` if later text decides. */
  #read(isEnd: boolean): boolean {
    const start = this.#held.search(this.#isSure ? TAG_BEGIN : SPECIAL);
    if (start !== 0) return this.#take(start === -1 ? this.#held.length : start);
    if (/^[\r\n]/.test(this.#held)) {
      this.#newLine();
      return this.#take(1);
    }
    if (this.#held.startsWith('`')) return this.#readRow(isEnd);
    const tag = thoughtTagAt(this.#held, isEnd);
    if (tag === undefined) return false;
    if (tag?.kind === 'closes' && !this.#isFence) return this.#readClosing(tag, isEnd);
    const isTag = tag !== null && this.#code === '' && this.#from === -1;
    if (!isTag) return this.#take(tag?.length ?? 1);
    if (tag.kind === 'empty') return this.#isBlank ? this.#skip(tag.length) : this.#take(tag.length);
    return this.#readOpening(tag, isEnd);
  }

  #newLine(): void {
    this.#isBlank = true;
    this.#last = '';
    if (!this.#isFence) this.#code = '';
  }

  /** Reads back-quotes, which begin or end code. */
  #readRow(isEnd: boolean): boolean {
    const [row = ''] = /^`{1,1000}/.exec(this.#held) ?? [];
    if (row.length === this.#held.length && row.length < MAX_LINE && !isEnd) return false;
    if (this.#code === '') {
      this.#code = row;
      this.#isFence = this.#isBlank && row.length > 2;
    } else if (this.#isFence ? row.startsWith(this.#code) : row === this.#code) {
      this.#code = '';
      this.#isFence = false;
    }
    return this.#take(row.length);
  }

  #isQuoted(behind: string): boolean {
    return QUOTES_BEFORE.test(this.#last) && QUOTES_BEHIND.test(behind);
  }

  #readOpening({ length }: ThoughtTag, isEnd: boolean): boolean {
    if (!isEnd && this.#held.length === length && QUOTES_BEFORE.test(this.#last)) return false;
    if (this.#isQuoted(this.#held.slice(length))) return this.#take(length);
    this.#from = this.#out.length;
    this.#isSure = this.#isBlank;
    return this.#take(length);
  }

  #readClosing({ length }: ThoughtTag, isEnd: boolean): boolean {
    const isText = !this.#isSure && this.#isText(this.#held.slice(length, length + MAX_LINE), isEnd);
    if (isText === undefined) return false;
    if (isText) return this.#take(length);
    if (this.#from !== -1) this.#cut(this.#from);
    else if (!this.#isBehind) this.#void();
    this.#isBehind = true;
    this.#isFence = false;
    this.#newLine();
    return this.#skip(length);
  }

  /** Whether a closing tag is text; `undefined` if later text decides. */
  #isText(behind: string, isEnd: boolean): boolean | undefined {
    const isOpen = !isEnd && behind.length < MAX_LINE;
    if (this.#code !== '') {
      const [line = ''] = /^[^\r\n]*/.exec(behind) ?? [];
      const mayGrow = isOpen && line.length === behind.length;
      const rows: string[] = (mayGrow ? line.replace(/`+$/, '') : line).match(/`+/g) ?? [];
      if (rows.includes(this.#code)) return true;
      if (mayGrow) return undefined;
    }
    if (isOpen && behind.length < 2) return undefined;
    if (this.#isQuoted(behind)) return true;
    const isTalk = this.#from === -1 || SHORT_WORD.test(this.#out.slice(Math.max(this.#from, this.#out.length - 20)));
    if (!isTalk || !WORD_BEFORE.test(this.#last) || !SENTENCE_BEHIND.test(behind)) return false;
    this.#from = -1;
    return true;
  }

  /** Removes the read text from an offset on. */
  #cut(from: number): void {
    this.#out = this.#out.slice(0, from);
    this.#outMarks = this.#outMarks.filter(({ at }) => at <= from);
    this.#from = -1;
    this.#isSure = false;
  }

  /** All text so far was a thought. */
  #void(): void {
    const detail = 'the delivered text turned out to be thoughts';
    if (this.#hasGiven) throw new UpstreamError('upstream_invalid_response', { phase: 'shape', status: 200, detail });
    this.#cut(0);
    this.#outMarks = [];
    this.#hasWords = false;
    this.hold = 0;
  }
}

/** Removes the thoughts from a whole text, and moves its marks. Marks inside of thoughts are dropped. */
export function withoutThoughts({ text, marks }: AnnotatedText): AnnotatedText {
  const isJson = () => /^\s*[[{]/.test(text) && parseVendorJson(text) !== undefined;
  if (!TAG_WORD.test(text) || isJson()) return { text, marks };
  let kept: AnnotatedText = { text: '', marks: [] };
  const reader = new ThoughtReader((piece, ofPiece) => (kept = { text: piece, marks: ofPiece }));
  reader.push(text, marks, true);
  return kept;
}
