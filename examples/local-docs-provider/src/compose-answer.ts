import type { Citation } from '@searchgate/core/provider-kit';
import { type Block, excerpt, rankedBlocks } from './excerpts.js';
import type { PassageIndex } from './passage-index.js';
import type { Passage } from './passages.js';

export interface ComposedAnswer {
  /** Markdown: first the lines that fit best, then the sections at length. Each part has its heading and ends in its `[n]` marker. */
  readonly text: string;
  readonly citations: readonly Citation[];
}

/** How many characters are quoted of each section, the best one first: at the beginning, where they are read, and then at length. */
const BRIEF_CHARS = [700, 300, 250, 250, 200];
const SECTION_CHARS = [3_000, 2_400, 1_800, 1_200, 900, 700, 700, 700];
const MAX_SNIPPET_CHARS = 500;

/** Answers a question in the words of the documents, or returns `null` when they do not speak of it. */
export function composeAnswer(index: PassageIndex, question: string): ComposedAnswer | null {
  const { sections, weights } = index.search(question);
  const found = sections.slice(0, SECTION_CHARS.length).map((best, place) => ({
    lead: pathOf(best).slice(-2).join(' › '),
    blocks: rankedBlocks(index.blocksAt(best.url), best, weights),
    marker: `[${place + 1}]`,
    citation: citationOf(best),
  }));
  if (found.length === 0) return null;
  const brief = BRIEF_CHARS.slice(0, found.length).map((chars, place) => quote(found[place], chars, 'brief'));
  const full = found.map((section, place) => quote(section, SECTION_CHARS[place] ?? 0, 'text'));
  const parts = [...brief, ...full.filter((text, place) => text !== brief[place])];
  return { text: parts.join('\n\n'), citations: found.map(({ citation }) => citation) };
}

interface Quoted {
  readonly lead: string;
  readonly blocks: readonly Block[];
  readonly marker: string;
}

/** What fits best of a section, under its heading. */
function quote(section: Quoted | undefined, maxChars: number, form: 'brief' | 'text'): string {
  const { lead = '', blocks = [], marker = '' } = section ?? {};
  const text = excerpt(blocks, maxChars, form);
  const between = /^(?:- |`{3})/.test(text) ? '\n' : ' ';
  return `${lead === '' ? '' : `${lead}:${between}`}${text}${text.endsWith('```') ? '\n' : ' '}${marker}`;
}

/** The headings above a passage, without a title that only repeats the source. */
function pathOf({ source, headings }: Passage): readonly string[] {
  return headings[0]?.toLowerCase() === source.toLowerCase() ? headings.slice(1) : headings;
}

function citationOf(passage: Passage): Citation {
  const code = passage.code.join('\n\n');
  const snippet = passage.text.endsWith(':') ? `${passage.text}\n${code}` : passage.text || code;
  return {
    title: [passage.source, ...pathOf(passage)].join(' › '),
    url: passage.url,
    snippet: snippet.length > MAX_SNIPPET_CHARS ? `${snippet.slice(0, MAX_SNIPPET_CHARS - 1).trimEnd()}…` : snippet,
  };
}
