import { z } from 'zod';
import { definedFields } from '../../base/defined-fields.js';
import { UpstreamError } from '../../base/errors/upstream-error.js';
import type { AskedSearch } from '../../base/search-options/asked-search.js';
import { assertQueryFits } from '../../provider-kit/call-fields.js';
import { jsonEndpoint, keyHeader, type VendorApi } from '../../provider-kit/json-endpoint.js';
import type { Connection, SearchPort, SearchResult } from '../../provider-kit/provider.js';
import { looseList, optional, textFields } from '../../provider-kit/reply-fields.js';
import { SEARCH_LANGUAGE_TAGS } from '../../provider-kit/search-lists.js';
import { plainText, withoutHighlights } from '../../text/page-fields.js';

export const BRAVE: VendorApi = {
  authorize: keyHeader('x-subscription-token'),
  // Public error replies and measurements of 2026-09, read 2026-11-20.
  errors: [
    // Brave answers a wrong key, or a key of another plan, with another status than 401.
    { code: /^SUBSCRIPTION_(?:TOKEN_(?:INVALID|MISSING)|NOT_FOUND)$/, reason: 'upstream_auth_failed' },
    { code: 'QUOTA_LIMITED', reason: 'upstream_quota_exhausted' },
    { code: 'RATE_LIMITED', reason: 'upstream_rate_limited' },
  ],
};

const WEB = 'brave/web';

/** Settings of the host. */
interface SearchSettings {
  readonly country?: string | undefined;
  readonly language?: string | undefined;
  readonly safesearch?: string | undefined;
}

/** Brave bills a search that found nothing too. */
export function braveSearchPort(connection: Connection, settings: SearchSettings): SearchPort['search'] {
  const { country, language, safesearch } = settings;
  const defaults = definedFields({ country, search_lang: language && tagOf(language) });
  const fields = definedFields({ ...defaults, safesearch });
  const web = pageSearch(connection, WEB_SEARCH, { result_filter: 'web', text_decorations: false, ...fields });
  const news = pageSearch(connection, NEWS_SEARCH, fields);
  const context = contextSearch(connection, defaults);
  return async (call, callContext) => {
    assertTaken(call.query);
    if (call.model.slug !== WEB) return context(call, callContext);
    return (call.search?.topic === 'news' ? news : web)(call, callContext);
  };
}

const found = z.object({ ...textFields('title', 'url', 'description', 'page_age'), extra_snippets: optional.texts });

/** Asked by POST, so that questions stay out of addresses. More passages come by themselves where the plan has them. */
const WEB_SEARCH = {
  path: '/res/v1/web/search',
  reply: z
    // The field `web` is missing where nothing was found.
    .object({ type: z.literal('search'), web: z.object({ results: looseList(found) }).nullish() })
    .transform(({ web }) => ({ results: web?.results ?? [] })),
};
/** In the plan of web searches (brave/brave-search-skills@2003e08, 2026-04-08). */
const NEWS_SEARCH = {
  path: '/res/v1/news/search',
  reply: z.object({ type: z.literal('news'), results: looseList(found) }),
};

interface PageSearch {
  readonly path: string;
  readonly reply: z.ZodType<{ readonly results: readonly z.output<typeof found>[] }>;
}

function pageSearch(connection: Connection, endpoint: PageSearch, fields: object): SearchPort['search'] {
  const ask = jsonEndpoint(connection, { ...BRAVE, ...endpoint, completeness: 'valid JSON' });
  return async ({ query, maxResults, search }, context) => {
    const { body } = await ask({ q: query, count: maxResults, ...fields, ...(search && braveSearch(search)) }, context);
    return { results: body.results.map(resultOf), cost: {} };
  };
}

function resultOf({ url, title, description, page_age, extra_snippets }: z.output<typeof found>): SearchResult {
  const texts = [description ?? '', ...(extra_snippets ?? [])].filter(Boolean);
  // News have no option against marks.
  return { url, title, snippet: texts.map(withoutHighlights).map(plainText).join(' … '), date: page_age };
}

const contextReply = z.object({
  grounding: z.object({
    generic: looseList(z.object({ url: optional.text, title: optional.text, snippets: optional.texts })),
  }),
  sources: optional.of(z.record(z.string(), z.object({ age: optional.texts }).catch({ age: null }))),
});

/** The largest budget of tokens, of all pages and of a page; the price is the same (brave/brave-search-skills, read 2026-11-26). */
const FULL_BUDGET = { maximum_number_of_tokens: 32_768, maximum_number_of_tokens_per_url: 8_192 };

const CONTEXT = { path: '/res/v1/llm/context', reply: contextReply, completeness: 'valid JSON' } as const;

/** Its texts are the passages of a page that fit the query. Its date of a page is of the last change. */
function contextSearch(connection: Connection, defaults: object): SearchPort['search'] {
  const ask = jsonEndpoint(connection, { ...BRAVE, ...CONTEXT });
  return async ({ query, maxResults, includeContent, search }, context) => {
    const size = { count: maxResults, maximum_number_of_urls: maxResults, ...(includeContent && FULL_BUDGET) };
    const { body } = await ask({ q: query, ...size, ...defaults, ...(search && braveSearch(search)) }, context);
    const results = body.grounding.generic.map(({ url, title, snippets }) => {
      const text = snippets?.join('\n\n');
      const lastUpdated = body.sources?.[url ?? '']?.age?.find((age) => /^\d{4}-\d\d-\d\d$/.test(age));
      return { url, title, snippet: text, ...(includeContent && { content: text }), lastUpdated };
    });
    return { results, cost: {} };
  };
}

const PERIODS = { day: 'pd', week: 'pw', month: 'pm', year: 'py' } as const;

function braveSearch({ freshness, days, country, language }: AskedSearch): object {
  const range = days && `${days.first}to${days.last}`;
  return definedFields({
    freshness: freshness ? PERIODS[freshness] : range,
    country,
    search_lang: language && tagOf(language),
  });
}

function tagOf(language: string): string {
  return SEARCH_LANGUAGE_TAGS.get(language) ?? language;
}

/** Brave takes 400 characters and 50 words. @throws UpstreamError `query_rejected`, before anything is sent. */
function assertTaken(query: string): void {
  assertQueryFits(query, 400);
  const words = query.trim().split(/\s+/).length;
  const detail = `the query has ${words} words, Brave takes 50`;
  if (words > 50) throw new UpstreamError('query_rejected', { phase: 'connect', detail });
}
