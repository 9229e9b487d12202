import MiniSearch, { type SearchResult } from 'minisearch';
import { judgePassage } from './judge-passage.js';
import type { Passage } from './passages.js';
import { type Question, readQuestion, sourceKey } from './question.js';
import { termsOf } from './terms.js';

/** A passage that speaks to a question. */
export interface Match {
  readonly passage: Passage;
  /** Comparable only within one search. */
  readonly score: number;
  /** How surely the passage is about the question, about 0 to 1.2; see {@link judgePassage}. */
  readonly grounding: number;
}

export interface PassageIndex {
  readonly sourceCount: number;
  /** The passages that match, best first, at most {@link MAX_MATCHES}. */
  search(text: string): { readonly question: Question; readonly matches: readonly Match[] };
  /** How rare a term is; a term nobody wrote is the rarest. */
  rarity(term: string): number;
}

const MAX_MATCHES = 20;

/** What a passage defines or is headed by counts most; code is searched, but its words are cheap. */
const BOOST = { name: 2, heading: 3, headings: 1, source: 0.3, text: 1, code: 0.3 };
const JOINED_BOOST = 2;
const HINT_BOOST = 0.2;
/** A term nobody wrote may be a slip of the pen: it is compared loosely, and counts for half. */
const LOOSE_WEIGHT = 0.5;
const LOOSE_DISTANCE = 0.2;
const LOOSE_MIN_CHARS = 5;

/** A source's introduction is looked for in its first passages of this length. */
const INTRODUCTION_PASSAGES = 10;
const INTRODUCTION_MIN_CHARS = 25;

type Fields = Readonly<Record<keyof typeof BOOST, string>> & { readonly id: number };

/** Indexes passages for search; a megabyte of Markdown takes about a second. */
export function createPassageIndex(passages: readonly Passage[]): PassageIndex {
  const fields = passages.map(toFields);
  const index = new MiniSearch({ fields: Object.keys(BOOST), tokenize: splitTerms, processTerm: (term) => term });
  index.addAll(fields);
  const frequency = countPassages(fields);
  const sources = new Map(passages.map(({ source }) => [sourceKey(source), source]));
  const isKnown = (term: string) => frequency.has(term);
  const isLoose = (term: string) => !isKnown(term) && term.length >= LOOSE_MIN_CHARS;
  const rarity = (term: string) => Math.log(1 + passages.length / (frequency.get(term) ?? 0.5));

  function find({ topics, hints, joined, sources: named }: Question): SearchResult[] {
    const compounds = joined.filter(isKnown);
    return index.search([...topics, ...hints, ...compounds].join(' '), {
      boost: BOOST,
      boostTerm: (term) => (hints.includes(term) ? HINT_BOOST : compounds.includes(term) ? JOINED_BOOST : 1),
      prefix: isLoose,
      fuzzy: (term) => isLoose(term) && LOOSE_DISTANCE,
      weights: { fuzzy: LOOSE_WEIGHT, prefix: LOOSE_WEIGHT },
      filter: ({ id }) => named.size === 0 || named.has(passages[id as number]?.source ?? ''),
    });
  }

  function toMatch({ id, score, terms, queryTerms }: SearchResult, question: Question): Match[] {
    const passage = passages[id as number];
    if (passage === undefined) return [];
    const matched = new Set(terms);
    const shareOf = (topic: string) => (matched.has(topic) ? 1 : queryTerms.includes(topic) ? LOOSE_WEIGHT : 0);
    const { grounding, aptness } = judgePassage({ passage, question, matched, shareOf, rarity });
    return [{ passage, grounding, score: score * aptness }];
  }

  return {
    sourceCount: sources.size,
    rarity,
    search(text) {
      const question = readQuestion(text, sources);
      if (question.topics.length === 0) return { question, matches: introductions(passages, question.sources) };
      const matches = find(question).flatMap((result) => toMatch(result, question));
      return { question, matches: matches.sort((a, b) => b.score - a.score).slice(0, MAX_MATCHES) };
    },
  };
}

/** A question that names a source and nothing else ("What is zod?") is about what its first document says first. */
function introductions(passages: readonly Passage[], sources: ReadonlySet<string>): Match[] {
  return [...sources].flatMap((source) => {
    const first = passages
      .filter((passage) => passage.source === source && passage.text.length >= INTRODUCTION_MIN_CHARS)
      .slice(0, INTRODUCTION_PASSAGES);
    const passage = first.find(({ text }) => text.toLowerCase().startsWith(`${source.toLowerCase()} is a`)) ?? first[0];
    return passage === undefined ? [] : [{ passage, score: 1, grounding: 1 }];
  });
}

/** Each field as its terms, so that no text is taken apart twice. */
function toFields({ source, name, headings, text, code }: Passage, id: number): Fields {
  const inTerms = (field: string) => termsOf(field).join(' ');
  return {
    id,
    name: inTerms(name ?? ''),
    heading: inTerms(headings.at(-1) ?? ''),
    headings: inTerms(headings.slice(0, -1).join(' ')),
    source: inTerms(source),
    text: inTerms(text),
    code: [...new Set(termsOf(code ?? ''))].join(' '),
  };
}

function splitTerms(terms: string): string[] {
  return terms.split(' ');
}

/** In how many passages each term stands. */
function countPassages(fields: readonly Fields[]): ReadonlyMap<string, number> {
  const frequency = new Map<string, number>();
  for (const { id: _, ...texts } of fields) {
    const terms = new Set(splitTerms(Object.values(texts).join(' ')));
    for (const term of terms) frequency.set(term, (frequency.get(term) ?? 0) + 1);
  }
  return frequency;
}
