import { z } from 'zod';
import type { AskedSearch } from '../../base/search-options/asked-search.js';
import type { ErrorTable } from '../../provider-kit/classify.js';
import { composeAnswer } from '../../provider-kit/compose-answer.js';
import { defineProvider, type OptionsOf } from '../../provider-kit/define-provider.js';
import { jsonEndpoint, type VendorApi } from '../../provider-kit/json-endpoint.js';
import type { AnswerAdapter, Connection, Provider, ProviderSettings, SearchPort } from '../../provider-kit/provider.js';
import { atHost } from '../../provider-kit/provider-settings.js';
import { optional, textFields } from '../../provider-kit/reply-fields.js';
import { plainText, withoutHighlights } from '../../text/page-fields.js';
import rows from './models.json' with { type: 'json' };

/** The API of FastGPT. Its search was turned off in 2026 (raycast/extensions#30392, 2026-08-21). */
const KAGI_V0 = 'https://kagi.com/api/v0';
const KAGI_V1 = 'https://kagi.com/api/v1';

/** The new API. Its codes were seen in public clients with other statuses than documented (2026-11-26, medium confidence). */
const SEARCH: VendorApi = {
  errors: [
    { code: /\binvalid_token$|\bip_not_allowed$/, reason: 'upstream_auth_failed' },
    // A 429 is a rate limit or an exhausted budget, and only the words may tell (low confidence: not seen).
    { status: 429, message: /usage limit|credit|billing/i, reason: 'upstream_quota_exhausted' },
  ],
};

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
function kagiSearchPort(connection: Connection): SearchPort['search'] {
  const host = atHost(connection, KAGI_V0, KAGI_V1);
  const ask = jsonEndpoint(host, { ...SEARCH, path: '/search', reply, completeness: 'valid JSON' });
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

/**
 * Kagi's codes, with any status: the statuses are not documented (kagisearch/kagi-docs@a5dd9f8, 2024-05-31; medium confidence, because Kagi has
 * removed the page).
 */
const KAGI_ERRORS: ErrorTable = [
  { code: '0', reason: 'upstream_error' },
  { code: '1', reason: 'upstream_rejected' },
  { code: '2', reason: 'upstream_auth_failed' },
  // No billing data, and not enough credit.
  { code: /^10[01]$/, reason: 'upstream_quota_exhausted' },
  { message: /insufficient credit/i, reason: 'upstream_quota_exhausted' },
  // The model failed.
  { code: '200', reason: 'upstream_error' },
];

const fastGptReply = z.object({
  /** `trace` is the id of Kagi's newer API. */
  meta: optional.object({ id: optional.text, trace: optional.text }),
  data: z.object({
    output: z.string(),
    references: optional.list(z.object(textFields('url', 'title', 'snippet'))),
  }),
});

/**
 * Asks `POST /fastgpt` (as documented 2026-08-14). FastGPT always searches: Kagi refuses a request with `web_search` off. Citation markers count the
 * references, sometimes beyond their end.
 */
function kagiAnswer(connection: Connection, { authScheme, cache }: OptionsOf<typeof ownSettings>): AnswerAdapter {
  const ask = jsonEndpoint(connection, {
    path: '/fastgpt',
    authorize: (apiKey) => ({ authorization: `${authScheme} ${apiKey}` }),
    errors: KAGI_ERRORS,
    reply: fastGptReply,
    completeness: 'valid JSON',
  });
  return {
    async answer({ query }, context) {
      const { body } = await ask({ query, cache }, context);
      const { output, references } = body.data;
      return composeAnswer({
        text: output,
        sources: references.map(({ url, title, snippet }) => ({
          url,
          title: withoutHighlights(title ?? ''),
          snippet: withoutHighlights(snippet ?? ''),
        })),
        cost: {},
        upstreamRequestId: body.meta?.id ?? body.meta?.trace,
      });
    },
  };
}

/** The settings of `kagi()`. */
export interface KagiSettings extends ProviderSettings {
  /**
   * The word before the key of FastGPT, which belongs to Kagi's old API. The new API (2026) uses `Bearer` for searches and does not have FastGPT
   * yet. If FastGPT moves there, set `Bearer` and `baseUrl: 'https://kagi.com/api/v1'`. Default `Bot`.
   */
  readonly authScheme?: 'Bot' | 'Bearer' | undefined;
  /**
   * Allows Kagi to answer from its cache, which is free for the operator. Callers are still charged, because a reply does not tell whether it came from
   * the cache. Default `true`, as at Kagi.
   */
  readonly cache?: boolean | undefined;
}

const ownSettings = {
  authScheme: z.enum(['Bot', 'Bearer'], 'Bot or Bearer').default('Bot'),
  cache: z.boolean('true or false').default(true),
};

/**
 * Kagi (kagi.com): FastGPT of its old API, and the search of its new API. API credit is separate from a Kagi subscription. Whether a key of the old API
 * opens the new API is not documented (2026-11-26).
 *
 * @throws ConfigurationError when a setting is wrong.
 */
export const kagi: (settings: KagiSettings) => Provider = defineProvider({
  id: 'kagi',
  name: 'Kagi',
  baseUrl: KAGI_V0,
  models: rows,
  settings: ownSettings,
  ports: (connection, options) => ({ answer: kagiAnswer(connection, options), search: kagiSearchPort(connection) }),
});
