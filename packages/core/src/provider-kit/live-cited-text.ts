import { isWhiteSpace } from '../text/characters.js';
import { isSeparator, type Link, linksIn, mayGoOn } from '../text/citation-links.js';
import { MAX_ANNOTATIONS } from '../text/reply-limits.js';
import { Scanner, type Token } from '../text/scanner.js';
import type { MessageWriter } from './live-messages.js';
import type { LiveParts } from './live-parts.js';
import { cleaned, markText, titleOf, type UrlCitation, urlCitations } from './responses-citations.js';
import { responsesAnnotations } from './responses-reply.js';

/** With more pages, limits of the whole reply may apply, and only the end of the reply shows whether they do. */
const MAX_PAGES = 900;
/** No model writes a text with more citations without a link. */
const MAX_UNLINKED = 100;
/** Most characters that are held back. Above it, nothing more is handed over. */
const MAX_HELD = 100_000;
/** A held text of more characters is searched again only when its length has doubled, so that time stays linear in the text. */
const SHORT = 1_000;

/** Real texts need at most two rounds. */
const MAX_ROUNDS = 4;

export interface LiveCitedTextOptions {
  /** As in `citedText`. It must change each word independently of the others. @default addresses stay as they are */
  readonly clean?: ((text: string) => string) | undefined;
}

/**
 * Streams annotated text, with the marks that `citedText` gives the whole text. A link is held back until its annotation has come, because the annotation
 * decides whether the link is a marker. After an annotation without a link in the text, the rest waits for the end of the part. If an annotation means text
 * that was already handed over, or a link gets no annotation, the rest waits for the whole reply.
 */
export function liveCitedText(live: LiveParts, { clean }: LiveCitedTextOptions = {}): MessageWriter {
  return new CitedWriter(live, clean);
}

class CitedWriter implements MessageWriter {
  readonly #live: LiveParts;
  readonly #clean: ((text: string) => string) | undefined;
  readonly #positions = new Map<string, number>();
  /** The text of the current part that is held back. */
  #held = '';
  /** The offset of the held text in the part. */
  #offset = 0;
  #scanner = this.#newScanner();
  /** The known tokens of the held text; their offsets count from the beginning of the part. */
  #tokens: Token[] = [];
  #lookedAt = 0;
  /** Positions of sources that a link of the part cites. */
  readonly #linked = new Set<number>();
  /** Citations with an offset in the part, for which no link has come yet. */
  #unlinked: UrlCitation[] = [];
  #annotations = 0;
  /** True when the rest waits for the whole reply. */
  #isFrozen = false;

  constructor(live: LiveParts, clean: ((text: string) => string) | undefined) {
    this.#live = live;
    this.#clean = clean;
  }

