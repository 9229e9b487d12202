import { z } from 'zod';
import { definedFields } from '../base/defined-fields.js';
import { isUpstreamError, UpstreamError } from '../base/errors/upstream-error.js';
import type { ModelRow } from '../catalog/model-entry.js';
import { outcomeCost } from '../provider-kit/compose-answer.js';
import { wholeNumber } from '../provider-kit/define-provider.js';
import type { Connection, KeylessSettings, Provider, SearchPort } from '../provider-kit/provider.js';
import { commonSettings, parseProviderSettings } from '../provider-kit/provider-settings.js';
import { queryEndpoint } from '../provider-kit/query-endpoint.js';
import { looseList, optional, textFields } from '../provider-kit/reply-fields.js';

// Facts are of docs.searxng.org/dev/search_api and of the source of searx 1.1.0, read on 2026-11-29. The page of the API leaves out the range `week`, which
// the source takes.

const MODELS: readonly ModelRow[] = [
  {
    slug: 'searxng/search',
    name: 'SearXNG',
    description: 'A metasearch engine of the host: the pages that its engines find, in one list.',
    prices: [{ kind: 'flat', request: '0', source: "the host's own service", asOf: '2026-11-29', confidence: 'high' }],
    features: ['date_filter', 'language_filter', 'multilingual'],
    searchTypes: ['web'],
    // A page of results, whose length its engines decide.
    maxResults: 20,
    options: { freshness: { as: 'time_range' }, language: { as: 'language' } },
    timeoutMs: 20_000,
  },
];

const names = z.array(z.string('a name').regex(/^[^,]+$/, 'a name'), 'an array of names').min(1, 'at least one name');
const settingsSchema = z.strictObject({
  ...commonSettings(null, { search: MODELS }, { keyless: true }),
  engines: names.optional(),
  categories: names.optional(),
  language: z
    .string('a language')
    .regex(/^(?:all|auto|[a-z]{2,3}(?:-[A-Za-z]{2,4})?)$/, 'a language such as "de" or "de-CH"')
    .optional(),
  safeSearch: wholeNumber(0, 2).optional(),
});

const reply = z.object({
  results: looseList(z.object({ ...textFields('url', 'title', 'content', 'publishedDate'), score: optional.number })),
  /** Pairs of a name and why there was no answer. */
  unresponsive_engines: z
    .array(z.unknown())
    .catch([])
    .transform((entries) => entries.filter(Array.isArray)),
});

/**
 * In any word of a query, `!!x` is answered with the address of another site (302), and `!x` replaces the operator's engines and categories. A language (`:de`)
 * or a time (`<3`) in the query changes what a caller may choose anyway. Of searx/query.py of searx 1.1.0 and searxng/searxng@0c5266e2d495, read 2026-11-29.
 */
const EXTERNAL_BANG = /(?<![^\s\p{Cc}])!![^\s!]/u;
const ANY_BANG = /(?<![^\s\p{Cc}])!{1,2}[^\s!?]/u;

/** @throws UpstreamError `query_rejected`, before anything is sent. */
function assertNoBang(query: string, bang: RegExp): void {
  const detail = 'the query chooses an engine or another site by a word that begins with "!"';
  if (bang.test(query)) throw new UpstreamError('query_rejected', { phase: 'connect', detail });
}

/** Asks `GET /search`. The page says which engines failed: an empty list of theirs is no result. */
function searchPort(connection: Connection, fields: Readonly<Record<string, string>>): SearchPort['search'] {
  const ask = queryEndpoint(connection, {
    path: '/search',
    reply,
    completeness: 'valid JSON',
  });
  const bang = (fields['engines'] ?? fields['categories']) === undefined ? EXTERNAL_BANG : ANY_BANG;
  return async ({ query, search }, context) => {
    assertNoBang(query, bang);
    const { freshness: time_range, language } = search ?? {};
    const asked = { ...fields, ...definedFields({ time_range, language }) };
    const { body, failure } = await ask({ q: query, format: 'json', ...asked }, context).catch(explain);
    const { results, unresponsive_engines: silent } = body;
    // The query may be one of which the other engines found nothing, so the failure is no proof against the instance, which would be paused for all callers.
    if (results.length === 0 && silent.length > 0)
      throw failure({ detail: `no results, and no answer of ${JSON.stringify(silent)}` });
    const pages = results.map(({ url, title, content, publishedDate, score }) => {
      return { url, title, snippet: content, date: publishedDate, score };
    });
    return { results: pages, cost: outcomeCost(0) };
  };
}

/** A format that is off is refused with 403 and a page, which no operator would understand. */
function explain(error: unknown): never {
  if (!isUpstreamError(error) || error.status !== 403) throw error;
  const { phase, status, detail } = error;
  const hint = 'SearXNG answers 403 where the format json is off: add it to search.formats in its settings.yml';
  throw new UpstreamError(error.reason, { phase, status, detail: `${hint} (${detail})`, cause: error });
}

/** The settings of `searxng()`. */
export interface SearxngSettings extends KeylessSettings {
  /** The engines to ask, by the names of the instance: `['duckduckgo', 'wikipedia']`. Default: those that the instance has on. */
  readonly engines?: readonly string[] | undefined;
  /** The categories of engines to ask, such as `general` and `science`. Default: that of the instance. */
  readonly categories?: readonly string[] | undefined;
  /** The language of calls without one, such as `de` or `de-CH`. Default: that of the instance. */
  readonly language?: string | undefined;
  /** 0 for no filter, 1 for a moderate one, 2 for a strict one. Default: that of the instance. */
  readonly safeSearch?: number | undefined;
}

/**
 * SearXNG (searxng.org), or searx: the host's own metasearch engine, free of charge, with the format `json` turned on in its settings. `baseUrl` is the
 * address of its start page. A key is sent as `Authorization: Bearer`, for a proxy in front of it.
 *
 * @throws ConfigurationError when a setting is wrong.
 */
export function searxng(settings: SearxngSettings): Provider {
  const { modelsOf, common, connection, options } = parseProviderSettings(settingsSchema, settings, 'searxng');
  const { engines, categories, language, safeSearch } = options;
  const fields = {
    engines: engines?.join(','),
    categories: categories?.join(','),
    language,
    safesearch: safeSearch?.toString(),
  };
  const search = searchPort(connection, definedFields(fields));
  return { id: 'searxng', name: 'SearXNG', models: [], ...common, search: { models: modelsOf.search, search } };
}
