import type { Dialect } from '@searchgate/core/extensions';
import { type Form, formDialects } from '../forms/form.js';
import { only, period } from '../forms/values.js';
import { own } from '../openai/read-messages.js';

/** The model, and how keys come. */
export interface SearxngOptions {
  /** Of `GET` and `POST /api/v1/searxng/search`: a slug, an alias or a group. */
  readonly search: string;
  /**
   * Also serves `/api/v1/searxng/<key>/search`, for clients that can send no header. Only keys with a limit and allowed models get in: addresses are kept in
   * histories and in logs of proxies.
   *
   * @default `false`
   */
  readonly keyInPath?: boolean | undefined;
}

/** Settings of a metasearch engine that a model has none of. */
const IGNORED = `
  autocomplete disabled_engines disabled_plugins enabled_engines enabled_plugins engines image_proxy
  results_on_new_tab safesearch theme`
  .trim()
  .split(/\s+/);

/**
 * `GET` and `POST /api/v1/searxng/search`: searches in the form of SearXNG's JSON, with the fields in the query string, for clients with the base URL
 * `…/api/v1/searxng`. The key comes as a bearer token, or in `x-api-key`.
 *
 * @example createGateway({ …, endpoints: { searxng: searxng({ search: 'brave/web' }) } })
 */
export function searxng({ search: model, keyInPath = false }: SearxngOptions): readonly Dialect[] {
  const form: Form<'search'> = {
    name: 'searxng_search',
    path: '/api/v1/searxng/search',
    keyPath: keyInPath ? '/api/v1/searxng/{key}/search' : undefined,
    isQuery: true,
    keyHeader: 'x-api-key',
    fields: {
      ignored: IGNORED,
      refused: [],
      rows: {
        q: 'query',
        language: ['search.language', languageOf],
        time_range: ['search.freshness', (value, name) => (value === '' ? undefined : period(value, name))],
        categories: ['search.topic', only('general', 'news', '')],
        format: ['format', only('json')],
        pageno: ['pageno', only('1')],
        // Of LangChain's client.
        numResults: ['max_results', Number],
        tag: 'tag',
      },
    },
    // Clients sort by the score; where a vendor gives none, the place in the list gives one.
    write: ({ body, reply: { results, usage } }) => ({
      query: own(body, 'q'),
      number_of_results: results.length,
      results: results.map(({ url, title, snippet, date, score }, at) => ({
        url,
        title,
        content: snippet,
        engine: 'searchgate',
        category: own(body, 'categories') || 'general',
        score: score ?? 1 / (at + 1),
        publishedDate: date,
      })),
      answers: [],
      corrections: [],
      infoboxes: [],
      suggestions: [],
      unresponsive_engines: [],
      cost: usage.cost,
    }),
    error: (text, { reason, request_id }) => ({ error: text, code: reason, request_id }),
    about: { summary: 'Search in the form of SearXNG', reply: ['query', 'results', 'answers'] },
  };
  return formDialects({ search: [model, form] });
}

/** The first part of a language tag; `all` and `auto` ask for nothing. */
function languageOf(value: unknown): unknown {
  if (value === 'all' || value === 'auto' || value === '') return undefined;
  return typeof value === 'string' ? value.split(/[-_]/, 1)[0]?.toLowerCase() : value;
}
