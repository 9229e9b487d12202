import { describe, expect, it } from 'vitest';
import { fixturesIn, searchOnce } from '../../../test/ask-once.js';
import { kagi } from './kagi-provider.js';

const fixture = fixturesIn(import.meta.dirname);
const PLAIN = { query: 'Is it open?', workflow: 'search', limit: 10 };

describe('the search of kagi', () => {
  it.each<[string, Parameters<typeof searchOnce>[3], object]>([
    ['ten pages', {}, PLAIN],
    ['another number of pages', { maxResults: 20 }, { ...PLAIN, limit: 20 }],
    [
      'pages of some hosts, days and a country',
      {
        search: {
          includeDomains: ['example.org'],
          publishedAfter: '2026-01-31',
          publishedBefore: '2026-02-28',
          country: 'DE',
        },
      },
      {
        ...PLAIN,
        lens: {
          sites_included: ['example.org'],
          time_after: '2026-01-31',
          time_before: '2026-02-28',
          search_region: 'DE',
        },
      },
    ],
    [
      'pages of the last week, without some hosts',
      { search: { excludeDomains: ['example.com', 'example.net'], freshness: 'week' } },
      { ...PLAIN, lens: { sites_excluded: ['example.com', 'example.net'], time_relative: 'week' } },
    ],
  ])('asks for %s', async (_what, call, json) => {
    const { request } = await searchOnce(kagi({ apiKey: 'k' }), 'kagi/search', fixture('search'), call);
    expect(request.json).toEqual(json);
  });

  it('asks the newer API by its own scheme, at its price', async () => {
    const provider = kagi({ apiKey: 'k', authScheme: 'Bot' });
    const { request, charged } = await searchOnce(provider, 'kagi/search', fixture('search'));
    expect([request.url.href, request.headers]).toEqual([
      'https://kagi.com/api/v1/search',
      { authorization: 'Bearer k' },
    ]);
    expect(charged).toEqual(['0.012', 'flat']);
  });

  it('asks the host that the settings name', async () => {
    const provider = kagi({ apiKey: 'k', baseUrl: 'https://proxy.example/kagi' });
    const { request } = await searchOnce(provider, 'kagi/search', fixture('search-none'));
    expect(request.url.href).toBe('https://proxy.example/kagi/search');
  });
});
