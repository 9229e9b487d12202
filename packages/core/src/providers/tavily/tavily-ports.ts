import { z } from 'zod';
import { definedFields } from '../../base/defined-fields.js';
import type { AskedSearch } from '../../base/search-options/asked-search.js';
import { assertQueryFits, modelName } from '../../provider-kit/call-fields.js';
import { creditCost } from '../../provider-kit/credit-price.js';
import { jsonEndpoint, type VendorApi } from '../../provider-kit/json-endpoint.js';
import { namedPages } from '../../provider-kit/page-failures.js';
import type { Connection, ExtractPort, PageFailure, SearchPort } from '../../provider-kit/provider.js';
import { looseList, optional, textFields } from '../../provider-kit/reply-fields.js';

export const TAVILY: VendorApi = {
  // Tavily's SDKs and public logs, read 2026-11-20.
  errors: [
    // Statuses that only Tavily has: the limit of the plan or key is reached (432), or the limit of pay as you go (433).
    { status: [432, 433], reason: 'upstream_quota_exhausted' },
  ],
};

/** Settings of the host. */
export interface TavilyOptions {
  readonly usdPerCredit: string;
  readonly maxQueryCharacters: number;
  /** Fields of every search, by Tavily's names. */
  readonly defaults: Readonly<Record<string, unknown>>;
}

export function tavilySearch(search: AskedSearch): object {
  const { includeDomains, excludeDomains, freshness, publishedAfter, publishedBefore, topic } = search;
  const filters = definedFields({
    include_domains: includeDomains,
    // The SDK 0.7.13 also knows `prefer`, and the default is not documented.
    include_domains_mode: includeDomains && 'restrict',
    exclude_domains: excludeDomains,
    time_range: freshness,
    start_date: publishedAfter,
    end_date: publishedBefore,
  });
  // Tavily takes a country only with its usual topic.
  return topic === undefined ? filters : { ...filters, topic, country: undefined };
}

const searchReply = z.object({
  results: looseList(
    z.object({
      ...textFields('title', 'url', 'content'),
      score: optional.number,
      ...textFields('raw_content', 'published_date'),
    }),
  ),
  usage: optional.object({ credits: optional.number }),
  request_id: optional.text,
});

/** Asks `POST /search` for results only. */
export function tavilySearchPort(connection: Connection, options: TavilyOptions): SearchPort['search'] {
  const { usdPerCredit, maxQueryCharacters, defaults } = options;
  const ask = jsonEndpoint(connection, { ...TAVILY, path: '/search', reply: searchReply, completeness: 'valid JSON' });
  return async ({ model, query, maxResults, includeContent, search }, context) => {
    assertQueryFits(query, maxQueryCharacters);
    const { body } = await ask(
      {
        query,
        search_depth: modelName(model),
        max_results: maxResults,
        ...defaults,
        ...(includeContent && { include_raw_content: 'markdown' }),
        ...(search && { ...tavilySearch(search), ...strictDates(search) }),
        include_published_date: true,
        include_usage: true,
      },
      context,
    );
    const results = body.results.map(({ url, title, content, raw_content, published_date, score }) => ({
      url,
      title,
      snippet: content,
      content: raw_content,
      date: published_date,
      score,
    }));
    const cost = creditCost(body.usage?.credits, usdPerCredit);
    return { results, cost, upstreamRequestId: body.request_id };
  };
}

/** Without this field, Tavily keeps pages without a date (docs of the endpoint, read 2026-11-26; a beta, so medium confidence). */
function strictDates({ freshness, publishedAfter, publishedBefore }: AskedSearch): object {
  return (freshness ?? publishedAfter ?? publishedBefore) === undefined ? {} : { filter_by_published_date: true };
}

const extractReply = z.object({
  results: looseList(z.object(textFields('url', 'title', 'raw_content'))),
  failed_results: optional.list(z.object({ url: optional.text, error: optional.text })),
  request_id: optional.text,
});

/**
 * Asks `POST /extract`, which has no dates. All pages may have failed in a reply of status 200. The credits of a reply are not its cost: they are 0 until
 * five pages of one or several calls have come (docs of the endpoint, read 2026-11-26). Pages that fail are free.
 */
export function tavilyExtractPort(connection: Connection): ExtractPort['extract'] {
  const ask = jsonEndpoint(connection, {
    ...TAVILY,
    path: '/extract',
    reply: extractReply,
    completeness: 'valid JSON',
  });
  return async ({ model, urls, format }, context) => {
    const extract_depth = model.slug.slice('tavily/extract-'.length);
    const { body } = await ask({ urls, extract_depth, format }, context);
    const read = body.results.map(({ url, title, raw_content }) => ({ url, title, content: raw_content }));
    const failed = body.failed_results.map(({ url, error }) => ({ url, failed: failureOf(error ?? '') }));
    return { pages: namedPages([...read, ...failed]), cost: {}, upstreamRequestId: body.request_id };
  };
}

/** Tavily says in words why a page failed; the words are not documented. */
function failureOf(error: string): PageFailure {
  if (/\b(?:404|410)\b/.test(error)) return 'page_not_found';
  if (/\b40[13]\b/.test(error)) return 'page_forbidden';
  return /time.?out|timed out/i.test(error) ? 'page_timeout' : 'page_failed';
}
