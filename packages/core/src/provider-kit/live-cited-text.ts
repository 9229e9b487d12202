import { isSeparator, type Link, linksIn, mayGoOn } from '../citations/citation-links.js';
import { bracketsIn, type Cut, fenceEnd, isOpening } from '../citations/live-cuts.js';
import { markerTokens } from '../citations/marker-tokens.js';
import { MAX_ANNOTATIONS } from '../citations/reply-limits.js';
import type { MessageWriter } from './live-messages.js';
import type { LiveParts } from './live-parts.js';
import { markText, titleOf, type UrlCitation, urlCitations, withoutArtefacts } from './responses-citations.js';
import { responsesAnnotations } from './responses-reply.js';
import { hazardAt, isLeftOpen, settledCut } from './settled-cuts.js';

/** A longer held text is looked through again only when it has doubled, so that time stays linear in the text. */
const SHORT = 1_000;
/** When more than this is held back, nothing is handed over any more. */
const MAX_HELD = 100_000;
/** With more brackets, code or pages than this, limits of the whole reply may apply, which only its end shows. */
const MAX_SPECIAL = 10_000;
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

/** A part of a message while it is written. */
class Part {
  held = '';
  /** How much of the text was in front of what is held. */
  offset = 0;
  /** The last character of that; none at the beginning of the part. */
  context = '';
  lookedAt = 0;
  /** Set inside of fenced code: the characters that close it. */
  fence: string | null = null;
  /** Positions that a link of the part cites. */
  readonly linked = new Set<number>();
  /** Citations with a place in the text that no link was seen for yet. */
  unlinked: UrlCitation[] = [];
}

class CitedWriter implements MessageWriter {
  readonly #live: LiveParts;
  readonly #clean: ((text: string) => string) | undefined;
  readonly #positions = new Map<string, number>();
  #part = new Part();
  #annotations = 0;
  #special = 0;
  #isFrozen = false;

  constructor(live: LiveParts, clean: ((text: string) => string) | undefined) {
    this.#live = live;
    this.#clean = clean;
  }

