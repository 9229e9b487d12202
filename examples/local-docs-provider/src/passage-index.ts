import MiniSearch from 'minisearch';
import type { Passage } from './passages.js';
import { createTermReader, isEmpty, isSlight, type Question, readQuestion, termsOf } from './terms.js';

export interface PassageIndex {
  /** The passages that are about a question, best first; none when the documents do not speak of it. */
  search(text: string): Passage[];
  /** The passages of a section, those with the most words of a text first. */
  sectionAt(url: string, text: string): Passage[];
}

/** How much a word of the question counts that stands in a heading, in the text, in an example, or elsewhere in the section. */
const PLACES = { heading: 1, text: 0.75, code: 0.5 };
const IN_SECTION = 0.4;
/** How much a word says that stands in most passages, such as "default", and one that is nearly unknown. */
const SLIGHT = 0.3;
const MAX_WEIGHT = 5;
/** The share of a question's words that a passage must have, of a library the question names and of any other source. */
const MIN_COVERAGE = { named: 0.42, other: 0.65 };
/** How much of it a heading can add that says just what is asked. */
const SAME_HEADING = 0.1;
/** The share of the question's words that headings must have where the text does not have several. */
const MIN_FOCUS = 0.2;
const BOOST = { heading: 3, text: 1, code: 0.4 };
const MAX_CANDIDATES = 300;
const PROVIDER_PAGE = /\/docs\/providers\/([\w-]+)\.md/;
const PROVIDER = termsOf('provider')[0] ?? '';

interface Entry {
  readonly passage: Passage;
  /** The terms of each clause of its heading. */
  readonly clauses: readonly (readonly string[])[];
  /** How much each of its terms counts. */
  readonly places: ReadonlyMap<string, number>;
  readonly section: ReadonlySet<string>;
}

interface Corpus {
  readonly entries: readonly Entry[];
  readonly index: MiniSearch;
  /** In how many passages each term stands. */
  readonly frequency: ReadonlyMap<string, number>;
  /** The sources by each word of their names: `express body-parser` is named by both. */
  readonly sources: ReadonlyMap<string, readonly string[]>;
  /** What is said of any provider is said of these. */
  readonly providers: ReadonlySet<string>;
  /** The source of the first passage: what a question is about that names no other. */
  readonly home: string;
}

interface Asked {
  readonly question: Question;
  /** The sources it names. */
  readonly named: readonly string[];
  /** Its words beside the names of sources, with their weights. */
  readonly weights: ReadonlyMap<string, number>;
  /** The words a passage must have: names. */
  readonly needed: readonly string[];
}

/** Indexes passages. The source of the first one is what a question is about that names no other. */
export function createPassageIndex(passages: readonly Passage[]): PassageIndex {
  const corpus = createCorpus(passages);
  return {
    search: (text) => search(corpus, text),
    sectionAt: (url, text) => {
      const terms = termsOf(text).filter((term) => !isEmpty(term));
      const filter = ({ id }: { readonly id: unknown }) => passages[id as number]?.url === url;
      const ranked = corpus.index.search(terms.join(' '), { boost: BOOST, filter });
      const best = ranked.flatMap(({ id }) => passages[id as number] ?? []);
      return [...new Set([...best, ...passages.filter((passage) => passage.url === url)])];
    },
  };
}

function createCorpus(passages: readonly Passage[]): Corpus {
  const read = createTermReader();
  const frequency = new Map<string, number>();
  const sections = new Map<string, Set<string>>();
  const index = new MiniSearch({
    fields: Object.keys(BOOST),
    tokenize: (text) => text.split(' '),
    processTerm: (term) => term,
  });
  const entries = passages.map((passage, id): Entry => {
    const { source, headings, name, text, code, url } = passage;
    const title = `${name ?? ''} ${headings.at(-1) ?? ''}`;
    const heading = read([title, source, ...headings.slice(0, -1)].join(' '));
    const fields = { code: [...new Set(read(code))], text: [...new Set(read(text))], heading };
    const places = new Map<string, number>();
    for (const field of ['code', 'text', 'heading'] as const)
      for (const term of fields[field]) places.set(term, PLACES[field]);
    const section = sections.get(url) ?? new Set<string>();
    sections.set(url, section);
    for (const term of places.keys()) {
      section.add(term);
      frequency.set(term, (frequency.get(term) ?? 0) + 1);
    }
    index.add({ id, code: fields.code.join(' '), text: fields.text.join(' '), heading: heading.join(' ') });
    const clauses = title
      .split(/[,;]|\b(?:and|or|such as)\b/)
      .map((part) => read(part).filter((term) => !isEmpty(term)));
    return { passage, clauses, places, section };
  });
  const providers = new Set(passages.flatMap(({ url }) => read(PROVIDER_PAGE.exec(url)?.[1] ?? '')));
  return { entries, index, frequency, providers, sources: namesOfSources(passages), home: passages[0]?.source ?? '' };
}

