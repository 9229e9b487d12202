import { WithoutArtefacts } from './artefacts.js';
import { MAX_MARKER_NUMBER, positionsOf, positionWithin } from './marker-numbers.js';
import { type MarkedText, MarkerWriter } from './marker-writer.js';
import type { Mark } from './marks.js';
import { MAX_ANNOTATIONS } from './reply-limits.js';
import { Scanner, type Token, type TokenReader } from './scanner.js';

/*
 * What is a citation marker in an answer's text, and what becomes of it. The gateway's own form is `[n]`, counted from 1 into the list of citations; providers
 * write `[1, 2]`, `[1-3]`, `[[1]]`, `[[1]](url)`, `[^1]` and `【1†source】` as well. A marker is one or more numbers of at most three digits in one of those
 * brackets, each of a source, or of a range whose ends are. Everything else is text, and stays as it is:
 * - numbers of no source (`[2026]`, `[0, 1]`, `[9]` of 3);
 * - what stands directly behind a letter, a digit or a closing bracket (`list[1]`), unless the provider writes its markers so;
 * - anything in code and in Markdown links; an escaped bracket (`\[1]`), and a bracket before a brace (`\sqrt[3]{x}`).
 */

export type { AnnotatedText, Mark } from './marks.js';

export interface MarkerForm {
  /** Bracketed numbers in the text are words, since the provider says apart from it where sources are cited. Default `false`. */
  readonly numbersAreWords?: boolean | undefined;
  /** Markers follow words without a space (`word[1]`). Default `false`: what does is the index of something. */
  readonly isGlued?: boolean | undefined;
  /** What numbers mean is known only at the end: text that comes in parts waits from the first marker on. Default `false`. */
  readonly numbersAreLate?: boolean | undefined;
}

export interface RewriterOptions extends MarkerForm {
  /** The position that a number of the provider's stands for, from 1; 0 for a source that is no citation. `undefined` for an unknown number. */
  positionOf(id: string): number | undefined;
  /** How many citations there are. */
  count(): number;
  /**
   * Whether further sources may follow: then the text is held back from a marker on that they may tell the meaning of. `'counted'` where the numbers are
   * positions: then `[n]` passes.
   */
  mayGrow?(): boolean | 'counted';
}

/** When more than this waits for sources, nothing is handed over any more before the end. */
const MAX_WAITING = 100_000;

/** Rewrites the markers of a text to `[n]`, in time linear in the text. A whole text is one part. */
export interface Rewriter {
  /** Adds the next part of the text. */
  push(part: string, marks?: readonly Mark[]): void;
  /** What is decided and was not taken yet. To be asked after each part, and when there are further sources. */
  take(): MarkedText;
  /** The rest. Nothing follows. */
  end(): MarkedText;
}

export function createRewriter(options: RewriterOptions): Rewriter {
  return new TextRewriter(options);
}

