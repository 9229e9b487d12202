/** A container of a line: a quote (`>`), or a list item, whose content begins `width` columns after the content of its container. */
type Container = { readonly kind: 'quote' } | { readonly kind: 'item'; readonly width: number };

/** The open blocks before a line. */
export interface Blocks {
  readonly containers: readonly Container[];
  /** Whether the line before is paragraph text, which continues unless this line begins a block. */
  readonly isParagraph: boolean;
}

export interface LineStart extends Blocks {
  /** `pre` begins the HTML block; `continued` is text of the paragraph before, `text` begins another block. */
  readonly kind: 'blank' | 'text' | 'continued' | 'code' | 'fence' | 'pre';
  /** The index at which the content begins, after the containers, the sign of a heading and `<pre`; behind a rule. */
  readonly contentAt: number;
  /** The characters that open fenced code. */
  readonly fence: string;
}

/** The number of characters of a line that are examined to classify the line. */
export const MAX_LINE_START = 1_000;

/** A line whose kind depends on its further characters. */
const UNDECIDED = /^[\s>+*\d.)#-]*(?:`+|`{3,}[^`]*|~+|<(?:p(?:re?)?)?)?$/i;
const ITEM = /^(?:[-+*]|(\d{1,9})[.)])(?=[ \t]|$)/;
const RULE = /^(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,})$/;
const HEADING = /^#{1,6}(?:[ \t]+|$)/;
const PRE = /^<pre(?=[\s>]|$)/i;
const FENCE = /^(?:(`{3,})[^`]*$|(~{3,}))/;

/**
 * Classifies a line as CommonMark does, except for HTML blocks (only `<pre>` is known), link definitions and underlined headings.
 *
 * @param line the line without its line end, at most {@link MAX_LINE_START} characters.
 * @param isWhole whether `line` is the whole line, or as much as is examined.
 * @returns `undefined` if the kind depends on text that has not come yet.
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
  /** The column at which the content of the innermost container begins. */
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
      else if (RULE.test(rest)) return this.#is('text', { signs: rest.length });
      else if (!this.#enterItem(rest, isLazy() && this.#containers.length === containers.length)) {
        const [, ticks, tildes] = FENCE.exec(rest) ?? [];
        const isCut = this.#line.length === MAX_LINE_START;
        if (tildes !== undefined || (ticks !== undefined && !isCut))
          return this.#is('fence', { fence: ticks ?? tildes });
        if (PRE.test(rest)) return this.#is('pre', { signs: '<pre'.length });
        const [heading] = HEADING.exec(rest) ?? [];
        if (heading !== undefined) return this.#is('text', { signs: heading.length });
        return isLazy() ? this.#is('continued') : { ...this.#is('text'), isParagraph: true };
      }
      this.#isNew = true;
    }
  }

  #is(kind: LineStart['kind'], { fence = '', signs = 0 } = {}): LineStart {
    const isContinued = kind === 'continued';
    const containers = isContinued ? this.#blocks.containers : this.#containers;
    return { kind, containers, isParagraph: isContinued, contentAt: this.#at + signs, fence };
  }

  get #indentation(): number {
    return this.#column - this.#base;
  }

  /** The number of open containers that the line continues. */
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

  /** @param isInterrupting whether the item would end a paragraph: an empty item does not, nor an item with another number than 1. */
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

/** The index at which the content of a line in `quotes` nested quotes begins; -1 for a line outside of the quotes. */
export function behindQuotes(line: string, quotes: number): number {
  let at = 0;
  for (let count = 0; count < quotes; count += 1) {
    const [quote] = /^[ \t]*>/.exec(line.slice(at)) ?? [];
    if (quote === undefined) return -1;
    at += quote.length;
  }
  return at;
}