  text(text: string): void {
    if (this.#isFrozen) return;
    this.#held += text;
    this.#scanner.push(text);
    this.#look();
  }

  annotations(annotations: readonly unknown[]): void {
    if (this.#isFrozen) return;
    const cited = urlCitations({ annotations: responsesAnnotations.parse(annotations) });
    for (const citation of cited) {
      this.#cite(citation);
      // An offset of 0 means that the citation has no place.
      if (citation.end > 0) this.#unlinked.push(citation);
    }
    this.#annotations += cited.length;
    const isTooMuch = this.#annotations >= MAX_ANNOTATIONS || this.#positions.size > MAX_PAGES;
    if (isTooMuch || this.#unlinked.length > MAX_UNLINKED) this.#freeze();
    else if (cited.length > 0) this.#look();
  }

  endPart(): void {
    if (this.#isFrozen) return;
    this.#scanner.finish();
    const links = this.#links();
    // A link without an annotation may still be annotated in another part.
    const isUndecided = links.some(({ url }) => this.#positionOf(url) === undefined);
    this.#unlinked = this.#withoutLink(links);
    const isLate = this.#unlinked.some(({ start, end }) => start < this.#offset || end === this.#offset);
    if (isUndecided || isLate) this.#freeze();
    else this.#give(this.#held.length, this.#unlinked);
    this.#begin();
  }

  nextMessage(): void {
    if (!this.#isFrozen) this.#live.text('\n\n', []);
  }

  #newScanner(): Scanner {
    return new Scanner({ add: (token) => void (token.kind !== 'text' && this.#tokens.push(token)) });
  }

  /** Begins another part. */
  #begin(): void {
    this.#held = '';
    this.#offset = 0;
    this.#tokens = [];
    this.#scanner = this.#newScanner();
    this.#lookedAt = 0;
    this.#linked.clear();
    this.#unlinked = [];
  }

  #freeze(): void {
    this.#isFrozen = true;
    this.#begin();
  }

  #cite({ url, title }: UrlCitation): void {
    const address = this.#clean?.(url) ?? url;
    if (this.#positions.has(address)) return;
    this.#positions.set(address, this.#positions.size + 1);
    this.#live.sources([{ url: address, title: titleOf(title, url) }]);
  }

  #positionOf(url: string): number | undefined {
    return this.#positions.get(this.#clean?.(url) ?? url);
  }

  /** Hands over the text that can no longer change. */
  #look(): void {
    const { length } = this.#held;
    if (length > SHORT && length < 2 * this.#lookedAt) return;
    if (length > MAX_HELD) this.#freeze();
    else this.#give(this.#decidedEnd(), []);
    this.#lookedAt = this.#held.length;
  }

  /** The length of the held text that can no longer be replaced or cleaned. */
  #decidedEnd(): number {
    const links = this.#links();
    this.#unlinked = this.#withoutLink(links);
    if (this.#unlinked.some(({ end }) => end <= this.#offset + this.#held.length)) return 0;
    const decided = this.#scanner.end - this.#offset;
    let end = decided;
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const cut = hazardAt(this.#held, end, this.#clean !== undefined);
      end = this.#undecidedFrom(links, cut, decided);
      if (end === cut) return cut;
    }
    return 0;
  }

  /** Moves `end` before a group of links that lacks an annotation, may grow, or contains `end`. @param decided the length of the scanned held text. */
  #undecidedFrom(links: readonly Link[], end: number, decided: number): number {
    let start = 0;
    for (const [index, link] of links.entries()) {
      const last = links[index - 1];
      const isFirst = last === undefined || !isSeparator(this.#held.slice(last.end, link.start));
      if (isFirst) start = link.start;
      if (start >= end) return end;
      const next = links[index + 1];
      const isLast = next === undefined || !isSeparator(this.#held.slice(link.end, next.start));
      const mayFollow = isLast && mayGoOn(this.#held.slice(link.end, Math.max(link.end, decided)));
      if (link.end > end || mayFollow || this.#positionOf(link.url) === undefined) return start;
    }
    return end;
  }

  /** The links of the held text. */
  #links(): Link[] {
    const offset = this.#offset;
    return linksIn(this.#tokens).map((link) => ({ ...link, start: link.start - offset, end: link.end - offset }));
  }

  /** The citations of the part without a link in the part. */
  #withoutLink(links: readonly Link[]): UrlCitation[] {
    if (this.#unlinked.length === 0) return this.#unlinked;
    const held = new Set(links.map(({ url }) => this.#positionOf(url)));
    return this.#unlinked.filter(({ url }) => {
      const position = this.#positionOf(url);
      return position !== undefined && !this.#linked.has(position) && !held.has(position);
    });
  }

  /** Hands over the first characters of the held text. */
  #give(length: number, cited: readonly UrlCitation[]): void {
    if (length <= 0) return;
    const offset = this.#offset;
    const tokens = this.#tokens.filter(({ end }) => end <= offset + length);
    this.#tokens = this.#tokens.slice(tokens.length);
    const own = tokens.map((token) => ({ ...token, start: token.start - offset, end: token.end - offset }));
    const shifted = cited.map((each) => ({ ...each, start: each.start - offset, end: each.end - offset }));
    const positionOf = (url: string) => {
      const position = this.#positionOf(url);
      if (position !== undefined) this.#linked.add(position);
      return position;
    };
    const marked = markText({ text: this.#held.slice(0, length), tokens: own }, shifted, positionOf);
    this.#held = this.#held.slice(length);
    this.#offset += length;
    const { text, marks } = this.#clean === undefined ? marked : cleaned(marked, this.#clean);
    this.#live.text(text, marks);
  }
}

/** Moves a cut before any address, marker or parenthesis that it would split. */
export function hazardAt(text: string, cut: number, isCleaned: boolean): number {
  // A bare address or the remains of a marker may be annotated as a marker until the part ends.
  const unlinked = text.search(UNLINKED);
  let at = unlinked === -1 ? cut : Math.min(unlinked, cut);
  for (let start = at - 1; start > at - ADDRESS.length; start -= 1) if (isAddressBegun(text, start)) at = start;
  // Parentheses may enclose a group of links.
  while (text[at - 1] === '(') at -= 1;
  return isCleaned ? beforeAddress(text, at) : at;
}

const UNLINKED = /\ue200|(?<!\]\(<?)https?:\/\//;
const ADDRESS = 'https://';

function isAddressBegun(text: string, start: number): boolean {
  if (start < 0 || text.length - start >= ADDRESS.length) return false;
  const rest = text.slice(start);
  return ADDRESS.startsWith(rest) || 'http://'.startsWith(rest);
}

/** Moves a cut before an unfinished word that may contain the parameters of an address. */
function beforeAddress(text: string, cut: number): number {
  if (cut < text.length && isWhiteSpace(text.charCodeAt(cut))) return cut;
  let start = cut;
  while (start > 0 && !isWhiteSpace(text.charCodeAt(start - 1))) start -= 1;
  return /:\/\/|[?&]/.test(text.slice(start, cut)) ? start : cut;
}
