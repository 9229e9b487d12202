import { citedText } from '../../provider-kit/responses-citations.js';
import {
  joinMessages,
  type ReadableReply,
  type ResponsesPart,
  textPartsOf,
} from '../../provider-kit/responses-reply.js';
import { joinAnnotated } from '../../text/annotated-text.js';
import type { Source } from '../../text/collect-citations.js';
import type { AnnotatedText, Mark } from '../../text/rewriter.js';
import type { PerplexityReply } from './perplexity-reply.js';

interface CitedText extends Pick<PerplexityReply, 'text' | 'marks' | 'numbersAreWords'> {
  readonly sources: readonly Source[];
}

/** An annotation that tells which page one marker of the text means. */
interface MarkerAnnotation {
  readonly url: string;
  readonly start: number;
  readonly end: number;
}

/**
 * Reads text and sources of a run. Markers name the ids of search results, which may begin again with each search. A message's annotations
 * (`url_citation`, often none) name the page itself, so they come first where they are given (Perplexity's migration guide and
 * `@ai-sdk/perplexity` 5.0.0, read 2026-11-22; whether they delimit markers or sentences is not documented, so both are read).
 *
 * @param found the sources of the run's searches; annotated pages that are not among them are added.
 */
export function citedAnswer(reply: ReadableReply, found: readonly Source[]): CitedText {
  const messages = textPartsOf(reply);
  const { text } = joinMessages(messages, (part) => ({ text: part.text ?? '', marks: [] }));
  const annotated = messages.flat().flatMap(annotatedPages);
  if (annotated.length === 0) return { text, sources: found };
  if (!MARKER.test(text)) {
    const { sources, ...cited } = citedText(reply);
    return { ...cited, sources: [...sources, ...found].map((source) => ({ ...source, id: undefined })) };
  }
  return {
    ...joinMessages(messages, markPart),
    numbersAreWords: false,
    sources: [...unambiguous(found), ...annotated],
  };
}

/** Sources of which no id means two pages: a marker of such an id that is not annotated would cite a page by chance. */
function unambiguous(sources: readonly Source[]): Source[] {
  const urlOf = new Map<unknown, unknown>();
  const doubtful = new Set<unknown>();
  for (const { id, url } of sources) {
    if (id != null && urlOf.has(id) && urlOf.get(id) !== url) doubtful.add(id);
    urlOf.set(id, url);
  }
  return sources.map((source) => (doubtful.has(source.id) ? { ...source, id: null } : source));
}

/** A marker in the text, such as `[2]` or `[web:2]`. */
const MARKER = /[[【]\s*(?:\w{1,20}:)?\d{1,3}\s*[\]】]/;
const ONE_MARKER = new RegExp(`^\\s*${MARKER.source}\\s*$`);

function annotatedPages({ annotations }: ResponsesPart): Source[] {
  return (annotations ?? []).flatMap(({ type, url, title }) =>
    type === 'url_citation' && url ? [{ id: idOf(url), url, title }] : [],
  );
}

function markerAnnotations({ text, annotations }: ResponsesPart): MarkerAnnotation[] {
  const delimited = (annotations ?? []).flatMap(({ type, url, start_index, end_index }): MarkerAnnotation[] => {
    const [start, end] = [start_index ?? -1, end_index ?? -1];
    const isMarker = start >= 0 && end - start <= MAX_MARKER && ONE_MARKER.test((text ?? '').slice(start, end));
    return type === 'url_citation' && url && isMarker ? [{ url: url.trim(), start, end }] : [];
  });
  return delimited.sort((a, b) => a.start - b.start);
}

const MAX_MARKER = 40;

/** Of a page that an annotation names; no number of a marker is like it. */
function idOf(url: string): string {
  return `page ${url.trim()}`;
}

/** Annotated markers mean their page; all others mean what their id says. */
function markPart(part: ResponsesPart): AnnotatedText {
  const text = part.text ?? '';
  const pieces: AnnotatedText[] = [];
  let from = 0;
  for (const { url, start, end } of markerAnnotations(part)) {
    if (start < from) continue;
    const piece = text.slice(from, start);
    const mark: Mark = { at: piece.length, ids: [idOf(url)], isReplacement: true };
    pieces.push({ text: piece, marks: [mark] });
    from = end;
  }
  return joinAnnotated([...pieces, { text: text.slice(from), marks: [] }]);
}
