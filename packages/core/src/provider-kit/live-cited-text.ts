import { isSeparator, type Link, linksIn, mayGoOn } from '../text/citation-links.js';
import { HeldText, type TextTaker } from '../text/held-text.js';
import { type Cut, signsIn } from '../text/live-cuts.js';
import { markerTokens } from '../text/marker-tokens.js';
import { MAX_ANNOTATIONS } from '../text/reply-limits.js';
import type { MessageWriter } from './live-messages.js';
import type { LiveParts } from './live-parts.js';
import { markText, mayHaveArtefacts, titleOf, type UrlCitation, urlCitations } from './responses-citations.js';
import { responsesAnnotations } from './responses-reply.js';
import { hazardAt, isLeftOpen, settledCut } from './settled-cuts.js';

/** With more brackets, code or pages than this, limits of the whole reply may apply, which only its end shows. */
const MAX_SIGNS = 10_000;
const MAX_PAGES = 900;
/** More citations than this have no link in front of them only in text that no model writes. */
const MAX_UNLINKED = 100;

export interface LiveCitedTextOptions {
  /** As of `citedText`. It looks at single words. */
  readonly clean?: ((text: string) => string) | undefined;
}

/**
 * Writes annotated text while it comes, with the markers that `citedText` gives the whole. A link is held back until its annotation has come, since that
 * decides whether the link is a marker. Where an annotation has no link in the text, the rest waits for the end of its part; where it means text that is
 * delivered already, or a link never gets one, for the whole reply.
 */
export function liveCitedText(live: LiveParts, { clean }: LiveCitedTextOptions = {}): MessageWriter {
  return new CitedWriter(live, clean);
}

class CitedWriter implements MessageWriter, TextTaker {
  readonly #live: LiveParts;
  readonly #clean: ((text: string) => string) | undefined;
  readonly #positions = new Map<string, number>();
  /** The part that is being written. */
  readonly #part = new HeldText(this);
  /** Positions that a link of the part cites. */
  readonly #linked = new Set<number>();
  /** Citations with a place in the part that no link was seen for yet. */
  #unlinked: UrlCitation[] = [];
  #hasEnded = false;
  #annotations = 0;
  #signs = 0;

  constructor(live: LiveParts, clean: ((text: string) => string) | undefined) {
    this.#live = live;
    this.#clean = clean;
  }

  text(text: string): void {
    this.#signs += signsIn(text);
    if (this.#signs > MAX_SIGNS) this.#part.freeze();
    this.#part.push(text);
  }

  annotations(annotations: readonly unknown[]): void {
    if (this.#part.isFrozen) return;
    const cited = urlCitations({ annotations: responsesAnnotations.parse(annotations) });
    for (const citation of cited) {
      this.#cite(citation);
      if (hasPlace(citation)) this.#unlinked.push(citation);
    }
    this.#annotations += cited.length;
    const isTooMuch = this.#annotations >= MAX_ANNOTATIONS || this.#positions.size > MAX_PAGES;
    if (isTooMuch || this.#unlinked.length > MAX_UNLINKED) this.#part.freeze();
    if (cited.length > 0) this.#part.look();
  }

  endPart(): void {
    const part = this.#part;
    const isCodeOpen = part.endCode();
    const isOpen = isCodeOpen || mayHaveArtefacts(part.held) || isLeftOpen(part.held, part.context === '');
    const links = this.#links();
    // It may be annotated later, in another part.
    const isUndecided = links.some(({ url }) => this.#positionOf(url) === undefined);
    this.#unlinked = this.#withoutLink(links);
    const isLate = this.#unlinked.some(({ start, end }) => start < part.offset || end === part.offset);
    if (isUndecided || isLate) part.freeze();
    this.#hasEnded = true;
    part.take(part.held.length);
    this.#hasEnded = false;
    // What goes on in the next part is read otherwise in the whole text.
    if (isOpen) part.freeze();
    part.restart();
    this.#linked.clear();
    this.#unlinked = [];
  }

  nextMessage(): void {
    if (!this.#part.isFrozen) this.#live.text('\n\n');
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

  /** In front of all links that are not decided yet. */
  nextCut(): Cut {
    const { held, offset, context } = this.#part;
    const options = { isStart: context === '', isCleaned: this.#clean !== undefined };
    const whole = settledCut(held, options);
    if (this.#unlinked.length === 0 && !held.includes('](')) return whole;
    const links = this.#links();
    this.#unlinked = this.#withoutLink(links);
    const length = offset + held.length;
    if (this.#unlinked.some(({ end }) => end <= length)) return { cut: 0 };
    const end = typeof whole.opened === 'object' ? whole.opened.lineEnd : whole.cut;
    const limit = this.#undecidedFrom(held, links, end);
    return limit >= end ? whole : settledCut(held.slice(0, limit), options);
  }

  nextCodeCut(length: number): number {
    return hazardAt(this.#part.held, length, this.#clean !== undefined);
  }

  /** Where the first group of links begins that is not annotated yet, or may go on. */
  #undecidedFrom(held: string, links: readonly Link[], end: number): number {
    let start = 0;
    for (const [index, link] of links.entries()) {
      const last = links[index - 1];
      if (last === undefined || !isSeparator(held.slice(last.end, link.start))) start = link.start;
      if (link.start >= end) return start < end ? start : held.length;
      const isKnown = this.#positionOf(link.url) !== undefined;
      const next = links[index + 1];
      const isLast = next === undefined || !isSeparator(held.slice(link.end, next.start));
      if (!isKnown || (isLast && mayGoOn(held.slice(link.end, Math.max(link.end, end))))) return start;
    }
    return held.length;
  }

  /** Of what is held. */
  #links(): Link[] {
    const { context, held } = this.#part;
    if (!held.includes('](')) return [];
    const text = context + held;
    return linksIn(text, markerTokens(text)).map((link) => ({
      ...link,
      start: link.start - context.length,
      end: link.end - context.length,
    }));
  }

  /** The citations of the part that no link in it stands for. */
  #withoutLink(links: readonly Link[]): UrlCitation[] {
    if (this.#unlinked.length === 0) return this.#unlinked;
    const held = new Set(links.map(({ url }) => this.#positionOf(url)));
    return this.#unlinked.filter(({ url }) => {
      const position = this.#positionOf(url);
      return position !== undefined && !this.#linked.has(position) && !held.has(position);
    });
  }

  takeText(text: string): void {
    const { context, offset } = this.#part;
    const from = offset - context.length;
    // On the way, these are waited for.
    const cited = this.#hasEnded ? this.#unlinked : [];
    const shifted = cited.map((each) => ({ ...each, start: each.start - from, end: each.end - from }));
    const positionOf = (url: string) => {
      const position = this.#positionOf(url);
      if (position !== undefined) this.#linked.add(position);
      return position;
    };
    const isMarked = cited.length > 0 || SPECIAL.test(context + text);
    this.#write(isMarked ? markText(context + text, shifted, positionOf).slice(context.length) : text);
  }

  /** Code has no markers. Without an artefact it may end elsewhere, which the whole reply shows. */
  takeCode(text: string): void {
    if (mayHaveArtefacts(text)) this.#part.freeze();
    else this.#write(text);
  }

  #write(text: string): void {
    this.#live.text(this.#clean?.(text) ?? text);
  }
}

const SPECIAL = /[[\]【】\ue200]/;

/** Offsets of 0 mean nowhere. */
function hasPlace({ end }: UrlCitation): boolean {
  return end > 0;
}
