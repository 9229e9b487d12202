import { type Annotation, insertMarkers } from './annotated-text.js';
import { createLiveText, type PartKind } from './live-text.js';
import { MAX_ANNOTATIONS, MAX_TOKENS } from './reply-limits.js';

/** Puts markers into a text while it comes. */
export interface LiveCitedText {
  /** Takes the next part, in which bracketed numbers are words and no markers. */
  push(part: string): void;
  /** What came so far rests on this source, counted from 1. */
  cite(position: number): void;
}

/** Stands for fenced code that has ended, so that markers go on a line of their own behind it. */
const FENCED = '```\nx\n```';
const PASSAGE = /[`~[【]/g;
const SPECIAL = /[[\]【】]/;

/**
 * Does with the parts of a text what `joinCited` does with all its pieces: what is handed over is the beginning of that. The markers of a place are handed over
 * with what follows it, since more of them may come, and what they have to be apart from.
 */
export function createLiveCitedText(handOver: (part: string) => void): LiveCitedText {
  const cited: { readonly at: number; readonly position: number }[] = [];
  let placed = 0;
  /** How much has come, without the white space in front. */
  let length = 0;
  let given = 0;
  let passages = 0;
  /** What stands in front of the next part, as far as that matters to its markers. */
  let context = '';

  /** The citations up to a place that have not been placed yet. */
  function annotationsBefore(end: number, from: number): Annotation[] {
    const annotations: Annotation[] = [];
    for (let next = cited[placed]; next !== undefined && next.at < end; next = cited[placed]) {
      placed += 1;
      annotations.push({ endIndex: context.length + Math.max(0, next.at - from), positions: [next.position] });
    }
    return annotations;
  }

  function write(part: string, kind: PartKind): void {
    const from = given;
    given += part.length;
    if (kind === 'code') {
      context = FENCED;
      handOver(part);
      return;
    }
    // What is cited inside of fenced code is marked behind it.
    const end = kind === 'opening' ? from + fenceIn(part) + 1 : given;
    const annotations = annotationsBefore(end, from);
    const isPlain = annotations.length === 0 && !SPECIAL.test(part);
    handOver(isPlain ? part : insertMarkers(context + part, annotations, 'utf16').slice(context.length));
    context = /[\uDC00-\uDFFF]$/.test(part) ? part.slice(-2) : part.slice(-1);
  }

  const text = createLiveText((part) => part, write);
  return {
    push(part) {
      const visible = length === 0 ? part.trimStart() : part;
      length += visible.length;
      passages += visible.match(PASSAGE)?.length ?? 0;
      // Behind the first so many, passages are not told from words any more.
      if (passages <= MAX_TOKENS) text.push(visible);
    },
    cite(position) {
      // No marker goes in front of the text.
      if (length > 0 && cited.length < MAX_ANNOTATIONS) cited.push({ at: length, position });
    },
  };
}

/** Where the code begins that the last line opens. */
function fenceIn(part: string): number {
  return part.length - part.slice(part.lastIndexOf('\n') + 1).trimStart().length;
}
