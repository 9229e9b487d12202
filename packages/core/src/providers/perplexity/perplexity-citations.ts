import type { FinishReason } from '../../provider-kit/completeness.js';
import type { ReplyParts } from '../../provider-kit/compose-answer.js';
import { citedText, type UrlCitation } from '../../provider-kit/responses-citations.js';
import {
  joinMessages,
  type ReadableReply,
  type ResponsesPart,
  textPartsOf,
} from '../../provider-kit/responses-reply.js';
import { joinAnnotated } from '../../text/annotated-text.js';
import type { Source } from '../../text/collect-citations.js';
import type { AnnotatedText, Mark } from '../../text/rewriter.js';

/** The common content of Perplexity's two reply shapes. */
export interface PerplexityReply extends Pick<ReplyParts, 'text' | 'marks' | 'numbersAreWords' | 'cost'> {
  readonly id: string | null | undefined;
  /** The model that answered; may differ from the requested model. */
  readonly model: string | null | undefined;
  readonly finishReason: FinishReason;
  /** The text as it came. */
  readonly plainText: string;
  /** `null` if nothing in the reply shows a search. */
  readonly sources: readonly Source[] | null;
}

interface CitedText extends Pick<PerplexityReply, 'text' | 'marks' | 'numbersAreWords'> {
  readonly sources: readonly Source[];
}

/** An annotation that names the page of a citation marker in the text. */
type MarkerAnnotation = Omit<UrlCitation, 'title'>;

/**
 * Reads text and sources of a run. Citation markers name the ids of search results, which may begin again with each search. The annotations of a message
 * (`url_citation`, often absent) name the page, so annotations win over ids (Perplexity's migration guide and `@ai-sdk/perplexity` 5.0.0, read
 * 2026-11-22). Whether annotations delimit markers or sentences is not documented, so both are read.
 *
 * @param found the sources of the run's searches. Other annotated pages are added to them.
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

/** Drops ids used by two pages: a citation marker with such an id is ambiguous. */
function unambiguous(sources: readonly Source[]): Source[] {
  const urlOf = new Map<unknown, unknown>();
  const doubtful = new Set<unknown>();
  for (const { id, url } of sources) {
    if (id != null && urlOf.has(id) && urlOf.get(id) !== url) doubtful.add(id);
    urlOf.set(id, url);
  }
  return sources.map((source) => (doubtful.has(source.id) ? { ...source, id: null } : source));
}

/** A citation marker in the text, such as `[2]` or `[web:2]`. */
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

/** The id of an annotated page. No citation marker has such an id. */
function idOf(url: string): string {
  return `page ${url.trim()}`;
}

/** Replaces annotated citation markers by marks of their page. The other markers keep the meaning of their id. */
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
