import { BACKSLASH, isBlank, isWhiteSpace, LINE_FEED, skip } from './characters.js';

/** The maximum length of a piece of the tail. */
const MAX_PIECE = 200;

/**
 * White space and backslashes at the end of a text, which are written with the next text. Adding, reading and removing take time independent of the length of
 * the tail.
 */
class TextTail {
  #pieces: string[] = [];
  #end = '';
  isEmpty = true;

  get first(): string {
    return (this.#pieces[0] ?? this.#end).charAt(0);
  }

  get last(): string {
    return this.#end.slice(-1);
  }

  /** The index at which the tail of a text begins. */
  static startIn(text: string): number {
    let start = text.length;
    for (; start > 0; start -= 1) {
      const code = text.charCodeAt(start - 1);
      if (code !== BACKSLASH && !isWhiteSpace(code)) break;
    }
    return start;
  }

  add(piece: string): void {
    this.isEmpty = false;
    if (this.#end.length + piece.length > MAX_PIECE) {
      if (this.#end !== '') this.#pieces.push(this.#end);
      this.#end = piece;
    } else this.#end += piece;
  }

  dropBlanks(): void {
    for (;;) {
      let end = this.#end.length;
      while (end > 0 && isBlank(this.#end.charCodeAt(end - 1))) end -= 1;
      this.#end = this.#end.slice(0, end);
      const before = end === 0 ? this.#pieces.pop() : undefined;
      if (before === undefined) break;
      this.#end = before;
    }
    this.isEmpty = this.#end === '';
  }

  /** Whether only blanks follow the last line end. @param isStart whether the tail is at the beginning of the text. */
  opensLine(isStart: boolean): boolean {
    for (let piece = this.#pieces.length; piece >= 0; piece -= 1) {
      const text = this.#pieces[piece] ?? this.#end;
      for (let at = text.length - 1; at >= 0; at -= 1) {
        const code = text.charCodeAt(at);
        if (code === LINE_FEED) return true;
        if (!isBlank(code)) return false;
      }
    }
    return isStart;
  }

  take(): string {
    const tail = this.#pieces.join('') + this.#end;
    this.#pieces = [];
    this.#end = '';
    this.isEmpty = true;
    return tail;
  }
}

/** A citation marker `[n]` in a text. */
export interface TextMarker {
  /** In UTF-16 code units. */
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
  /** The position of the cited citation, from 1. */
  readonly position: number;
}

/** A text with its markers, or a part of such a text. Offsets refer to the part. */
export interface MarkedText {
  readonly text: string;
  readonly markers: readonly TextMarker[];
}

export interface CiteOptions {
  /** Whether the markers are put behind the last visible character, before white space. */
  readonly isBehind: boolean;
  /** Begins a separate line, which the markers need. */
  readonly newLine?: string;
}

/** Text that can follow a removed marker without the space before the marker. */
const NEEDS_NO_SPACE_BEFORE = /^[\s.,;:!?…)\]}»”’。，、；：！？）」』】]/;

/**
 * Writes a text with its markers, in parts. A run of adjacent markers has each position once. Tidies the white space around a removed marker: removes the space
 * before it if punctuation, a space or the end follows, and the `: ` after it at the beginning of a line (`[9]: https://…`). Trims the text.
 */
export class MarkerWriter {
  /** The text that was written and not taken. */
  #text = '';
  #markers: TextMarker[] = [];
  readonly #tail = new TextTail();
  /** The last written character; empty at the beginning. */
  #last: string;
  /** Whether the text ends with `](`, where an address may begin. */
  #isLabeled = false;
  /** The positions of the markers at the end of the text. */
  readonly #run = new Set<number>();
  /** Markers that wait for the next character. */
  readonly #waiting: { readonly position: number; readonly newLine: string }[] = [];
  #gap: 'none' | 'open' | 'read over' = 'none';
  /** The text to leave out at the beginning of a line whose marker was removed. */
  #opening: 'none' | 'colon' | 'blanks' = 'none';

  /** @param last the character before the written text; empty at the beginning of the text. */
  constructor(last = '') {
    this.#last = last;
  }

