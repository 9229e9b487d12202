import type { Citation } from '@searchgate/core/provider-kit';
import type { PassageIndex } from './passage-index.js';
import type { Passage } from './passages.js';

export interface ComposedAnswer {
  /** Markdown: what each cited section says, each part ending in its `[n]` marker, its code example below. */
  readonly text: string;
  readonly citations: readonly Citation[];
}

/** How much of each section is quoted, the best one first. */
const SECTION_CHARS = [2_000, 900, 900, 900, 900];
const MAX_SNIPPET_CHARS = 500;

/** Answers a question in the words of the documents, or returns `null` when they do not speak of it. */
export function composeAnswer(index: PassageIndex, question: string): ComposedAnswer | null {
  const found = new Map<string, Passage>();
  for (const passage of index.search(question)) if (!found.has(passage.url)) found.set(passage.url, passage);
  const best = [...found.values()].slice(0, SECTION_CHARS.length);
  if (best.length === 0) return null;
  const parts = best.map((passage, place) => {
    const section = index.sectionAt(passage.url);
    return quote(fill(passage, section, SECTION_CHARS[place] ?? 0), `[${place + 1}]`);
  });
  return { text: parts.join('\n\n'), citations: best.map(citationOf) };
}

/** A passage with what else of its section fits, in order. An entry of a list or a table stands alone. */
function fill(best: Passage, section: readonly Passage[], maxChars: number): Passage[] {
  let length = best.text.length;
  return section.filter((passage) => {
    if (passage === best) return true;
    if (best.name !== null || passage.name !== null || length + passage.text.length > maxChars) return false;
    length += passage.text.length;
    return true;
  });
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
