import type { Dialect, JsonObject } from '@searchgate/core/extensions';
import { type Form, formDialects } from '../forms/form.js';
import { countryCode, period } from '../forms/values.js';
import { invalid, isObject, own, unsupported } from '../openai/read-messages.js';
import FIELDS from './firecrawl-fields.json' with { type: 'json' };

/** Slugs, aliases or groups. A path without a model is left to the host. */
export interface FirecrawlModels {
  /** Of `POST /api/v1/firecrawl/v2/search`. */
  readonly search?: string | undefined;
  /** Of `POST /api/v1/firecrawl/v2/scrape`. */
  readonly extract?: string | undefined;
}

/** Firecrawl's clients show `error`. */
const ERRORS: Pick<Form<never>, 'error'> = {
  error: (text, { reason, request_id }) => ({ success: false, error: text, code: reason, requestId: request_id }),
};
const DEFAULT_RESULTS = 5;

/**
 * `POST /api/v1/firecrawl/v2/search` and `/v2/scrape`: searches and pages in the form of Firecrawl's second version, for its clients with the base URL
 * `…/api/v1/firecrawl`.
 *
 * @example createGateway({ …, endpoints: { firecrawl: firecrawl({ search: 'exa/auto', extract: 'exa/contents' }) } })
 */
export function firecrawl({ search, extract }: FirecrawlModels): readonly Dialect[] {
  return formDialects({ search: [search, SEARCH], extract: [extract, SCRAPE] });
}

const SEARCH: Form<'search'> = {
  name: 'firecrawl_search',
  path: '/api/v1/firecrawl/v2/search',
  ...ERRORS,
  fields: {
    ...FIELDS.search,
    rows: {
      query: 'query',
      limit: 'max_results',
      includeDomains: 'search.include_domains',
      excludeDomains: 'search.exclude_domains',
      country: ['search.country', countryCode],
      location: ['search.country', countryCode],
      tag: 'tag',
    },
    read: ['sources', 'scrapeOptions', 'tbs'],
  },
  adapt(body, { search, ...given }) {
    const dates = datesOf(own(body, 'tbs') ?? undefined);
    const options = own(body, 'scrapeOptions') ?? undefined;
    const include_content = options !== undefined && wantsMarkdown(options);
    const filters = { ...(search as object), ...dates, ...(sourceOf(body) === 'news' && { topic: 'news' }) };
    const narrowed = Object.keys(filters).length > 0 ? { search: filters } : {};
    return { fields: { max_results: DEFAULT_RESULTS, ...given, include_content, ...narrowed } };
  },
  write: ({ body, reply: { id, results, usage } }) => ({
    success: true,
    data: {
      [sourceOf(body)]: results.map(({ url, title, snippet, content, date }) => ({
        url,
        title,
        ...(sourceOf(body) === 'news' ? { snippet, date } : { description: snippet }),
        ...(content !== null && { markdown: content }),
      })),
    },
    id,
    cost: usage.cost,
  }),
  about: { summary: 'Search in the form of Firecrawl', reply: ['success', 'data'] },
};

/** The source of a search. @throws RequestError for another than the web or news, and for several. */
function sourceOf(body: JsonObject): 'web' | 'news' {
  const sources = own(body, 'sources') ?? ['web'];
  if (!Array.isArray(sources)) throw invalid('sources', sources, 'an array such as ["web"]');
  const types = new Set(sources.map((source: unknown) => (isObject(source) ? own(source, 'type') : source)));
  const [type = 'web', other] = types;
  if (other !== undefined || (type !== 'web' && type !== 'news'))
    throw unsupported('sources', 'Only ["web"] or ["news"] can be had in sources.');
  return type;
}

const DATE = String.raw`(\d{1,2})\/(\d{1,2})\/(\d{4})`;
const RANGE = new RegExp(`^cdr:1(?:,cd_min:${DATE})?(?:,cd_max:${DATE})?$`);
const TBS = '"qdr:d", "qdr:w", "qdr:m", "qdr:y", or a range such as "cdr:1,cd_min:12/1/2026,cd_max:12/31/2026"';

/** The dates of a search in Google's words. */
function datesOf(tbs: unknown): object {
  if (tbs === undefined || tbs === '') return {};
  if (typeof tbs !== 'string') throw invalid('tbs', tbs, TBS);
  if (/^qdr:[dwmy]$/.test(tbs)) return { freshness: period(tbs.slice(-1), 'tbs') };
  const range = RANGE.exec(tbs);
  if (range === null) throw invalid('tbs', tbs, TBS);
  return { published_after: dayOf(range.slice(1, 4)), published_before: dayOf(range.slice(4)) };
}

function dayOf([month, day, year]: readonly (string | undefined)[]): string | undefined {
  return year && `${year}-${month?.padStart(2, '0')}-${day?.padStart(2, '0')}`;
}

/** Forms that clients ask for beside Markdown, and do without. */
const DISPENSABLE: readonly unknown[] = ['markdown', 'html', 'rawHtml', 'links'];

/** Whether the text of pages is wanted. @throws RequestError for forms other than Markdown. */
function wantsMarkdown(options: unknown, name = 'scrapeOptions.formats'): boolean {
  if (!isObject(options)) throw invalid('scrapeOptions', options, 'an object such as {"formats":["markdown"]}');
  const formats = own(options, 'formats') ?? ['markdown'];
  if (!Array.isArray(formats)) throw invalid(name, formats, 'an array such as ["markdown"]');
  if (formats.length === 0) return false;
  const types = formats.map((format: unknown) => (isObject(format) ? own(format, 'type') : format));
  if (!types.includes('markdown') || types.some((type) => !DISPENSABLE.includes(type)))
    throw unsupported(name, `Only "markdown" can be had in ${name}.`);
  return true;
}

const SCRAPE: Form<'extract'> = {
  name: 'firecrawl_scrape',
  path: '/api/v1/firecrawl/v2/scrape',
  ...ERRORS,
  fields: { ...FIELDS.scrape, rows: { url: ['urls', (url) => [url]], tag: 'tag' }, read: ['formats'] },
  adapt(body: JsonObject, fields) {
    wantsMarkdown(body, 'formats');
    return { fields };
  },
  // The status is that of a page which was read: others are errors.
  write: ({ reply: { id, results, usage } }) => ({
    success: true,
    data: results.map(({ url, title, content }) => ({
      markdown: content,
      metadata: { title, url, sourceURL: url, statusCode: 200, scrapeId: id },
    }))[0],
    cost: usage.cost,
  }),
  about: { summary: 'Read a page in the form of Firecrawl', reply: ['success', 'data'] },
};
