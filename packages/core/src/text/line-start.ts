/** What a line is in: a quote (`>`), or an item of a list, whose content begins so many columns behind what the item is in. */
type Container = { readonly kind: 'quote' } | { readonly kind: 'item'; readonly width: number };

/** What the lines in front of a line have opened. */
export interface Blocks {
  readonly containers: readonly Container[];
  /** Whether the line before is text that goes on where this line begins nothing new. */
  readonly isParagraph: boolean;
}

export interface LineStart extends Blocks {
  /** `pre` begins the HTML block; `continued` is text of the paragraph before, `text` begins another block. */
  readonly kind: 'blank' | 'text' | 'continued' | 'code' | 'fence' | 'pre';
  /** Where the content begins, behind the containers. */
  readonly contentAt: number;
  /** The characters that open fenced code. */
  readonly fence: string;
}

/** As much of a line is looked at to tell what it is. */
export const MAX_LINE_START = 1_000;

/** What further characters of the line may make something else of. */
const UNDECIDED = /^[\s>+*\d.)#-]*(?:`+|`{3,}[^`]*|~+|<(?:p(?:re?)?)?)?$/i;
const ITEM = /^(?:[-+*]|(\d{1,9})[.)])(?=[ \t]|$)/;
const RULE = /^(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,})$/;
const HEADING = /^#{1,6}(?=[ \t]|$)/;
const PRE = /^<pre(?=[\s>]|$)/i;
const FENCE = /^(?:(`{3,})[^`]*$|(~{3,}))/;

/**
 * Tells what a line is, as CommonMark does, except for HTML blocks (of which `<pre>` alone is known), link definitions and underlined headings.
 *
 * @param line without what ends it, at most {@link MAX_LINE_START} of it.
 * @param isWhole whether that is the line, or as much of it as is looked at.
 * @returns `undefined` where that depends on what is not there yet.
 */
export function readLineStart(line: string, isWhole: boolean, blocks: Blocks): LineStart | undefined {
  if (!isWhole && UNDECIDED.test(line)) return undefined;
  return new LineReader(line, blocks).read();
}

class LineReader {
  readonly #line: string;
  readonly #blocks: Blocks;
  #containers: Container[] = [];
  #at = 0;
  #column = 0;
  /** The column where the content of the innermost container begins. */
  #base = 0;
  #isNew = false;

  constructor(line: string, blocks: Blocks) {
    this.#line = line;
    this.#blocks = blocks;
  }

  read(): LineStart {
    const { containers, isParagraph } = this.#blocks;
    this.#containers = containers.slice(0, this.#matched());
    const isLazy = () => isParagraph && !this.#isNew;
    for (;;) {
      this.#skipBlanks();
      const rest = this.#line.slice(this.#at);
      if (rest === '') return this.#is('blank');
      if (this.#indentation > 3) return this.#is(isLazy() ? 'continued' : 'code');
      if (this.#enterQuote()) this.#containers.push({ kind: 'quote' });
      else if (RULE.test(rest)) return this.#is('text');
      else if (!this.#enterItem(rest, isLazy() && this.#containers.length === containers.length)) {
        const [, ticks, tildes] = FENCE.exec(rest) ?? [];
        const isCut = this.#line.length === MAX_LINE_START;
        if (tildes !== undefined || (ticks !== undefined && !isCut)) return this.#is('fence', ticks ?? tildes);
        if (PRE.test(rest)) return this.#is('pre');
        if (HEADING.test(rest)) return this.#is('text');
        return isLazy() ? this.#is('continued') : { ...this.#is('text'), isParagraph: true };
      }
      this.#isNew = true;
    }
  }

  #is(kind: LineStart['kind'], fence = ''): LineStart {
    const isContinued = kind === 'continued';
    const containers = isContinued ? this.#blocks.containers : this.#containers;
    return { kind, containers, isParagraph: isContinued, contentAt: this.#at, fence };
  }

  get #indentation(): number {
    return this.#column - this.#base;
  }

  /** How many of the open containers the line goes on in. */
  #matched(): number {
    let count = 0;
    for (const container of this.#blocks.containers) {
      this.#skipBlanks();
      if (container.kind === 'quote' && !this.#enterQuote()) break;
      if (container.kind === 'item') {
        if (this.#at < this.#line.length && this.#indentation < container.width) break;
        this.#base += container.width;
      }
      count += 1;
    }
    return count;
  }

  #skipBlanks(): void {
    for (; ; this.#at += 1) {
      const character = this.#line[this.#at];
      if (character === '\t') this.#column += 4 - (this.#column % 4);
      else if (character === ' ') this.#column += 1;
      else return;
    }
  }

  #enterQuote(): boolean {
    if (this.#line[this.#at] !== '>' || this.#indentation > 3) return false;
    this.#step(this.#line[this.#at + 1] === ' ' ? 2 : 1);
    this.#base = this.#column;
    return true;
  }

  /** @param isInterrupting whether the item would end a paragraph: an empty one does not, nor one that counts from another number than 1. */
  #enterItem(rest: string, isInterrupting: boolean): boolean {
    const [marker, number = '1'] = ITEM.exec(rest) ?? [];
    if (marker === undefined || (isInterrupting && (rest.trim() === marker || Number(number) !== 1))) return false;
    const before = this.#base;
    this.#step(marker.length);
    const behind = this.#column;
    this.#skipBlanks();
    const spaces = this.#column - behind;
    this.#base = behind + (spaces > 4 || this.#at === this.#line.length ? 1 : spaces);
    this.#containers.push({ kind: 'item', width: this.#base - before });
    return true;
  }

  #step(count: number): void {
    this.#at += count;
    this.#column += count;
  }
}

/** Where the content of a line begins that is in so many quotes; -1 for a line that is not. */
export function behindQuotes(line: string, quotes: number): number {
  let at = 0;
  for (let count = 0; count < quotes; count += 1) {
    const [quote] = /^[ \t]*>/.exec(line.slice(at)) ?? [];
    if (quote === undefined) return -1;
    at += quote.length;
  }
  return at;
}
