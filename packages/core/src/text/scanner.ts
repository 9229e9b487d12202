import { type Bracketed, BracketReader } from './bracket-reader.js';
import { BACK_QUOTE, BACKSLASH, CARRIAGE_RETURN, isLetter, LESS_THAN, LINE_FEED, OPEN_BRACKET } from './characters.js';
import { type Blocks, behindQuotes, MAX_LINE_START, readLineStart } from './line-start.js';
import { matchAt, OPEN } from './marker-forms.js';
import { MAX_PASSAGES } from './reply-limits.js';
import { MAX_LOOKAHEAD, Paragraph, ScannedText } from './scanned-text.js';

/** A part of a text. */
export interface Token {
  /** `code` is a code span, indented code or HTML; each line of fenced code is a `fence` token. Code and links have no markers. */
  readonly kind: 'text' | 'code' | 'fence' | 'link' | 'marker';
  /** As it stands in the text. */
  readonly text: string;
  /** In UTF-16 code units of the whole text. */
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
  /** The numbers of a marker, such as `1`, `1, 2` or `1-3`. */
  readonly numbers?: string | undefined;
  /** Whether a marker directly follows a letter, a digit or a closing bracket, as the index of `list[1]` does. */
  readonly isGlued?: boolean | undefined;
  /** Whether the token is the closing fence of fenced code. */
  readonly isLast?: boolean | undefined;
  /** Whether the token may be only a part of a line or block of code. */
  readonly isPart?: boolean | undefined;
  /** The number of characters at the beginning of a line in front of which a marker would change the block that the line begins. */
  readonly opening?: number | undefined;
}

/** Receives the tokens of a text, in order. */
export interface TokenReader {
  add(token: Token): void;
}

