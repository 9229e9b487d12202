import { z } from 'zod';
import type { AskedSearch } from '../../base/search-options/asked-search.js';
import type { ErrorTable } from '../../provider-kit/classify.js';
import { bearer, jsonEndpoint } from '../../provider-kit/json-endpoint.js';
import type { SearchPort } from '../../provider-kit/provider.js';
import { atHost, type Connection } from '../../provider-kit/provider-settings.js';
import { optional, textFields } from '../../provider-kit/reply-fields.js';
import { plainText, withoutHighlights } from '../../text/plain-text.js';

/** The API of FastGPT. Its search was turned off in 2026 (raycast/extensions#30392, 2026-08-21). */
export const KAGI_V0 = 'https://kagi.com/api/v0';
const KAGI_V1 = 'https://kagi.com/api/v1';

/** Codes of the new API, seen in public clients with other statuses than documented (2026-11-26, medium confidence). */
const KAGI_V1_ERRORS: ErrorTable = [
  { code: /\binvalid_token$|\bip_not_allowed$/, reason: 'upstream_auth_failed' },
  // A 429 is a rate limit or an exhausted budget, and only the words may tell (low confidence: not seen).
  { status: 429, message: /usage limit|credit|billing/i, reason: 'upstream_quota_exhausted' },
];

const reply = z.object({
  meta: optional.object({ trace: optional.text }),
  data: z.object({
    // Missing where nothing was found.
    search: optional.list(z.object(textFields('url', 'title', 'snippet', 'time'))),
  }),
});

/**
 * Asks `POST /search` of the new API. Kagi's OpenAPI document wants `Bearer`; pages of its help still print `Bot` (kagisearch/kagi-docs@9e08f50, 2026-08-14).
 * `limit` only cuts the results. Texts of pages are left out, because their price is not published. `time` may be the day of publication or of the last
 * change.
 */
export function kagiSearchPort(connection: Connection): SearchPort['search'] {
  const ask = jsonEndpoint(atHost(connection, KAGI_V0, KAGI_V1), {
    path: '/search',
    authorize: bearer,
    errors: KAGI_V1_ERRORS,
    reply,
    completeness: 'valid JSON',
  });
  return async ({ query, maxResults, search }, context) => {
    const lens = search && { lens: kagiLens(search) };
    const { body } = await ask({ query, workflow: 'search', limit: maxResults, ...lens }, context);
    const results = body.data.search.map(({ url, title, snippet, time }) => ({
      url,
      title: withoutHighlights(title ?? ''),
      snippet: plainText(withoutHighlights(snippet ?? '')),
      date: time,
    }));
    return { results, cost: {}, upstreamRequestId: body.meta?.trace };
  };
}

function kagiLens(search: AskedSearch): object {
  return {
    sites_included: search.includeDomains,
    sites_excluded: search.excludeDomains,
    time_relative: search.freshness,
    time_after: search.publishedAfter,
    time_before: search.publishedBefore,
    search_region: search.country,
  };
}
