import { z } from 'zod';
import { definedFields } from '../../base/defined-fields.js';
import type { UpstreamError } from '../../base/errors/upstream-error.js';
import type { AskedSearch } from '../../base/search-options/asked-search.js';
import { jsonEndpoint, keyHeader, type VendorApi } from '../../provider-kit/json-endpoint.js';
import { onePage } from '../../provider-kit/one-page.js';
import { failureOfStatus } from '../../provider-kit/page-failures.js';
import type { Connection, ExtractPort, PageFailure, SearchPort } from '../../provider-kit/provider.js';
import { optional, textFields } from '../../provider-kit/reply-fields.js';
import { SEARCH_LANGUAGE_TAGS } from '../../provider-kit/search-lists.js';

export const YOU: VendorApi = {
  authorize: keyHeader('x-api-key'),
  // you.com/docs, read 2026-11-20.
  errors: [
    // Only the query of a request can be too long. Other 422s are about fields that the adapter sets.
    { status: [400, 422], code: 'string_too_long', reason: 'query_rejected' },
    { status: [400, 422], message: /too long|at most \d+ characters/i, reason: 'query_rejected' },
  ],
};

export function youSearch(search: AskedSearch): object {
  const language = SEARCH_LANGUAGE_TAGS.get(search.language ?? '')?.toUpperCase();
  return definedFields({ ...siteOptions(search), language });
}

export function youResearchSearch(search: AskedSearch): object {
  return { source_control: definedFields(siteOptions(search)) };
}

function siteOptions({ includeDomains, excludeDomains, country }: AskedSearch): Record<string, unknown> {
  return { include_domains: includeDomains, exclude_domains: excludeDomains, country };
}

/** Whole pages as Markdown. */
const FULL_PAGE = { extraction_formats: ['markdown'] };

const contents = optional.object({ markdown: optional.text });
const found = optional.list(
  z.object({
    ...textFields('url', 'title', 'description'),
    snippets: optional.texts,
    page_age: optional.text,
    contents,
  }),
);
const searchReply = z.object({
  results: z.object({ web: found, news: found }),
  metadata: optional.object({ search_uuid: optional.text }),
});

/**
 * Asks `POST /v1/search` (docs and Python SDK 3.7.0, read 2026-11-26), which refuses unknown fields. It counts pages and news apart, and gives up to as many of
 * each as were asked for: news come behind. The texts of both are billed, and no cost is reported.
 */
export function youSearchPort(connection: Connection, defaults: object): SearchPort['search'] {
  const ask = jsonEndpoint(connection, { ...YOU, path: '/v1/search', reply: searchReply, completeness: 'valid JSON' });
  return async ({ query, maxResults, includeContent, search }, context) => {
    const extraction = { extraction_mode: 'full_page', full_page: FULL_PAGE };
    const filters = { ...defaults, ...(search && youSearch(search)) };
    const { body } = await ask(
      { query, count: maxResults, ...filters, ...(includeContent && { extraction }) },
      context,
    );
    const pages = [...body.results.web, ...body.results.news];
    const results = pages.map(({ url, title, description, snippets, page_age, contents: text }) => ({
      url,
      title,
      snippet: snippets?.join(' … ') || description,
      content: text?.markdown,
      date: page_age,
    }));
    const usage = { pages: includeContent ? pages.filter((page) => page.contents).length : 0 };
    return { results, cost: { usage }, upstreamRequestId: body.metadata?.search_uuid };
  };
}

const extractReply = z.object({
  url: z.string(),
  title: optional.text,
  contents: optional.object({ full_page: contents }),
});

/**
 * Asks `POST /v1/extract` (you.com/docs, changelog of 2026-11-16), the successor of `/v1/contents`. It takes one address. At the effort `lite`, a PDF costs no
 * more than another page.
 */
export function youExtractPort(connection: Connection): Omit<ExtractPort, 'models'> {
  const ask = jsonEndpoint(connection, {
    ...YOU,
    path: '/v1/extract',
    reply: extractReply,
    completeness: 'valid JSON',
  });
  return onePage({
    async read(url, context) {
      const { body } = await ask({ url, full_page: FULL_PAGE, parse_effort: 'lite' }, context);
      return { pages: [{ url, title: body.title, content: body.contents?.full_page?.markdown }], cost: {} };
    },
    failureOf,
    costOf: () => ({}),
  });
}

/** Of the key, the credit, the request as such, or the rate. */
const OF_THE_CALL: readonly number[] = [401, 402, 403, 422, 429];

/** The page's failure; `undefined` for an error of the call. No document has the codes of failed pages: statuses decide (low confidence). */
function failureOf({ status }: UpstreamError): PageFailure | undefined {
  return status === null || status >= 500 || OF_THE_CALL.includes(status) ? undefined : failureOfStatus(status);
}
