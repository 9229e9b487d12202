import { z } from 'zod';
import { firstCharacters } from '../../base/options/characters.js';
import { type AskedSearch, firstDay } from '../../base/search-options/asked-search.js';
import { assertQueryFits, modelName } from '../../provider-kit/call-fields.js';
import { jsonEndpoint, keyHeader, type VendorApi } from '../../provider-kit/json-endpoint.js';
import { failureOfStatus, namedPages } from '../../provider-kit/page-failures.js';
import type { Connection, ExtractPort, PageFailure, SearchPort } from '../../provider-kit/provider.js';
import { looseList, optional, textFields } from '../../provider-kit/reply-fields.js';

/** Of all endpoints. The errors have the common statuses. */
export const PARALLEL: VendorApi = { authorize: keyHeader('x-api-key') };

const page = z.object({
  ...textFields('url', 'title', 'publish_date'),
  excerpts: optional.texts,
});

const searchReply = z.object({
  search_id: optional.text,
  results: looseList(page),
  usage: optional.list(z.object({ name: optional.text, count: optional.number })).catch([]),
});

/** Of an objective, and of a search query (parallel-web/parallel-agent-skills@9bb1f04, verified by Parallel on 2026-07-14). */
const MAX_OBJECTIVE_CHARACTERS = 5_000;
const MAX_QUERY_CHARACTERS = 200;

/** Asks `POST /v1/search`, which refuses unknown fields. The objective carries what a search query is too short for. */
export function parallelSearchPort(connection: Connection): SearchPort['search'] {
  const endpoint = { ...PARALLEL, path: '/v1/search', reply: searchReply, completeness: 'valid JSON' } as const;
  const ask = jsonEndpoint(connection, endpoint);
  return async ({ model, query, maxResults, search }, context) => {
    assertQueryFits(query, MAX_OBJECTIVE_CHARACTERS);
    const { body } = await ask(
      {
        objective: query,
        search_queries: [firstCharacters(query, MAX_QUERY_CHARACTERS)],
        mode: modelName(model),
        advanced_settings: { max_results: maxResults, ...(search && { source_policy: sourcePolicy(search) }) },
      },
      context,
    );
    const results = body.results.map(({ url, title, publish_date, excerpts }) => ({
      url,
      title,
      snippet: excerpts?.join('\n\n'),
      date: publish_date,
    }));
    const usage = { results: Math.min(maxResults, billedResults(body)) };
    return { results, cost: { usage }, upstreamRequestId: body.search_id };
  };
}

function sourcePolicy(search: AskedSearch): object {
  const { includeDomains, excludeDomains } = search;
  return { include_domains: includeDomains, exclude_domains: excludeDomains, after_date: firstDay(search) };
}

/** The price covers so many results. Parallel counts those beyond, but names no prices in a reply. */
const INCLUDED_RESULTS = 10;

function billedResults({ results, usage }: z.output<typeof searchReply>): number {
  if (usage.length === 0) return results.length;
  const beyond = usage.find(({ name }) => name === 'sku_search_additional_results');
  return INCLUDED_RESULTS + (beyond?.count ?? 0);
}

const extractReply = z.object({
  extract_id: optional.text,
  results: looseList(page.extend({ full_content: optional.text })),
  errors: optional
    .list(z.object({ url: optional.text, error_type: optional.text, http_status_code: optional.status }))
    .catch([]),
});

/**
 * Asks `POST /v1/extract` for whole pages, which come as Markdown. Excerpts cannot be left out, so they are kept short. Callers pay for the pages that came:
 * whether Parallel bills others is not documented.
 */
export function parallelExtractPort(connection: Connection): ExtractPort['extract'] {
  // The errors of a reply are of its pages.
  const completeness = () => 'complete' as const;
  const ask = jsonEndpoint(connection, { ...PARALLEL, path: '/v1/extract', reply: extractReply, completeness });
  const advanced_settings = { full_content: true, excerpt_settings: { max_chars_per_result: 1_000 } };
  return async ({ urls }, context) => {
    const { body } = await ask({ urls, advanced_settings }, context);
    const read = body.results.map(({ url, title, publish_date, excerpts, full_content }) => {
      return { url, title, content: full_content || excerpts?.join('\n\n'), date: publish_date };
    });
    const failed = body.errors.map(({ url, error_type, http_status_code }) => {
      return { url, failed: failureOf(error_type ?? '', http_status_code) };
    });
    return { pages: namedPages([...read, ...failed]), cost: {}, upstreamRequestId: body.extract_id };
  };
}

/** Types are an open set, of which only `fetch_error` is documented. */
function failureOf(type: string, status: number | null | undefined): PageFailure {
  return type.includes('timeout') ? 'page_timeout' : (failureOfStatus(status) ?? 'page_failed');
}
