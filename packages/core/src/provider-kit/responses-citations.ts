import { type Annotation, annotate, joinAnnotated, type TokenizedText } from '../text/annotated-text.js';
import { citationLinks } from '../text/citation-links.js';
import type { Source } from '../text/collect-citations.js';
import { MAX_ANNOTATIONS, readableText } from '../text/reply-limits.js';
import type { AnnotatedText } from '../text/rewriter.js';
import { tokensOf } from '../text/scanner.js';
import { joinMessages, type ReadableReply, type ResponsesPart, textPartsOf } from './responses-reply.js';

/** Text with the places where it cites, and the sources. */
export interface CitedText extends AnnotatedText {
  /**
   * In the order of the marks' numbers; each address once. Meaningless titles are left out. There are no snippets, because the reply
   * has no text of the pages.
   */
  readonly sources: readonly Source[];
}

/** What a vendor's replies need beyond the common form. */
export interface CitedTextOptions {
  /** Removes the vendor's additions from an address, or from the addresses in a text. @default addresses stay as they are */
  readonly clean?: ((text: string) => string) | undefined;
  /** The addresses to cite when the reply has no annotations. @default none */
  readonly otherwise?: readonly string[] | undefined;
}

/**
 * Reads text and citations from a Responses reply whose parts are annotated with `url_citation`s. An annotation delimits a marker in the
 * text, a Markdown link. No vendor documents the unit of the offsets (2026-11-21), so markers are found by their addresses; offsets are
 * used only for citations without a link.
 */
export function citedText(reply: ReadableReply, options: CitedTextOptions = {}): CitedText {
  const { clean = (text) => text, otherwise = [] } = options;
  const messages = textPartsOf(reply);
  const citationsOf = keptCitations(messages.flat());
  const annotated = [...citationsOf.values()].flat();
  const titles = new Map<string, string | undefined>();
  for (const { url, title } of annotated) {
    const address = clean(url);
    titles.set(address, titles.get(address) ?? titleOf(title, url));
  }
  if (annotated.length === 0) for (const url of otherwise) titles.set(clean(url), undefined);
  const sources = Array.from(titles, ([url, title]) => ({ url, title }));
  const positions = new Map(sources.map(({ url }, index) => [url, index + 1]));
  const positionOf = (url: string) => positions.get(clean(url));
  const cited = joinMessages(messages, (part) => {
    const text = readableText(part.text ?? '');
    return cleaned(markText({ text }, citationsOf.get(part) ?? [], positionOf), clean);
  });
  return { ...cited, sources };
}

type PositionOf = (url: string) => number | undefined;

/** An annotation that cites a page. */
export interface UrlCitation {
  readonly url: string;
  readonly title: string;
  readonly start: number;
  readonly end: number;
}

/** The first {@link MAX_ANNOTATIONS} citations of a reply. */
function keptCitations(parts: readonly ResponsesPart[]): ReadonlyMap<ResponsesPart, readonly UrlCitation[]> {
  let room = MAX_ANNOTATIONS;
  return new Map(
    parts.map((part) => {
      const kept = urlCitations(part).slice(0, room);
      room -= kept.length;
      return [part, kept];
    }),
  );
}

export function urlCitations({ annotations }: Pick<ResponsesPart, 'annotations'>): UrlCitation[] {
  return (annotations ?? []).flatMap(({ type, url, title, start_index, end_index }) =>
    type === 'url_citation' && url
      ? [{ url: url.trim(), title: title ?? '', start: start_index ?? 0, end: end_index ?? 0 }]
      : [],
  );
}

/** The title, or `undefined` if it is only the number of a marker or the address. */
export function titleOf(title: string, url: string): string | undefined {
  return /^\s*\d{0,3}\s*$/.test(title) || title === url ? undefined : title;
}

/** Marks the links that cite, and the offsets of citations without a link. @param given the text, with its tokens if they are known. */
export function markText(given: TokenizedText, cited: readonly UrlCitation[], positionOf: PositionOf): AnnotatedText {
  const { text, tokens = tokensOf(text) } = given;
  const linked = new Set<number>();
  const links = citationLinks(
    text,
    (url) => {
      const position = positionOf(url);
      if (position !== undefined) linked.add(position);
      return position;
    },
    tokens,
  );
  const unlinked = cited.flatMap((citation): Annotation[] => {
    const position = positionOf(citation.url);
    return position === undefined || linked.has(position) ? [] : [annotationOf(citation, position, text)];
  });
  return annotate({ text, tokens }, [...links, ...unlinked], 'utf16');
}

/** Cleans the text between the marks. */
export function cleaned({ text, marks }: AnnotatedText, clean: (text: string) => string): AnnotatedText {
  let from = 0;
  const pieces = marks.map(({ at, ...mark }): AnnotatedText => {
    const piece = clean(text.slice(from, at));
    from = at;
    return { text: piece, marks: [{ ...mark, at: piece.length }] };
  });
  return joinAnnotated([...pieces, { text: clean(text.slice(from)), marks: [] }]);
}

/** Replaces the delimited text only if it looks like a marker: an address, or the remains of a marker. */
function annotationOf({ url, start, end }: UrlCitation, position: number, text: string): Annotation {
  return isMarkerOf(url, text.slice(start, end))
    ? { endIndex: end, replaceFrom: start, positions: [position] }
    : { endIndex: endOfWord(text, end), positions: [position] };
}

/** Compares the address only at the first place where it may begin: in a text full of addresses, comparing at each place is slow. */
function isMarkerOf(url: string, delimited: string): boolean {
  if (delimited.startsWith('\ue200')) return delimited.slice(0, MAX_EXCESS).includes('\ue201');
  if (delimited.length > url.length + MAX_EXCESS) return false;
  const at = delimited.indexOf(url.slice(0, BEGINNING));
  return at !== -1 && delimited.startsWith(url, at);
}

/** Most characters around an address in a marker (parentheses, the text of a link), and the longest marker without an address. */
const MAX_EXCESS = 300;
const BEGINNING = 12;

/** Moves an offset to the end of its word: in a text with characters beyond ASCII, an offset of another unit may point into a word. */
function endOfWord(text: string, offset: number): number {
  if (!/[\p{L}\p{N}]$/u.test(text.slice(Math.max(0, offset - 2), offset))) return offset;
  const [rest = ''] = /^[\p{L}\p{N}]{0,40}/u.exec(text.slice(offset)) ?? [];
  return offset + rest.length;
}
