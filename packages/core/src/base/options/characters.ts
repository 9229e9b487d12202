/** Whether every reader accepts the text: no NUL characters and no halves of surrogate pairs. */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

/** The text with U+FFFD in place of each half of a surrogate pair and each NUL character, which many JSON readers refuse. Keeps the length. */
export function wellFormed(text: string): string {
  return isStorable(text) ? text : text.toWellFormed().replaceAll('\0', '\ufffd');
}

/** Makes a text in parts well-formed. A surrogate pair may be split between two parts. */
export class WellFormedParts {
  #half = '';

  /** The number of UTF-16 units that wait for the next part. */
  held = 0;

  /** Returns the well-formed text, without half of a pair at the end. */
  push(part: string): string {
    // The common case.
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

/** Whether a text has more than `most` characters. Characters are Unicode code points, as JSON Schema and vendors' servers count them. */
export function hasMoreCharacters(text: string, most: number): boolean {
  return text.length > most && (text.length > 2 * most || endOfCharacters(text, most) < text.length);
}

/** The first `most` characters of a text, never half of one. Copied if cut: a slice would keep the whole text in memory. */
export function firstCharacters(text: string, most: number): string {
  const end = endOfCharacters(text, most);
  return end === text.length ? text : Buffer.from(text.slice(0, end), 'utf16le').toString('utf16le');
}

/** The index behind the first `most` characters. A text has at most as many characters as UTF-16 units, and at least half as many. */
function endOfCharacters(text: string, most: number): number {
  if (text.length <= most) return text.length;
  let end = 0;
  for (let count = 0; count < most && end < text.length; count += 1)
    end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
  return end;
}

/** No character without a shape, alone: white space, controls, combining marks, and letters and signs that show nothing (Unicode 16, read 2026-11-29). */
const VISIBLE = /[^\s\p{Cc}\p{Cf}\p{Cs}\p{M}\p{Z}\p{Default_Ignorable_Code_Point}\u2800\ufffc]/u;

/** The index of the first character from `from` on that readers see; -1 for none. */
export function nextVisible(text: string, from: number): number {
  const found = text.slice(from).search(VISIBLE);
  return found === -1 ? -1 : from + found;
}

/** Whether a text has a character that readers see. */
export function isVisible(text: string): boolean {
  return VISIBLE.test(text);
}

const SEPARATORS = /[\u0085\u2028\u2029]/g;

/**
 * JSON text without characters that end a line. JSON may have three such characters unescaped, and readers of lines such as Python's `splitlines` would cut an
 * event or a line of a log there.
 */
export function oneLine(json: string): string {
  return json.replace(SEPARATORS, (separator) => `\\u${separator.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
