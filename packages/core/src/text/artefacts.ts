/** Models that are trained to write citations which a program replaces leave some behind, between these characters of the private use area. */
const BEGIN = '\ue200';
const END = 0xe201;
const ENDS = /[\ue200\ue201]/g;
/** A longer one is text. */
const MAX_ARTEFACT = 1_000;

/** Takes artefacts out of a text that comes in parts. */
export class WithoutArtefacts {
  readonly #text: (piece: string) => void;
  readonly #gap: () => void;
  #held = '';

  /**
   * @param text gets what is left.
   * @param gap is called where one was taken out.
   */
  constructor(text: (piece: string) => void, gap: () => void) {
    this.#text = text;
    this.#gap = gap;
  }

  push(part: string): void {
    // As nearly always.
    if (this.#held === '' && !part.includes(BEGIN)) this.#text(part);
    else this.#held = this.#read(this.#held + part, false);
  }

  /** What may have become an artefact is text. */
  finish(): void {
    if (this.#held !== '') this.#held = this.#read(this.#held, true);
  }

  /** @returns what is held back. */
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
