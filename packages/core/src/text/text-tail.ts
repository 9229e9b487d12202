import { BACKSLASH, isBlank, isWhiteSpace, LINE_FEED } from './characters.js';

/** Of the end, so much is one string. */
const MAX_PIECE = 200;

/**
 * White space and backslashes at the end of a text, which are written with what follows. What is added, looked at or taken back costs no time by what was
 * there before.
 */
export class TextTail {
  #pieces: string[] = [];
  #end = '';

  get isEmpty(): boolean {
    return this.#end === '';
  }

  get first(): string {
    return (this.#pieces[0] ?? this.#end).charAt(0);
  }

  get last(): string {
    return this.#end.slice(-1);
  }

  /** Where the tail of a text begins. */
  static startIn(text: string): number {
    let start = text.length;
    while (start > 0 && isOfTail(text.charCodeAt(start - 1))) start -= 1;
    return start;
  }

  add(piece: string): void {
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
      if (before === undefined) return;
      this.#end = before;
    }
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
    return tail;
  }
}

function isOfTail(code: number): boolean {
  return code === BACKSLASH || isWhiteSpace(code);
}
