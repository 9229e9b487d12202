import { describe, expect, it } from 'vitest';
import { extractOnce, fixturesIn, searchOnce } from '../../../test/ask-once.js';
import { parallel } from './parallel-provider.js';

const fixture = fixturesIn(import.meta.dirname);
const provider = parallel({ apiKey: 'k' });

const BASIC = 'parallel/basic';
const EXTRACT = 'parallel/extract';
const ZEPHYR = 'https://example.org/zephyr';
const TRAFFIC = 'https://example.com/traffic';

describe('a search of Parallel', () => {
  it.each(['turbo', 'fast', 'basic', 'advanced'])('of mode %s has no other field', async (mode) => {
    const { request } = await searchOnce(provider, `parallel/${mode}`, fixture('search'), { maxResults: 20 });
    expect(request.url.href).toBe('https://api.parallel.ai/v1/search');
    expect(request.headers).toEqual({ 'x-api-key': 'k' });
    expect(request.json).toEqual({
      objective: 'Is it open?',
      search_queries: ['Is it open?'],
      mode,
      advanced_settings: { max_results: 20 },
    });
  });

  it('shortens the search query, and not the objective', async () => {
    const query = '🌉'.repeat(201);
    const { request } = await searchOnce(provider, BASIC, fixture('search'), { query });
    expect(request.json).toMatchObject({ objective: query, search_queries: ['🌉'.repeat(200)] });
  });

  it.each([
    [{ includeDomains: ['a.org'] }, { include_domains: ['a.org'] }],
    [{ excludeDomains: ['a.org'] }, { exclude_domains: ['a.org'] }],
    [{ publishedAfter: '2026-01-02' }, { after_date: '2026-01-02' }],
    [
      { freshness: 'week' as const, period: { from: '2026-11-14T10:00:00Z', to: '2026-11-21T10:00:00Z' } },
      { after_date: '2026-11-14' },
    ],
  ])('narrows by %o', async (search, source_policy) => {
    const { request } = await searchOnce(provider, BASIC, fixture('search'), { search });
    expect(request.json).toMatchObject({ advanced_settings: { max_results: 10, source_policy } });
  });

  it.each([
    ['for ten results', BASIC, 'search', 10, '0.005'],
    ['for those beyond ten that Parallel counts', BASIC, 'search-additional', 20, '0.007'],
    ['for no more than were asked for', BASIC, 'search-additional', 11, '0.006'],
    ['for those that came, without a count', 'parallel/turbo', 'search-sparse', 20, '0.001'],
    ['for a search that found nothing', 'parallel/fast', 'search-none', 20, '0.001'],
  ])('is charged %s', async (_what, slug, reply, maxResults, usd) => {
    const { charged } = await searchOnce(provider, slug, fixture(reply), { maxResults });
    expect(charged).toEqual([usd, 'flat']);
  });
});

describe('an extract of Parallel', () => {
  it('asks for whole pages, whose number is charged', async () => {
    const urls = [ZEPHYR, TRAFFIC];
    const { request, charged } = await extractOnce(provider, EXTRACT, fixture('extract'), { urls });
    expect(request.url.href).toBe('https://api.parallel.ai/v1/extract');
    expect(request.headers).toEqual({ 'x-api-key': 'k' });
    expect(request.json).toEqual({
      urls,
      advanced_settings: { full_content: true, excerpt_settings: { max_chars_per_result: 1_000 } },
    });
    expect(charged).toEqual(['0.002', 'flat']);
  });
});
