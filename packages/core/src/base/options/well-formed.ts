/** Whether every reader can take it: without NUL characters and halves of surrogate pairs. */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

/** A text in which U+FFFD stands for each half of a surrogate pair and each NUL character, which many readers of JSON refuse. It has the same length. */
export function wellFormed(text: string): string {
  return isStorable(text) ? text : text.toWellFormed().replaceAll('\0', '\ufffd');
}

/** Makes a text well-formed that comes in parts, between which a surrogate pair may be cut. */
export class WellFormedParts {
  #half = '';

  /** How many characters wait for the next part. */
  held = 0;

  /** What is decided: without a half at the end. */
  push(part: string): string {
    // As nearly always.
    if (this.held === 0 && isStorable(part)) return part;
    const text = this.#half + part;
    this.#half = isFirstHalf(text.charCodeAt(text.length - 1)) ? text.slice(-1) : '';
    this.held = this.#half.length;
    return wellFormed(this.#half === '' ? text : text.slice(0, -1));
  }
}

function isFirstHalf(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}
