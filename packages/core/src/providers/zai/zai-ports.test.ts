import { describe, expect, it } from 'vitest';
import { extractOnce, fixturesIn, searchOnce } from '../../../test/ask-once.js';
import { type ZaiSettings, zai } from './zai-provider.js';

const fixture = fixturesIn(import.meta.dirname);
const withSettings = (settings: Partial<ZaiSettings> = {}) => zai({ apiKey: 'k', ...settings });

const SEARCH = 'zai/search';

describe('the search of zai', () => {
  it('asks for pages, at its price', async () => {
    const { request, charged } = await searchOnce(withSettings(), SEARCH, fixture('search'), { maxResults: 50 });
    expect(request.url.href).toBe('https://api.z.ai/api/paas/v4/web_search');
    expect(request.headers).toEqual({ authorization: 'Bearer k' });
    expect(request.json).toEqual({ search_engine: 'search-prime', search_query: 'Is it open?', count: 50 });
    expect(charged).toEqual(['0.01', 'flat']);
  });

  it('asks for the pages of a domain and of a week', async () => {
    const search = { includeDomains: ['example.org'], freshness: 'week' as const };
    const { request } = await searchOnce(withSettings(), SEARCH, fixture('search'), { search });
    expect(request.json).toMatchObject({
      search_domain_filter: 'example.org',
      search_recency_filter: 'oneWeek',
    });
  });

  it('has the engine of the settings, which may ignore domains', async () => {
    const provider = withSettings({ searchEngine: 'search_pro' });
    const { request } = await searchOnce(provider, SEARCH, fixture('search'));
    expect(request.json).toMatchObject({ search_engine: 'search_pro' });
    expect(provider.search?.models).toMatchObject([{ options: { includeDomains: undefined } }]);
    expect(withSettings().search?.models).toMatchObject([{ options: { includeDomains: { max: 1 } } }]);
  });
});

describe('the extract of zai', () => {
  it.each(['markdown', 'text'] as const)('asks for a page as %s without images, at its price', async (format) => {
    const { request, charged } = await extractOnce(withSettings(), 'zai/reader', fixture('page'), { format });
    expect(request.url.href).toBe('https://api.z.ai/api/paas/v4/reader');
    expect(request.headers).toEqual({ authorization: 'Bearer k' });
    expect(request.json).toEqual({ url: 'https://example.org/zephyr', return_format: format, retain_images: false });
    expect(charged).toEqual(['0.01', 'flat']);
  });
});
