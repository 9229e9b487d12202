import type { AnswerCitation } from '../../request/answer-reply.js';
import { ownMarkers, type TextMarker } from '../../text/own-markers.js';
import type { ChatAnnotation } from './chat-bodies.js';

/** An answer with its sources. */
export interface CitedAnswer {
  readonly answer: string;
  readonly citations: readonly AnswerCitation[];
}

/**
 * So many characters may the annotations of an answer have; later ones are left out. Each repeats the address of its source, so that a long address and
 * many markers would otherwise become far more than what the provider sent.
 */
const MAX_CHARACTERS = 1_000_000;
/** What an annotation has besides address and title. */
const FRAME_CHARACTERS = 100;

/**
 * One annotation for each marker of an answer, in order.
 *
 * @param content what the caller has got of the answer's text. A stream may lack markers whose sources came late: their annotations then are empty
 * ranges where the markers belong.
 */
export function chatAnnotations(content: string, { answer, citations }: CitedAnswer): ChatAnnotation[] {
  const markers = ownMarkers(answer, citations.length, true);
  const annotations: ChatAnnotation[] = [];
  let left = MAX_CHARACTERS;
  for (const { start, end, position } of content === answer ? markers : placesIn(content, answer, markers)) {
    const { url, title } = citations[position - 1] ?? { url: '', title: '' };
    left -= url.length + title.length + FRAME_CHARACTERS;
    if (left < 0) break;
    annotations.push({ type: 'url_citation', url_citation: { start_index: start, end_index: end, url, title } });
  }
  return annotations;
}

/** The places of an answer's markers in a text that differs from it by missing markers, and by white space next to these. */
function placesIn(content: string, answer: string, markers: readonly TextMarker[]): TextMarker[] {
  let at = 0;
  let from = 0;
  return markers.map(({ start, end, position }) => {
    while (from < start) {
      const isSame = content[at] === answer[from];
      const isExtraSpace = !isSame && content[at] === ' ' && answer[from] !== ' ';
      if (isSame || isExtraSpace) at += 1;
      if (!isExtraSpace) from += 1;
    }
    const isThere = content.startsWith(answer.slice(start, end), at);
    const place = { start: at, end: isThere ? at + end - start : at, position };
    at = place.end;
    from = end;
    return place;
  });
}