function namesOfSources(passages: readonly Passage[]): ReadonlyMap<string, string[]> {
  const names = new Map<string, string[]>();
  for (const source of new Set(passages.map((passage) => passage.source)))
    for (const word of source.split(' ')) {
      const term = termsOf(word).at(-1) ?? '';
      names.set(term, [...(names.get(term) ?? []), source]);
    }
  return names;
}

function search(corpus: Corpus, text: string): Passage[] {
  const { entries, index, frequency, sources, home } = corpus;
  const question = readQuestion(
    /\b(?:it|searchgate|gateway)\b/i.test(text) ? text : withSourceNames(corpus, text),
    (term) => frequency.has(term),
    (term) => sources.has(term),
  );
  if ([...question.names].some((name) => !frequency.has(name))) return [];
  const isHome = (term: string) => sources.size > 1 && sources.get(term)?.includes(home) === true;
  const terms = question.terms.filter((term) => question.terms.length === 1 || !isHome(term));
  const named = terms.flatMap((term) => sources.get(term) ?? []);
  const subject = terms.filter((term) => !sources.has(term));
  if (subject.length === 0 && new Set(named.map((source) => source.split(' ')[0])).size < 2)
    return introductionOf(corpus, named[0] ?? home);

  const weights = new Map(subject.map((term) => [term, weightOf(corpus, term)]));
  const needed = terms.filter((term) => question.names.has(term) || sources.has(term));
  const asked: Asked = { question, named, weights, needed };
  const inScope = scopeOf(asked, home);
  const found = index.search(terms.join(' '), {
    boost: BOOST,
    boostTerm: (term) => (isSlight(term) ? SLIGHT : 1),
    filter: ({ id }) => inScope(entries[id as number]?.passage.source ?? ''),
  });
  return found
    .slice(0, MAX_CANDIDATES)
    .flatMap(({ id, score }) => {
      const entry = entries[id as number];
      const match = entry === undefined ? null : matchOf(corpus, entry, asked);
      return entry === undefined || match === null ? [] : [{ passage: entry.passage, score: score * match }];
    })
    .sort((a, b) => b.score - a.score)
    .map(({ passage }) => passage);
}

/** What a word says: little when it stands everywhere. One that is unknown lowers what a passage covers, an everyday one does not. */
function weightOf({ entries, frequency }: Corpus, term: string): number {
  const count = frequency.get(term);
  if (isSlight(term)) return count === undefined ? 0 : SLIGHT * Math.log(1 + entries.length / count);
  return Math.min(MAX_WEIGHT, Math.log(1 + entries.length / (count ?? 1)));
}

