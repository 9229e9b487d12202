/** Some models write citations for another program between these characters of the private use area, and providers do not remove all of them. */
const BEGIN = '\ue200';
const END = 0xe201;
const ENDS = /[\ue200\ue201]/g;
/** A longer artefact is text. */
const MAX_ARTEFACT = 1_000;

/** Removes artefacts from a text that comes in parts. */
export class WithoutArtefacts {
  readonly #text: (piece: string) => void;
  readonly #gap: () => void;
  #held = '';

  /**
   * @param text receives the text without artefacts.
   * @param gap is called where an artefact was removed.
   */
  constructor(text: (piece: string) => void, gap: () => void) {
    this.#text = text;
    this.#gap = gap;
  }

  push(part: string): void {
    // The common case.
    if (this.#held === '' && !part.includes(BEGIN)) this.#text(part);
    else this.#held = this.#read(this.#held + part, false);
  }

  /** Ends the text. The beginning of an artefact without an end is text. */
  finish(): void {
    if (this.#held !== '') this.#held = this.#read(this.#held, true);
  }

  /** @returns the text that is held back. */
  #read(whole: string, isEnd: boolean): string {
    let from = 0;
    let search = 0;
    for (let at = whole.indexOf(BEGIN); at !== -1; at = whole.indexOf(BEGIN, search)) {
      ENDS.lastIndex = at + 1;
      const end = ENDS.exec(whole)?.index ?? whole.length;
      const isShort = end - at <= MAX_ARTEFACT;
      search = end;
      if (end === whole.length && isShort && !isEnd) {
        this.#text(whole.slice(from, at));
        return whole.slice(at);
      }
      if (!isShort || whole.charCodeAt(end) !== END) continue;
      this.#text(whole.slice(from, at));
      this.#gap();
      from = end + 1;
      search = from;
    }
    this.#text(whole.slice(from));
    return '';
  }
}
