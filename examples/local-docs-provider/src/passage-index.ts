import type { Passage } from './passages.js';
import { isSlight, readQuestion, termsOf } from './terms.js';

export interface PassageIndex {
  /** The passages that are about a question, best first; none when the documents do not speak of it. */
  search(text: string): Passage[];
  /** The passages of a section, in their order. */
  sectionAt(url: string): readonly Passage[];
}

const PROVIDER_PAGE = /\/docs\/providers\/[\w-]+\.md/;
/** How often a word counts that stands once in a heading, in the text, or in an example; and from where on more says little. */
const PLACES = { heading: 1.8, text: 1, code: 0.4 };
const SATURATION = 0.38;
/** What a word can say at most, and how much of it an everyday one does. */
const MAX_WEIGHT = 6;
const SLIGHT = 0.3;
/**
 * A passage answers from this score on: the share of the question it covers, and what is added for a heading that says just what is asked, for
 * each word in the text, for each word that is nowhere, and for the library that is named. Found by trying them on the questions in test/.
 */
const MIN_SCORE = 0.84;
const QUESTION_LEAD = 0.1;
const ADDED = { likeness: 0.47, word: 0.12, unknown: -0.24, library: 0.5 };

interface Entry {
  readonly passage: Passage;
  readonly title: ReadonlySet<string>;
  /** How much each term counts. */
  readonly counts: ReadonlyMap<string, number>;
  /** Among passages that answer, those under a heading that is a question go first: it is what people ask. */
  readonly lead: number;
  /** Of a page about one provider, the words of its title. */
  readonly provider: readonly string[] | null;
}

interface Corpus {
  readonly size: number;
  readonly postings: ReadonlyMap<string, readonly Entry[]>;
  /** The sources by each word of their names: `express body-parser` is named by both. */
  readonly sources: ReadonlyMap<string, readonly string[]>;
  /** The source of the first passage. */
  readonly home: string;
}

/** Indexes passages. The source of the first one is what a question is about that names no other. */
export function createPassageIndex(passages: readonly Passage[]): PassageIndex {
  const entries = passages.map(entryOf);
  const postings = groupBy(entries, ({ counts }) => [...counts.keys()]);
  const names = groupBy([...new Set(passages.map(({ source }) => source))], (source) => source.split(' ').map(nameOf));
  const corpus = { size: passages.length, postings, sources: names, home: passages[0]?.source ?? '' };
  const sections = groupBy(passages, ({ url }) => [url]);
  return { search: (text) => search(corpus, text), sectionAt: (url) => sections.get(url) ?? [] };
}

function nameOf(source: string): string {
  return termsOf(source).at(-1) ?? '';
}

function entryOf(passage: Passage): Entry {
  const { source, headings, name, text, code, url } = passage;
  const counts = new Map<string, number>();
  const count = (terms: Iterable<string>, amount: number) => {
    for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + amount);
  };
  count(termsOf([source, name, ...headings].join(' ')), PLACES.heading);
  count(termsOf(text), PLACES.text);
  count(new Set(termsOf(code)), PLACES.code);
  const title = new Set(termsOf(`${name ?? ''} ${headings.at(-1) ?? ''}`));
  const lead = headings.at(-1)?.endsWith('?') === true ? QUESTION_LEAD : 0;
  return { passage, title, counts, lead, provider: PROVIDER_PAGE.test(url) ? termsOf(headings[0] ?? '') : null };
}

function groupBy<Item>(items: readonly Item[], keysOf: (item: Item) => readonly string[]): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items)
    for (const key of keysOf(item)) {
      const group = groups.get(key);
      if (group === undefined) groups.set(key, [item]);
      else group.push(item);
    }
  return groups;
}

/** A question with its words weighed, and where to look. */
interface Asked {
  readonly weights: ReadonlyMap<string, number>;
  /** How many of its telling words are nowhere in the documents. */
  readonly unknown: number;
  /** Names: a passage must have them. */
  readonly needed: readonly string[];
  readonly isInScope: (entry: Entry) => boolean;
  /** What a passage of a source is given in advance. */
  readonly bonusOf: (source: string) => number;
}

function search(corpus: Corpus, text: string): Passage[] {
  const asked = ask(corpus, text);
  const terms = [...asked.weights.keys(), ...asked.needed];
  const candidates = new Set(terms.flatMap((term) => corpus.postings.get(term) ?? []));
  const found = [...candidates]
    .filter((entry) => asked.isInScope(entry) && asked.needed.every((term) => entry.counts.has(term)))
    .map((entry) => ({ ...entry, score: scoreOf(corpus, asked, entry) }));
  if (!found.some(({ score }) => score >= MIN_SCORE)) return [];
  return found.sort((a, b) => b.score + b.lead - a.score - a.lead).map(({ passage }) => passage);
}

/** Libraries answer only questions that name them, or a name of theirs; whatever else is asked is asked about home, which may be called "it". */
function ask(corpus: Corpus, text: string): Asked {
  const { postings, sources, home } = corpus;
  const isAboutHome = /\b(?:searchgate|gateway)\b/i.test(text);
  const { terms, names, identifiers } = readQuestion(text, (term) => postings.has(term));
  const isHome = (term: string) => terms.length > 1 && sources.size > 1 && sources.get(term)?.includes(home) === true;
  const subject = terms.filter((term) => !isHome(term));
  const named = subject.flatMap((term) => sources.get(term) ?? []);
  const isAnySource = named.length === 0 && identifiers.length > 0;
  const isAmbiguous = named.length > 0 && /\bit\b/i.test(text);
  const telling = subject.filter((term) => !sources.has(term));
  return {
    weights: new Map(telling.map((term) => [term, weightOf(corpus, term)] as const)),
    unknown: telling.filter((term) => !postings.has(term) && !isSlight(term)).length,
    needed: subject.filter((term) => names.has(term) || sources.has(term)),
    // A page about one provider answers questions that name it.
    isInScope: ({ passage: { source }, provider }) => {
      if (source !== home) return isAnySource || (!isAboutHome && named.includes(source));
      return provider === null || provider.some((term) => terms.includes(term));
    },
    bonusOf: (source) => (named.includes(source) || isAmbiguous ? ADDED.library : 0),
  };
}

/** What a word says: little when it stands everywhere. One that is unknown lowers what a passage covers, an everyday one does not. */
function weightOf({ size, postings }: Corpus, term: string): number {
  const count = postings.get(term)?.length;
  if (isSlight(term)) return count === undefined ? 0 : SLIGHT * Math.log(1 + size / count);
  return Math.min(MAX_WEIGHT, Math.log(1 + size / (count ?? 1)));
}

/** How well a passage fits a question. */
function scoreOf(corpus: Corpus, { weights, unknown, bonusOf }: Asked, { passage, title, counts }: Entry): number {
  const bonus = bonusOf(passage.source);
  const total = sum(weights.values());
  if (total === 0) return 1 + bonus;
  let [covered, words] = [0, 0];
  for (const [term, weight] of weights) {
    const count = counts.get(term) ?? 0;
    covered += (weight * count) / (count + SATURATION);
    if (count > PLACES.code) words += 1;
  }
  // What the title and the question have in common, times the share of it in the title.
  const common = sum([...title].map((term) => weights.get(term) ?? 0));
  const likeness = common === 0 ? 0 : common ** 2 / sum([...title].map((term) => weightOf(corpus, term)));
  return (covered + ADDED.likeness * likeness) / total + ADDED.word * words + ADDED.unknown * unknown + bonus;
}

function sum(values: Iterable<number>): number {
  return [...values].reduce((total, value) => total + value, 0);
}