  text(piece: string): void {
    let text = this.#withoutOpening(piece);
    if (text === '') return;
    if (this.#waiting.length > 0 && this.#tail.isEmpty) this.#settle(text.charAt(0));
    if (this.#gap !== 'none') {
      const rest = this.#closeGap(text);
      if (rest === '') return;
      text = rest;
    }
    this.#append(text);
  }

  /** Writes the markers of the text. */
  mark(positions: readonly number[]): void {
    this.#endText();
    for (const position of positions) this.#write(position);
  }

  /** Adds markers to the text, separated from adjacent characters that would change their meaning. */
  cite(positions: readonly number[], { isBehind, newLine = '' }: CiteOptions): void {
    if (positions.length === 0 || (isBehind && this.#last === '')) return;
    if (!isBehind) this.#endText();
    for (const position of positions) this.#waiting.push({ position, newLine });
    if (!this.#tail.isEmpty) this.#settle(this.#tail.first);
  }

  /** Writes text unchanged that may be the marker of a position. */
  pass(text: string, position: number): void {
    this.text(text);
    const end = this.#text.length;
    this.#markers.push({ start: end - text.length, end, position });
  }

  /** Notes a removed marker. @param isReadOver whether the text around the marker was scanned as if the marker did not exist. */
  gap(isReadOver = false): void {
    if (this.#waiting.length > 0) this.#settle('');
    if (this.#gap !== 'open') this.#gap = isReadOver ? 'read over' : 'open';
  }

  finish(): void {
    if (this.#waiting.length > 0) this.#settle('');
    if (this.#tail.isEmpty) return;
    const tail = this.#tail.take();
    this.#put(this.#last === '' ? tail.trim() : tail.trimEnd());
  }

  /** Returns the text written since the last call. */
  take(): MarkedText {
    const taken = { text: this.#text, markers: this.#markers };
    this.#text = '';
    this.#markers = [];
    return taken;
  }

  /** A marker follows, so the space before it stays. */
  #endText(): void {
    if (this.#waiting.length > 0) this.#settle('');
    this.#gap = 'none';
    this.#opening = 'none';
    if (!this.#tail.isEmpty) this.#flushTail();
  }

  #append(piece: string): void {
    const start = TextTail.startIn(piece);
    if (start > 0) {
      if (!this.#tail.isEmpty) this.#flushTail();
      const text = piece.slice(0, start);
      this.#endRun();
      this.#put(this.#last === '' ? text.trimStart() : text);
    }
    if (start < piece.length) this.#tail.add(piece.slice(start));
  }

  #put(text: string): void {
    if (text === '') return;
    this.#isLabeled = text.endsWith('](') || (text === '(' && this.#last === ']');
    this.#text += text;
    this.#last = text.slice(-1);
  }

  /** Clearing even an empty set makes a new table. */
  #endRun(): void {
    if (this.#run.size > 0) this.#run.clear();
  }

  #flushTail(): void {
    this.#endRun();
    const tail = this.#tail.take();
    this.#put(this.#last === '' ? tail.trimStart() : tail);
  }

  #write(position: number): void {
    if (this.#run.has(position)) return;
    this.#run.add(position);
    const start = this.#text.length;
    this.#put(`[${position}]`);
    this.#markers.push({ start, end: this.#text.length, position });
  }

  /** Writes the waiting markers, so that they do not become `[[1]]`, `[1](https://…)` or `[1]{…}`. */
  #settle(after: string): void {
    const waiting = this.#waiting.splice(0);
    // In `\sqrt[3]{x}` and `[3](/x y)` a marker behind the bracket would make `[3]` a marker.
    const isArgument = (this.#isLabeled || (/[{(]/.test(after) && this.#last === ']')) && this.#run.size === 0;
    if (waiting.length === 0 || isArgument) return;
    const isNew = waiting.some(({ position }) => !this.#run.has(position));
    if (!isNew) return;
    // The backslash before them escaped what follows.
    const isEscaped = /[[`<]/.test(after) && this.#last === '\\';
    if (waiting[0]?.newLine && this.#run.size === 0) this.#put(waiting[0].newLine);
    else if (this.#run.size === 0 && /[[\\]/.test(this.#last)) this.#put(' ');
    // A marker and a colon at the beginning of a line define a link, and are not shown.
    const isDefinition = /^\n?$/.test(this.#last);
    for (const { position } of waiting) this.#write(position);
    if (after === '(' || after === '{' || (after === ':' && isDefinition)) this.#put(' ');
    else if (isEscaped) this.#put('\\');
  }

  #withoutOpening(text: string): string {
    if (this.#opening === 'none') return text;
    const from = this.#opening === 'colon' && text.startsWith(':') ? 1 : 0;
    const end = skip(text, from, isBlank);
    this.#opening = end === text.length ? 'blanks' : 'none';
    return text.slice(end);
  }

  /** Tidies the white space around a removed marker. @returns the rest of the following text. */
  #closeGap(text: string): string {
    const isReadOver = this.#gap === 'read over';
    this.#gap = 'none';
    if (this.#tail.opensLine(this.#last === '')) {
      // Blanks that were read as indentation stay.
      if (!isReadOver) this.#opening = 'colon';
      return this.#withoutOpening(text);
    }
    const before = this.#tail.isEmpty ? this.#last : this.#tail.last;
    if (NEEDS_NO_SPACE_BEFORE.test(text)) this.#tail.dropBlanks();
    else if (!isReadOver && joins(before, text.charAt(0))) this.#tail.add(' ');
    return text;
  }
}

/** Whether two characters together would begin code or a link. */
function joins(before: string, after: string): boolean {
  return after === before ? /[`~]/.test(before) : before === ']' && /[({]/.test(after);
}

/**
 * Rewrites a text with other markers.
 *
 * @param placeOf returns the new position of a citation; 0 to remove its markers.
 */
export function withMarkers({ text, markers }: MarkedText, placeOf: (position: number) => number): MarkedText {
  const writer = new MarkerWriter();
  writeAgain(writer, { text, markers }, placeOf);
  writer.finish();
  return writer.take();
}

/** Adds a part to a text that is rewritten. */
export function writeAgain(writer: MarkerWriter, { text, markers }: MarkedText, placeOf: (position: number) => number) {
  let from = 0;
  for (const { start, end, position } of markers) {
    writer.text(text.slice(from, start));
    const place = placeOf(position);
    if (place === 0) writer.gap();
    else writer.mark([place]);
    from = end;
  }
  writer.text(text.slice(from));
}
