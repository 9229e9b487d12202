import { z } from 'zod';
import { isUpstreamError, type UpstreamError } from '../../base/errors/upstream-error.js';
import { type AskedSearch, firstDay } from '../../base/search-options/asked-search.js';
import { modelName } from '../../provider-kit/call-fields.js';
import { outcomeCost } from '../../provider-kit/compose-answer.js';
import { jsonEndpoint, type VendorApi } from '../../provider-kit/json-endpoint.js';
import { onePage } from '../../provider-kit/one-page.js';
import type { Connection, ExtractPort, PageFailure, SearchPort } from '../../provider-kit/provider.js';
import { looseList, textFields } from '../../provider-kit/reply-fields.js';
import { headingOf } from '../../text/page-fields.js';

/** Fields of `/search`, for answers and results. */
export function linkupSearch(search: AskedSearch): object {
  const { includeDomains, excludeDomains, publishedBefore } = search;
  return { includeDomains, excludeDomains, fromDate: firstDay(search), toDate: publishedBefore };
}

export const LINKUP: VendorApi = {
  // docs.linkup.so/pages/documentation/platform/errors, read 2026-11-20.
  errors: [
    // No page answers the query. Linkup does not bill the request.
    { status: 400, code: 'SEARCH_QUERY_NO_RESULT', reason: 'no_answer_found' },
    // The account's balance and the key's budget. Other 429s are rate limits.
    { status: [402, 429], code: /INSUFFICIENT_FUNDS|EXCEED_BUDGET/i, reason: 'upstream_quota_exhausted' },
    // Linkup asks callers without a key to pay at once, so this means: the key was not recognized.
    { status: 402, reason: 'upstream_auth_failed' },
    { status: 409, reason: 'upstream_rejected' },
  ],
};

const FREE = outcomeCost(0);

/** All fields of results (linkup-sdk 3.2.7, 2026-08-24): no date, no score, no id and no cost. */
const found = z.object({
  results: looseList(z.object(textFields('type', 'name', 'url', 'content'))),
});

/**
 * Asks `POST /search` for bare results (docs.linkup.so, read 2026-11-26). The content is an extract of the page, and always there. A search that finds
 * nothing is free.
 */
export function linkupSearchPort(connection: Connection): SearchPort['search'] {
  const ask = jsonEndpoint(connection, { ...LINKUP, path: '/search', reply: found, completeness: 'valid JSON' });
  return async ({ model, query, maxResults, search }, context) => {
    const question = {
      q: query,
      depth: modelName(model),
      outputType: 'searchResults',
      maxResults,
      ...(search && linkupSearch(search)),
    };
    try {
      const { body } = await ask(question, context);
      const pages = body.results.filter(({ type }) => type !== 'image');
      const results = pages.map(({ name, url, content }) => ({ url, title: name, content }));
      return { results, cost: body.results.length === 0 ? FREE : {} };
    } catch (error) {
      if (isUpstreamError(error) && error.reason === 'no_answer_found') return { results: [], cost: FREE };
      throw error;
    }
  };
}

const read = z.object({ markdown: z.string() });

/** Asks `POST /fetch` (docs.linkup.so, read 2026-11-26), which gives Markdown alone, whichever format is wanted. Pages that fail are free. */
export function linkupExtractPort(connection: Connection): Omit<ExtractPort, 'models'> {
  const ask = jsonEndpoint(connection, { ...LINKUP, path: '/fetch', reply: read, completeness: 'valid JSON' });
  return onePage({
    async read(url, context, { model }) {
      const { markdown } = (await ask({ url, renderJs: model.slug === 'linkup/fetch-js' }, context)).body;
      return { pages: [{ url, title: headingOf(markdown), content: markdown }], cost: {} };
    },
    failureOf,
  });
}

const UNSUPPORTED = /\bFETCH_(?:RESPONSE_TOO_LARGE|UNSUPPORTED_CONTENT_TYPE|URL_IS_FILE)\b/;

/** The codes of a 400 tell of the page, never of its own status. Only the address of a request can fail Linkup's validation. */
function failureOf({ status, detail }: UpstreamError): PageFailure | undefined {
  if (status !== 400) return undefined;
  if (UNSUPPORTED.test(detail)) return 'page_unsupported';
  return /\b(?:FETCH_[A-Z_]+|VALIDATION_ERROR)\b/.test(detail) ? 'page_failed' : undefined;
}
