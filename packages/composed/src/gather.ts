import { type CallContext, isUpstreamError, type PartResults, UpstreamError } from '@searchgate/core/provider-kit';
import { samePage } from './addresses.js';
import { claimOf, factsOf } from './facts.js';
import { MAX_PASSAGE, passagesOf, readable } from './passages.js';
import type { Recipe } from './settings.js';

/** A source as the chat model reads it. */
export interface PageSource {
  readonly url: string;
  readonly title: string;
  /** The passages that were chosen, at least one. */
  readonly passages: readonly string[];
}

/** Of a search result without its page, of a page, and of all. Those of all make one search unit of a rerank. */
const SNIPPET_PASSAGES = 3;
const PAGE_PASSAGES = 25;
const MAX_PASSAGES = 100;
/** What the chat model reads of all sources, in UTF-16 code units. */
export const MAX_PROMPT_CHARACTERS = 12_000;
/** Longest title, and shown address, of a source. */
export const MAX_HEADING = 200;
const HEAD = 2 * MAX_HEADING;
/** The most of a question that passages are sorted by, so that it and a passage make one chunk of any reranker. */
const MAX_RERANK_QUERY = 400;
/** Reciprocal rank fusion: how little the first ranks count more than later ones (Cormack, Clarke and Büttcher, 2009). */
const FUSION = 60;

/** The most passages that can be sorted, and their tokens by an upper bound: a character has at most 4 bytes, in any form. */
export function mostRanked({ search, results, pages }: Pick<Recipe, 'search' | 'results' | 'pages'>) {
  const passages = Math.min(
    MAX_PASSAGES,
    search.length * results * SNIPPET_PASSAGES + (pages?.most ?? 0) * PAGE_PASSAGES,
  );
  return { searchUnits: 1, tokens: passages * (4 * (MAX_RERANK_QUERY + MAX_PASSAGE) + 200) };
}

/** Finds, reads and sorts what an answer can be based on. @throws UpstreamError `no_answer_found` where nothing is found; the failure of a search. */
export async function gather(recipe: Recipe, query: string, context: CallContext): Promise<readonly PageSource[]> {
  const run = runOf(context);
  const found = merged(await searched(recipe, query, run));
  const pages = await readPages(recipe, found, run);
  const passages = passagesOfAll(found, pages);
  if (passages.length === 0) throw nothingFound('the searches found no text');
  const sorted = await ranked(recipe, { query, passages }, run);
  return chosen(found, sorted);
}

type Run = NonNullable<CallContext['run']>;
type Page = PartResults['search'];

function runOf(context: CallContext): Run {
  if (context.run === undefined) throw new Error('the context of a composed answer has no run');
  return context.run.bind(context);
}

function nothingFound(detail: string): UpstreamError {
  return new UpstreamError('no_answer_found', { phase: 'shape', status: 200, detail });
}

/** One failed search is no failure where another one found pages. */
async function searched({ search, results }: Recipe, query: string, run: Run): Promise<readonly (readonly Page[])[]> {
  const failures: UpstreamError[] = [];
  const asked = search.map((model) =>
    run('search', model, { query, maxResults: results }).catch((error: unknown) => {
      failures.push(failureOf(error));
      return [];
    }),
  );
  const lists = await Promise.all(asked);
  if (lists.some((list) => list.length > 0)) return lists;
  throw failures[0] ?? nothingFound('the searches found nothing');
}

/** Anything but the failure of a part is a bug, which is not hidden. */
function failureOf(error: unknown): UpstreamError {
  if (isUpstreamError(error)) return error;
  throw error;
}

/** The pages of all lists, each once, by their ranks in all of them. */
function merged(lists: readonly (readonly Page[])[]): readonly Page[] {
  const known = new Map<string, { page: Page; score: number }>();
  for (const list of lists) {
    for (const [rank, page] of list.entries()) {
      const key = samePage(page.url);
      const entry = known.get(key) ?? { page, score: 0 };
      entry.score += 1 / (FUSION + rank + 1);
      if (entry.page.snippet === '' && page.snippet !== '') entry.page = { ...page, url: entry.page.url };
      known.set(key, entry);
    }
  }
  return [...known.values()].toSorted((a, b) => b.score - a.score).map(({ page }) => page);
}

/** The texts of the best pages by their addresses. None where they cannot be read: snippets are left. */
async function readPages({ pages }: Recipe, found: readonly Page[], run: Run): Promise<ReadonlyMap<string, string>> {
  if (pages === undefined) return new Map();
  const { extract, most, maxCharacters } = pages;
  const urls = found.slice(0, most).map(({ url }) => url);
  const read = await run('extract', extract, { urls, maxCharacters }).catch(without);
  return new Map(read.map(({ url, content }) => [url, content]));
}

/** Goes on without what a part could not give. */
function without(error: unknown): readonly never[] {
  failureOf(error);
  return [];
}

interface Passage {
  /** The index of its page. */
  readonly page: number;
  readonly text: string;
}

function passagesOfAll(found: readonly Page[], pages: ReadonlyMap<string, string>): readonly Passage[] {
  const all = found.flatMap(({ url, snippet }, page) => {
    const ofPage = passagesOf(pages.get(url) ?? '', PAGE_PASSAGES);
    return (ofPage.length > 0 ? ofPage : passagesOf(snippet, SNIPPET_PASSAGES)).map((text) => ({ page, text }));
  });
  return all.slice(0, MAX_PASSAGES);
}

/** The passages, the best first. */
async function ranked({ rerank }: Recipe, { query, passages }: Sorting, run: Run): Promise<readonly Passage[]> {
  if (rerank === undefined) return byWords({ query, passages });
  const asked = { query: query.slice(0, MAX_RERANK_QUERY), documents: passages.map(({ text }) => text) };
  const ranks = await run('rerank', rerank, asked).catch(without);
  return ranks.length === 0 ? byWords({ query, passages }) : ranks.flatMap(({ index }) => passages[index] ?? []);
}

interface Sorting {
  readonly query: string;
  readonly passages: readonly Passage[];
}

/** By turns of the pages, in their order: of each page the passage with the most words of the question first. */
function byWords({ query, passages }: Sorting): readonly Passage[] {
  const claim = claimOf(query, true);
  const turns = new Map<number, number>();
  return passages
    .map((passage) => ({ passage, overlap: factsOf([passage.text]).overlap(claim) }))
    .toSorted((a, b) => b.overlap - a.overlap)
    .map(({ passage }) => {
      const turn = turns.get(passage.page) ?? 0;
      turns.set(passage.page, turn + 1);
      return { passage, turn };
    })
    .toSorted((a, b) => a.turn - b.turn || a.passage.page - b.passage.page)
    .map(({ passage }) => passage);
}

/** The best passages that the chat model can read, by their pages. */
function chosen(found: readonly Page[], sorted: readonly Passage[]): readonly PageSource[] {
  const ofPages = new Map<number, string[]>();
  let left = MAX_PROMPT_CHARACTERS;
  for (const { page, text } of sorted) {
    left -= text.length + (ofPages.has(page) ? 0 : HEAD);
    if (left < 0) break;
    ofPages.set(page, [...(ofPages.get(page) ?? []), text]);
  }
  return [...ofPages].map(([page, passages]) => {
    const { url = '', title = '' } = found[page] ?? {};
    return { url, title: readable(title).replaceAll(/\s+/g, ' ').slice(0, MAX_HEADING), passages };
  });
}
