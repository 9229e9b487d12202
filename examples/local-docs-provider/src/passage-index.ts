import MiniSearch from 'minisearch';
import type { Passage } from './passages.js';

/** Longer questions are cut, and only their rarest words are searched, so that a search takes a millisecond or two. */
const MAX_QUESTION_CHARS = 1_000;
const MAX_TERMS = 12;
/** A question is answered if the documents contain four of five of its words. Short words occur everywhere and do not count. */
const MIN_KNOWN_SHARE = 0.8;
const MIN_TELLING_CHARS = 5;
/** Words of every question, whatever it is about. */
const ASKING = new Set(
  'a an and any are can do does for from how i if in is it its me my of on or that the this to use we what when where which who why with you your'.split(
    ' ',
  ),
);

const tokenize = (text: string) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
const termsOf = (text: string) => [...new Set(tokenize(text))];

/** Finds the passages that fit a question best, at most so many, of each section one; none when the documents do not answer the question. */
export type FindPassages = (question: string, most: number) => Passage[];

export function createPassageIndex(passages: readonly Passage[]): FindPassages {
  // Without code examples, which contain questions and answers themselves.
  const records = passages.map(({ source, headings, text }, id) => ({
    id,
    title: headings[0],
    headings: [source, ...headings].join(' '),
    text: text.replace(/^(```+)[^]*?^\1$/gm, ''),
  }));
  const counts = new Map<string, number>();
  for (const { headings, text } of records)
    for (const term of termsOf(`${headings} ${text}`)) counts.set(term, (counts.get(term) ?? 0) + 1);
  const countOf = (term: string) => counts.get(term) ?? 0;
  const index = new MiniSearch({
    fields: ['title', 'headings', 'text'],
    tokenize,
    searchOptions: {
      boost: { headings: 1.5 },
      // Else "How do I" would match every heading that is a question. Not by length: "koa" and "api" tell more than most words.
      boostTerm: (term) => (ASKING.has(term) ? 0.1 : 1),
      prefix: (term) => term.length > 3,
      fuzzy: (term) => (term.length > 3 && countOf(term) === 0 ? 1 : false),
    },
  });
  index.addAll(records);

  return (question, most) => {
    const terms = termsOf(question.slice(0, MAX_QUESTION_CHARS)).sort((a, b) => countOf(a) - countOf(b));
    const found = index.search(terms.slice(0, MAX_TERMS).join(' '));
    const matched = new Set(found.flatMap(({ queryTerms }) => queryTerms));
    const telling = terms.filter((term) => term.length >= MIN_TELLING_CHARS);
    const known = telling.filter((term) => matched.has(term) || countOf(term) > 0);
    if (known.length < MIN_KNOWN_SHARE * telling.length) return [];
    const sections = new Map<string, Passage>();
    for (const { id } of found) {
      const passage = passages[id as number];
      if (passage !== undefined && !sections.has(passage.url)) sections.set(passage.url, passage);
      if (sections.size === most) break;
    }
    return [...sections.values()];
  };
}
