import { UpstreamError } from '../base/errors/upstream-error.js';
import { parseVendorJson } from '../base/json-counts.js';
import type { AnnotatedText, Mark } from './marks.js';
import { TAG_WORD, type ThoughtTag, thoughtTagAt } from './thought-tags.js';

/*
 * Some models write their thoughts into the text of the answer. Thoughts are:
 * - the text from an opening tag at the beginning of a line up to the next closing tag, or to the end of the text;
 * - all text before a closing tag, because the prompts of some models contain the opening tag.
 * A tag is text in code, and an opening tag is text behind other text of its line, with a closing tag on that line. A closing tag is text inside of a sentence:
 * in quotation marks, or after a word and a space, with a punctuation mark or a word in lower case behind. A JSON text is data, and stays unchanged.
 */

const SPECIAL = /[\r\n`<＜◁&[]/;
const QUOTES_BEFORE = /["'“‘«(]$/;
const QUOTES_BEHIND = /^["'”’»)]/;
const WORD_BEFORE = /[\p{L}\p{N},:;] $/u;
const SENTENCE_BEHIND = /^(?:[.,;:!?)]| \p{Ll})/u;
/** Most characters behind a closing tag that can decide whether the tag is in code. */
const MAX_LINE = 1_000;

/** Removes the thoughts from a text that comes in parts. The result does not depend on the division into parts. */
export class ThoughtReader {
  readonly #give: (text: string, marks: readonly Mark[]) => void;
  /** Most characters of the beginning that are held back up to a closing tag, which can turn them into thoughts. `undefined` means 0. */
  hold: number | undefined;
  /** The text that is not decided, and its offset in the whole text. */
  #held = '';
  #offset = 0;
  /** Marks of the undecided text, by offsets in the whole text. */
  readonly #marks: Mark[] = [];
  /** Text that is held back. */
  #pending = '';
  #pendingMarks: Mark[] = [];
  /** Whether the text has had more than white space, since the last closing tag without an opening tag. */
  #hasWords = false;
  #hasGiven = false;
  #isThought = false;
  /** Whether no text has followed the last thought. */
  #isBehind = false;
  /** Whether the current line has only white space and signs of quotes so far. */
  #isBlank = true;
  /** The last two characters of the line. */
  #last = '';
  /** Opening tags of the line that are text. */
  #openings = 0;
  /** The back-quotes that may have begun code. */
  #code = '';
  #isFence = false;

  constructor(give: (text: string, marks: readonly Mark[]) => void, hold?: number) {
    this.#give = give;
    this.hold = hold;
  }

  /** @throws UpstreamError `upstream_invalid_response` for a closing tag that turns text into thoughts that was handed over. */
  push(part: string, marks: readonly Mark[] = []): void {
    const at = this.#offset + this.#held.length;
    for (const mark of marks) this.#marks.push({ ...mark, at: mark.at + at });
    // Marks of earlier text.
    if (this.#held === '') this.#place(!this.#isThought && !this.#isBehind);
    this.#held += part;
    this.#read(false);
  }

  /** Ends the text. */
  end(): void {
    this.#read(true);
  }

  #read(isEnded: boolean): void {
    while (this.#held !== '' && (this.#isThought ? this.#readThought(isEnded) : this.#readText(isEnded)));
    const isReady = this.#hasGiven || (this.#hasWords && this.#pending.length > (this.hold ?? 0));
    if ((!isEnded && !isReady) || (this.#pending === '' && this.#pendingMarks.length === 0)) return;
    const [text, marks] = [this.#pending, this.#pendingMarks];
    this.#hasGiven = true;
    this.#pending = '';
    this.#pendingMarks = [];
    this.#give(text, marks);
  }

  /** Decides the next characters. @returns true, for a condition. */
  #take(length: number, isKept = false): true {
    const text = this.#held.slice(0, length);
    const hasWords = isKept && /\S/.test(text);
    if (this.#isBehind) this.#place(false);
    this.#isBehind &&= !hasWords;
    this.#hasWords ||= hasWords;
    this.#held = this.#held.slice(length);
    this.#offset += length;
    if (isKept) {
      this.#pending += text;
      this.#isBlank &&= /^[\s>]*$/.test(text);
      this.#last = (this.#last + text.slice(-2)).slice(-2);
    }
    this.#place(isKept && !this.#isBehind);
    return true;
  }

  /** Places or drops the marks up to the end of the decided text. A mark at its end belongs to it. */
  #place(isKept: boolean): void {
    if (this.#marks.length === 0) return;
    const next = this.#marks.findIndex(({ at }) => at > this.#offset);
    const placed = this.#marks.splice(0, next === -1 ? this.#marks.length : next);
    if (!isKept) return;
    const shift = this.#pending.length - this.#offset;
    for (const mark of placed) this.#pendingMarks.push({ ...mark, at: mark.at + shift });
  }

  #newLine(): void {
    this.#isBlank = true;
    this.#last = '';
    this.#openings = 0;
    if (!this.#isFence) this.#code = '';
  }

  /** Reads on to the end of the thoughts. @returns `false` if later text decides. */
  #readThought(isEnded: boolean): boolean {
    const start = this.#held.search(/[<＜◁&[]/);
    if (start !== 0) return this.#take(start === -1 ? this.#held.length : start);
    const tag = thoughtTagAt(this.#held, isEnded);
    if (tag === undefined) return false;
    return tag?.kind === 'closes' ? this.#endThought(tag) : this.#take(tag?.length ?? 1);
  }

  #endThought({ length }: ThoughtTag): true {
    this.#isThought = false;
    this.#isBehind = true;
    this.#isFence = false;
    this.#newLine();
    return this.#take(length);
  }

  #readText(isEnded: boolean): boolean {
    const start = this.#held.search(SPECIAL);
    if (start !== 0) return this.#take(start === -1 ? this.#held.length : start, true);
    if (/^[\r\n]/.test(this.#held)) {
      this.#take(1, true);
      this.#newLine();
      return true;
    }
    if (this.#held.startsWith('`')) return this.#readRow(isEnded);
    const tag = thoughtTagAt(this.#held, isEnded);
    if (tag === undefined) return false;
    if (tag === null || this.#isFence) return this.#take(tag?.length ?? 1, true);
    if (tag.kind === 'closes') return this.#readClosing(tag, isEnded);
    if (!this.#isBlank && this.#code === '' && tag.kind === 'opens') this.#openings += 1;
    this.#isThought = this.#isBlank && tag.kind === 'opens';
    return this.#take(tag.length, !this.#isBlank);
  }

  /** Reads back-quotes, which begin or end code. */
  #readRow(isEnded: boolean): boolean {
    const [row = ''] = /^`{1,1000}/.exec(this.#held) ?? [];
    if (row.length === this.#held.length && row.length < MAX_LINE && !isEnded) return false;
    if (this.#code === '') {
      this.#code = row;
      this.#isFence = this.#isBlank && row.length > 2;
    } else if (this.#isFence ? row.startsWith(this.#code) : row === this.#code) {
      this.#code = '';
      this.#isFence = false;
    }
    return this.#take(row.length, true);
  }

  /** Reads a closing tag without an opening tag. */
  #readClosing(tag: ThoughtTag, isEnded: boolean): boolean {
    const behind = this.#held.slice(tag.length, tag.length + MAX_LINE);
    const isOpen = !isEnded && behind.length < MAX_LINE;
    let isText = this.#code === '' && this.#openings > 0;
    if (isText) this.#openings -= 1;
    if (this.#code !== '') {
      const [line = ''] = /^[^\r\n]*/.exec(behind) ?? [];
      const mayGrow = isOpen && line.length === behind.length;
      const rows: string[] = (mayGrow ? line.replace(/`+$/, '') : line).match(/`+/g) ?? [];
      isText = rows.includes(this.#code);
      if (!isText && mayGrow) return false;
    } else if (!isText && isOpen && behind.length < 2) return false;
    isText ||= QUOTES_BEFORE.test(this.#last) && QUOTES_BEHIND.test(behind);
    isText ||= WORD_BEFORE.test(this.#last) && SENTENCE_BEHIND.test(behind);
    if (isText) return this.#take(tag.length, true);
    if (!this.#isBehind) this.#void();
    return this.#endThought(tag);
  }

  /** All text so far was a thought. */
  #void(): void {
    const detail = 'the delivered text turned out to be thoughts';
    if (this.#hasGiven) throw new UpstreamError('upstream_invalid_response', { phase: 'shape', status: 200, detail });
    this.#pending = '';
    this.#pendingMarks = [];
    this.#hasWords = false;
    if (this.hold !== Number.POSITIVE_INFINITY) this.hold = 0;
  }
}

/** Removes the thoughts from a whole text, and moves its marks. Marks inside of thoughts are dropped. */
export function withoutThoughts({ text, marks }: AnnotatedText): AnnotatedText {
  const isJson = () => /^\s*[[{]/.test(text) && parseVendorJson(text) !== undefined;
  if (!TAG_WORD.test(text) || isJson()) return { text, marks };
  let kept: AnnotatedText = { text: '', marks: [] };
  const reader = new ThoughtReader(
    (piece, ofPiece) => (kept = { text: piece, marks: ofPiece }),
    Number.POSITIVE_INFINITY,
  );
  reader.push(text, marks);
  reader.end();
  return kept;
}
