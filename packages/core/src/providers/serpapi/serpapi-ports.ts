import { z } from 'zod';
import { isUpstreamError } from '../../base/errors/upstream-error.js';
import type { AskedSearch } from '../../base/search-options/asked-search.js';
import { definedFields } from '../../provider-kit/defined-fields.js';
import { googleDates } from '../../provider-kit/google-dates.js';
import type { SearchPort } from '../../provider-kit/provider.js';
import type { Connection } from '../../provider-kit/provider-settings.js';
import { queryEndpoint } from '../../provider-kit/query-endpoint.js';
import { looseList, optional, textFields } from '../../provider-kit/reply-fields.js';
import { SERPAPI_ERRORS } from './serpapi-answer.js';

const reply = z.object({
  search_metadata: optional.object({ id: optional.text }),
  organic_results: looseList(z.object(textFields('title', 'link', 'snippet', 'date'))),
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
    completeness: 'valid JSON',
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
