import { z } from 'zod';
import { isUpstreamError } from '../../base/errors/upstream-error.js';
import type { DynamicPrice, ModelRow } from '../../catalog/model-entry.js';
import { outcomeCost } from '../../provider-kit/compose-answer.js';
import { jsonEndpoint, keyHeader } from '../../provider-kit/json-endpoint.js';
import { listedModels } from '../../provider-kit/listed-models.js';
import type { ExtractedPage, ExtractPort, FailedPage, PageFailure, SearchPort } from '../../provider-kit/provider.js';
import type { Connection } from '../../provider-kit/provider-settings.js';
import {
  looseList,
  optionalAmount,
  optionalNumber,
  optionalText,
  textFields,
} from '../../provider-kit/reply-fields.js';
import { VALYU_ERRORS, VALYU_OPTIONS, valyuSearch } from './valyu-search.js';

/** Replies report the cost. */
const PRICE = {
  kind: 'dynamic',
  typical: '0.015',
  source: 'https://docs.valyu.ai/pricing',
  asOf: '2026-09-29',
  confidence: 'high',
} as const;

const WEB_PRICE: DynamicPrice = { ...PRICE, perResult: '0.0015', ceiling: '0.015' };

/** A result costs 0.0005 (open databases), 0.0015 (the web), 0.008 (market data) or 0.03 to 0.05 (licensed sources). */
const LICENSED_PRICE: DynamicPrice = { ...PRICE, ceiling: '0.5' };

export const VALYU_SEARCH_MODELS = listedModels({
  category: 'search',
  provider: 'valyu',
  shared: { options: VALYU_OPTIONS, timeoutMs: 30_000 },
  models: { search: { prices: [WEB_PRICE] } },
});

/** Up to ten pages at once, some of them rendered (no latency is published). */
export const VALYU_EXTRACT_MODELS = listedModels({
  category: 'extract',
  provider: 'valyu',
  shared: { timeoutMs: 60_000 },
  models: { contents: {} },
});

/** The model with the price of other sources than the web. */
export function atSearchType(model: ModelRow, searchType: string): ModelRow {
  return searchType === 'all' || searchType === 'proprietary' ? { ...model, prices: [LICENSED_PRICE] } : model;
}

const page = z.object({
  ...textFields('url', 'title', 'description'),
  content: z.transform(textOf).optional(),
  publication_date: optionalText,
  date: optionalText,
  relevance_score: optionalNumber,
  /** Of pages that were asked for. */
  status: optionalText,
  error: optionalText,
});
const reply = z.object({
  tx_id: optionalText,
  results: looseList(page),
  total_deduction_dollars: optionalAmount,
  total_cost_dollars: optionalAmount,
});

const AUTHORIZED = {
  authorize: keyHeader('x-api-key'),
  errors: VALYU_ERRORS,
  evidence: 'closed object',
  reply,
} as const;

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
  const ask = jsonEndpoint(connection, { path: '/v1/search', ...AUTHORIZED });
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
  const ask = jsonEndpoint(connection, { path: '/v1/contents', ...AUTHORIZED });
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

function pageOf(entry: z.output<typeof page>): readonly (ExtractedPage | FailedPage)[] {
  const { url, status, error, title, content, publication_date } = entry;
  if (!url) return [];
  // Older replies add the name of Valyu.
  const short = url.replace(/[?&]utm_source=valyu$/, '');
  const named = { url, ...(short !== url && { otherUrl: short }) };
  const isFailed = status && status !== 'success';
  return [
    isFailed ? { ...named, failed: failureOf(error ?? '') } : { ...named, title, content, date: publication_date },
  ];
}

/** Valyu says in words why a page failed; the words are not documented. */
function failureOf(error: string): PageFailure {
  if (/\b(?:404|410)\b|not found/i.test(error)) return 'page_not_found';
  if (/\b40[13]\b|forbidden|blocked/i.test(error)) return 'page_forbidden';
  return /time.?out|timed out/i.test(error) ? 'page_timeout' : 'page_failed';
}
