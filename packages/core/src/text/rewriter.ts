import { WithoutArtefacts } from './artefacts.js';
import { MAX_MARKER_NUMBER, matchAt, type PositionOf, positionsOf, positionWithin } from './marker-forms.js';
import { type MarkedText, MarkerWriter, type TextMarker } from './marker-writer.js';
import type { Mark } from './marks.js';
import { MAX_ANNOTATIONS, MAX_PASSAGES } from './reply-limits.js';
import { Scanner, type Token, type TokenReader } from './scanner.js';

/*
 * Citation markers in the text of an answer. The gateway writes `[n]`, which counts the list of citations from 1. Providers also write `[1, 2]`, `[1-3]`,
 * `[[1]]`, `[[1]](url)`, `[^1]` and `【1†source】`. A marker has one or more numbers of at most three digits in such brackets; each number, and both ends of a
 * range, must belong to a source. All other text stays unchanged:
 * - numbers of no source (`[2026]`, `[0, 1]`, `[9]` of 3);
 * - brackets directly behind a letter, a digit or a closing bracket (`list[1]`), unless the provider writes its markers without a space;
 * - code and Markdown links; an escaped bracket (`\[1]`), and a bracket before a brace (`\sqrt[3]{x}`).
 */

export type { AnnotatedText, Mark } from './marks.js';

/** What the numbers in a provider's text mean. */
export interface MarkerForm {
  /** Bracketed numbers in the text are words, because the provider sends citations separately. @default `false` */
  readonly numbersAreWords?: boolean | undefined;
  /** Markers follow words without a space (`word[1]`). @default `false`: such a bracket is an index */
  readonly isGlued?: boolean | undefined;
  /** The meaning of numbers is known only at the end: streamed text waits from the first marker on. @default `false` */
  readonly numbersAreLate?: boolean | undefined;
}

export interface RewriterOptions extends MarkerForm {
  /** Returns the position of the provider's number, from 1; 0 for a source that is no citation, `undefined` for an unknown number. */
  positionOf(id: string): number | undefined;
  /** The number of citations. */
  count(): number;
  /**
   * Whether further sources may follow: then the text is held back from the first marker with an unknown meaning. `'counted'` if numbers are positions: then
   * `[n]` passes at once.
   */
  mayGrow?(): boolean | 'counted';
}

/** If more than this number of characters waits for sources, the rest of the text is not streamed. */
const MAX_WAITING = 100_000;

