import { UpstreamError } from '../base/errors/upstream-error.js';
import type { AnnotatedText, Mark } from './marks.js';
import { TAG_START, TAG_WORD, type ThoughtTag, thoughtTagAt } from './thought-tags.js';

/*
 * Some models write their thoughts into the text of the answer. Thoughts are:
 * - the text from an opening tag at the beginning of a line up to the next closing tag, or to the end of the text;
 * - all text before a closing tag, because the prompts of some models contain the opening tag.
 * A tag is text in code, and an opening tag is text behind other text of its line, with a closing tag on that line. A closing tag is text inside of a sentence:
 * in quotation marks, or after a word and a space, with a punctuation mark or a word in lower case behind. A JSON text is data, and stays unchanged.
 */

const SPECIAL = new RegExp(`[\\r\\n\`~${TAG_START.replace('[', '\\[')}]`, 'g');
const QUOTES_BEFORE = /["'“‘«(]$/;
const QUOTES_BEHIND = /^["'”’»)]/;
/** Most characters that can decide whether a tag is in code. */
const MAX_LINE = 1_000;

/** What is known of the current line. */
interface Line {
  /** Whether the line has only white space and signs of quotes so far. */
  isBlank: boolean;
  /** The last two characters. */
  last: string;
  /** Opening tags that are text. */
  openings: number;
  /** The length of the row of back-quotes that may begin code; 0 for none. */
  quotes: number;
}

const newLine = (): Line => ({ isBlank: true, last: '', openings: 0, quotes: 0 });

/** Removes the thoughts from a text that comes in parts. The result does not depend on the division into parts. */
export class ThoughtReader {
  readonly #give: (text: string, marks: readonly Mark[]) => void;
  /** Most characters of the beginning that are held back up to a closing tag, which can turn them into thoughts. */
  hold: number;
  /** The text that is not decided, and its offset in the whole text. */
  #held = '';
  #offset = 0;
  /** Marks of the undecided text, by offsets in the whole text. */
  #marks: Mark[] = [];
  /** Text that is held back. */
  #pending = '';
  #pendingMarks: Mark[] = [];
  /** Whether more than white space is held back. */
  #hasWords = false;
  #hasGiven = false;
  #isThought = false;
  /** Whether no text has followed the last thought. */
  #isBehind = false;
  #line = newLine();
  #fence = '';

  constructor(give: (text: string, marks: readonly Mark[]) => void, hold = 0) {
    this.#give = give;
    this.hold = hold;
  }

  /** @throws UpstreamError `upstream_invalid_response` for a closing tag that turns text into thoughts that was handed over. */
  push(part: string, marks: readonly Mark[] = []): void {
    const at = this.#offset + this.#held.length;
    for (const mark of marks) this.#marks.push({ ...mark, at: mark.at + at });
    // Marks of earlier text.
    if (this.#held === '') this.#place(at, !this.#isThought && !this.#isBehind);
    this.#held += part;
    this.#read(false);
  }

  /** Ends the text. */
  end(): void {
    this.#read(true);
  }

  #read(isEnded: boolean): void {
    while (this.#held !== '' && (this.#isThought ? this.#readThought(isEnded) : this.#readText(isEnded)));
    const isReady = this.#hasGiven || (this.#hasWords && this.#pending.length > this.hold);
    if (!isEnded && !isReady) return;
    if (this.#pending === '' && this.#pendingMarks.length === 0) return;
    const [text, marks] = [this.#pending, this.#pendingMarks];
    this.#hasGiven = true;
    this.#forget();
    this.#give(text, marks);
  }

  #forget(): void {
    this.#pending = '';
    this.#pendingMarks = [];
    this.#hasWords = false;
  }

  /** Decides the next characters. @returns true, for a condition. */
  #take(length: number, isKept: boolean): true {
    const text = this.#held.slice(0, length);
    if (this.#isBehind) this.#place(this.#offset, false);
    if (isKept && /\S/.test(text)) {
      this.#isBehind = false;
      this.#hasWords = true;
    }
    this.#held = this.#held.slice(length);
    this.#offset += length;
    // Marks at the end of the text belong to it.
    if (isKept) this.#pending += text;
    this.#place(this.#offset, isKept && !this.#isBehind);
    return true;
  }

  /** Places or drops the marks up to an offset, which is the end of the pending text. */
  #place(offset: number, isKept: boolean): void {
    let count = 0;
    for (const mark of this.#marks) {
      if (mark.at > offset) break;
      count += 1;
      if (isKept) this.#pendingMarks.push({ ...mark, at: this.#pending.length - (offset - mark.at) });
    }
    if (count > 0) this.#marks = this.#marks.slice(count);
  }

  /** Reads on to the end of the thoughts. @returns `false` if later text decides. */
  #readThought(isEnded: boolean): boolean {
    const start = this.#held.search(/[<＜◁&[]/);
    if (start !== 0) return this.#take(start === -1 ? this.#held.length : start, false);
    const tag = thoughtTagAt(this.#held, 0, isEnded);
    if (tag?.kind !== 'closes') return tag !== undefined && this.#take(tag?.length ?? 1, false);
    this.#isThought = false;
    return this.#endThought(tag);
  }

  #endThought({ length }: ThoughtTag): true {
    this.#isBehind = true;
    this.#line = newLine();
    this.#fence = '';
    return this.#take(length, false);
  }

  #readText(isEnded: boolean): boolean {
    SPECIAL.lastIndex = 0;
    const start = SPECIAL.exec(this.#held)?.index ?? this.#held.length;
    if (start > 0) return this.#takeInLine(start);
    const [first = ''] = this.#held;
    if (first === '\n' || first === '\r') {
      this.#line = newLine();
      return this.#take(1, true);
    }
    if (first === '`' || first === '~') return this.#readRow(first, isEnded);
    const tag = thoughtTagAt(this.#held, 0, isEnded);
    if (tag === undefined) return false;
    if (tag === null || this.#fence !== '') return this.#takeInLine(tag?.length ?? 1);
    return tag.kind === 'closes' ? this.#readClosing(tag, isEnded) : this.#readOpening(tag);
  }

  #takeInLine(length: number): true {
    const text = this.#held.slice(0, length);
    this.#line.isBlank &&= /^[\s>]*$/.test(text);
    this.#line.last = (this.#line.last + text.slice(-2)).slice(-2);
    return this.#take(length, true);
  }

  /** Reads a row of back-quotes or tildes, which begins or ends code. */
  #readRow(sign: string, isEnded: boolean): boolean {
    const [row = ''] = sign === '`' ? (/^`+/.exec(this.#held) ?? []) : (/^~+/.exec(this.#held) ?? []);
    const [rest = ''] = /^[^\r\n]{0,1000}/.exec(this.#held.slice(row.length)) ?? [];
    const isOpen = !isEnded && row.length + rest.length === this.#held.length && row.length + rest.length < MAX_LINE;
    const mayFence = this.#line.isBlank && row.length > 2;
    if (isOpen && (rest === '' || mayFence)) return false;
    if (this.#fence !== '') {
      if (mayFence && row.startsWith(this.#fence) && rest.trim() === '') this.#fence = '';
    } else if (mayFence && !rest.includes('`')) this.#fence = row;
    else if (sign === '`' && this.#line.quotes === 0) this.#line.quotes = row.length;
    else if (sign === '`' && this.#line.quotes === row.length) this.#line.quotes = 0;
    return this.#takeInLine(row.length);
  }

  #readOpening({ length, kind }: ThoughtTag): true {
    if (!this.#line.isBlank) {
      if (kind === 'opens' && this.#line.quotes === 0) this.#line.openings += 1;
      return this.#takeInLine(length);
    }
    this.#isThought = kind === 'opens';
    // Nothing but white space comes before the first thought.
    if (!this.#hasGiven && !this.#hasWords) this.#forget();
    return this.#take(length, false);
  }

  /** Reads a closing tag without an opening tag. */
  #readClosing(tag: ThoughtTag, isEnded: boolean): boolean {
    const behind = this.#held.slice(tag.length, tag.length + MAX_LINE);
    const isOpen = !isEnded && behind.length < MAX_LINE;
    const { openings, last, quotes } = this.#line;
    if (quotes > 0) {
      const [line = ''] = /^[^\r\n]*/.exec(behind) ?? [];
      const mayGrow = isOpen && line.length === behind.length;
      const rows = (mayGrow ? line.replace(/`+$/, '') : line).match(/`+/g) ?? [];
      if (rows.some((row) => row.length === quotes)) return this.#takeInLine(tag.length);
      if (mayGrow) return false;
    } else if (openings > 0) {
      this.#line.openings -= 1;
      return this.#takeInLine(tag.length);
    }
    if (isOpen && behind.length < 2) return false;
    const isQuoted = QUOTES_BEFORE.test(last) && QUOTES_BEHIND.test(behind);
    const isInSentence = /[\p{L}\p{N},:;] $/u.test(last) && /^(?:[.,;:!?)]| \p{Ll})/u.test(behind);
    if (isQuoted || isInSentence) return this.#takeInLine(tag.length);
    if (!this.#isBehind) this.#void();
    return this.#endThought(tag);
  }

  /** All text so far was a thought. */
  #void(): void {
    this.#forget();
    if (this.hold !== Number.POSITIVE_INFINITY) this.hold = 0;
    if (!this.#hasGiven) return;
    const detail = 'the delivered text turned out to be thoughts';
    throw new UpstreamError('upstream_invalid_response', { phase: 'shape', status: 200, detail });
  }
}

/** Removes the thoughts from a whole text, and moves its marks. Marks inside of thoughts are dropped. */
export function withoutThoughts({ text, marks }: AnnotatedText): AnnotatedText {
  if (!TAG_WORD.test(text) || isJson(text)) return { text, marks };
  let kept: AnnotatedText = { text: '', marks: [] };
  const reader = new ThoughtReader(
    (piece, ofPiece) => (kept = { text: piece, marks: ofPiece }),
    Number.POSITIVE_INFINITY,
  );
  reader.push(text, marks);
  reader.end();
  return kept;
}

function isJson(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
