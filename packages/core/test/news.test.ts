import { describe, expect, it } from 'vitest';
import type { Provider } from '../src/provider-kit/index.js';
import { brave, exa, firecrawl, serpapi, serper, tavily } from '../src/providers/index.js';
import { searchOnce } from './ask-once.js';

const URL = 'https://news.example.com/zephyr';
const FOUND = { url: URL, title: 'Zephyr', snippet: 'Opened.', date: '2026-11-28' };
const page = { url: URL, title: 'Zephyr' };
const linked = { link: URL, title: 'Zephyr', snippet: 'Opened.', date: '2026-11-28' };
const apiKey = 'k';

/** Provider and model, the path and fields that ask for news, and a reply. */
const ROWS: readonly [Provider, string, string, object, object][] = [
  [
    tavily({ apiKey, country: 'germany' }),
    'tavily/basic',
    '/search',
    { topic: 'news', country: undefined },
    { results: [{ ...page, content: 'Opened.', published_date: '2026-11-28' }] },
  ],
  [
    exa({ apiKey }),
    'exa/auto',
    '/search',
    { category: 'news' },
    { results: [{ ...page, highlights: ['Opened.'], publishedDate: '2026-11-28' }] },
  ],
  [
    firecrawl({ apiKey }),
    'firecrawl/search',
    '/v2/search',
    { sources: ['news'] },
    { success: true, data: { news: [{ ...page, snippet: 'Opened.', date: '2026-11-28' }] } },
  ],
  [
    brave({ apiKey, safesearch: 'off' }),
    'brave/web',
    '/res/v1/news/search',
    { q: 'Is it open?', count: 10, safesearch: 'off', freshness: 'pw' },
    { type: 'news', results: [{ ...page, description: '<strong>Opened</strong>.', page_age: '2026-11-28' }] },
  ],
  [serper({ apiKey }), 'serper/google', '/news', { num: 10 }, { searchParameters: {}, news: [linked], credits: 1 }],
  [serpapi({ apiKey }), 'serpapi/google', '/search.json', { tbm: 'nws' }, { news_results: [linked] }],
];

describe('a search for news', () => {
  it.each(ROWS)('of %o', async (provider, slug, path, fields, reply) => {
    const search = { topic: 'news', freshness: slug === 'brave/web' ? 'week' : undefined } as const;
    const { request, outcome } = await searchOnce(provider, slug, JSON.stringify(reply), { search });
    expect(request.url.pathname).toBe(path);
    expect(request.json ?? Object.fromEntries(request.url.searchParams)).toMatchObject(fields);
    expect(outcome.results).toMatchObject([FOUND]);
  });
});
