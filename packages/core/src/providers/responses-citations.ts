import { type Annotation, insertMarkers } from './annotated-text.js';
import { citationLinks } from './citation-links.js';
import type { Source } from './citations.js';
import { citedSentences } from './cited-sentences.js';
import { joinMessages, type ResponsesPart, type ResponsesReply, textPartsOf } from './responses-reply.js';

export interface CitedText {
  /** With `[n]` markers. */
  readonly text: string;
  /**
   * In the order the markers count them; each address once. Titles that say nothing are left out; the snippet is what the answer
   * says by the source.
   */
  readonly sources: readonly Source[];
}

export interface CitedTextOptions {
  /** Makes an address, or a text with addresses, free of what the vendor adds to it. */
  readonly clean?: (text: string) => string;
  /** The addresses to cite when nothing is annotated. */
  readonly otherwise?: readonly string[];
}

/** Models trained to write citations that a program replaces have been seen to leave some behind. */
const ARTEFACT = /\ue200[^\ue201]{0,500}\ue201/g;

/**
 * Reads text and citations out of a Responses reply whose parts are annotated with `url_citation`s. These delimit the marker in the
 * text, a Markdown link; since nobody documents in what unit offsets count (2026-11-21), markers are found by their addresses, and
 * offsets are used where there is no link.
 */
export function citedText(reply: ResponsesReply, options: CitedTextOptions = {}): CitedText {
  const { clean = (text) => text, otherwise = [] } = options;
  const messages = textPartsOf(reply);
  const annotated = messages.flat().flatMap(urlCitations);
  const titles = new Map<string, string | undefined>();
  for (const { url, title } of annotated) titles.set(clean(url), titles.get(clean(url)) ?? titleOf(title, url));
  if (annotated.length === 0) for (const url of otherwise) titles.set(clean(url), undefined);
  const addresses = [...titles.keys()];
  const positions = new Map(addresses.map((address, index) => [address, index + 1]));
  const text = clean(joinMessages(messages, (part) => markPart(part, (url) => positions.get(clean(url)))));
  const sentences = citedSentences(text);
  const sources = addresses.map((url, index) => ({
    url,
    title: titles.get(url),
    snippet: sentences.get(String(index + 1)),
  }));
  return { text, sources };
}

type PositionOf = (url: string) => number | undefined;

interface UrlCitation {
  readonly url: string;
  readonly title: string;
  readonly start: number;
  readonly end: number;
}

function urlCitations({ annotations }: ResponsesPart): UrlCitation[] {
  return (annotations ?? []).flatMap(({ type, url, title, start_index, end_index }) =>
    type === 'url_citation' && url
      ? [{ url: url.trim(), title: title ?? '', start: start_index ?? 0, end: end_index ?? 0 }]
      : [],
  );
}

/** Some titles are only the number of a marker, or the address again. */
function titleOf(title: string, url: string): string | undefined {
  return /^\s*\d{0,3}\s*$/.test(title) || title === url ? undefined : title;
}

function markPart(part: ResponsesPart, positionOf: PositionOf): string {
  const text = part.text ?? '';
  const linked = new Set<number>();
  const links = citationLinks(text, (url) => {
    const position = positionOf(url);
    if (position !== undefined) linked.add(position);
    return position;
  });
  const unlinked = urlCitations(part).flatMap((citation): Annotation[] => {
    const position = positionOf(citation.url);
    return position === undefined || linked.has(position) ? [] : [annotationOf(citation, position, text)];
  });
  const artefacts = [...text.matchAll(ARTEFACT)].map(({ 0: whole, index }) => ({
    replaceFrom: index,
    endIndex: index + whole.length,
    positions: [],
  }));
  return insertMarkers(text, [...links, ...unlinked, ...artefacts], 'utf16');
}

/** What is delimited is replaced only when it looks like a marker: an address, or what is left of one. */
function annotationOf({ url, start, end }: UrlCitation, position: number, text: string): Annotation {
  const delimited = text.slice(start, end);
  const isMarker = delimited.includes(url) || delimited.search(ARTEFACT) === 0;
  return isMarker
    ? { endIndex: end, replaceFrom: start, positions: [position] }
    : { endIndex: endOfWord(text, end), positions: [position] };
}

/** In a text with characters beyond ASCII an offset of another unit points a little beside, which can be into a word. */
function endOfWord(text: string, offset: number): number {
  if (!/[\p{L}\p{N}]$/u.test(text.slice(Math.max(0, offset - 2), offset))) return offset;
  const [rest = ''] = /^[\p{L}\p{N}]{0,40}/u.exec(text.slice(offset)) ?? [];
  return offset + rest.length;
}