class TextRewriter implements Rewriter, TokenReader {
  readonly #options: RewriterOptions;
  readonly #artefacts = new WithoutArtefacts(
    (piece) => {
      this.#length += piece.length;
      this.#scanner.push(piece);
    },
    () => this.#marks.push({ at: this.#length, ids: [], isReplacement: true }),
  );
  readonly #scanner = new Scanner(this);
  readonly #writer = new MarkerWriter();
  /** In order of the text. `at` counts what the scanner got. */
  #marks: Mark[] = [];
  #nextMark = 0;
  /** Those that wait for sources. */
  #waiting: Token[] = [];
  #waitingLength = 0;
  /** How much the scanner got. */
  #length = 0;
  /** Up to here the text was written. */
  #written = 0;
  #isEnded = false;
  #gainable = MAX_ANNOTATIONS;
  /** What is cited in the fenced code that was written last. */
  #ofFence: Mark[] = [];
  #isInFence = false;
  #isBehindFence = false;
  /** Adjacent markers, as they were written; `isOpen` with one that may be none. */
  #run = { end: -1, written: new Set<string>(), isOpen: false };
  /** Set when too much waits. */
  #isStuck = false;

  constructor(options: RewriterOptions) {
    this.#options = options;
  }

  push(part: string, marks: readonly Mark[] = []): void {
    if (this.#isStuck) return;
    let from = 0;
    for (const mark of marks) {
      this.#artefacts.push(part.slice(from, mark.at));
      from = Math.max(from, mark.at);
      this.#marks.push({ ...mark, at: this.#length });
    }
    this.#artefacts.push(part.slice(from));
    if (this.#marks.length > 0) this.#placeWritten();
  }

  take(): MarkedText {
    if (this.#waiting.length > 0 || this.#marks.length > 0) this.#drain();
    return this.#writer.take();
  }

  end(): MarkedText {
    this.#isEnded = true;
    this.#artefacts.finish();
    this.#scanner.finish();
    this.#drain();
    this.#writer.finish();
    return this.#writer.take();
  }

  /** Gets what the scanner found. */
  add(token: Token): void {
    if (this.#isStuck || (this.#waiting.length === 0 && this.#write(token))) return;
    this.#waiting.push(token);
    this.#waitingLength += token.text.length;
    if (this.#waitingLength > MAX_WAITING) this.#isStuck = true;
    if (this.#isStuck) this.#waiting = [];
  }

  #drain(): void {
    let passed = 0;
    for (const token of this.#waiting) {
      if (!this.#write(token)) break;
      passed += 1;
      this.#waitingLength -= token.text.length;
    }
    if (passed > 0) this.#waiting = this.#waiting.slice(passed);
    if (this.#marks.length > 0) this.#placeWritten();
  }

  /** @returns `false` for a marker that further sources may tell the meaning of. */
  #write(token: Token): boolean {
    const { kind, start, end } = token;
    // Decided first: what is cited in front of it waits as well.
    const decision = kind === 'marker' ? this.#decide(token) : 'stays';
    if (decision === 'open') return false;
    if (this.#marks.length > 0) this.#placeUpTo(start);
    if (kind !== 'fence') this.#ofFence = [];
    this.#isInFence = kind === 'fence' && token.isLast !== true;
    if (kind === 'text' && this.#marks.length === 0) this.#plain(token.text);
    else if (kind === 'text' || (kind === 'code' && token.isPart === true)) this.#writeText(token);
    else if (kind === 'marker') this.#writeMarker(token, decision);
    else this.#writeWhole(token);
    this.#written = end;
    return true;
  }

  /** Of code that has no end of its own, what is cited is cited there. */
  #writeText({ kind, text, start, end }: Token): void {
    let from = 0;
    // A row of back-quotes means something else when it is parted.
    const isRow = kind === 'text' && text.startsWith('`');
    for (let mark = this.#markUpTo(end); mark !== undefined; mark = this.#markUpTo(end)) {
      const at = isRow ? text.length : mark.at - start;
      this.#plain(text.slice(from, at));
      from = at;
      this.#place(mark, isRow && mark.at < end);
    }
    this.#plain(text.slice(from));
  }

  #plain(text: string): void {
    this.#writer.text(text);
    if (this.#isBehindFence && /\S/.test(text)) this.#isBehindFence = false;
  }

  /** Code and links stay whole: what is cited in them is cited behind them. */
  #writeWhole({ kind, text, end, isLast = false }: Token): void {
    this.#writer.text(text);
    this.#isBehindFence = isLast;
    for (let mark = this.#markUpTo(end); mark !== undefined; mark = this.#markUpTo(end)) {
      if (kind === 'fence') this.#ofFence.push(mark);
      else this.#place(mark, mark.at < end);
    }
    if (isLast) for (const mark of this.#ofFence.splice(0)) this.#place(mark, true);
  }

  #placeUpTo(offset: number): void {
    for (let mark = this.#markUpTo(offset); mark !== undefined; mark = this.#markUpTo(offset)) {
      if (this.#isInFence) this.#ofFence.push(mark);
      else this.#place(mark);
    }
  }

  /** The next mark, if it is in front of an offset or there. */
  #markUpTo(offset: number): Mark | undefined {
    const mark = this.#marks[this.#nextMark];
    if (mark === undefined || mark.at > offset) return undefined;
    this.#nextMark += 1;
    if (this.#nextMark === this.#marks.length) {
      this.#marks = [];
      this.#nextMark = 0;
    }
    return mark;
  }

  /** Marks can come when what they belong to was written. */
  #placeWritten(): void {
    if (this.#waiting.length === 0) this.#placeUpTo(this.#written);
  }

  /** @param isMoved whether the place is another one than that of the mark. */
  #place({ ids, isReplacement = false }: Mark, isMoved = false): void {
    const positions = ids.map((id) => this.#citable(this.#options.positionOf(String(id)))).filter((each) => each !== 0);
    if (isReplacement && !isMoved && positions.length === 0) this.#writer.gap(true);
    else
      this.#writer.cite(positions, {
        isBehind: isMoved || !isReplacement,
        onNewLine: this.#isBehindFence && (isMoved || !isReplacement),
      });
  }

  #citable(position: number | undefined): number {
    return position === undefined || position > MAX_MARKER_NUMBER ? 0 : position;
  }

  #writeMarker({ text, start, end, numbers = '' }: Token, decision: Decision): void {
    if (decision === 'passes') this.#writer.pass(text, Number(numbers));
    else if (typeof decision === 'string') this.#writer.text(decision === 'escaped' ? `\\${text}` : text);
    else if (decision.length === 0) this.#writer.gap();
    else this.#writer.mark(decision);
    this.#isBehindFence = false;
    if (this.#marks.length === 0) return;
    for (let mark = this.#markUpTo(end); mark !== undefined; mark = this.#markUpTo(end))
      this.#place(mark, mark.at > start);
  }

  #decide(token: Token): Decision {
    if (this.#options.numbersAreWords === true) return this.#decideWord(token);
    const { start, end, text } = token;
    if (this.#run.end !== start) this.#run = { end: -1, written: new Set(), isOpen: false };
    const decision = this.#decideMarker(token);
    if (typeof decision === 'string' && decision !== 'passes') return decision;
    const { written } = this.#run;
    const isOpen = this.#run.isOpen || decision === 'passes';
    if (decision === 'passes') written.add(text);
    else for (const position of decision) written.add(`[${position}]`);
    this.#run = { end, written, isOpen };
    if (decision !== 'passes') this.#gainable -= Math.max(0, decision.length - 1);
    return decision;
  }

  #decideMarker({ numbers = '', isGlued = false, start, text }: Token): Decision {
    const { positionOf, mayGrow } = this.#options;
    if (isGlued && this.#options.isGlued !== true && this.#run.end !== start) return 'stays';
    const grows = !this.#isEnded && (mayGrow?.() ?? false);
    if (grows !== false && this.#options.numbersAreLate === true) return 'open';
    const positions = positionsOf(numbers, positionOf, this.#gainable + 1);
    if (positions !== undefined && !this.#run.isOpen) return positions;
    if (grows === false) return positions ?? this.#escapedOrNot(text, numbers, false);
    if (grows === 'counted' && positions === undefined && /(?:^|\D)0/.test(numbers)) return 'stays';
    // Said again in a run, it may be left out.
    return grows === 'counted' && OWN_FORM.test(text) && !this.#run.written.has(text) ? 'passes' : 'open';
  }

  /** A number that is none of the provider's, but that a reader would take for a marker, is escaped. */
  #escapedOrNot(text: string, numbers: string, isGlued: boolean): 'escaped' | 'stays' {
    return OWN_FORM.test(text) && !isGlued && Number(numbers) <= this.#options.count() ? 'escaped' : 'stays';
  }

  #decideWord({ numbers = '', isGlued = false, text }: Token): 'escaped' | 'stays' | 'open' {
    if (isGlued || !OWN_FORM.test(text)) return 'stays';
    if (this.#escapedOrNot(text, numbers, isGlued) === 'escaped') return 'escaped';
    return !this.#isEnded && (this.#options.mayGrow?.() ?? false) !== false ? 'open' : 'stays';
  }
}

/** The positions to write, `passes` for what may be a marker and has its form already, `escaped` and `stays` for text; `open` until more is known. */
type Decision = readonly number[] | 'passes' | 'escaped' | 'stays' | 'open';

const OWN_FORM = /^\[[1-9]\d{0,2}\]$/;

/** A whole text with its markers rewritten. */
export function rewrite(text: string, options: RewriterOptions, marks: readonly Mark[] = []): MarkedText {
  // Of many answers this is all there is to do.
  if (marks.length === 0 && !/[[【\ue200]/.test(text)) return { text: text.trim(), markers: [] };
  const rewriter = new TextRewriter(options);
  rewriter.push(text, marks);
  return rewriter.end();
}

/** The markers of a text that has them in their own form, each of one of `count` citations. */
export function markersIn(text: string, count: number, form: MarkerForm = {}): MarkedText {
  return rewrite(text, { ...form, positionOf: positionWithin(count), count: () => count });
}
