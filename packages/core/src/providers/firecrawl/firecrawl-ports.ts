import { z } from 'zod';
import type { AskedSearch } from '../../base/search-options/asked-search.js';
import { assertQueryFits } from '../../provider-kit/call-fields.js';
import { creditCost } from '../../provider-kit/credit-price.js';
import { googleDates } from '../../provider-kit/google-dates.js';
import { jsonEndpoint } from '../../provider-kit/json-endpoint.js';
import { onePage, otherUrl } from '../../provider-kit/one-page.js';
import { failureOfStatus } from '../../provider-kit/page-failures.js';
import type { Connection, ExtractPort, PageFailure, SearchPort } from '../../provider-kit/provider.js';
import { optional, textFields } from '../../provider-kit/reply-fields.js';

// Facts: firecrawl/firecrawl-docs@2edce52 (v2-openapi.json, errors.mdx, billing.mdx, 2026-08-21), unless said.

/** Of all endpoints. The errors have the common statuses. */
const FIRECRAWL = { completeness: 'valid JSON' } as const;

/** Firecrawl gives a page up earlier than the gateway gives up the call, so that one slow page does not lose the others. */
const PAGE_TIMEOUT_MS = 25_000;

export interface FirecrawlOptions {
  readonly usdPerCredit: string;
  readonly maxPdfPages: number;
}

/** What is read of a page. Each page of a PDF document is a credit. */
function pageOptions({ maxPdfPages }: FirecrawlOptions): object {
  return { formats: [{ type: 'markdown' }], parsers: [{ type: 'pdf', maxPages: maxPdfPages }] };
}

/** A field of a page's head. Where it is there several times, the first one counts. */
const headField = z.transform(firstText).optional();

function firstText(value: unknown): string | undefined {
  return [value].flat().find((entry): entry is string => typeof entry === 'string' && entry !== '');
}

const metadata = optional.object({
  title: headField,
  publishedTime: headField,
  /** Of the page that was read, behind redirects. */
  url: optional.text,
  statusCode: optional.status,
  numPages: optional.number,
  /** Of a PDF document, before the cut to `maxPages` (source of the server, of 2026, medium confidence). */
  totalPages: optional.number,
  creditsUsed: optional.number,
});

const found = optional.list(
  z.object({ ...textFields('url', 'title', 'description', 'snippet', 'markdown', 'date'), metadata }),
);
const searchReply = z.object({
  success: z.literal(true),
  id: optional.text,
  creditsUsed: optional.number,
  data: z.object({
    // Missing where nothing was found. News have a snippet, but no description.
    web: found,
    news: found,
  }),
});

/** Asks `POST /v2/search`. Only pages that were read have a date. Without a country, Firecrawl searches from the United States. */
export function firecrawlSearchPort(connection: Connection, options: FirecrawlOptions): SearchPort['search'] {
  const ask = jsonEndpoint(connection, { ...FIRECRAWL, path: '/v2/search', reply: searchReply });
  const withContent = { scrapeOptions: pageOptions(options) };
  return async ({ query, maxResults, includeContent, search }, context) => {
    assertQueryFits(query, 500);
    const filters = { ...(includeContent && withContent), ...(search && firecrawlSearch(search)) };
    const { body } = await ask({ query, limit: maxResults, ...filters }, context);
    const pages = [...body.data.web, ...body.data.news];
    const results = pages.map(({ url, title, description, snippet, markdown, date, metadata: page }) => ({
      url,
      title,
      snippet: description ?? snippet,
      // The text of an error is not the page.
      content: failureOfStatus(page?.statusCode) === undefined ? markdown : null,
      date: page?.publishedTime ?? date,
      resolvedUrl: page?.url === url ? undefined : page?.url,
    }));
    return { results, cost: creditCost(body.creditsUsed, options.usdPerCredit), upstreamRequestId: body.id };
  };
}

function firecrawlSearch(search: AskedSearch): object {
  const { includeDomains, excludeDomains, country, topic } = search;
  return { sources: topic && [topic], includeDomains, excludeDomains, tbs: googleDates(search), country };
}

const scrapeReply = z.object({
  success: z.literal(true),
  data: z.object({ markdown: optional.text, metadata }),
});

/**
 * Asks `POST /v2/scrape`, which gives Markdown alone, whichever format is wanted. The page of an error is charged like any other; a page that Firecrawl could
 * not read is free, except that a host which does not exist costs a credit (source of the server, of 2026, medium confidence).
 */
export function firecrawlExtractPort(connection: Connection, options: FirecrawlOptions): Omit<ExtractPort, 'models'> {
  const ask = jsonEndpoint(connection, { ...FIRECRAWL, path: '/v2/scrape', reply: scrapeReply });
  const { usdPerCredit, maxPdfPages } = options;
  const fixed = { ...pageOptions(options), timeout: PAGE_TIMEOUT_MS };
  return onePage({
    async read(url, context) {
      const { markdown, metadata: page } = (await ask({ url, ...fixed }, context)).body.data;
      const failed = failureOfStatus(page?.statusCode);
      const isPart = (page?.totalPages ?? 0) > maxPdfPages;
      const text = { title: page?.title, content: markdown, ...(isPart && { truncated: true }) };
      const read = { url, ...otherUrl(page?.url, url), ...text, date: page?.publishedTime };
      const pages = Math.min(page?.numPages || 1, maxPdfPages);
      const cost = creditCost(page?.creditsUsed, usdPerCredit, { pages });
      return { pages: [failed === undefined ? read : { url, failed }], cost };
    },
    failureOf: (error) =>
      PAGE_ERRORS.find(({ status = error.status, detail }) => status === error.status && detail.test(error.detail))
        ?.failed,
    costOf: ({ detail }) => creditCost(detail.startsWith('SCRAPE_DNS_RESOLUTION_ERROR') ? 1 : 0, usdPerCredit),
  });
}

/** Codes with any status (source of the server, of 2026), and words with the status that public clients saw (2026). The first match counts. */
const PAGE_ERRORS: readonly { readonly status?: number; readonly detail: RegExp; readonly failed: PageFailure }[] = [
  { detail: /^SCRAPE_(?:TIMEOUT|PDF_INSUFFICIENT_TIME_ERROR)\b/, failed: 'page_timeout' },
  {
    detail: /^(?:unsafe_domain_blocked|SCRAPE_MEDIA_ACCESS_DENIED|SCRAPE_PDF_ANTIBOT_ERROR)\b/,
    failed: 'page_forbidden',
  },
  { detail: /^SCRAPE_UNSUPPORTED_FILE_ERROR\b/, failed: 'page_unsupported' },
  { detail: /^SCRAPE_/, failed: 'page_failed' },
  { status: 400, detail: /\binvalid url\b/i, failed: 'page_failed' },
  // Sites that Firecrawl does not read, such as social networks.
  { status: 403, detail: /do not support this site|website is no longer supported/i, failed: 'page_unsupported' },
  { status: 408, detail: /timed out/i, failed: 'page_timeout' },
];