  text(text: string): void {
    if (this.#isFrozen) return;
    this.#special += specialIn(text);
    this.#part.held += text;
    this.#look();
  }

  annotations(annotations: readonly unknown[]): void {
    if (this.#isFrozen) return;
    const cited = urlCitations({ annotations: responsesAnnotations.parse(annotations) });
    for (const citation of cited) {
      this.#cite(citation);
      if (hasPlace(citation)) this.#part.unlinked.push(citation);
    }
    // Each of them is looked at again and again.
    if (this.#part.unlinked.length > MAX_UNLINKED) this.#isFrozen = true;
    this.#annotations += cited.length;
    if (cited.length > 0) this.#look();
  }

  endPart(): void {
    const part = this.#part;
    this.#part = new Part();
    if (this.#isFrozen) return;
    const { fence } = part;
    const fenced = fence === null ? undefined : fenceEnd(part.held, fence);
    if (fenced !== undefined) this.#leaveFence(part, fenced.end ?? part.held.length);
    const isOpen = (fenced !== undefined && fenced.end === undefined) || isLeftOpen(part.held, part.context === '');
    const links = this.#linksIn(part);
    // It may be annotated later, in another part.
    const isUndecided = links.some(({ url }) => this.#positionOf(url) === undefined);
    const unlinked = this.#unlinkedOf(part, links);
    const isLate = unlinked.some(({ start, end }) => start < part.offset || end === part.offset);
    if (isUndecided || isLate) this.#isFrozen = true;
    else this.#write(part, part.held.length, unlinked);
    // What goes on in the next part is read otherwise in the whole text.
    this.#isFrozen ||= isOpen;
  }

  nextMessage(): void {
    if (!this.#isFrozen) this.#live.text('\n\n');
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

  #look(): void {
    const part = this.#part;
    const { length } = part.held;
    if (length > SHORT && length < 2 * part.lookedAt) return;
    const isTooMuch = this.#special > MAX_SPECIAL || this.#annotations >= MAX_ANNOTATIONS || length > MAX_HELD;
    if (isTooMuch || this.#positions.size > MAX_PAGES) this.#isFrozen = true;
    while (!this.#isFrozen && (part.fence === null || this.#passFence(part, part.fence))) {
      const cut = this.#nextCut(part);
      if (cut.opened === 'unclear') this.#isFrozen = true;
      if (cut.opened === undefined) this.#write(part, cut.cut);
      if (cut.opened === undefined || cut.opened === 'unclear') break;
      // The fence and what is in front of it are written together; from the next line on it is code.
      this.#write(part, cut.opened.lineEnd);
      part.fence = cut.opened.fence;
    }
    if (this.#isFrozen) this.#part = new Part();
    else part.lookedAt = part.held.length;
  }

  /** In front of all links that are not decided yet. */
  #nextCut(part: Part): Cut {
    const { held } = part;
    const options = { isStart: part.context === '', isCleaned: this.#clean !== undefined };
    const whole = settledCut(held, options);
    if (part.unlinked.length === 0 && !held.includes('](')) return whole;
    const links = this.#linksIn(part);
    part.unlinked = this.#unlinkedOf(part, links);
    const length = part.offset + held.length;
    if (part.unlinked.some(({ end }) => end <= length)) return { cut: 0 };
    const end = typeof whole.opened === 'object' ? whole.opened.lineEnd : whole.cut;
    const limit = this.#undecidedFrom(held, links, end);
    return limit >= end ? whole : settledCut(held.slice(0, limit), options);
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
  #linksIn({ context, held, fence }: Part): Link[] {
    if (fence !== null || !held.includes('](')) return [];
    const text = context + held;
    return linksIn(text, markerTokens(text)).map((link) => ({
      ...link,
      start: link.start - context.length,
      end: link.end - context.length,
    }));
  }

  /** The citations of the part that no link in it stands for. */
  #unlinkedOf({ unlinked, linked }: Part, links: readonly Link[]): UrlCitation[] {
    if (unlinked.length === 0) return unlinked;
    const held = new Set(links.map(({ url }) => this.#positionOf(url)));
    return unlinked.filter(({ url }) => {
      const position = this.#positionOf(url);
      return position !== undefined && !linked.has(position) && !held.has(position);
    });
  }

  /** @param cited those of the part that no link stands for. */
  #write(part: Part, end: number, cited: readonly UrlCitation[] = []): void {
    if (end === 0 || this.#isFrozen) return;
    const { context } = part;
    const from = part.offset - context.length;
    const shifted = cited.map((each) => ({ ...each, start: each.start - from, end: each.end - from }));
    const text = context + takeFrom(part, end);
    const positionOf = (url: string) => {
      const position = this.#positionOf(url);
      if (position !== undefined) part.linked.add(position);
      return position;
    };
    const marked = cited.length > 0 || SPECIAL.test(text) ? markText(text, shifted, positionOf) : text;
    const written = marked.slice(context.length);
    this.#live.text(this.#clean?.(written) ?? written);
  }

  #writeCode(part: Part, end: number): void {
    if (end === 0) return;
    const written = withoutArtefacts(takeFrom(part, end));
    this.#live.text(this.#clean?.(written) ?? written);
  }

  /** Fenced code has no markers, up to the line that may close it. @returns whether to look further. */
  #passFence(part: Part, fence: string): boolean {
    const { end, safe } = fenceEnd(part.held, fence);
    const hazard = hazardAt(part.held, end ?? safe, this.#clean !== undefined);
    if (end === undefined || hazard < end) this.#writeCode(part, hazard);
    else this.#leaveFence(part, end);
    return part.fence === null && !this.#isFrozen;
  }

  #leaveFence(part: Part, end: number): void {
    this.#writeCode(part, end);
    part.fence = null;
    // A letter stands for the end of the code: nothing behind it belongs to what is in front.
    part.context = 'x';
    if (isOpening(part.held.charCodeAt(0))) this.#isFrozen = true;
  }
}

const SPECIAL = /[[\]【】\ue200]/;

/** Counts what makes tokens. */
function specialIn(text: string): number {
  if (!/[[\]【】`~]/.test(text)) return 0;
  let count = bracketsIn(text);
  for (let index = 0; index < text.length; index += 1) if (text[index] === '`' || text[index] === '~') count += 1;
  return count;
}

/** Offsets of 0 mean nowhere. */
function hasPlace({ end }: UrlCitation): boolean {
  return end > 0;
}

function takeFrom(part: Part, end: number): string {
  const piece = part.held.slice(0, end);
  part.held = part.held.slice(end);
  part.offset += end;
  part.context = piece.charAt(end - 1);
  return piece;
}
