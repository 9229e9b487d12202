import type { Characters } from './characters.js';

/**
 * A text under construction whose end can be read and taken back. Each costs time by what is added, read or taken back, never by the
 * length of the whole, as it does with strings.
 */
export class TextBuffer implements Characters {
  #units: Uint16Array;
  #length = 0;

  /** @param capacity how long the text is expected to become, in UTF-16 code units; it grows beyond. */
  constructor(capacity: number) {
    this.#units = new Uint16Array(capacity);
  }

  get length(): number {
    return this.#length;
  }

  charCodeAt(index: number): number {
    return index < this.#length ? (this.#units[index] ?? Number.NaN) : Number.NaN;
  }

  /** Adds the part of a text from `start` to `end`, exclusive. */
  append(text: string, start = 0, end = text.length): void {
    const length = this.#length + end - start;
    if (length > this.#units.length) this.#grow(length);
    const units = this.#units;
    if (IS_LITTLE_ENDIAN && end - start > MAX_SHORT) {
      const bytes = Buffer.from(units.buffer, 2 * this.#length, 2 * (end - start));
      bytes.write(text.slice(start, end), 'utf16le');
    } else
      for (let index = start, to = this.#length; index < end; index += 1, to += 1) units[to] = text.charCodeAt(index);
    this.#length = length;
  }

  /** Adds one UTF-16 code unit. */
  appendCode(code: number): void {
    if (this.#length === this.#units.length) this.#grow(this.#length + 1);
    this.#units[this.#length] = code;
    this.#length += 1;
  }

  /** Removes what follows `length` code units. */
  truncate(length: number): void {
    this.#length = Math.min(length, this.#length);
  }

  slice(start: number, end: number): string {
    const units = this.#units;
    if (end - start <= MAX_SHORT) return this.#shortSlice(start, end);
    const bytes = Buffer.from(units.buffer, 2 * start, 2 * (end - start));
    return (IS_LITTLE_ENDIAN ? bytes : Buffer.from(bytes).swap16()).toString('utf16le');
  }

  #shortSlice(start: number, end: number): string {
    let text = '';
    for (let index = start; index < end; index += 1) text += String.fromCharCode(this.#units[index] ?? 0);
    return text;
  }

  toString(): string {
    return this.slice(0, this.#length);
  }

  #grow(length: number): void {
    const units = new Uint16Array(Math.max(length, 2 * this.#units.length));
    units.set(this.#units.subarray(0, this.#length));
    this.#units = units;
  }
}

/** Up to this length single characters are read and written faster than bytes. */
const MAX_SHORT = 16;

const IS_LITTLE_ENDIAN = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;
