import { z } from 'zod';
import { isUpstreamError } from '../../base/errors/upstream-error.js';
import { jsonEndpoint } from '../../provider-kit/json-endpoint.js';
import type { ExtractPort, PageFailure, SearchPort } from '../../provider-kit/provider.js';
import type { Connection } from '../../provider-kit/provider-settings.js';
import { optional, textFields } from '../../provider-kit/reply-fields.js';
import { YOU, youSearch } from './you-api.js';

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
export function youExtractPort(connection: Connection): ExtractPort['extract'] {
  const ask = jsonEndpoint(connection, {
    ...YOU,
    path: '/v1/extract',
    reply: extractReply,
    completeness: 'valid JSON',
  });
  return async ({ urls: [url = ''] }, context) => {
    try {
      const { body } = await ask({ url, full_page: FULL_PAGE, parse_effort: 'lite' }, context);
      return { pages: [{ url, title: body.title, content: body.contents?.full_page?.markdown }], cost: {} };
    } catch (error) {
      const failed = failureOf(error);
      if (failed === undefined) throw error;
      return { pages: [{ url, failed }], cost: {} };
    }
  };
}

/** Of the key, the credit, the request as such, or the rate. */
const OF_THE_CALL: readonly number[] = [401, 402, 403, 422, 429];

/** The page's failure; `undefined` for an error of the call. No document has the codes of failed pages: statuses decide (low confidence). */
function failureOf(error: unknown): PageFailure | undefined {
  const status = isUpstreamError(error) ? error.status : null;
  if (status === null || status < 400 || status >= 500 || OF_THE_CALL.includes(status)) return undefined;
  if (status === 404 || status === 410) return 'page_not_found';
  if (status === 408) return 'page_timeout';
  return status === 415 ? 'page_unsupported' : 'page_failed';
}
