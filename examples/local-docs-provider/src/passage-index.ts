import { type Corpus, createCorpus, type Entry, groupBy, PLACES, sum, type Title } from './corpus.js';
import { type Block, blocksOf } from './excerpts.js';
import type { Passage } from './passages.js';
import { isSlight, MAX_QUESTION_CHARS, readQuestion, termsOf } from './terms.js';

/** What is found for a question. */
interface Found {
  /** Of each section that is about it, the passage that fits best; best first. None when the documents do not speak of it. */
  readonly sections: readonly Passage[];
  /** What each of its words says. */
  readonly weights: ReadonlyMap<string, number>;
}

export interface PassageIndex {
  search(question: string): Found;
  /** The passages of a section, in their order. */
  sectionAt(url: string): readonly Passage[];
  /** The same as what can be quoted of it. */
  blocksAt(url: string): readonly Block[];
}

/** From how many times on that a word stands in a passage more says little. */
const SATURATION = 0.38;
/**
 * What is added to the share of a question that a passage covers: for a title that says just what is asked, for each word in the text, for the share
 * of words that are nowhere, and for what is named: the library, an identifier that it has, or its provider. A passage has to be that much better than
 * a question that has no answer.
 */
const ADDED = {
  likeness: 0.6,
  word: 0.18,
  unknown: -0.6,
  library: 0.7,
  identifier: 0.5,
  provider: 0.3,
  unanswered: 0.37,
};
/** Least score of the best passage, where questions without an answer are known and where none is. */
const MIN_SCORE = { known: 0.75, unknown: 1 };

/**
 * Indexes passages. The source of the first one is what a question is about that names no other.
 *
 * @param unanswered questions that the passages do not answer.
 */
export function createPassageIndex(passages: readonly Passage[], unanswered: readonly string[] = []): PassageIndex {
  const corpus = createCorpus(passages, unanswered);
  const sectionAt = (url: string) => (corpus.sections.get(url) ?? []).map(({ passage }) => passage);
  // Found when a section is first quoted, so that the start is quick.
  const blocks = new Map<string, readonly Block[]>();
  const blocksAt = (url: string) => {
    const known = blocks.get(url) ?? blocksOf(sectionAt(url));
    blocks.set(url, known);
    return known;
  };
  return { search: (text) => search(corpus, text), sectionAt, blocksAt };
}

/** A question with its words weighed, and where to look. */
interface Asked {
  readonly weights: ReadonlyMap<string, number>;
  /** Whose passages are looked at. */
  readonly subject: readonly string[];
  readonly isInScope: (entry: Entry) => boolean;
  /** What is added to the score of a passage for what the question names. */
  readonly addedFor: (entry: Entry) => number;
}

/** Libraries answer only questions that name them, or a name of theirs; whatever else is asked is asked about home, which may be called "it". */
function ask({ postings, sources, parts, home, weightOf }: Corpus, text: string): Asked {
  const said = new Set(termsOf(text.slice(0, MAX_QUESTION_CHARS)));
  const isAboutHome = /\b(?:searchgate|gateway)\b/i.test(text);
  const { terms, identifiers } = readQuestion(text, (term) => postings.has(term));
  const isHome = (term: string) => terms.length > 1 && sources.size > 1 && sources.get(term)?.includes(home) === true;
  const subject = terms.filter((term) => !isHome(term));
  const named = new Set(subject.flatMap((term) => sources.get(term) ?? []));
  const meant = new Set(named.size > 0 ? named : subject.flatMap((term) => parts.get(term) ?? []));
  const isAmbiguous = named.size > 0 && /\bit\b/i.test(text);
  const isAnySource = named.size === 0 && identifiers.length > 0;
  return {
    weights: new Map(subject.filter((term) => isAboutHome || !sources.has(term)).map((term) => [term, weightOf(term)])),
    subject,
    isInScope({ passage: { source }, provider }) {
      if (source !== home) return isAnySource || (!isAboutHome && meant.has(source));
      return provider === undefined || said.has(provider);
    },
    addedFor({ passage: { source }, provider, counts }) {
      if (isAmbiguous || named.has(source)) return ADDED.library;
      if (identifiers.some((term) => counts.has(term))) return ADDED.identifier;
      // A page about a provider is looked at where the question names it.
      return provider === undefined ? 0 : ADDED.provider;
    },
  };
}

