import type { Passage } from './passages.js';
import { isSlight, termsOf } from './terms.js';

/** How often a word counts that stands once in a heading, in the text, in another wording of the heading, or in an example. */
export const PLACES = { heading: 1.8, text: 1, asked: 0.5, code: 0.4 };
/** How much of what a word says an everyday one does. */
const SLIGHT = 0.4;
/** From where on an everyday word that is rarer says no more. */
const RARE = 3;

const PROVIDER_PAGE = /\/docs\/providers\/[\w-]+\.md/;

export interface Entry {
  readonly passage: Passage;
  /** The provider its page is about. */
  readonly provider: string | undefined;
  /** How much each term counts. */
  readonly counts: ReadonlyMap<string, number>;
}

/** A heading or another wording of it, and what stands below it. */
export interface Title {
  readonly terms: ReadonlySet<string>;
  /** What its terms say together. */
  readonly weight: number;
  readonly entries: readonly Entry[];
}

/** What is looked up for a question. */
export interface Corpus {
  /** The passages of each section, by its address. */
  readonly sections: ReadonlyMap<string, readonly Entry[]>;
  readonly postings: ReadonlyMap<string, readonly Entry[]>;
  readonly titles: ReadonlyMap<string, readonly Title[]>;
  /** Questions that the documents do not answer, as titles of nothing. */
  readonly unanswered: ReadonlyMap<string, readonly Title[]>;
  /** The sources by what names them: `express body-parser` is named by both words. */
  readonly sources: ReadonlyMap<string, readonly string[]>;
  /** The sources that a plain word may mean: "helmet". */
  readonly parts: ReadonlyMap<string, readonly string[]>;
  /** The source of the first passage. */
  readonly home: string;
  /** What a word says: little when it stands everywhere. */
  readonly weightOf: (term: string) => number;
}

/** What is known of passages. The source of the first one is what a question is about that names no other. */
export function createCorpus(passages: readonly Passage[], unanswered: readonly string[]): Corpus {
  const entries = passages.map((passage) => ({ passage, provider: providerOf(passage), counts: countsOf(passage) }));
  const postings = groupBy(entries, ({ counts }) => [...counts.keys()]);
  const sections = groupBy(entries, ({ passage }) => [passage.url]);
  const weightOf = weightIn(postings, passages.length);
  const titleOf: TitleOf = (wording, below) => {
    const terms = new Set(termsOf(wording));
    return { terms, weight: sum([...terms].map(weightOf)), entries: below };
  };
  const byTerm = (titles: readonly Title[]) => groupBy(titles, ({ terms }) => [...terms]);
  const sources = [...new Set(passages.map(({ source }) => source))];
  return {
    sections,
    postings,
    titles: byTerm([...sections.values()].flatMap((section) => titlesOf(section, titleOf))),
    unanswered: byTerm(unanswered.map((question) => titleOf(question, []))),
    sources: groupBy(sources, namesOf),
    parts: groupBy(sources, termsOf),
    home: passages[0]?.source ?? '',
    weightOf,
  };
}

export function groupBy<Item>(
  items: readonly Item[],
  keysOf: (item: Item) => readonly string[],
): Map<string, [Item, ...Item[]]> {
  const groups = new Map<string, [Item, ...Item[]]>();
  for (const item of items)
    for (const key of keysOf(item)) {
      const group = groups.get(key);
      if (group === undefined) groups.set(key, [item]);
      else group.push(item);
    }
  return groups;
}

function countsOf({ source, headings, name, asked, text, code }: Passage): Map<string, number> {
  const counts = new Map<string, number>();
  const add = (terms: Iterable<string>, amount: number) => {
    for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + amount);
  };
  add(termsOf(`${name ?? ''} ${headings.at(-1) ?? ''}`), PLACES.heading);
  add(termsOf([source, ...headings, text].join(' ')), PLACES.text);
  add(new Set(termsOf(asked.join(' '))), PLACES.asked);
  add(new Set(termsOf(code.join('\n'))), PLACES.code);
  return counts;
}

type TitleOf = (wording: string, below: readonly Entry[]) => Title;

/** The titles of a section: its heading, other wordings of it, and what its entries define. */
function titlesOf(entries: readonly [Entry, ...Entry[]], titleOf: TitleOf): Title[] {
  const { headings, asked } = entries[0].passage;
  const heading = headings.at(-1) ?? '';
  const defined = entries.filter(({ passage }) => passage.name !== null);
  return [
    ...[heading, ...asked].map((wording) => titleOf(wording, entries)),
    ...defined.map((entry) => titleOf(`${entry.passage.name} ${heading}`, [entry])),
  ];
}

/** What names a source in a question: its library, and a part with a name like `body-parser`. A plain word such as "cors" may be asked about home. */
function namesOf(source: string): string[] {
  const [library = '', ...parts] = source.split(' ');
  return [library, ...parts.filter((part) => /\W/.test(part))].map((name) => termsOf(name).at(-1) ?? '');
}

function providerOf({ url, headings }: Passage): string | undefined {
  return PROVIDER_PAGE.test(url) ? termsOf(headings[0]?.split(' ', 1)[0] ?? '').at(-1) : undefined;
}

function weightIn(postings: Corpus['postings'], size: number): Corpus['weightOf'] {
  return (term) => {
    const count = postings.get(term)?.length;
    const rarity = Math.log(1 + size / (count ?? 1));
    // One that is unknown lowers what a passage covers, an everyday one does not.
    if (isSlight(term)) return count === undefined ? 0 : SLIGHT * Math.min(rarity, RARE);
    return rarity;
  };
}

export function sum(values: Iterable<number>): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}
