import { BACKSLASH, isBlank, isWhiteSpace, LINE_FEED, skip } from './characters.js';

/** Of the end, so much is one string. */
const MAX_PIECE = 200;

/**
 * White space and backslashes at the end of a text, which are written with what follows. What is added, looked at or taken back costs no time by what was
 * there before.
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

  /** Where the tail of a text begins. */
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

  /** Whether only blanks follow a line end. @param isStart whether the text has nothing in front. */
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

/** One `[n]` of a text. */
export interface TextMarker {
  /** In UTF-16 code units. */
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
  /** Of the citation it means, from 1. */
  readonly position: number;
}

/** A text whose markers are known, or a part of one; offsets are those of the part. */
export interface MarkedText {
  readonly text: string;
  readonly markers: readonly TextMarker[];
}

export interface CiteOptions {
  /** Whether they go behind the last visible character, in front of white space. */
  readonly isBehind: boolean;
  /** Whether they need a line of their own. */
  readonly onNewLine?: boolean;
}

/** What can follow a removed marker without the space that was in front of it. */
const NEEDS_NO_SPACE_BEFORE = /^[\s.,;:!?…)\]}»”’。，、；：！？）」』】]/;

/**
 * Writes a text with its markers, in parts: a run of adjacent markers has each position once, and where one is left out, the white space around it is tidied. It
 * takes the space before it along when punctuation, a space or nothing follows, and the `: ` after it where it opens a line (`[9]: https://…`).
 * White space at either end of the text is left out.
 */
export class MarkerWriter {
  #parts: string[] = [];
  #markers: TextMarker[] = [];
  /** The length of what was written and not taken. */
  #length = 0;
  readonly #tail = new TextTail();
  /** The last character that was written; none at the beginning. */
  #last: string;
  /** The positions of the markers that stand at the end. */
  readonly #run = new Set<number>();
  /** Markers that wait for what follows. */
  readonly #waiting: { readonly position: number; readonly onNewLine: boolean }[] = [];
  #gap: 'none' | 'open' | 'read over' = 'none';
  /** What is left out at the beginning of a line whose marker is gone. */
  #opening: 'none' | 'colon' | 'blanks' = 'none';

  /** @param last the character in front of what is written; none at the beginning of the text. */
  constructor(last = '') {
    this.#last = last;
  }

  text(piece: string): void {
    let text = piece;
    if (this.#opening !== 'none') text = this.#withoutOpening(text);
    if (text === '') return;
    if (this.#waiting.length > 0 && this.#tail.isEmpty) this.#settle(text.charAt(0));
    if (this.#gap !== 'none') {
      const rest = this.#closeGap(text);
      if (rest === '') return;
      text = rest;
    }
    this.#append(text);
  }

  /** Writes markers where the text has some. */
  mark(positions: readonly number[]): void {
    this.#endText();
    for (const position of positions) this.#write(position);
  }

  /** Puts markers where the text has none, so that what stands next to them does not change what they mean. */
  cite(positions: readonly number[], { isBehind, onNewLine = false }: CiteOptions): void {
    if (positions.length === 0 || (isBehind && this.#last === '')) return;
    if (!isBehind) this.#endText();
    for (const position of positions) this.#waiting.push({ position, onNewLine });
    if (!this.#tail.isEmpty) this.#settle(this.#tail.first);
  }

  /** Writes what may be the marker of a position, and stays as it is. */
  pass(text: string, position: number): void {
    this.text(text);
    this.#markers.push({ start: this.#length - text.length, end: this.#length, position });
  }

  /** A marker was here. @param isReadOver whether what is around it was read as if it had not been. */
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

  /** What was written since the last time. */
  take(): MarkedText {
    const taken = { text: this.#parts.join(''), markers: this.#markers };
    this.#parts = [];
    this.#markers = [];
    this.#length = 0;
    return taken;
  }

  /** What follows is no text: so nothing of the space in front of it is left out. */
  #endText(): void {
    if (this.#waiting.length > 0) this.#settle('[');
    this.#gap = 'none';
    this.#opening = 'none';
    if (!this.#tail.isEmpty) this.#flushTail();
  }

  #append(piece: string): void {
    const start = TextTail.startIn(piece);
    if (start > 0) {
      if (!this.#tail.isEmpty) this.#flushTail();
      const text = piece.slice(0, start);
      this.#run.clear();
      this.#put(this.#last === '' ? text.trimStart() : text);
    }
    if (start < piece.length) this.#tail.add(piece.slice(start));
  }

  #put(text: string): void {
    if (text === '') return;
    this.#parts.push(text);
    this.#length += text.length;
    this.#last = text.slice(-1);
  }

  #flushTail(): void {
    this.#run.clear();
    const tail = this.#tail.take();
    this.#put(this.#last === '' ? tail.trimStart() : tail);
  }

  #write(position: number): void {
    if (this.#run.has(position)) return;
    this.#run.add(position);
    const start = this.#length;
    this.#put(`[${position}]`);
    this.#markers.push({ start, end: this.#length, position });
  }

  /** Writes the markers that wait: neither `[[1]]`, `[1](https://…)` nor `[1]{…}` is one. */
  #settle(after: string): void {
    const waiting = this.#waiting.splice(0);
    // Only its brace keeps the number in `\sqrt[3]{x}` from being a marker.
    const isArgument = after === '{' && this.#last === ']' && this.#run.size === 0;
    if (waiting.length === 0 || isArgument) return;
    const isNew = waiting.some(({ position }) => !this.#run.has(position));
    if (!isNew) return;
    if (waiting[0]?.onNewLine && this.#run.size === 0) this.#put('\n');
    else if (this.#run.size === 0 && /[[\\]/.test(this.#last)) this.#put(' ');
    for (const { position } of waiting) this.#write(position);
    if (after === '(' || after === '{') this.#put(' ');
  }

  #withoutOpening(text: string): string {
    const from = this.#opening === 'colon' && text.startsWith(':') ? 1 : 0;
    const end = skip(text, from, isBlank);
    this.#opening = end === text.length ? 'blanks' : 'none';
    return text.slice(end);
  }

  /** @returns what is left of the text behind. */
  #closeGap(text: string): string {
    const isReadOver = this.#gap === 'read over';
    this.#gap = 'none';
    if (this.#tail.opensLine(this.#last === '')) {
      this.#opening = isReadOver ? 'blanks' : 'colon';
      return this.#withoutOpening(text);
    }
    const before = this.#tail.isEmpty ? this.#last : this.#tail.last;
    if (NEEDS_NO_SPACE_BEFORE.test(text)) this.#tail.dropBlanks();
    else if (!isReadOver && joins(before, text.charAt(0))) this.#tail.add(' ');
    return text;
  }
}

/** Whether two characters would mean something together: code, or a link. */
function joins(before: string, after: string): boolean {
  return after === before ? /[`~]/.test(before) : before === ']' && /[({]/.test(after);
}

/**
 * Writes a text again with other markers.
 *
 * @param placeOf the new position of a citation; 0 for one whose markers go.
 */
export function withMarkers({ text, markers }: MarkedText, placeOf: (position: number) => number): MarkedText {
  const writer = new MarkerWriter();
  writeAgain(writer, { text, markers }, placeOf);
  writer.finish();
  return writer.take();
}

/** Adds a part of a text to one that is written again. */
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
