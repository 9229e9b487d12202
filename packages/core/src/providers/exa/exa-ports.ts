import { z } from 'zod';
import { type AskedSearch, firstDay } from '../../base/search-options/asked-search.js';
import { modelName } from '../../provider-kit/call-fields.js';
import { outcomeCost } from '../../provider-kit/compose-answer.js';
import { jsonEndpoint, keyHeader, type VendorApi } from '../../provider-kit/json-endpoint.js';
import { failureOfStatus } from '../../provider-kit/page-failures.js';
import type { Connection, ExtractPort, PageFailure, PageOutcome, SearchPort } from '../../provider-kit/provider.js';
import { looseList, optional, statusOf, textFields } from '../../provider-kit/reply-fields.js';
import { isEndOfRun } from '../../provider-kit/upstream-failure.js';

export const EXA: VendorApi = {
  authorize: keyHeader('x-api-key'),
  // Tags are an open set, so the status comes first (exa.ai/docs/admin/error-codes, read 2026-11-20).
  errors: [
    // The model found no page that answers the query; only /answer replies so.
    { status: 501, reason: 'no_answer_found' },
    // A 403 is mostly about the account (a feature is off), but a 403 of moderation is about the query.
    { status: 403, code: /PROHIBITED_CONTENT|MODERAT/i, reason: 'query_rejected' },
    { status: 403, message: /moderat|prohibited content/i, reason: 'query_rejected' },
    // Limits per key, team and network are all 429. A spent budget has been seen as a 429 too (low confidence).
    { status: 429, code: /NO_MORE_CREDITS|BUDGET_EXCEEDED/i, reason: 'upstream_quota_exhausted' },
  ],
};

/** Search options, as fields of all endpoints. */
export function exaSearch(search: AskedSearch): object {
  const { includeDomains, excludeDomains, publishedBefore, country, topic: category } = search;
  const first = firstDay(search);
  return {
    includeDomains: includeDomains && withSubdomains(includeDomains),
    excludeDomains: excludeDomains && withSubdomains(excludeDomains),
    startPublishedDate: first && `${first}T00:00:00.000Z`,
    endPublishedDate: publishedBefore && `${publishedBefore}T23:59:59.999Z`,
    userLocation: country,
    category,
  };
}

/** Exa includes subdomains only if a pattern asks for them (exa.ai/docs/changelog/domain-path-filter, 2025-08-04). */
function withSubdomains(domains: readonly string[]): string[] {
  return domains.flatMap((domain) => [domain, `*.${domain}`]);
}

const page = z.object({
  ...textFields('id', 'url', 'title', 'publishedDate'),
  score: optional.number,
  highlights: optional.texts,
  text: optional.text,
});
const reply = z.object({
  requestId: optional.text,
  results: looseList(page),
  statuses: optional.list(
    z.object({
      id: optional.text,
      status: z.unknown().optional(),
      error: optional.object({ tag: optional.text, httpStatusCode: optional.status }),
    }),
  ),
  costDollars: optional.object({ total: optional.amount }),
});

/** Asks `POST /search`. Highlights and texts of ten results are in its price. */
export function exaSearchPort(connection: Connection): SearchPort['search'] {
  const ask = jsonEndpoint(connection, { ...EXA, path: '/search', reply, completeness: 'valid JSON' });
  return async ({ model, query, maxResults, includeContent, maxContentCharacters: maxCharacters, search }, context) => {
    const wanted = maxCharacters === undefined || { maxCharacters };
    const contents = { highlights: true, ...(includeContent && { text: wanted }) };
    const question = { query, type: modelName(model), numResults: maxResults, contents };
    const { body } = await ask({ ...question, ...(search && exaSearch(search)) }, context);
    const results = body.results.map(({ url, title, publishedDate, score, highlights, text }) => ({
      url,
      title,
      snippet: highlights?.join(' … '),
      content: text,
      date: publishedDate,
      score,
    }));
    return { results, cost: outcomeCost(body.costDollars?.total), upstreamRequestId: body.requestId };
  };
}

/** Asks `POST /contents`. The status of each page is apart from the pages; all pages may have failed in a reply of status 200. */
export function exaExtractPort(connection: Connection): ExtractPort['extract'] {
  const ask = jsonEndpoint(connection, { ...EXA, path: '/contents', reply, completeness: 'valid JSON' });
  return async ({ urls }, context) => {
    const { body } = await ask({ urls, text: true }, context);
    const read = body.results.flatMap(({ id, url, title, text, publishedDate }): PageOutcome[] => {
      const named = id || url;
      const otherUrl = url === named ? undefined : url;
      return named ? [{ url: named, otherUrl, title, content: text, date: publishedDate }] : [];
    });
    const failed = body.statuses.flatMap(({ id, status, error }): PageOutcome[] =>
      id && (error?.tag || error?.httpStatusCode || !isEndOfRun(status))
        ? [{ url: id, failed: failureOf(error?.tag ?? '', error?.httpStatusCode ?? statusOf(status)) }]
        : [],
    );
    return {
      pages: [...read, ...failed],
      cost: outcomeCost(body.costDollars?.total),
      upstreamRequestId: body.requestId,
    };
  };
}

/** Tags are an open set (exa.ai/docs/admin/error-codes of 2026-09-15). */
function failureOf(tag: string, status: number | null | undefined): PageFailure {
  if (tag === 'CRAWL_NOT_FOUND') return 'page_not_found';
  if (tag === 'SOURCE_NOT_AVAILABLE') return 'page_forbidden';
  if (tag === 'UNSUPPORTED_URL') return 'page_unsupported';
  return tag.endsWith('TIMEOUT') ? 'page_timeout' : (failureOfStatus(status) ?? 'page_failed');
}
