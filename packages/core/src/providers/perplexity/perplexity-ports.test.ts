import { describe, expect, it } from 'vitest';
import { fixturesIn, searchOnce } from '../../../test/ask-once.js';
import { perplexity } from './perplexity-provider.js';

const fixture = fixturesIn(import.meta.dirname);
const provider = perplexity({ apiKey: 'k' });

const SEARCH = 'perplexity/search';
const FAST = 'perplexity/search-fast';
describe('a search of Perplexity', () => {
  it.each([
    [SEARCH, {}, '0.005'],
    [FAST, { search_type: 'fast' }, '0.001'],
  ])('asks for %s with texts as long as snippets', async (slug, type, usd) => {
    const { request, charged } = await searchOnce(provider, slug, fixture('search'), { maxResults: 20 });
    expect(request.url.href).toBe('https://api.perplexity.ai/search');
    expect(request.headers).toEqual({ authorization: 'Bearer k' });
    const tokens = { max_tokens: 20_480, max_tokens_per_page: 1_024 };
    expect(request.json).toEqual({ query: 'Is it open?', max_results: 20, ...tokens, ...type });
    expect(charged).toEqual([usd, 'flat']);
  });

  it('asks for longer texts where content is wanted, at the same price', async () => {
    const call = { maxResults: 5, includeContent: true };
    const { request, charged } = await searchOnce(provider, SEARCH, fixture('search'), call);
    expect(request.json).toMatchObject({ max_results: 5, max_tokens: 40_960, max_tokens_per_page: 8_192 });
    expect(charged).toEqual(['0.005', 'flat']);
  });

  it.each([
    [{ includeDomains: ['a.org', 'b.org'] }, { search_domain_filter: ['a.org', 'b.org'] }],
    [{ excludeDomains: ['a.org'] }, { search_domain_filter: ['-a.org'] }],
    [{ freshness: 'week' as const }, { search_recency_filter: 'week' }],
    [{ publishedAfter: '2026-01-02' }, { search_after_date_filter: '01/02/2026' }],
    [{ publishedBefore: '2026-02-03' }, { search_before_date_filter: '02/03/2026' }],
    [{ country: 'DE' }, { country: 'DE' }],
    [{ language: 'de' }, { search_language_filter: ['de'] }],
  ])('narrows by %o', async (search, fields) => {
    const plain = { query: 'Is it open?', max_results: 10, max_tokens: 10_240, max_tokens_per_page: 1_024 };
    const { request } = await searchOnce(provider, SEARCH, fixture('search'), { search });
    expect(request.json).toEqual({ ...plain, ...fields });
  });
});
