import type { Passage } from './passages.js';
import { createTermReader, isSlight, readQuestion, termsOf } from './terms.js';

export interface PassageIndex {
  /** The passages that are about a question, best first; none when the documents do not speak of it. */
  search(text: string): Passage[];
  /** The passages of a section, in their order. */
  sectionAt(url: string): readonly Passage[];
}

const PROVIDER_PAGE = /\/docs\/providers\/[\w-]+\.md/;
/** How often a word counts that stands once in a heading, in a text of usual length, in an example, or elsewhere in the section: BM25F. */
const PLACES = { heading: 1.8, text: 1, code: 0.4, section: 0.25 };
const USUAL_WORDS = 60;
const LENGTH_SHARE = 0.3;
const SATURATION = 0.4;
/** What a word can say at most, and how much of it an everyday one does. */
const MAX_WEIGHT = 6;
const SLIGHT = 0.3;
/**
 * A passage answers from this score on: the share of the question it covers, and what is added for a heading that says just what is asked, for
 * telling words in the text and words that are nowhere, and for a question that names the library or an identifier. Found by logistic
 * regression over half of the questions in test/, checked with the other half, then adjusted over all.
 */
const MIN_SCORE = 0.84;
const ADDED = { likeness: 0.43, word: 0.12, unknown: -0.24, library: 0.5, identifier: 0.2 };
const MAX_WORDS = 4;
const MAX_UNKNOWN = 2;
/** Passages this much worse than the best one are left out. */
const MAX_DISTANCE = 0.53;

interface Corpus {
  readonly passages: readonly Passage[];
  /** For each term, how much it counts in each passage that has it. */
  readonly postings: ReadonlyMap<string, ReadonlyMap<number, number>>;
  /** The terms of each passage's heading, and those of its section. */
  readonly titles: readonly (readonly (readonly string[])[])[];
  readonly sections: ReadonlyMap<
    string,
    { readonly passages: readonly Passage[]; readonly terms: ReadonlySet<string> }
  >;
  /** The sources by each word of their names: `express body-parser` is named by both. */
  readonly sources: ReadonlyMap<string, readonly string[]>;
  /** The source of the first passage: what a question is about that names no other. */
  readonly home: string;
}

/** Indexes passages. The source of the first one is what a question is about that names no other. */
export function createPassageIndex(passages: readonly Passage[]): PassageIndex {
  const corpus = createCorpus(passages);
  return { search: (text) => search(corpus, text), sectionAt: (url) => corpus.sections.get(url)?.passages ?? [] };
}

function createCorpus(passages: readonly Passage[]): Corpus {
  const read = createTermReader();
  const postings = new Map<string, Map<number, number>>();
  const sections = new Map<string, { passages: Passage[]; terms: Set<string> }>();
  const titles = passages.map((passage, id) => {
    const { source, headings, name, text, code, url } = passage;
    const section = sections.get(url) ?? { passages: [], terms: new Set() };
    sections.set(url, section);
    section.passages.push(passage);
    const count = (terms: Iterable<string>, amount: number) => {
      for (const term of terms) {
        const counts = postings.get(term) ?? new Map<number, number>();
        postings.set(term, counts);
        counts.set(id, (counts.get(id) ?? 0) + amount);
        section.terms.add(term);
      }
    };
    const title = read(`${name ?? ''} ${headings.at(-1) ?? ''}`);
    const words = read(text);
    count([...title, ...read([source, ...headings.slice(0, -1)].join(' '))], PLACES.heading);
    count(words, PLACES.text / (1 - LENGTH_SHARE + (LENGTH_SHARE * words.length) / USUAL_WORDS));
    count(new Set(read(code)), PLACES.code);
    return [title, read(headings[0] ?? '')].map((terms) => [...new Set(terms)]);
  });
  return { passages, postings, titles, sections, sources: sourcesByName(passages), home: passages[0]?.source ?? '' };
}

function sourcesByName(passages: readonly Passage[]): ReadonlyMap<string, string[]> {
  const names = new Map<string, string[]>();
  for (const source of new Set(passages.map((passage) => passage.source)))
    for (const word of source.split(' ')) {
      const term = termsOf(word).at(-1) ?? '';
      names.set(term, [...(names.get(term) ?? []), source]);
    }
  return names;
}

/** A question with its words weighed, and where to look. */
interface Asked {
  readonly weights: ReadonlyMap<string, number>;
  readonly total: number;
  /** How many of its telling words are nowhere in the documents. */
  readonly unknown: number;
  /** Names: a passage must have them. */
  readonly needed: readonly string[];
  readonly isInScope: (passage: Passage) => boolean;
  /** What a passage of a source is given in advance. */
  readonly bonusOf: (source: string) => number;
}

