/** So many parts wait to be joined. */
const PARTS = 32;

/**
 * A text that is put together from small parts. Adding them to a string one by one makes the engine remember each as an object of its own, which takes about four times
 * the memory of the text for as long as a stream is open.
 */
export class JoinedText {
  #joined = '';
  readonly #parts: string[] = [];

  add(part: string): void {
    if (this.#parts.push(part) === PARTS) this.#join();
  }

  toString(): string {
    this.#join();
    return this.#joined;
  }

  #join(): void {
    this.#joined += this.#parts.join('');
    this.#parts.length = 0;
  }
}