function search(corpus: Corpus, text: string): Found {
  const { weights, subject, isInScope, addedFor } = ask(corpus, text);
  const terms = [...weights.keys()];
  const candidates = new Set(subject.flatMap((term) => corpus.postings.get(term) ?? []));
  const inScope = [...candidates].filter(isInScope);
  const telling = terms.filter((term) => !isSlight(term));
  const unknown =
    telling.filter((term) => corpus.postings.get(term)?.some(isInScope) !== true).length / (telling.length || 1);
  const scoreOf = scoreFor(weights, likenessOf(corpus, weights));
  const found = inScope
    .map((entry) => ({
      passage: entry.passage,
      score: scoreOf(entry) + addedFor(entry) + ADDED.unknown * unknown,
    }))
    .sort((a, b) => b.score - a.score);
  // Of a section on several frameworks, the lines on the one that is named are wanted.
  const said = new Map(subject.map((term) => [term, corpus.weightOf(term)]));
  const minScore = corpus.unanswered.size > 0 ? MIN_SCORE.known : MIN_SCORE.unknown;
  if ((found[0]?.score ?? 0) < Math.max(minScore, unansweredScore(corpus, weights))) return { sections: [], weights };
  const best = groupBy(found, ({ passage }) => [passage.url]);
  return { sections: [...best.values()].map(([{ passage }]) => passage), weights: said };
}

/** How well a passage fits a question: how much of it the passage covers, and what its title and its words add. */
function scoreFor(weights: Asked['weights'], likeness: ReadonlyMap<Entry, number>): (entry: Entry) => number {
  const total = sum(weights.values());
  return (entry) => {
    let [covered, words] = [ADDED.likeness * (likeness.get(entry) ?? 0), 0];
    for (const [term, weight] of weights) {
      const count = entry.counts.get(term) ?? 0;
      covered += weight * saturated(count);
      if (count > PLACES.code) words += 1;
    }
    return (total === 0 ? 1 : covered / total) + ADDED.word * words;
  };
}

function saturated(count: number): number {
  return count / (count + SATURATION);
}

/** How much of a word is covered that stands in a wording. */
const ONCE_ASKED = saturated(PLACES.asked);

/** For each passage, what its best title and the question have in common, times the share of it in the title. */
function likenessOf({ titles }: Corpus, weights: Asked['weights']): Map<Entry, number> {
  const best = new Map<Entry, number>();
  for (const [title, { weight }] of commonOf(titles, weights)) {
    const likeness = weight ** 2 / title.weight;
    for (const entry of title.entries) if (likeness > (best.get(entry) ?? 0)) best.set(entry, likeness);
  }
  return best;
}

/** The best score of a question that the documents do not answer: that of a passage with only this wording, and something more. */
function unansweredScore({ unanswered }: Corpus, weights: Asked['weights']): number {
  const total = sum(weights.values());
  let best = 0;
  for (const [title, { weight, words }] of commonOf(unanswered, weights)) {
    const covered = weight * (ONCE_ASKED + (ADDED.likeness * weight) / title.weight);
    best = Math.max(best, covered / total + ADDED.word * words + ADDED.unanswered);
  }
  return best;
}

interface Common {
  /** What the words in common say. */
  weight: number;
  words: number;
}

/** What each title has in common with a question. */
function commonOf(titles: Corpus['titles'], weights: Asked['weights']): Map<Title, Common> {
  const common = new Map<Title, Common>();
  for (const [term, weight] of weights)
    for (const title of titles.get(term) ?? []) {
      const known = common.get(title);
      if (known === undefined) common.set(title, { weight, words: 1 });
      else {
        known.weight += weight;
        known.words += 1;
      }
    }
  return common;
}
