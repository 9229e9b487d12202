import type { Citation } from '@searchgate/core/provider-kit';
import type { PassageIndex } from './passage-index.js';
import type { Passage } from './passages.js';

export interface ComposedAnswer {
  /** Markdown: what each cited section says, each part ending in its `[n]` marker, its code example below. */
  readonly text: string;
  readonly citations: readonly Citation[];
}

/** How much of the first, the second and each further section is quoted. */
const SECTION_CHARS = [2_000, 900, 700, 500, 500];
const MAX_SNIPPET_CHARS = 500;

/** Answers a question in the words of the documents, or returns `null` when they do not speak of it. */
export function composeAnswer(index: PassageIndex, question: string): ComposedAnswer | null {
  const found = index.search(question);
  if (found.length === 0) return null;
  const urls = [...new Set(found.map(({ url }) => url))].slice(0, SECTION_CHARS.length);
  const best = urls.flatMap((address) => found.find(({ url }) => url === address) ?? []);
  const sections = best.map((first, place) => {
    const ranked = found.filter(({ url, name }) => url === first.url && name !== null);
    const prose = index.sectionAt(first.url).filter(({ name }) => name === null);
    const quoted = fill(first, [...prose, ...ranked], SECTION_CHARS[place] ?? 0);
    return { text: quote(quoted, place + 1), citation: citationOf(first) };
  });
  return {
    text: sections.map(({ text }) => text).join('\n\n'),
    citations: sections.map(({ citation }) => citation),
  };
}

/** A passage, and others as long as they fit, in their order on the page. */
function fill(first: Passage, others: readonly Passage[], maxChars: number): Passage[] {
  const chosen = [first];
  for (const passage of others) {
    const lines = new Set([...chosen, passage].flatMap(linesOf));
    const length = [...lines].reduce((sum, line) => sum + line.length, 0);
    if (!chosen.includes(passage) && length <= maxChars) chosen.push(passage);
  }
  return chosen.sort((a, b) => a.position - b.position);
}

/** Its lines without what marks them as entries: the definition of a list's entry has none. */
function linesOf({ text }: Passage): string[] {
  return text.split('\n').map((line) => line.replace(/^- /, ''));
}

/** A section with its heading; a line that stands in two of its passages is quoted once. */
function quote(passages: readonly Passage[], marker: number): string {
  const said = new Set(['']);
  const parts = passages.flatMap((passage) => {
    const { text, code, name } = passage;
    const lines = text.split('\n').filter((line) => !said.has(line.replace(/^- /, '')));
    for (const line of linesOf(passage)) said.add(line);
    const isEntry = name !== null && passages.length > 1;
    const prose = lines.map((line) => (isEntry && !line.startsWith('- ') ? `- ${line}` : line)).join('\n');
    return [prose === '' ? '' : `${prose} [${marker}]`, lines.length === 0 && text !== '' ? '' : code];
  });
  const lead = passages[0] === undefined ? '' : pathOf(passages[0]).slice(-2).join(' › ');
  const [first = '', ...rest] = parts.filter((part) => part !== '');
  const between = first.startsWith('- ') || first.startsWith('```') ? '\n' : ' ';
  return [lead === '' ? first : `${lead}:${between}${first}`, ...rest].join('\n\n');
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
