import { z } from 'zod';
import { askedDomains } from '../base/search-options/asked-domains.js';
import type { SearchOptions } from '../base/search-options/search-options.js';
import { askedFor } from '../catalog/units.js';
import type { SearchResult } from '../provider-kit/provider.js';
import { boundText, dayOf, pageTitle, webAddress } from '../text/page-fields.js';
import { MAX_CONTENT_CHARACTERS, MAX_SNIPPET_CHARACTERS } from '../text/reply-limits.js';
import { type Capability, isObject, requireOutcome } from './capability.js';

/** What is searched for. */
export interface SearchInput {
  /** As the caller sent it. */
  readonly query: string;
  readonly maxResults: number;
  readonly includeContent: boolean;
}

/** Results of a call where the caller names no number. */
export const DEFAULT_MAX_RESULTS = 10;
/** Most results that a caller may ask for. */
export const MAX_RESULTS = 100;

const foundPage = z.object({
  title: z.string(),
  url: z.string(),
  snippet: z.string(),
  content: z.string().nullable(),
  date: z.string().nullable(),
  last_updated: z.string().nullable(),
  score: z.number().nullable(),
});
/** A result as callers see it. */
export type FoundPage = z.output<typeof foundPage>;

/** `POST /search`. Results that callers cannot use are dropped; an empty list is a result too. */
export const searchCapability: Capability<SearchInput, readonly FoundPage[]> = {
  category: 'search',
  idPrefix: 'sch',
  async ask({ id, search: port }, { model, input, search, options }, context) {
    if (port === undefined) throw new Error(`the provider ${id} has no search`);
    const maxResults = Math.min(input.maxResults, model.maxResults ?? DEFAULT_MAX_RESULTS);
    const outcome = await port.search({ model, ...input, maxResults, search }, context);
    const { cost, results, upstreamRequestId } = requireOutcome(outcome, 'results');
    const value = foundPages(results, input, options);
    return { value, cost, ...(upstreamRequestId && { upstreamRequestId }) };
  },
  unsupportedField({ maxResults, includeContent }, { facts, model }) {
    // A model of fewer results than callers get by default gives as many as it can.
    const most = Math.min(facts.maxResults ?? DEFAULT_MAX_RESULTS, model.maxResults ?? DEFAULT_MAX_RESULTS);
    if (maxResults > Math.max(most, DEFAULT_MAX_RESULTS)) return 'maxResults';
    return includeContent && !facts.features.includes('content') ? 'includeContent' : undefined;
  },
  askedUnits({ maxResults, includeContent }) {
    const asked = askedFor({ results: maxResults, pages: includeContent ? maxResults : 0 });
    return () => asked;
  },
  billedUnits: (pages, likely) => (pages.length === 0 ? { results: 0, pages: 0 } : likely),
  present: (pages) => ({ object: 'search', fields: { results: pages }, usage: { results: pages.length } }),
  kept: z.array(foundPage).max(MAX_RESULTS),
  isShared: true,
};

function foundPages(
  results: readonly SearchResult[],
  { maxResults, includeContent }: SearchInput,
  options: SearchOptions | undefined,
): FoundPage[] {
  const isAsked = askedDomains(options) ?? (() => true);
  const pages = new Map<string, FoundPage>();
  for (const result of results.filter(isObject)) {
    const url = webAddress(result.url);
    if (url === undefined || pages.has(url) || !isAsked(url)) continue;
    pages.set(url, foundPageOf(result, url, includeContent));
    if (pages.size === maxResults) break;
  }
  return [...pages.values()];
}

function foundPageOf(result: SearchResult, url: string, includeContent: boolean): FoundPage {
  const { title, snippet, content, date, lastUpdated, score } = result;
  const text = includeContent ? boundText(content, MAX_CONTENT_CHARACTERS) : '';
  // A vendor whose one text is both a description and the page.
  const words = boundText(snippet, MAX_SNIPPET_CHARACTERS) || boundText(content, MAX_SNIPPET_CHARACTERS);
  return {
    title: pageTitle(title, url),
    url,
    snippet: words,
    content: text === '' ? null : text,
    date: dayOf(date),
    last_updated: dayOf(lastUpdated),
    score: typeof score === 'number' && Number.isFinite(score) ? score : null,
  };
}