/** Rewrites the markers of a text to `[n]`, in time linear in the text. A whole text is one part. */
export class TextRewriter implements TokenReader {
  readonly #options: RewriterOptions;
  readonly #artefacts = new WithoutArtefacts(
    (piece) => {
      const text = this.#hasBegun ? piece : this.#firstOf(piece);
      this.#length += text.length;
      this.#scanner.push(text);
    },
    () => this.#marks.push({ at: this.#length, ids: [], isReplacement: true }),
  );
  readonly #scanner = new Scanner(this);
  readonly #writer = new MarkerWriter();
  /** In order of the text. `at` is an offset of the scanned text. */
  #marks: Mark[] = [];
  #nextMark = 0;
  /** The tokens that wait for sources. */
  #waiting: Token[] = [];
  #waitingLength = 0;
  /** The length of the scanned text. */
  #length = 0;
  /** The text was written up to this offset. */
  #written = 0;
  #isEnded = false;
  /** Whether the text has more than white space. */
  #hasBegun = false;
  #gainable = MAX_ANNOTATIONS;
  /** The marks in the last fenced code. */
  #ofFence: Mark[] = [];
  #isInFence = false;
  /** What a marker needs before it behind a line without words, such as a fence; empty behind words. */
  #newLine = '';
  /** Whether the last line has only a marker, which a line of a block does not continue. */
  #isMarkerLine = false;
  /** The last run of adjacent markers. */
  #run: MarkerRun = NO_RUN;
  /** True if too much text waits. */
  #isStuck = false;

  constructor(options: RewriterOptions) {
    this.#options = options;
  }

  /** Adds the next part of the text. */
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

  /** White space at the beginning is not written, so it is no indentation. A space stays behind a removed marker. */
  #firstOf(piece: string): string {
    const text = piece.trimStart();
    this.#hasBegun = text !== '';
    const isBehindMark = this.#length === 0 && this.#marks.some((mark) => mark.isReplacement === true);
    return isBehindMark && text !== piece ? ` ${text}` : text;
  }

  /** Returns the text that later parts cannot change, since the last call. Call after each part, and after further sources. */
  take(): MarkedText {
    if (this.#waiting.length > 0 || this.#marks.length > 0) this.#drain();
    return this.#writer.take();
  }

  /** Ends the text and returns the rest. */
  end(): MarkedText {
    this.#isEnded = true;
    this.#artefacts.finish();
    this.#scanner.finish();
    this.#drain();
    this.#writer.finish();
    return this.#writer.take();
  }

  /** Receives the tokens of the scanner. */
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

  /** @returns `false` for a marker whose meaning depends on further sources. */
  #write(token: Token): boolean {
    const { kind, end } = token;
    // Decided first, because the marks before the marker wait as well.
    const decision = kind === 'marker' ? this.#decide(token) : 'stays';
    if (decision === 'open') return false;
    if (this.#marks.length > 0) this.#placeBefore(token);
    const opens = token.opening !== undefined && token.text.trim() !== '';
    if (this.#isMarkerLine && opens) this.#plain('\n');
    if (kind !== 'fence') this.#ofFence = [];
    this.#isInFence = kind === 'fence' && token.isLast !== true;
    if (kind === 'text' && this.#marks.length === 0) this.#plain(token.text);
    else if (kind === 'text' || (kind === 'code' && token.isPart === true)) this.#writeText(token);
    else if (kind === 'marker') this.#writeMarker(token, decision);
    else this.#writeWhole(token);
    if (token.opening !== undefined) this.#isMarkerLine = false;
    if (kind === 'text' && opens) this.#newLine = `\n${indentation(token.text)}`;
    this.#written = end;
    return true;
  }

  /** Writes text, or code without an end, with markers inside. */
  #writeText({ kind, text, start, end }: Token): void {
    let from = 0;
    // A marker inside of a row of back-quotes would change their meaning.
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
    if ((this.#newLine !== '' || this.#isMarkerLine) && /\S/.test(text)) this.#endLine();
  }

  /** Writes code or a link whole, and puts the markers of marks inside behind it. */
  #writeWhole({ kind, text, end, isLast = false }: Token): void {
    this.#writer.text(text);
    this.#endLine();
    // A line of the same quotes and items.
    if (isLast) this.#newLine = `\n${text.slice(0, text.search(/[^\s>]/))}`;
    const next = () => this.#markUpTo(end, kind === 'fence');
    for (let mark = next(); mark !== undefined; mark = next()) {
      if (kind === 'fence') this.#ofFence.push(mark);
      else this.#place(mark, mark.at < end);
    }
    if (isLast) for (const mark of this.#ofFence.splice(0)) this.#place(mark, true);
  }

  #endLine(): void {
    this.#newLine = '';
    this.#isMarkerLine = false;
  }

  /** Places the marks before a token. A marker that would change the block of a line is put behind the text before the line. */
  #placeBefore({ kind, start, end, opening = 0 }: Token): void {
    const words = start + opening;
    for (let mark = this.#marks[this.#nextMark]; mark !== undefined; mark = this.#marks[this.#nextMark]) {
      const { at, isReplacement = false } = mark;
      const isBehindOpening = kind === 'text' && opening > 0 && at === words && at === end && !isReplacement;
      if (at > start && at >= words && !isBehindOpening) return;
      this.#placeOrKeep(this.#takeMark(mark), opening > 0);
    }
  }

  /** The next mark, if it is not behind an offset. Where a marker was removed at the offset, what follows may begin a block. */
  #markUpTo(offset: number, isWhole = false): Mark | undefined {
    const mark = this.#marks[this.#nextMark];
    if (mark === undefined || mark.at > offset) return undefined;
    if (!isWhole && mark.at === offset && mark.isReplacement === true) return undefined;
    return this.#takeMark(mark);
  }

  #takeMark(mark: Mark): Mark {
    this.#nextMark += 1;
    if (this.#nextMark === this.#marks.length) {
      this.#marks = [];
      this.#nextMark = 0;
    }
    return mark;
  }

  /** Places marks that came after their text was written. */
  #placeWritten(): void {
    if (this.#waiting.length > 0) return;
    const next = () => this.#markUpTo(this.#written, this.#isEnded);
    for (let mark = next(); mark !== undefined; mark = next()) this.#placeOrKeep(mark, false);
  }

  #placeOrKeep(mark: Mark, isMoved: boolean): void {
    if (this.#isInFence) this.#ofFence.push(mark);
    else this.#place(mark, isMoved);
  }

  /** @param isMoved whether the marker is put at another place than the mark's. */
  #place({ ids, isReplacement = false }: Mark, isMoved = false): void {
    const positions = ids.map((id) => this.#citable(this.#options.positionOf(String(id)))).filter((each) => each !== 0);
    if (isReplacement && !isMoved && positions.length === 0) this.#writer.gap(true);
    else
      this.#writer.cite(positions, {
        isBehind: isMoved || !isReplacement,
        newLine: isMoved || !isReplacement ? this.#newLine : '',
      });
    if (positions.length > 0) this.#isMarkerLine = this.#newLine !== '';
  }

  #citable(position: number | undefined): number {
    return position === undefined || position > MAX_MARKER_NUMBER ? 0 : position;
  }

  #writeMarker({ text, start, end, numbers = '' }: Token, decision: Decision): void {
    if (decision === 'passes') this.#writer.pass(text, Number(numbers));
    else if (typeof decision === 'string') this.#writer.text(decision === 'escaped' ? `\\${text}` : text);
    else if (decision.length === 0) this.#writer.gap();
    else this.#writer.mark(decision);
    this.#endLine();
    if (this.#marks.length === 0) return;
    for (let mark = this.#markUpTo(end); mark !== undefined; mark = this.#markUpTo(end))
      this.#place(mark, mark.at > start);
  }

  #decide(token: Token): Decision {
    if (this.#options.numbersAreWords === true) return this.#decideWord(token);
    const { start, end, text } = token;
    if (this.#run.end !== start) this.#run = NO_RUN;
    const decision = this.#decideMarker(token);
    if (typeof decision === 'string' && decision !== 'passes') return decision;
    const isOpen = this.#run.isOpen || decision === 'passes';
    const added = decision === 'passes' ? text : decision.map((position) => `[${position}]`).join('');
    this.#run = { end, written: this.#run.written + added, isOpen };
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
    // A repeated marker in a run may have to be dropped.
    return grows === 'counted' && OWN_FORM.test(text) && !this.#run.written.includes(text) ? 'passes' : 'open';
  }

  /** Escapes a number that is no marker of the provider, but would be read as a marker of the gateway. */
  #escapedOrNot(text: string, numbers: string, isGlued: boolean): 'escaped' | 'stays' {
    return OWN_FORM.test(text) && !isGlued && Number(numbers) <= this.#options.count() ? 'escaped' : 'stays';
  }

  #decideWord({ numbers = '', isGlued = false, text }: Token): 'escaped' | 'stays' | 'open' {
    if (isGlued || !OWN_FORM.test(text)) return 'stays';
    if (this.#escapedOrNot(text, numbers, isGlued) === 'escaped') return 'escaped';
    return !this.#isEnded && (this.#options.mayGrow?.() ?? false) !== false ? 'open' : 'stays';
  }
}

