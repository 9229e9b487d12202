import { type AnswerCitation, ownMarkers } from '@searchgate/core/extensions';

/** The place and the source of one citation marker. */
interface UrlCitation {
  /** In UTF-16 code units of the content. */
  readonly start_index: number;
  /** Exclusive. */
  readonly end_index: number;
  readonly url: string;
  readonly title: string;
}

type TextMarker = ReturnType<typeof ownMarkers>[number];

/** An answer with its sources. */
interface CitedAnswer {
  readonly answer: string;
  readonly citations: readonly AnswerCitation[];
}

/**
 * Most characters of an answer's annotations; later annotations are left out. Each annotation repeats the address of its source, so a long address with
 * many markers could become far larger than the provider's reply.
 */
const MAX_CHARACTERS = 1_000_000;
/** Characters of an annotation besides address and title. */
const FRAME_CHARACTERS = 100;

/**
 * One annotation for each marker of an answer, in order.
 *
 * @param content the answer's text as the caller received it. A stream may lack markers whose sources came late: their annotations are empty
 * ranges at the markers' places.
 */
export function urlCitations(content: string, { answer, citations }: CitedAnswer): UrlCitation[] {
  const markers = ownMarkers(answer, citations.length, true);
  const annotations: UrlCitation[] = [];
  let left = MAX_CHARACTERS;
  for (const { start, end, position } of content === answer ? markers : placesIn(content, answer, markers)) {
    const { url, title } = citations[position - 1] ?? { url: '', title: '' };
    left -= url.length + title.length + FRAME_CHARACTERS;
    if (left < 0) break;
    annotations.push({ start_index: start, end_index: end, url, title });
  }
  return annotations;
}

/** The places of an answer's markers in a text that lacks some markers, and so may have other white space at their places. */
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