/** How well a passage fits a question, or `null` when it is not about it. */
function matchOf(corpus: Corpus, entry: Entry, asked: Asked): number | null {
  const { passage, clauses, places, section } = entry;
  const { question, named, weights, needed } = asked;
  const placeOf = (term: string) =>
    places.get(term) ?? (corpus.providers.has(term) ? places.get(PROVIDER) : undefined) ?? 0;
  if (!isOfProvider(passage, question) || !needed.every((term) => placeOf(term) > 0)) return null;
  const terms = [...weights.keys()];
  const weight = (term: string) => weights.get(term) ?? 0;
  const total = sum(terms, weight);
  if (total === 0) return 1;
  const coverage = sum(terms, (term) => weight(term) * (placeOf(term) || (section.has(term) ? IN_SECTION : 0))) / total;
  const alike = Math.max(0, ...clauses.map((clause) => likeness(corpus, clause, weights))) / total;
  const isNamed = named.includes(passage.source);
  if (coverage + alike * SAME_HEADING < (isNamed ? MIN_COVERAGE.named : MIN_COVERAGE.other)) return null;

  const weighty = terms.filter((term) => !isSlight(term));
  if (weighty.length === 0) return needed.length > 0 || alike >= 0.5 ? coverage ** 2 : null;
  const unnamed = terms.filter((term) => !question.names.has(term));
  const topics = unnamed.every(isSlight) ? terms : unnamed;
  const inHeading = topics.filter((term) => placeOf(term) === PLACES.heading);
  const focus = sum(inHeading, weight) / sum(topics, weight);
  const said = weighty.filter((term) => placeOf(term) >= PLACES.text).length;
  const isSaid = focus >= MIN_FOCUS || said >= leastSaid(corpus, asked, isNamed);
  return isSaid || (weighty.length > 1 && saysInOneSentence(entry, weighty)) ? coverage ** 2 * (0.7 + focus) : null;
}

/** How much a clause of a heading and a question have in common: the weight of it, times the share of it in the clause. */
function likeness(corpus: Corpus, clause: readonly string[], weights: ReadonlyMap<string, number>): number {
  const common = sum(clause, (term) => weights.get(term) ?? 0);
  return common === 0 ? 0 : common ** 2 / sum(clause, (term) => weights.get(term) ?? weightOf(corpus, term));
}

/** How many words of the question a text has to have when its headings have none: few when the question says where to look. */
function leastSaid({ sources }: Corpus, { question }: Asked, isNamed: boolean): number {
  const hasName = [...question.names].some((name) => !sources.has(name));
  if (isNamed || question.identifiers.length > 0 || (question.isAboutGateway && hasName)) return 1;
  return question.isAboutGateway ? 2 : 3;
}

/** The pages of providers answer questions that name them, or something else. */
function isOfProvider({ url, headings }: Passage, { terms, names }: Question): boolean {
  const page = PROVIDER_PAGE.exec(url)?.[1];
  return (
    page === undefined || names.size > 0 || terms.includes(page) || terms.includes(termsOf(headings[0] ?? '')[0] ?? '')
  );
}

const SENTENCES = new Intl.Segmenter('en', { granularity: 'sentence' });

/** Whether a sentence, a row or a line of code has all of the terms. */
function saysInOneSentence({ passage: { text, code }, places }: Entry, required: readonly string[]): boolean {
  if (!required.every((term) => places.has(term))) return false;
  const sentences = text.split('\n').flatMap((line) => [...SENTENCES.segment(line)].map(({ segment }) => segment));
  return [...sentences, ...code.split('\n')].some((sentence) => {
    const found = new Set(termsOf(sentence));
    return required.every((term) => found.has(term));
  });
}

function sum(terms: readonly string[], valueOf: (term: string) => number): number {
  return terms.reduce((total, term) => total + valueOf(term), 0);
}

/** "lru cache" is the name of `lru-cache`. */
function withSourceNames({ sources }: Corpus, text: string): string {
  const names = new Set(
    [...sources.values()]
      .flat()
      .flatMap((source) => source.split(' '))
      .filter((name) => name.includes('-')),
  );
  return [...names].reduce(
    (read, name) => read.replaceAll(new RegExp(`\\b${name.replaceAll('-', ' ')}\\b`, 'gi'), name),
    text,
  );
}

/** Libraries answer only questions that name them, or a name of theirs; whatever else is asked is asked about home. */
function scopeOf({ question, named }: Asked, home: string): (source: string) => boolean {
  if (question.isAboutGateway || (named.length === 0 && question.identifiers.length === 0))
    return (source) => source === home;
  return named.length === 0 ? () => true : (source) => source === home || named.includes(source);
}

/** What a source says first. */
function introductionOf({ entries }: Corpus, source: string): Passage[] {
  const first = entries.find(({ passage }) => passage.source === source && passage.text.length > 25);
  return first === undefined ? [] : [first.passage];
}
