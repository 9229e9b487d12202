import type { Citation } from '@searchgate/core/provider-kit';
import type { Match, PassageIndex } from './passage-index.js';
import type { Passage } from './passages.js';
import { type Excerpt, excerptOf } from './sentences.js';
import { termsOf } from './terms.js';

export interface ComposedAnswer {
  /** Markdown: a paragraph per passage, each ending in its `[n]` markers, the code example below. */
  readonly text: string;
  readonly citations: readonly Citation[];
}

/**
 * The {@link Match.grounding} a passage needs to be quoted; a question without such a passage is not answered. Below it, passages share a stray word
 * with the question and say nothing about it. Found by trying some eighty questions: of those in `answers.test.ts`, the answered ones reach 0.66, and
 * "How do I write a recursive SQL query in postgres?" stays at 0.53.
 */
const MIN_GROUNDING = 0.6;
/** The same for a question that names none of the sources, and so may be about anything: "What is the meaning of life?" comes to 0.70. */
const MIN_OPEN_GROUNDING = 0.75;

const MAX_PARAGRAPHS = 3;
/** A further passage is quoted when it scores at least this share of the best one. */
const WORTH_QUOTING = 0.5;
/** Passages that share this much of their words say the same thing: they are quoted once and cited together. */
const SAME_WORDS = 0.7;
const MAX_CITED_TOGETHER = 3;
const FIRST_PARAGRAPH_CHARS = 700;
const FURTHER_PARAGRAPH_CHARS = 400;
/** Says nothing without what stands above it. */
const VAGUE_HEADING = /^(?:notes?|usage|api|readme)$/i;
const MAX_SNIPPET_CHARS = 500;

/** Answers a question in the words of the documents, or returns `null` when they do not speak about it. */
export function composeAnswer(index: PassageIndex, text: string): ComposedAnswer | null {
  const { question, matches } = index.search(text);
  const least = question.sources.size > 0 || index.sourceCount === 1 ? MIN_GROUNDING : MIN_OPEN_GROUNDING;
  const grounded = matches.filter(({ grounding }) => grounding >= least);
  if (grounded.length === 0) return null;
  const wanted = new Set([...question.topics, ...question.joined]);
  const weightOf = (sentence: string) =>
    termsOf(sentence).reduce((sum, term) => (wanted.has(term) ? sum + index.rarity(term) : sum), 0);
  const sources = createCitations();
  const paragraphs = inReadingOrder(groupsOf(grounded)).map((group, position, groups) => {
    const maxChars = position === 0 ? FIRST_PARAGRAPH_CHARS : FURTHER_PARAGRAPH_CHARS;
    const lead = group[0].url === groups[position - 1]?.[0].url ? '' : leadOf(group[0]);
    return paragraphOf(group[0], { lead, markers: sources.markersOf(group), excerpt: { maxChars, weightOf } });
  });
  return { text: paragraphs.join('\n\n'), citations: sources.citations };
}

type Group = readonly [Passage, ...Passage[]];

/** The passages worth quoting, those that say the same together, best first. */
function groupsOf(matches: readonly Match[]): Group[] {
  const bestScore = matches[0]?.score ?? 0;
  const groups: [Passage, ...Passage[]][] = [];
  for (const { passage, score } of matches) {
    if (score < bestScore * WORTH_QUOTING) break;
    const same = groups.find(
      ([first]) => first.name === passage.name && similarity(first.text, passage.text) >= SAME_WORDS,
    );
    if (same === undefined) groups.push([passage]);
    else if (same.length < MAX_CITED_TOGETHER) same.push(passage);
  }
  return groups.slice(0, MAX_PARAGRAPHS);
}

/** Paragraphs of one section stand together, in the order of the document unless they are definitions; the best one's section comes first. */
function inReadingOrder(groups: readonly Group[]): Group[] {
  const urls = [...new Set(groups.map(([passage]) => passage.url))];
  return urls.flatMap((url) => {
    const section = groups.filter(([passage]) => passage.url === url);
    const isProse = section.every(([passage]) => passage.name === null);
    return isProse ? section.sort(([a], [b]) => a.position - b.position) : section;
  });
}

/** Numbers sources as they are first cited; a section is one source however many of its passages are quoted. */
function createCitations() {
  const numbers = new Map<string, number>();
  const citations: Citation[] = [];
  function numberOf(passage: Passage): number {
    const number = numbers.get(passage.url) ?? citations.push(toCitation(passage));
    numbers.set(passage.url, number);
    return number;
  }
  return {
    citations,
    markersOf(passages: readonly Passage[]): string {
      const cited = [...new Set(passages.map(numberOf))].sort((a, b) => a - b);
      return cited.map((number) => `[${number}]`).join('');
    },
  };
}

/** Shared terms over the terms of the shorter text. */
function similarity(one: string, other: string): number {
  const [terms, others] = [new Set(termsOf(one)), new Set(termsOf(other))];
  const shared = [...terms].filter((term) => others.has(term)).length;
  return shared / Math.max(1, Math.min(terms.size, others.size));
}

/** Where the passage stands in its document, for readers who do not look at the citations. */
function leadOf({ source, headings }: Passage): string {
  const telling = headings.filter(
    (heading) => !VAGUE_HEADING.test(heading) && heading.toLowerCase() !== source.toLowerCase(),
  );
  return telling.slice(-2).join(' › ');
}

function paragraphOf(
  { text, code }: Passage,
  frame: { readonly lead: string; readonly markers: string; readonly excerpt: Excerpt },
): string {
  const excerpt = excerptOf(text, frame.excerpt);
  const prose = [frame.lead, excerpt].filter((part) => part !== '').join(excerpt.startsWith('- ') ? ':\n' : ': ');
  const marked = prose === '' ? '' : `${prose} ${frame.markers}`;
  return [marked, code ?? ''].filter((part) => part !== '').join('\n\n');
}

function toCitation({ title, url, text, code }: Passage): Citation {
  const snippet = text === '' ? (code ?? '') : text;
  return {
    title,
    url,
    snippet: snippet.length > MAX_SNIPPET_CHARS ? `${snippet.slice(0, MAX_SNIPPET_CHARS - 1).trimEnd()}…` : snippet,
  };
}
