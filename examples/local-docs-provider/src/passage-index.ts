import type { Passage } from './passages.js';
import { isSlight, readQuestion, termOf, termsOf } from './terms.js';

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
/** How much of what a word says an everyday one does. */
const SLIGHT = 0.3;
/**
 * A passage answers from this score on: the share of the question it covers, and what is added for a heading that says just what is asked, for
 * each word in the text, for each word that is nowhere, for the library that is named, and for another wording of the heading. Found by trying them on the questions in test/.
 */
const MIN_SCORE = 0.84;
const QUESTION_LEAD = 0.15;
const ADDED = { likeness: 0.47, word: 0.12, unknown: -0.24, library: 0.5, asked: -0.06, part: -0.12 };

/** A passage under its heading, or under another wording of it. */
interface Entry {
  readonly passage: Passage;
  readonly title: ReadonlySet<string>;
  /** How much each term counts. */
  readonly counts: ReadonlyMap<string, number>;
  /** What it is given in advance. */
  readonly bonus: number;
  /** Among passages that answer, those under a heading that is a question go first: it is what people ask. */
  readonly lead: number;
  /** Of a page about one provider, the words of its title. */
  readonly provider: readonly string[] | null;
}

interface Corpus {
  readonly size: number;
  readonly postings: ReadonlyMap<string, readonly Entry[]>;
  /** The sources by what names them: `express body-parser` is named by both words. */
  readonly sources: ReadonlyMap<string, readonly string[]>;
  /** By source, the words that ask for it where it is a part of a library. */
  readonly parts: ReadonlyMap<string, readonly string[] | null>;
  /** The source of the first passage. */
  readonly home: string;
}

/** Indexes passages. The source of the first one is what a question is about that names no other. */
export function createPassageIndex(passages: readonly Passage[]): PassageIndex {
  const entries = passages.flatMap(entriesOf);
  const postings = groupBy(entries, ({ counts }) => [...counts.keys()]);
  const sources = [...new Set(passages.map(({ source }) => source))];
  const corpus = {
    size: passages.length,
    postings,
    sources: groupBy(sources, namesOf),
    parts: new Map(sources.map((source) => [source, partTermsOf(source)])),
    home: passages[0]?.source ?? '',
  };
  const sections = groupBy(passages, ({ url }) => [url]);
  return { search: (text) => search(corpus, text), sectionAt: (url) => sections.get(url) ?? [] };
}

/** What names a source in a question: its library, and a part with a name like `body-parser`. A plain word such as "cors" may be asked about home. */
function namesOf(source: string): string[] {
  const [library = '', ...parts] = source.split(' ');
  return [library, ...parts.filter((part) => /\W/.test(part))].map((name) => termsOf(name).at(-1) ?? '');
}

/** The words that ask for a part of a library; `null` for a source that is no part. */
function partTermsOf(source: string): string[] | null {
  const [library = '', part] = source.split(' ');
  return part === undefined ? null : termsOf(part).filter((term) => term !== termOf(library));
}

function entriesOf(passage: Passage): Entry[] {
  const { source, headings, text, code, url } = passage;
  const body = new Map<string, number>();
  addTo(body, termsOf([source, ...headings].join(' ')), PLACES.heading);
  addTo(body, termsOf(text), PLACES.text);
  addTo(body, new Set(termsOf(code)), PLACES.code);
  const lead = headings.at(-1)?.endsWith('?') === true ? QUESTION_LEAD : 0;
  const provider = PROVIDER_PAGE.test(url) ? termsOf(headings[0] ?? '') : null;
  const entryOf = (wording: string, bonus: number): Entry => {
    const [title, counts] = [termsOf(wording), new Map(body)];
    addTo(counts, title, PLACES.heading);
    return { passage, title: new Set(title), counts, bonus, lead, provider };
  };
  const heading = entryOf(`${passage.name ?? ''} ${headings.at(-1) ?? ''}`, 0);
  return [heading, ...passage.asked.map((wording) => entryOf(wording, ADDED.asked))];
}

function addTo(counts: Map<string, number>, terms: Iterable<string>, amount: number): void {
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + amount);
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
    .map((entry) => ({ entry, score: scoreOf(corpus, asked, entry) }));
  if (!found.some(({ score }) => score >= MIN_SCORE)) return [];
  const rankOf = ({ entry: { lead }, score }: (typeof found)[number]) => score + lead;
  return found.sort((a, b) => rankOf(b) - rankOf(a)).map(({ entry }) => entry.passage);
}

/** Libraries answer only questions that name them, or a name of theirs; whatever else is asked is asked about home, which may be called "it". */
function ask(corpus: Corpus, text: string): Asked {
  const { postings, sources, parts, home } = corpus;
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
    bonusOf(source) {
      const isAskedFor = parts.get(source)?.some((term) => terms.includes(term)) ?? true;
      return (named.includes(source) || isAmbiguous ? ADDED.library : 0) + (isAskedFor ? 0 : ADDED.part);
    },
  };
}

/** What a word says: little when it stands everywhere. One that is unknown lowers what a passage covers, an everyday one does not. */
function weightOf({ size, postings }: Corpus, term: string): number {
  const count = postings.get(term)?.length;
  if (isSlight(term)) return count === undefined ? 0 : SLIGHT * Math.log(1 + size / count);
  return Math.log(1 + size / (count ?? 1));
}

/** How well a passage fits a question. */
function scoreOf(
  corpus: Corpus,
  { weights, unknown, bonusOf }: Asked,
  { passage, title, counts, bonus: given }: Entry,
): number {
  const bonus = given + bonusOf(passage.source);
  const total = sum(weights.values());
  if (total === 0) return 1 + bonus;
  let [covered, words] = [0, 0];
  for (const [term, weight] of weights) {
    const count = counts.get(term) ?? 0;
    covered += (weight * count) / (count + SATURATION);
    if (count > PLACES.code) words += isSlight(term) ? SLIGHT : 1;
  }
  // What the title and the question have in common, times the share of it in the title.
  const common = sum([...title].map((term) => weights.get(term) ?? 0));
  const likeness = common === 0 ? 0 : common ** 2 / sum([...title].map((term) => weightOf(corpus, term)));
  return (covered + ADDED.likeness * likeness) / total + ADDED.word * words + ADDED.unknown * unknown + bonus;
}

function sum(values: Iterable<number>): number {
  return [...values].reduce((total, value) => total + value, 0);
}
