import { z } from 'zod';
import { assertQueryFits } from '../../provider-kit/call-fields.js';
import { outcomeCost } from '../../provider-kit/compose-answer.js';
import { jsonEndpoint } from '../../provider-kit/json-endpoint.js';
import { onePage } from '../../provider-kit/one-page.js';
import type { Connection, ExtractPort, SearchPort } from '../../provider-kit/provider.js';
import { looseList, optional, textFields } from '../../provider-kit/reply-fields.js';

/** The errors have the common statuses (api-docs.deepseek.com/guides/search, read 2026-11-26). */
const AUTHORIZED = { completeness: 'valid JSON' } as const;
const FREE = outcomeCost(0);

/** Unicode characters, operators included. */
const MAX_QUERY_CHARACTERS = 128;

/** No id and no cost is reported. */
const found = z.object({
  results: looseList(
    z.object({
      ...textFields('title', 'url', 'snippet'),
      /** Some 700 characters, meant for models; the snippet has 150. */
      summary: optional.text,
      content: optional.text,
      rerank_score: optional.number,
      date: optional.text,
    }),
  ),
});

/** Asks `POST /v1/tools/search` (since 2026-10-17). The text of pages is in the price; a search that finds nothing is free. */
export function deepseekSearchPort(connection: Connection): SearchPort['search'] {
  const ask = jsonEndpoint(connection, { path: '/v1/tools/search', ...AUTHORIZED, reply: found });
  return async ({ query, maxResults, includeContent }, context) => {
    assertQueryFits(query, MAX_QUERY_CHARACTERS);
    const { body } = await ask({ query, count: maxResults, need_content: includeContent }, context);
    const results = body.results.map(({ url, title, snippet, summary, content, date, rerank_score }) => ({
      url,
      title,
      snippet: summary || snippet,
      content,
      date,
      score: rerank_score,
    }));
    return { results, cost: results.length === 0 ? FREE : {} };
  };
}

const read = z.object({ title: optional.text, content: z.string() });

/** Asks `POST /v1/tools/fetch`, which gives Markdown, whichever format is wanted. Pages that fail are free, all with the same words. */
export function deepseekExtractPort(connection: Connection): Omit<ExtractPort, 'models'> {
  const ask = jsonEndpoint(connection, { path: '/v1/tools/fetch', ...AUTHORIZED, reply: read });
  return onePage({
    async read(url, context) {
      const { title, content } = (await ask({ url }, context)).body;
      return { pages: [{ url, title, content }], cost: content === '' ? FREE : {} };
    },
    // A 404 of a wrong base URL has other words.
    failureOf: ({ status, detail }) =>
      status === 404 && /failed to fetch url/i.test(detail) ? 'page_failed' : undefined,
  });
}