function search(corpus: Corpus, text: string): Passage[] {
  const asked = ask(corpus, text);
  const terms = [...asked.weights.keys(), ...asked.needed];
  const ids = new Set(terms.flatMap((term) => [...(corpus.postings.get(term)?.keys() ?? [])]));
  const found = [...ids].flatMap((id) => {
    const passage = corpus.passages[id];
    const score = passage === undefined ? null : scoreOf(corpus, asked, { id, passage });
    return passage === undefined || score === null ? [] : [{ passage, score }];
  });
  found.sort((a, b) => b.score - a.score);
  const best = found[0]?.score ?? 0;
  if (best < MIN_SCORE) return [];
  return found.filter(({ score }) => score >= best - MAX_DISTANCE).map(({ passage }) => passage);
}

/** Libraries answer only questions that name them, or a name of theirs; whatever else is asked is asked about home, which may be called "it". */
function ask(corpus: Corpus, text: string): Asked {
  const { postings, sources, home } = corpus;
  const isAboutHome = /\b(?:searchgate|gateway)\b/i.test(text);
  const { terms, names, identifiers } = readQuestion(isAboutHome ? text : withSourceNames(corpus, text), (term) =>
    postings.has(term),
  );
  const isHome = (term: string) => terms.length > 1 && sources.size > 1 && sources.get(term)?.includes(home) === true;
  const subject = terms.filter((term) => !isHome(term));
  const named = subject.flatMap((term) => sources.get(term) ?? []);
  const isAnySource = !isAboutHome && named.length === 0 && identifiers.length > 0;
  const weights = new Map(
    subject.filter((term) => !sources.has(term)).map((term) => [term, weightOf(corpus, term)] as const),
  );
  const isAmbiguous = named.length > 0 && /\bit\b/i.test(text);
  return {
    weights,
    total: sum(weights.values()),
    unknown: subject.filter((term) => !postings.has(term) && !isSlight(term)).length,
    needed: subject.filter((term) => names.has(term) || sources.has(term)),
    // A page about one provider answers questions that name it, or something else.
    isInScope: ({ source, url, headings }) => {
      if (source !== home) return isAnySource || (!isAboutHome && named.includes(source));
      return (
        names.size > 0 || !PROVIDER_PAGE.test(url) || termsOf(headings[0] ?? '').some((term) => terms.includes(term))
      );
    },
    bonusOf: (source) => {
      if (named.includes(source) || isAmbiguous) return ADDED.library;
      return identifiers.length > 0 ? ADDED.identifier : 0;
    },
  };
}

/** "lru cache" is the name of `lru-cache`. */
function withSourceNames({ sources }: Corpus, text: string): string {
  const names = [...sources.values()].flat().flatMap((source) => source.split(' '));
  return names
    .filter((name) => /^\w+(?:-\w+)+$/.test(name))
    .reduce((read, name) => read.replaceAll(new RegExp(`\\b${name.replaceAll('-', ' ')}\\b`, 'gi'), name), text);
}

/** What a word says: little when it stands everywhere. One that is unknown lowers what a passage covers, an everyday one does not. */
function weightOf({ passages, postings }: Corpus, term: string): number {
  const count = postings.get(term)?.size;
  if (isSlight(term)) return count === undefined ? 0 : SLIGHT * Math.log(1 + passages.length / count);
  return Math.min(MAX_WEIGHT, Math.log(1 + passages.length / (count ?? 1)));
}

/** How well a passage fits a question, or `null` when it is out of scope or lacks a name. */
function scoreOf(
  corpus: Corpus,
  { weights, total, unknown, needed, isInScope, bonusOf }: Asked,
  { id, passage }: { readonly id: number; readonly passage: Passage },
): number | null {
  const countOf = (term: string) => corpus.postings.get(term)?.get(id) ?? 0;
  if (!isInScope(passage) || !needed.every((term) => countOf(term) > 0)) return null;
  const bonus = bonusOf(passage.source);
  if (total === 0) return 1 + bonus;
  const section = corpus.sections.get(passage.url)?.terms;
  let [covered, said] = [0, 0];
  for (const [term, weight] of weights) {
    const count = countOf(term) || (section?.has(term) === true ? PLACES.section : 0);
    covered += (weight * count) / (count + SATURATION);
    if (count > PLACES.code && !isSlight(term)) said += 1;
  }
  const likeness = Math.max(...(corpus.titles[id] ?? []).map((title) => likenessOf(corpus, title, weights) / total));
  const words = ADDED.word * Math.min(said, MAX_WORDS) + ADDED.unknown * Math.min(unknown, MAX_UNKNOWN);
  return covered / total + ADDED.likeness * likeness + words + bonus;
}

/** How much a title and a question have in common: the weight of it, times the share of it in the title. */
function likenessOf(corpus: Corpus, title: readonly string[], weights: ReadonlyMap<string, number>): number {
  const common = sum(title.map((term) => weights.get(term) ?? 0));
  return common === 0 ? 0 : common ** 2 / sum(title.map((term) => weightOf(corpus, term)));
}

function sum(values: Iterable<number>): number {
  return [...values].reduce((total, value) => total + value, 0);
}
