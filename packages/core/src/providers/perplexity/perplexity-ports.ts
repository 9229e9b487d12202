import { z } from 'zod';
import { bearer, jsonEndpoint } from '../../provider-kit/json-endpoint.js';
import type { SearchPort } from '../../provider-kit/provider.js';
import type { Connection } from '../../provider-kit/provider-settings.js';
import { looseList, optional, textFields } from '../../provider-kit/reply-fields.js';
import { PERPLEXITY_ERRORS } from './perplexity-errors.js';
import { searchFilters } from './perplexity-models.js';

const FAST = 'perplexity/search-fast';

/** Tokens of a page's text: about the longest snippet that callers get, or a long page. The price does not depend on them. */
const TOKENS_PER_PAGE = { snippet: 1_024, content: 8_192 };

const reply = z.object({
  id: optional.text,
  results: looseList(z.object(textFields('title', 'url', 'snippet', 'date', 'last_updated'))),
});

/**
 * Asks `POST /search`. Its snippets are the only text of a page: the parts that fit the query, up to a number of tokens, so a long budget gives the content.
 */
export function perplexitySearchPort(connection: Connection): SearchPort['search'] {
  const ask = jsonEndpoint(connection, {
    path: '/search',
    authorize: bearer,
    errors: PERPLEXITY_ERRORS,
    reply,
    completeness: 'valid JSON',
  });
  return async ({ model, query, maxResults, includeContent, search }, context) => {
    const tokens = TOKENS_PER_PAGE[includeContent ? 'content' : 'snippet'];
    const { body } = await ask(
      {
        query,
        max_results: maxResults,
        max_tokens: tokens * maxResults,
        max_tokens_per_page: tokens,
        ...(model.slug === FAST && { search_type: 'fast' }),
        ...(search && searchFilters(search)),
        ...(search?.country && { country: search.country }),
        ...(search?.language && { search_language_filter: [search.language] }),
      },
      context,
    );
    const results = body.results.map(({ url, title, snippet, date, last_updated }) => ({
      url,
      title,
      snippet,
      ...(includeContent && { content: snippet }),
      date,
      lastUpdated: last_updated,
    }));
    return { results, cost: {}, upstreamRequestId: body.id };
  };
}
