import { type CallContext, isUpstreamError, type PartResults, UpstreamError } from '@searchgate/core/provider-kit';
import { overlap, statementOf } from './facts.js';
import { samePage } from './links.js';
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
  const ofPages = (pages?.most ?? 0) * PAGE_PASSAGES;
  const passages = Math.min(MAX_PASSAGES, search.length * results * SNIPPET_PASSAGES + ofPages);
  return { searchUnits: 1, tokens: passages * (4 * (MAX_RERANK_QUERY + MAX_PASSAGE) + 200) };
}

type Page = PartResults['search'];

interface Asking {
  readonly recipe: Recipe;
  readonly query: string;
  readonly run: NonNullable<CallContext['run']>;
}

/** Finds, reads and sorts what an answer can be based on. @throws UpstreamError `no_answer_found` where nothing is found; the failure of a search. */
export async function gather(asking: Asking): Promise<readonly PageSource[]> {
  const found = merged(await searched(asking));
  const passages = passagesOfAll(found, await readPages(asking, found));
  if (passages.length === 0) throw nothingFound('the searches found no text');
  return chosen(found, await ranked(asking, passages));
}

function nothingFound(detail: string): UpstreamError {
  return new UpstreamError('no_answer_found', { phase: 'shape', status: 200, detail });
}

/** One failed search is no failure where another one found pages. */
async function searched({ recipe: { search, results }, query, run }: Asking) {
  const failures: UpstreamError[] = [];
  const asked = search.map((model) => orNothing(run('search', model, { query, maxResults: results }), failures));
  const lists = await Promise.all(asked);
  if (lists.some((list) => list.length > 0)) return lists;
  throw failures[0] ?? nothingFound('the searches found nothing');
}

/** Goes on without what a part could not give. Anything but the failure of a part is a bug, which is not hidden. */
async function orNothing<T>(asked: Promise<readonly T[]>, failures: UpstreamError[] = []): Promise<readonly T[]> {
  return asked.catch((error: unknown) => {
    if (!isUpstreamError(error)) throw error;
    failures.push(error);
    return [];
  });
}

/** The pages of all lists, each once, by their ranks in all of them. */
function merged(lists: readonly (readonly Page[])[]): readonly Page[] {
  const known = new Map<string, { page: Page; score: number }>();
  for (const [rank, page] of lists.flatMap((list) => [...list.entries()])) {
    const key = samePage(page.url);
    const entry = known.get(key) ?? { page, score: 0 };
    entry.score += 1 / (FUSION + rank + 1);
    if (entry.page.snippet === '' && page.snippet !== '') entry.page = { ...page, url: entry.page.url };
    known.set(key, entry);
  }
  return [...known.values()].toSorted((a, b) => b.score - a.score).map(({ page }) => page);
}

/** The texts of the best pages by their addresses. None where they cannot be read: snippets are left. */
async function readPages({ recipe: { pages }, run }: Asking, found: readonly Page[]) {
  if (pages === undefined) return new Map<string, string>();
  const urls = found.slice(0, pages.most).map(({ url }) => url);
  const read = await orNothing(run('extract', pages.extract, { urls, maxCharacters: pages.maxCharacters }));
  return new Map(read.map(({ url, content }) => [url, content]));
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
async function ranked({ recipe: { rerank }, query, run }: Asking, passages: readonly Passage[]) {
  if (rerank === undefined) return byWords(query, passages);
  const asked = { query: query.slice(0, MAX_RERANK_QUERY), documents: passages.map(({ text }) => text) };
  const ranks = await orNothing(run('rerank', rerank, asked));
  return ranks.length === 0 ? byWords(query, passages) : ranks.flatMap(({ index }) => passages[index] ?? []);
}

/** By turns of the pages, in their order: of each page the passage with the most words of the question first. */
function byWords(query: string, passages: readonly Passage[]): readonly Passage[] {
  const asked = statementOf(query.slice(0, MAX_RERANK_QUERY));
  const sorted = passages
    .map((passage) => ({ ...passage, score: overlap(statementOf(passage.text), asked) }))
    .toSorted((a, b) => b.score - a.score);
  const turns = sorted.map(({ page }, index) => sorted.slice(0, index).filter((each) => each.page === page).length);
  const withTurns = sorted.map((passage, index) => ({ ...passage, turn: turns[index] ?? 0 }));
  return withTurns.toSorted((a, b) => a.turn - b.turn || a.page - b.page);
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
