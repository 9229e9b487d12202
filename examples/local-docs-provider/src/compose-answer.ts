import type { Citation } from '@searchgate/core/provider-kit';
import type { FoundSection, PassageIndex } from './passage-index.js';
import type { Passage } from './passages.js';

export interface ComposedAnswer {
  /** Markdown: what each cited section says, each part ending in its `[n]` marker, its code example below. */
  readonly text: string;
  readonly citations: readonly Citation[];
}

/** How much of each section is quoted, the best one first; and how many entries of a list or a table. */
const SECTION_CHARS = [3_000, 2_400, 1_800, 1_200, 900, 700, 700, 700];
const MAX_ENTRIES = 3;
const MAX_SNIPPET_CHARS = 500;

/** Answers a question in the words of the documents, or returns `null` when they do not speak of it. */
export function composeAnswer(index: PassageIndex, question: string): ComposedAnswer | null {
  const best = index.search(question).slice(0, SECTION_CHARS.length);
  if (best.length === 0) return null;
  const parts = best.map((ranked, place) => {
    const section = index.sectionAt(ranked[0].url);
    return quote(chosenFrom(section, ranked, SECTION_CHARS[place] ?? 0), `[${place + 1}]`);
  });
  return { text: parts.join('\n\n'), citations: best.map(([passage]) => citationOf(passage)) };
}

/** What fits of a section, the best passages first, in its order. Entries of a list or a table are quoted without the rest. */
function chosenFrom(section: readonly Passage[], ranked: FoundSection, maxChars: number): Passage[] {
  const [best] = ranked;
  const isEntry = best.name !== null;
  const chosen = new Set([best]);
  let length = best.text.length;
  for (const passage of isEntry ? ranked : [...ranked, ...section]) {
    const fits = length + passage.text.length <= maxChars && (!isEntry || chosen.size < MAX_ENTRIES);
    if (!fits || (passage.name !== null) !== isEntry || chosen.has(passage)) continue;
    chosen.add(passage);
    length += passage.text.length;
  }
  return section.filter((passage) => chosen.has(passage));
}

/** Passages of a section under its heading. */
function quote(passages: readonly Passage[], marker: string): string {
  const parts = passages.flatMap(({ text, code }) => [text && `${text} ${marker}`, code]).filter((part) => part !== '');
  const lead = passages[0] === undefined ? '' : pathOf(passages[0]).slice(-2).join(' › ');
  const between = /^(?:- |`{3})/.test(parts[0] ?? '') ? '\n' : ' ';
  return `${lead === '' ? '' : `${lead}:${between}`}${parts.join('\n\n')}`;
}

/** The headings above a passage, without a title that only repeats the source. */
function pathOf({ source, headings }: Passage): readonly string[] {
  return headings[0]?.toLowerCase() === source.toLowerCase() ? headings.slice(1) : headings;
}

function citationOf(passage: Passage): Citation {
  const snippet = passage.text.endsWith(':') ? `${passage.text}\n${passage.code}` : passage.text || passage.code;
  return {
    title: [passage.source, ...pathOf(passage)].join(' › '),
    url: passage.url,
    snippet: snippet.length > MAX_SNIPPET_CHARS ? `${snippet.slice(0, MAX_SNIPPET_CHARS - 1).trimEnd()}…` : snippet,
  };
}
