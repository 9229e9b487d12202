/** The tested value of each option. */
export const ASKED = {
  include_domains: { include_domains: ['example.org'] },
  exclude_domains: { exclude_domains: ['example.org'] },
  freshness: { freshness: 'week' },
  published_after: { published_after: '2026-01-31' },
  published_before: { published_before: '2026-02-28' },
  country: { country: 'de' },
  language: { language: 'DE' },
  topic: { topic: 'news' },
} as const;

export type Option = keyof typeof ASKED;

/** The expected fields of the vendor's body per option; of a GET, its parameters. */
export type ExpectedFields = Readonly<Partial<Record<Option, object>>>;

const tool = (fields: object) => ({ tools: [fields] });
const filters = (fields: object) => tool({ filters: fields });
const between = (startTime: string, endTime: string) =>
  tool({ googleSearch: { timeRangeFilter: { startTime, endTime } } });

const EXA_SEARCH: ExpectedFields = {
  include_domains: { includeDomains: ['example.org', '*.example.org'] },
  exclude_domains: { excludeDomains: ['example.org', '*.example.org'] },
  freshness: { startPublishedDate: '2026-11-14T00:00:00.000Z' },
  published_after: { startPublishedDate: '2026-01-31T00:00:00.000Z' },
  published_before: { endPublishedDate: '2026-02-28T23:59:59.999Z' },
  country: { userLocation: 'DE' },
  topic: { category: 'news' },
};

/**
 * The supported options of every provider, by its id or by the slug of a model that differs, written by hand from the vendors' documentation.
 * Other options are refused. The clock stands at 2026-11-21.
 */
export const EXPECTED_FIELDS: Readonly<Record<string, ExpectedFields>> = {
  anthropic: {
    include_domains: tool({ allowed_domains: ['example.org'] }),
    exclude_domains: tool({ blocked_domains: ['example.org'] }),
    country: tool({ user_location: { type: 'approximate', country: 'DE' } }),
  },
  brave: { country: { country: 'DE' } },
  exa: EXA_SEARCH,
  'exa/answer': { country: { userLocation: 'DE' } },
  google: {
    freshness: between('2026-11-14T00:00:00.000Z', '2026-11-21T00:00:00.000Z'),
    published_after: between('2026-01-31T00:00:00Z', '2026-11-21T23:59:59.999Z'),
    published_before: between('1970-01-01T00:00:00Z', '2026-02-28T23:59:59.999Z'),
  },
  linkup: {
    include_domains: { includeDomains: ['example.org'] },
    exclude_domains: { excludeDomains: ['example.org'] },
    freshness: { fromDate: '2026-11-14' },
    published_after: { fromDate: '2026-01-31' },
    published_before: { toDate: '2026-02-28' },
  },
  openai: {
    include_domains: filters({ allowed_domains: ['example.org'] }),
    exclude_domains: filters({ blocked_domains: ['example.org'] }),
    country: tool({ user_location: { type: 'approximate', country: 'DE' } }),
  },
  openrouter: {
    include_domains: tool({ parameters: { engine: 'exa', allowed_domains: ['example.org'] } }),
    exclude_domains: tool({ parameters: { engine: 'exa', excluded_domains: ['example.org'] } }),
  },
  parallel: {
    include_domains: tool({ type: 'web_search', filters: { allowed_domains: ['example.org'] } }),
    exclude_domains: tool({ type: 'web_search', filters: { blocked_domains: ['example.org'] } }),
  },
  'perplexity/sonar': {
    include_domains: tool({ type: 'web_search', filters: { search_domain_filter: ['example.org'] } }),
    exclude_domains: tool({ type: 'web_search', filters: { search_domain_filter: ['-example.org'] } }),
    freshness: filters({ search_recency_filter: 'week' }),
    published_after: filters({ search_after_date_filter: '01/31/2026' }),
    published_before: filters({ search_before_date_filter: '02/28/2026' }),
    country: tool({ user_location: { country: 'DE' } }),
  },
  serpapi: { country: { gl: 'de' }, language: { hl: 'de' } },
  tavily: {
    include_domains: { include_domains: ['example.org'], include_domains_mode: 'restrict' },
    exclude_domains: { exclude_domains: ['example.org'] },
    freshness: { time_range: 'week' },
    published_after: { start_date: '2026-01-31' },
    published_before: { end_date: '2026-02-28' },
    topic: { topic: 'news' },
  },
  valyu: {
    include_domains: { included_sources: ['example.org'] },
    exclude_domains: { excluded_sources: ['example.org'] },
    freshness: { start_date: '2026-11-14' },
    published_after: { start_date: '2026-01-31' },
    published_before: { end_date: '2026-02-28' },
    country: { country_code: 'DE' },
  },
  xai: {
    include_domains: filters({ allowed_domains: ['example.org'] }),
    exclude_domains: filters({ excluded_domains: ['example.org'] }),
  },
  you: {
    include_domains: { source_control: { include_domains: ['example.org'] } },
    exclude_domains: { source_control: { exclude_domains: ['example.org'] } },
    country: { source_control: { country: 'DE' } },
  },
  'you/answer': {
    include_domains: { include_domains: ['example.org'] },
    exclude_domains: { exclude_domains: ['example.org'] },
    country: { country: 'DE' },
    language: { language: 'DE' },
  },
  zai: {
    include_domains: tool({ web_search: { search_domain_filter: 'example.org' } }),
    freshness: tool({ web_search: { search_recency_filter: 'oneWeek' } }),
  },
  'zai/glm-5.3-flash': {},
};
