import {
  BACKSLASH,
  CARRIAGE_RETURN,
  CLOSE_BRACKET,
  LINE_FEED,
  OPEN_BRACE,
  OPEN_BRACKET,
  OPEN_PARENTHESIS,
} from './characters.js';
import {
  matchAt,
  NARROW_BEGUN,
  NARROW_NUMBERS,
  OPEN,
  type Reach,
  targetEnd,
  WIDE_BEGUN,
  WIDE_MARKER,
  whatIsBehind,
} from './marker-forms.js';
import { MAX_LOOKAHEAD, type ScannedText } from './scanned-text.js';

/** Finds pairs of brackets on a line. Reads each character once. Offsets refer to the whole text. */
class BracketPairs {
  /** The line was read up to this offset. */
  #read = 0;
  /** The opening brackets that are not closed so far. */
  #open: number[] = [];
  readonly #closing = new Map<number, number>();

  /**
   * The offset of the bracket that closes the bracket at `at`; 0 if no bracket does, {@link OPEN} if it may follow. Call in order of the text.
   *
   * @param base the offset at which the text of the reach begins.
   */
  closing(at: number, base: number, { text, limit, isOpen }: Reach): number {
    if (at >= this.#read) {
      this.#read = at;
      this.#open = [];
      this.#closing.clear();
    }
    for (let index = this.#read - base; index < limit && !this.#closing.has(at); index += 1) {
      const code = text.charCodeAt(index);
      if (code === LINE_FEED || code === CARRIAGE_RETURN) return 0;
      // The escaped character may not have come yet.
      if (code === BACKSLASH && index + 1 === limit) break;
      if (code === BACKSLASH) index += 1;
      else if (code === OPEN_BRACKET) this.#open.push(base + index);
      else if (code === CLOSE_BRACKET) this.#close(base + index);
      this.#read = base + index + 1;
    }
    const closing = this.#closing.get(at) ?? 0;
    if (closing === 0 && isOpen) return OPEN;
    return closing < base + limit ? closing : 0;
  }

  #close(at: number): void {
    const opening = this.#open.pop();
    if (opening !== undefined) this.#closing.set(opening, at);
  }
}

/** The most brackets around a marker. */
const MAX_PAIRS = 20;
/** Ends with a letter, digit, underscore or closing bracket. Only letters of scripts with capitals: other scripts have no spaces, or are not used in programs. */
const GLUING = /[\p{LC}\p{N}_\])}]$/u;

/** Characters that may begin the address of a link, or an argument. */
const LINK_BEHIND: readonly number[] = [OPEN_PARENTHESIS, OPEN_BRACE];

/** The token at an opening bracket. */
export interface Bracketed {
  readonly kind: 'text' | 'link' | 'marker';
  /** Exclusive. */
  readonly end: number;
  /** The numbers of a marker, such as `1`, `1, 2` or `1-3`. */
  readonly numbers?: string;
  /** Whether a marker directly follows a letter, a digit or a closing bracket, as the index of `list[1]` does. */
  readonly isGlued?: boolean;
}

/** Reads tokens at brackets. Returns `undefined` if the token depends on text that has not come yet. */
export class BracketReader {
  readonly #source: ScannedText;
  /** The end of the last run of opening brackets, and the marker that it opens. Offsets refer to the whole text. */
  #run: { readonly end: number; readonly marker: BareMarker | undefined } = { end: 0, marker: undefined };
  readonly #pairs = new BracketPairs();

  constructor(source: ScannedText) {
    this.#source = source;
  }

  /** Reads the token at an opening bracket. */
  read(): Bracketed | undefined {
    const { end: known } = this.#run;
    const { base, at, text, isEnded } = this.#source;
    if (base + at >= known) {
      const runEnd = bracketsEnd(text, at);
      if (!isEnded && runEnd === text.length) return undefined;
      const marker = this.#bareMarker(runEnd);
      if (marker === 'open') return undefined;
      this.#run = { end: base + runEnd, marker };
    }
    if (text[at - 1] === '\\') return this.#bracket();
    const { marker } = this.#run;
    const found = marker?.start === base + at ? this.#marker(marker) : this.#link();
    if (found === OPEN) return undefined;
    return found === 0 ? this.#bracket() : found;
  }