/** A character of a line that may begin another token than text. */
const SPECIAL = /[`[【<\\\r\n]/g;
const CODE_TAG = /<(code|pre)(?:\s[^<>]*)?>/iy;
const CODE_TAG_BEGUN = /^<(?:c(?:o(?:de?)?)?|p(?:re?)?|(?:code|pre)\s[^<>]*)?$/i;
const MAX_TAG = 200;
const LONGEST_END_TAG = '</code>'.length + 9;

const NOTHING: Blocks = { containers: [], isParagraph: false };
const PARAGRAPH: Blocks = { containers: [], isParagraph: true };
const LAST_ASCII = 127;

type Mode = 'line' | 'text' | 'code' | 'pre' | 'fence line' | 'fence';

/**
 * Splits a text that comes in parts into tokens: code, links, citation markers and other text. Reads once from left to right, in time linear in any text. The
 * result does not depend on the division into parts.
 */
export class Scanner {
  readonly #reader: TokenReader;
  readonly #source = new ScannedText();
  readonly #paragraph = new Paragraph(this.#source);
  readonly #bracketed = new BracketReader(this.#source);
  #mode: Mode = 'line';
  #left = MAX_PASSAGES;
  #blocks: Blocks = { containers: [], isParagraph: false };
  #fence = { run: '', quotes: 0 };
  /** {@link Token.opening} of the next token. */
  #opening: number | undefined;

  constructor(reader: TokenReader) {
    this.#reader = reader;
  }

  /** The offset up to which the text was handed over. */
  get end(): number {
    return this.#source.end;
  }

  push(part: string): void {
    if (part !== '' && this.#source.push(part)) this.#read();
  }

  /** Ends the text and hands over the rest. */
  finish(): void {
    this.#source.isEnded = true;
    this.#read();
  }

  #read(): void {
    this.#source.look();
    while (this.#source.at < this.#source.text.length && this.#step());
  }

  /** @returns `false` if the next token depends on text that has not come yet. */
  #step(): boolean {
    if (this.#left <= 0) return this.#give('text', this.#source.text.length);
    switch (this.#mode) {
      case 'line':
        return this.#counted(this.#readLineStart());
      case 'text':
        return this.#readText();
      case 'code':
        return this.#passLine('code', 'line');
      case 'pre':
        return this.#readPre();
      case 'fence line':
        return this.#passLine('fence', 'fence');
      case 'fence':
        return this.#counted(this.#readFence());
    }
  }

  #counted(isRead: boolean): boolean {
    if (isRead) this.#left -= 1;
    return isRead;
  }

  #give(kind: Token['kind'], end: number, more: Partial<Token> = {}): true {
    const start = this.#source.at;
    if (end > start) {
      this.#source.at = end;
      const text = this.#source.text.slice(start, end);
      const [opening, { base }] = [this.#opening, this.#source];
      this.#opening = undefined;
      this.#reader.add({ kind, text, start: base + start, end: base + end, opening, ...more });
    }
    return true;
  }

  #readLineStart(): boolean {
    if (this.#blocks.containers.length === 0 && this.#readOrdinaryLine()) return true;
    const { line, isWhole } = this.#source.lineAt(this.#source.at);
    const start = readLineStart(line, isWhole, this.#blocks);
    if (start === undefined) return false;
    if (start.kind !== 'continued') this.#beginBlock(start);
    const contentAt = this.#source.at + start.contentAt;
    const isText = (start.kind === 'text' || start.kind === 'continued') && start.contentAt < line.length;
    if (!isText) this.#opening = start.contentAt + 1;
    else if (line.slice(0, start.contentAt).trim() !== '') this.#opening = start.contentAt;
    if (start.kind === 'fence') {
      const quotes = start.containers.filter(({ kind }) => kind === 'quote').length;
      this.#fence = { run: start.fence, quotes };
      this.#mode = 'fence line';
    } else if (start.kind === 'code' || start.kind === 'pre') this.#mode = start.kind;
    else {
      this.#mode = 'text';
      this.#give('text', contentAt);
    }
    return true;
  }

  /** Recognizes most lines of text, and empty lines, by their first character. */
  #readOrdinaryLine(): boolean {
    const code = this.#source.text.charCodeAt(this.#source.at);
    if (code === LINE_FEED) {
      if (this.#blocks.isParagraph) this.#beginBlock(NOTHING);
      this.#opening = 1;
      return this.#give('text', this.#source.at + 1);
    }
    if (!isLetter(code) && code <= LAST_ASCII && code !== OPEN_BRACKET) return false;
    if (!this.#blocks.isParagraph) this.#beginBlock(PARAGRAPH);
    this.#mode = 'text';
    return true;
  }

  #beginBlock({ containers, isParagraph }: Blocks): void {
    this.#blocks = { containers, isParagraph };
    this.#paragraph.begin(this.#blocks);
  }

  /** Hands over the rest of a line at once. */
  #passLine(kind: 'code' | 'fence', next: Mode): boolean {
    const lineEnd = this.#source.lineEnd(this.#source.at);
    if (lineEnd === undefined) {
      const { length } = this.#source.text;
      const end = this.#source.text.endsWith('\r') && !this.#source.isEnded ? length - 1 : length;
      return end > this.#source.at && this.#give(kind, end, { isPart: true });
    }
    this.#mode = next;
    return this.#give(kind, lineEnd.end, { isPart: true });
  }

  /** Reads an HTML block up to its end tag, or to the end of the text. */
  #readPre(): boolean {
    const found = /<\/pre\s{0,9}>/i.exec(this.#source.text.slice(this.#source.at));
    if (found !== null) this.#mode = 'text';
    const { length } = this.#source.text;
    const undecided = this.#source.isEnded ? length : length - LONGEST_END_TAG;
    const end = found === null ? undecided : this.#source.at + found.index + found[0].length;
    return end > this.#source.at && this.#give('code', end, { isPart: true });
  }

  /** Reads the beginning of a line of fenced code. The end of its quote also ends the code. */
  #readFence(): boolean {
    const { line, isWhole } = this.#source.lineAt(this.#source.at);
    if (!isWhole && /^[\s>]*(?:`+|~+)?[ \t]*$/.test(line)) return false;
    const content = behindQuotes(line, this.#fence.quotes);
    if (content === -1) {
      this.#mode = 'line';
      return true;
    }
    const { run } = this.#fence;
    const rest = line.slice(content).trim();
    const isClosed = rest.startsWith(run) && rest === run.charAt(0).repeat(rest.length) && line.length < MAX_LINE_START;
    this.#mode = isClosed ? 'text' : 'fence line';
    return !isClosed || this.#give('fence', this.#source.at + line.length, { isLast: true });
  }

  #readText(): boolean {
    SPECIAL.lastIndex = this.#source.at;
    const end = SPECIAL.test(this.#source.text) ? SPECIAL.lastIndex - 1 : this.#source.text.length;
    if (end > this.#source.at) this.#give('text', end);
    if (end === this.#source.text.length) return true;
    const code = this.#source.text.charCodeAt(this.#source.at);
    if (code === LINE_FEED || code === CARRIAGE_RETURN) return this.#readLineEnd();
    const isRead = this.#readSign(code);
    if (isRead) this.#left -= 1;
    return isRead;
  }

  #readSign(code: number): boolean {
    switch (code) {
      case BACKSLASH:
        return this.#readEscape();
      case BACK_QUOTE:
        return this.#readCodeSpan();
      case LESS_THAN:
        return this.#readTag();
      case OPEN_BRACKET:
        return this.#giveBracketed(this.#bracketed.read());
      default:
        return this.#giveBracketed(this.#bracketed.readWide());
    }
  }

  #giveBracketed(found: Bracketed | undefined): boolean {
    if (found === undefined) return false;
    const { kind, end, numbers, isGlued } = found;
    return this.#give(kind, end, kind === 'marker' ? { numbers, isGlued } : {});
  }

  #readLineEnd(): boolean {
    const lineEnd = this.#source.lineEnd(this.#source.at);
    if (lineEnd === undefined) return false;
    this.#mode = 'line';
    return this.#give('text', lineEnd.end);
  }

  #readEscape(): boolean {
    const next = this.#source.text.charAt(this.#source.at + 1);
    if (next === '' && !this.#source.isEnded) return false;
    return this.#give('text', this.#source.at + (/[`<\\[【]/.test(next) ? 2 : 1));
  }

  #readCodeSpan(): boolean {
    const runEnd = this.#paragraph.runEnd(this.#source.at, this.#source.at + MAX_LOOKAHEAD);
    if (runEnd === this.#source.text.length && !this.#source.isEnded) return false;
    const length = runEnd - this.#source.at;
    const end = this.#paragraph.closing(runEnd, String(length), (from, { text, limit, isOpen }) => {
      for (let at = text.indexOf('`', from); at !== -1 && at < limit; ) {
        const behind = this.#paragraph.runEnd(at, limit + 1);
        // The run may continue.
        if (behind > limit || (behind === limit && isOpen)) return { end: 0, clearUntil: at };
        if (behind - at === length) return { end: behind, clearUntil: behind };
        at = text.indexOf('`', behind);
      }
      return { end: 0, clearUntil: limit };
    });
    return end !== OPEN && this.#give(end === 0 ? 'text' : 'code', end || runEnd);
  }

  #readTag(): boolean {
    const found = matchAt(CODE_TAG, this.#source.text, this.#source.at);
    if (found === null || found[0].length > MAX_TAG) {
      const begun = this.#source.text.slice(this.#source.at, this.#source.at + MAX_TAG);
      const isBegun = !this.#source.isEnded && begun.length < MAX_TAG && CODE_TAG_BEGUN.test(begun);
      return !isBegun && this.#give('text', this.#source.at + 1);
    }
    const name = found[1]?.toLowerCase() ?? '';
    const closing = new RegExp(`</${name}\\s{0,9}>`, 'i');
    const end = this.#paragraph.closing(this.#source.at + found[0].length, name, (from, { text, limit }) => {
      const closed = closing.exec(text.slice(from, limit));
      const behind = closed === null ? 0 : from + closed.index + closed[0].length;
      return { end: behind, clearUntil: limit - LONGEST_END_TAG };
    });
    return end !== OPEN && this.#give(end === 0 ? 'text' : 'code', end || this.#source.at + 1);
  }
}

/** The tokens of a whole text. */
export function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  const scanner = new Scanner({ add: (token) => void tokens.push(token) });
  scanner.push(text);
  scanner.finish();
  return tokens;
}
