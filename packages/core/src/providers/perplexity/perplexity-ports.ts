import { z } from 'zod';
import { jsonEndpoint } from '../../provider-kit/json-endpoint.js';
import type { Connection, EmbedPort, SearchPort } from '../../provider-kit/provider.js';
import { embedAt, unitVector } from '../../provider-kit/ranks-and-vectors.js';
import { looseList, optional, textFields } from '../../provider-kit/reply-fields.js';
import { MAX_VECTOR_LENGTH } from '../../text/reply-limits.js';
import { PERPLEXITY, searchFilters } from './perplexity-models.js';

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
  const ask = jsonEndpoint(connection, { ...PERPLEXITY, path: '/search', reply, completeness: 'valid JSON' });
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

/**
 * Asks `POST /v1/embeddings`, which knows no floats: base64 of signed numbers of 8 bits, to be compared by their direction alone (docs.perplexity.ai and SDK
 * 0.38.5, read 2026-11-26). Vectors of length 1 have the same direction, and can be compared in every way.
 */
export function perplexityEmbedPort(connection: Connection): EmbedPort['embed'] {
  const embed = embedAt(connection, {
    path: '/v1/embeddings',
    errors: PERPLEXITY.errors,
    request: ({ model, inputs, dimensions }) => ({
      model,
      input: inputs,
      encoding_format: 'base64_int8',
      dimensions,
    }),
  });
  return async (call, context) => {
    const outcome = await embed(call, context);
    const embeddings = outcome.embeddings.map(({ index, vector }) => ({
      index,
      vector: typeof vector === 'string' ? floatsOf(vector) : vector,
    }));
    return { ...outcome, embeddings };
  };
}

/** No numbers for what is too long, or no base64: node would skip it, and give others. */
function floatsOf(base64: string): readonly number[] {
  if (base64.length > 2 * MAX_VECTOR_LENGTH) return [];
  const bytes = Buffer.from(base64, 'base64');
  return bytes.toString('base64') === base64 ? unitVector(Array.from(new Int8Array(bytes))) : [];
}