/** What stands before a further line in the quotes and the item that a line without words begins. */
function indentation(line: string): string {
  return /^[\s>]*(?:[-+*]|\d+[.)])?\s*$/.test(line) ? `${line.trimEnd().replaceAll(/[^>\s]/g, ' ')} ` : '';
}

/** The positions to write; `passes` for a possible marker in the gateway's form; `escaped` and `stays` for text; `open` if the decision depends on more text. */
type Decision = readonly number[] | 'passes' | 'escaped' | 'stays' | 'open';

interface MarkerRun {
  readonly end: number;
  /** The markers as they were written, such as `[1][2]`. */
  readonly written: string;
  /** Whether a marker in the run may turn out to be text. */
  readonly isOpen: boolean;
}

const NO_RUN: MarkerRun = { end: -1, written: '', isOpen: false };

const OWN_FORM = /^\[[1-9]\d{0,2}\]$/;

/** Rewrites the markers of a whole text. */
export function rewrite(text: string, options: RewriterOptions, marks: readonly Mark[] = []): MarkedText {
  const isOrdinary = marks.length === 0 && options.numbersAreWords !== true;
  const ordinary = isOrdinary ? ordinaryMarkers(text, options.positionOf) : undefined;
  if (ordinary !== undefined) return ordinary;
  const rewriter = new TextRewriter(options);
  rewriter.push(text, marks);
  return rewriter.end();
}

/** Rewrites a text whose numbers are positions of `count` citations. */
export function markersIn(text: string, count: number, form: MarkerForm = {}): MarkedText {
  return rewrite(text, { ...form, positionOf: positionWithin(count), count: () => count });
}

/** What can begin code, another form of marker, an escape or an artefact. Searched one by one, which is many times faster than an expression for all. */
const UNORDINARY = ['`', '<', '\\', '【', '\ue200', '\t', '~~~'];
/** What can be the indentation of code. */
const INDENTATION = / {4}/;
/** A marker `[n]`, behind which neither the address of a link nor an argument begins. */
const MARKER = /\[([1-9]\d{0,2})\](?![({])/y;
/** What a marker may follow without being an index. */
const BEFORE_MARKER = /[\s.,;:!?]/;

/**
 * The markers of a text whose brackets are all markers of known sources, in the form in which the gateway writes them, and which has no code: most whole
 * answers. Such a text needs no rewriting, which takes several times as long as this look. `undefined` for every other text.
 */
export function ordinaryMarkers(given: string, positionOf: PositionOf): MarkedText | undefined {
  const isOrdinary = given.length <= MAX_PASSAGES && !UNORDINARY.some((each) => given.includes(each));
  if (!isOrdinary || INDENTATION.test(given)) return undefined;
  const text = given.trim();
  const markers: TextMarker[] = [];
  let end = -1;
  /** Of the markers that stand together. */
  let run = '';
  for (let start = text.indexOf('['); start !== -1; start = text.indexOf('[', end)) {
    const [written, number = ''] = matchAt(MARKER, text, start) ?? [];
    if (start !== end) run = '';
    const isIndex = start !== end && start > 0 && !BEFORE_MARKER.test(text.charAt(start - 1));
    if (written === undefined || isIndex || run.includes(written) || positionOf(number) !== Number(number))
      return undefined;
    run += written;
    end = start + written.length;
    markers.push({ start, end, position: Number(number) });
  }
  return { text, markers };
}
