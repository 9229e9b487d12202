import {
  type ExtractOutcome,
  type ExtractPort,
  type FlatPrice,
  type ModelRow,
  type PageFailure,
  type ProviderExtract,
  type ProviderSearch,
  type SearchOutcome,
  type SearchPort,
  type SearchResult,
  UpstreamError,
} from '@searchgate/core/provider-kit';

/** The queries of searches, besides those of questions, that do not simply find two pages. */
export const SEARCHES = {
  nothing: 'find nothing',
  /** Finds what no caller can use, and the two pages. */
  junk: 'find junk',
};

/** Addresses that are not simply read. */
export const ADDRESSES = {
  page: 'https://example.org/zephyr',
  gone: 'https://example.org/gone',
  /** The reply does not name it. */
  unmentioned: 'https://example.org/unmentioned',
  /** A page of 1,100,000 characters. */
  long: 'https://example.org/long',
  /** The call fails. */
  broken: 'https://example.org/broken',
};

export interface StubPagesOptions {
  /** Makes the failure or the wait that a query asks for. */
  readonly obey: (query: string) => Promise<void>;
  readonly isEcho: (query: string) => boolean;
}

const SOURCE = { source: 'https://example.org/pricing', asOf: '2026-01-01', confidence: 'high' } as const;

const MODELS: readonly ModelRow[] = [
  {
    ...pricedRow('find', { kind: 'flat', request: '0.004', perResult: '0.001', includedResults: 10 }),
    features: ['content'],
    options: {
      includeDomains: { as: 'only' },
      excludeDomains: { as: 'not' },
      freshness: { as: 'age' },
      publishedAfter: { as: 'from' },
      publishedBefore: { as: 'to' },
      country: { as: 'country' },
    },
    searchTypes: ['web'],
    maxResults: 20,
  },
  { ...pricedRow('find-few', { kind: 'flat', request: '0.001' }), maxResults: 5 },
];

/** The row of a model of the stub. @param price without its source. */
export function pricedRow(name: string, price: Omit<FlatPrice, keyof typeof SOURCE>): ModelRow {
  return {
    slug: `stub/${name}`,
    name: `Stub ${name}`,
    description: `Knows two pages, and numbers (${name}).`,
    prices: [{ ...SOURCE, ...price }],
    features: [],
    contextLength: null,
    timeoutMs: 30_000,
  };
}

const FOUND: readonly SearchResult[] = [
  {
    url: ADDRESSES.page,
    title: 'Zephyr Bridge opens',
    snippet: 'Opened on 14 May…',
    content: '# Zephyr',
    date: '2021-05-14T09:30:00Z',
    score: 0.5,
  },
  { url: 'https://news.example.com/a?b=1', title: null, lastUpdated: '2024-02-01' },
];
const JUNK = [null, { url: null }, { url: 'ftp://example.org/' }, { url: 'no address' }] as SearchResult[];

/** Finds two pages, or what the query says. */
export function stubSearch({ obey, isEcho }: StubPagesOptions): SearchPort {
  async function search({ model: _model, ...call }: ProviderSearch): Promise<SearchOutcome> {
    const { query } = call;
    await obey(query);
    if (isEcho(query))
      return { results: [{ url: ADDRESSES.page, title: 'echo', snippet: JSON.stringify(call) }], cost: {} };
    if (query === SEARCHES.nothing) return { results: [], cost: {} };
    return { results: query === SEARCHES.junk ? [...JUNK, ...FOUND, ...FOUND] : FOUND, cost: {} };
  }
  return { models: MODELS, search };
}

/** Reads two pages at once, as their addresses say. */
export const STUB_EXTRACT: ExtractPort = {
  models: [pricedRow('read', { kind: 'flat', perPage: '0.001' })],
  maxUrls: 2,
  async extract({ urls, format }: ProviderExtract): Promise<ExtractOutcome> {
    if (urls.includes(ADDRESSES.broken)) throw new UpstreamError('upstream_error', { phase: 'headers', status: 500 });
    const pages = urls.flatMap((url) => {
      if (url === ADDRESSES.unmentioned) return [];
      if (url === ADDRESSES.gone) return { url, failed: 'page_not_found' as PageFailure };
      const content = url.startsWith(ADDRESSES.long) ? 'x'.repeat(1_100_000) : `Zephyr as ${format}`;
      return { url, title: 'Zephyr Bridge', content, date: '2021-05-14' };
    });
    return { pages, cost: {} };
  },
};
