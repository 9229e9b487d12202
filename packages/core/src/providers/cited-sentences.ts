import { markerTokens } from '../markers.js';
import { MAX_SNIPPET_CHARACTERS, plainText } from './plain-text.js';

/** The end of a sentence inside of a line. */
const SENTENCE_END = /[.!?…]["'”’»)*_]*\s+|[。！？]\s*/g;
const HAS_WORDS = /[\p{L}\p{N}]/u;
/** So much of a line is looked at, that one of many markers takes no more time than others. */
const WINDOW_CHARACTERS = 4 * MAX_SNIPPET_CHARACTERS;

/**
 * What each marker of a text stands behind: its number → the sentences of its line since the marker before, as plain text, hardly
 * longer than a snippet. For sources of which a provider gives nothing but the address. Of several places with one number the first
 * counts.
 */
export function citedSentences(text: string): ReadonlyMap<string, string> {
  const sentences = new Map<string, string>();
  let line = '';
  let cited = 0;
  let from = 0;
  let latest = '';
  for (const { start, end } of markerTokens(text).filter(({ kind }) => kind === 'markers')) {
    const lines = text.slice(from, start).split('\n');
    if (lines.length > 1) {
      line = '';
      cited = 0;
    }
    // A marker may stand on a line of its own.
    line += lines.findLast((each) => HAS_WORDS.test(each)) ?? '';
    const excess = Math.max(0, line.length - WINDOW_CHARACTERS);
    line = line.slice(excess);
    const claim = prose(line.slice(beginOf(line, Math.max(0, cited - excess))));
    if (HAS_WORDS.test(claim)) latest = claim;
    for (const [number] of text.slice(start, end).matchAll(/\d+/g)) {
      if (latest !== '' && !sentences.has(number)) sentences.set(number, latest);
    }
    cited = line.length;
    from = end;
  }
  return sentences;
}

/**
 * Where the sentences begin that the end of a line belongs to: behind the marker before, or with the sentence that one stands in.
 */
function beginOf(line: string, cited: number): number {
  const ends = [...line.trimEnd().matchAll(SENTENCE_END)].map(({ 0: end, index }) => index + end.length);
  const starts = [0, ...ends.filter((end) => end < line.trimEnd().length)];
  const begin = Math.min(cited, starts.at(-1) ?? 0);
  if (line.length - begin <= MAX_SNIPPET_CHARACTERS) return begin;
  return starts.find((start) => line.length - start <= MAX_SNIPPET_CHARACTERS) ?? Math.max(begin, starts.at(-1) ?? 0);
}

/** Without the signs of Markdown. */
function prose(markdown: string): string {
  const text = markdown
    .replace(/^[\s>|]*(?:#{1,6}\s|[-*+]\s|\d{1,3}[.)]\s)?/, '')
    .replaceAll(/!?\[([^[\]]{0,500})\]\([^()\s]{1,2000}(?: "[^"]{0,500}")?\)/g, '$1')
    .replaceAll(/\*\*|__|`/g, '')
    .replaceAll(/\\([\\[\]*_`#|])/g, '$1')
    .replace(/[|,;\s([]+$/, '');
  return plainText(text).replace(/^[.,;:!?…)\]|\s。，、；：！？]+/, '');
}