  /** The bracket as text. */
  #bracket(): Bracketed {
    return { kind: 'text', end: this.#source.at + 1 };
  }

  /** The marker at the end of a run of opening brackets. */
  #bareMarker(runEnd: number): BareMarker | 'open' | undefined {
    const text = this.#source.text;
    const found = matchAt(NARROW_NUMBERS, text, runEnd);
    if (found === null) {
      const begun = runEnd + (matchAt(NARROW_BEGUN, text, runEnd)?.[0].length ?? 0);
      const isBegun = begun === text.length && begun - runEnd < MAX_LOOKAHEAD && !this.#source.isEnded;
      return isBegun ? 'open' : undefined;
    }
    const [written, numbers = ''] = found;
    if (written.length > MAX_LOOKAHEAD) return undefined;
    const first = runEnd + written.length;
    const most = runEnd - this.#source.at - 1;
    let pairs = 0;
    while (pairs < most && text.charCodeAt(first + pairs) === CLOSE_BRACKET) pairs += 1;
    const end = first + pairs;
    if (end === text.length && !this.#source.isEnded) return 'open';
    const start = this.#source.base + runEnd - 1 - pairs;
    return { start, end: this.#source.base + end, numbers, isDoubled: pairs > 0, isNote: written.startsWith('^') };
  }

  /** @returns the token of a marker and its address, if any; 0 for a bracket that is text. */
  #marker({ end: bareEnd, numbers, isDoubled, isNote }: BareMarker): Bracketed | typeof OPEN | 0 {
    const { base, at, text } = this.#source;
    const end = bareEnd - base;
    const isGlued = !isNote && GLUING.test(text.slice(Math.max(0, at - 2), at));
    // Most markers have no link behind them.
    if (end < text.length && !LINK_BEHIND.includes(text.charCodeAt(end)))
      return { kind: 'marker', end, numbers, isGlued };
    const reach = this.#source.line();
    if (end >= reach.limit && reach.isOpen) return OPEN;
    const target = targetEnd(reach, end);
    if (target === OPEN) return OPEN;
    if (!isDoubled && target > 0) return { kind: 'link', end: target };
    const behind = isDoubled ? 'nothing' : whatIsBehind(reach, end);
    if (behind === 'argument' || behind === 'address') return 0;
    return { kind: 'marker', end: target || end, numbers, isGlued: isGlued && !(isDoubled && target > 0) };
  }

  /** A link is a pair of brackets on a line, followed by an address. */
  #link(): Bracketed | typeof OPEN | 0 {
    const reach = this.#source.line();
    const closing = this.#pairs.closing(this.#source.end, this.#source.base, reach);
    if (closing <= 0) return closing === OPEN ? OPEN : 0;
    const end = targetEnd(reach, closing - this.#source.base + 1);
    if (end > 0) return { kind: 'link', end };
    return end === OPEN ? OPEN : 0;
  }

  /** Reads the token at a wide opening bracket. */
  readWide(): Bracketed | undefined {
    const isRead = this.#source.text[this.#source.at - 1] !== '\\';
    const found = isRead ? matchAt(WIDE_MARKER, this.#source.text, this.#source.at) : null;
    if (found !== null && found[0].length <= MAX_LOOKAHEAD) {
      const [written, numbers = ''] = found;
      return { kind: 'marker', end: this.#source.at + written.length, numbers, isGlued: false };
    }
    const begun = matchAt(WIDE_BEGUN, this.#source.text, this.#source.at)?.[0].length ?? 0;
    const isBegun =
      isRead && this.#source.at + begun === this.#source.text.length && begun < MAX_LOOKAHEAD && !this.#source.isEnded;
    return isBegun ? undefined : this.#bracket();
  }
}

/** The end of the opening brackets at an offset. */
function bracketsEnd(text: string, at: number): number {
  let end = at;
  while (end < at + MAX_PAIRS && text.charCodeAt(end) === OPEN_BRACKET) end += 1;
  return end;
}

/** A marker without an address. */
interface BareMarker {
  readonly start: number;
  readonly end: number;
  readonly numbers: string;
  readonly isDoubled: boolean;
  /** True for `[^1]`. */
  readonly isNote: boolean;
}
