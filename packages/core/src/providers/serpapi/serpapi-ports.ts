import { z } from 'zod';
import { isUpstreamError } from '../../base/errors/upstream-error.js';
import type { AskedSearch } from '../../base/search-options/asked-search.js';
import type { OptionSupport } from '../../base/search-options/option-support.js';
import { definedFields } from '../../provider-kit/defined-fields.js';
import { googleDates } from '../../provider-kit/google-dates.js';
import { listedModels } from '../../provider-kit/listed-models.js';
import type { SearchPort } from '../../provider-kit/provider.js';
import type { Connection } from '../../provider-kit/provider-settings.js';
import { queryEndpoint } from '../../provider-kit/query-endpoint.js';
import { looseList, optionalText } from '../../provider-kit/reply-fields.js';
import { SERPAPI_ERRORS, SERPAPI_OPTIONS } from './serpapi-answer.js';

/** The languages of pages that Google knows by their ISO 639-1 code (searchapi.io/docs/parameters/google/lr, read 2026-11-26, medium confidence). */
const PAGE_LANGUAGES =
  'ar bg ca cs da de el en es et fa fi fr hi hr hu hy id is it ja ko lt lv nl no pl pt ro ru sk sl sr sv th tr uk vi'.split(
    ' ',
  );

/** SerpApi's parameters of Google (serpapi/serpapi-mcp@11cbc469, 2026-07-16), each of which narrows the results. The form of `tbs` is Google's. */
const SEARCH_OPTIONS = {
  includeDomains: { as: 'as_sitesearch', max: 1 },
  excludeDomains: { as: 'as_sitesearch', max: 1 },
  freshness: { as: 'tbs' },
  publishedAfter: { as: 'tbs', needs: ['publishedBefore'] },
  publishedBefore: { as: 'tbs', needs: ['publishedAfter'] },
  country: SERPAPI_OPTIONS.country,
  language: { as: 'lr', values: PAGE_LANGUAGES },
} as const satisfies OptionSupport;

export const SERPAPI_SEARCH_MODELS = listedModels({
  category: 'search',
  provider: 'serpapi',
  shared: { options: SEARCH_OPTIONS, timeoutMs: 30_000 },
  models: { google: {} },
});

const reply = z.object({
  search_metadata: z.object({ id: optionalText }).nullish().catch(null),
  organic_results: looseList(
    z.object({ title: optionalText, link: optionalText, snippet: optionalText, date: optionalText }),
  ),
});

/**
 * Asks `GET /search.json` for a page of Google, which has about ten results: Google dropped its parameter `num` (serpapi.com/blog, 2025-09-16). A search that
 * found nothing is an error in words, and counts like any other (serpapi.com/search-errors, read 2026-11-26).
 *
 * @param defaults as of `serpapiAnswer`.
 */
export function serpapiSearchPort(
  connection: Connection,
  defaults: Readonly<Record<string, string>>,
): SearchPort['search'] {
  const ask = queryEndpoint(connection, {
    path: '/search.json',
    keyParameter: 'api_key',
    errors: SERPAPI_ERRORS,
    reply,
    evidence: 'closed object',
  });
  return async ({ query, search }, context) => {
    const parameters = { engine: 'google', q: query, ...defaults, ...(search && googleSearch(search)) };
    try {
      const { body } = await ask(parameters, context);
      const results = body.organic_results.map(({ link, title, snippet, date }) => ({
        url: link,
        title,
        snippet,
        date,
      }));
      return { results, cost: {}, upstreamRequestId: body.search_metadata?.id };
    } catch (error) {
      if (isUpstreamError(error) && error.reason === 'no_answer_found') return { results: [], cost: {} };
      throw error;
    }
  };
}

function googleSearch(search: AskedSearch): Record<string, string> {
  const { includeDomains, excludeDomains, country, language } = search;
  return definedFields({
    as_sitesearch: (includeDomains ?? excludeDomains)?.[0],
    as_dt: excludeDomains && 'e',
    tbs: googleDates(search),
    gl: country?.toLowerCase(),
    lr: language && `lang_${language}`,
  });
}
