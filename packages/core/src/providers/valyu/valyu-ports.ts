import { z } from 'zod';
import { definedFields } from '../../base/defined-fields.js';
import { isUpstreamError } from '../../base/errors/upstream-error.js';
import { type AskedSearch, firstDay } from '../../base/search-options/asked-search.js';
import type { ModelRow } from '../../catalog/model-entry.js';
import { outcomeCost } from '../../provider-kit/compose-answer.js';
import { withPrices } from '../../provider-kit/credit-price.js';
import { jsonEndpoint, keyHeader, type VendorApi } from '../../provider-kit/json-endpoint.js';
import { failureOfStatus } from '../../provider-kit/page-failures.js';
import type { Connection, ExtractPort, PageFailure, PageOutcome, SearchPort } from '../../provider-kit/provider.js';
import { looseList, optional, statusOf, textFields } from '../../provider-kit/reply-fields.js';
import { isEndOfRun } from '../../provider-kit/upstream-failure.js';

/** Fields of both endpoints. */
export function valyuSearch(search: AskedSearch): object {
  const { includeDomains, excludeDomains, publishedBefore, country } = search;
  return definedFields({
    included_sources: includeDomains,
    excluded_sources: excludeDomains,
    start_date: firstDay(search),
    end_date: publishedBefore,
    country_code: country,
  });
}

export const VALYU: VendorApi = {
  authorize: keyHeader('x-api-key'),
  // docs.valyu.ai and its SDKs, read 2026-11-20. Only the text distinguishes errors.
  errors: [
    // 402 according to the documentation. The same message inside a stream, or with another status, is not documented (low confidence).
    {
      message: /insufficient (?:credit|balance|fund)|not enough credit|out of credit|monthly limit/i,
      reason: 'upstream_quota_exhausted',
    },
    // Failures inside a stream of status 200.
    { status: 200, message: /rate limit|too many requests/i, reason: 'upstream_rate_limited' },
  ],
};

/** The model with the price of other sources than the web: what a result costs depends on its source. */
export function atSearchType(model: ModelRow, searchType: string): ModelRow {
  if (searchType === 'web' || searchType === 'news') return model;
  return withPrices(model, { dynamic: (row) => ({ ...row, perResult: undefined, ceiling: '0.5' }) });
}

const page = z.object({
  ...textFields('url', 'title', 'description'),
  content: z.transform(textOf).optional(),
  ...textFields('publication_date', 'date'),
  relevance_score: optional.number,
  /** Of pages that were asked for. */
  status: z.unknown().optional(),
  error: optional.text,
});
const reply = z.object({
  tx_id: optional.text,
  results: looseList(page),
  total_deduction_dollars: optional.amount,
  total_cost_dollars: optional.amount,
});

/** The text of a page; or the data of a structured source, as JSON. */
function textOf(value: unknown): string | null {
  if (typeof value === 'object' && value !== null) return JSON.stringify(value);
  return typeof value === 'string' ? value : null;
}

/** As much as callers get of a snippet. A result costs the same at any length. */
const SNIPPET_CHARACTERS = 4_000;

/**
 * Asks `POST /v1/search` (OpenAPI document 2.2.0, read 2026-11-26). Valyu bills the results that it gives, and drops those that it finds less relevant.
 *
 * @param defaults fields of every request, by Valyu's names. The caller's search options replace them.
 */
export function valyuSearchPort(connection: Connection, defaults: object): SearchPort['search'] {
  const ask = jsonEndpoint(connection, { ...VALYU, path: '/v1/search', reply, completeness: 'valid JSON' });
  return async ({ query, maxResults, includeContent, search }, context) => {
    // `large` is up to 100,000 characters of each page.
    const response_length = includeContent ? 'large' : SNIPPET_CHARACTERS;
    const question = { query, max_num_results: maxResults, response_length, ...defaults };
    const { body } = await ask({ ...question, ...(search && valyuSearch(search)) }, context);
    const results = body.results.map((found) => ({
      url: found.url,
      title: found.title,
      snippet: found.description,
      content: found.content,
      date: found.publication_date ?? found.date,
      score: found.relevance_score,
    }));
    const cost = outcomeCost(body.total_deduction_dollars, { results: results.length });
    return { results, cost, upstreamRequestId: body.tx_id };
  };
}

/** Asks `POST /v1/contents` (OpenAPI document 2.2.0, read 2026-11-26), whose pages are Markdown, whichever format is wanted. Pages that fail are free. */
export function valyuExtractPort(connection: Connection): ExtractPort['extract'] {
  const ask = jsonEndpoint(connection, { ...VALYU, path: '/v1/contents', reply, completeness: 'valid JSON' });
  return async ({ urls }, context) => {
    try {
      const { body } = await ask({ urls, response_length: 'max' }, context);
      const pages = body.results.flatMap(pageOf);
      return { pages, cost: outcomeCost(body.total_cost_dollars), upstreamRequestId: body.tx_id };
    } catch (error) {
      if (!isPageFailure(error)) throw error;
      return { pages: urls.map((url) => ({ url, failed: 'page_failed' })), cost: outcomeCost(0) };
    }
  };
}

/** A 422 means that no page could be read; bad input is a 400, and an account without credit has words of its own. */
function isPageFailure(error: unknown): boolean {
  return isUpstreamError(error) && error.status === 422 && error.reason === 'upstream_rejected';
}

function pageOf(entry: z.output<typeof page>): readonly PageOutcome[] {
  const { url, status, error, title, content, publication_date } = entry;
  if (!url) return [];
  // Older replies add the name of Valyu.
  const short = url.replace(/[?&]utm_source=valyu$/, '');
  const named = { url, ...(short !== url && { otherUrl: short }) };
  if (isEndOfRun(status)) return [{ ...named, title, content, date: publication_date }];
  return [{ ...named, failed: failureOfStatus(statusOf(status)) ?? failureOf(error ?? '') }];
}

/** Valyu says in words why a page failed; the words are not documented. */
function failureOf(error: string): PageFailure {
  if (/\b(?:404|410)\b|not found/i.test(error)) return 'page_not_found';
  if (/\b40[13]\b|forbidden|blocked/i.test(error)) return 'page_forbidden';
  return /time.?out|timed out/i.test(error) ? 'page_timeout' : 'page_failed';
}
