import { describe, expect, it } from 'vitest';
import { extractOnce, fixturesIn, searchOnce } from '../../../test/ask-once.js';
import { type TavilySettings, tavily } from './tavily-provider.js';

const fixture = fixturesIn(import.meta.dirname);
const withSettings = (settings: Partial<TavilySettings> = {}) => tavily({ apiKey: 'k', ...settings });

const BASIC = 'tavily/basic';
const ZEPHYR = 'https://example.org/zephyr';
const TRAFFIC = 'https://example.com/traffic';

describe('a search of Tavily', () => {
  it.each(['basic', 'fast', 'advanced'])('of depth %s is a search without an answer', async (depth) => {
    const { request } = await searchOnce(withSettings(), `tavily/${depth}`, fixture('search'));
    expect(request.url.href).toBe('https://api.tavily.com/search');
    expect(request.headers).toEqual({ authorization: 'Bearer k' });
    expect(request.json).toEqual({
      query: 'Is it open?',
      search_depth: depth,
      max_results: 10,
      topic: 'general',
      include_published_date: true,
      include_usage: true,
    });
  });

  it('asks for the text of pages, and for as many as are wanted', async () => {
    const call = { maxResults: 20, includeContent: true };
    const { request } = await searchOnce(withSettings(), BASIC, fixture('search-content'), call);
    expect(request.json).toMatchObject({ max_results: 20, include_raw_content: 'markdown' });
  });

  it('narrows by domains that count strictly', async () => {
    const asked = async (search: object) =>
      (await searchOnce(withSettings(), BASIC, fixture('search'), { search })).request.json;
    expect(await asked({ includeDomains: ['a.org'] })).toMatchObject({
      include_domains: ['a.org'],
      include_domains_mode: 'restrict',
    });
    const excluding = await asked({ excludeDomains: ['b.org'] });
    expect(excluding).toMatchObject({ exclude_domains: ['b.org'] });
    expect(excluding).not.toHaveProperty('include_domains_mode');
    expect(excluding).not.toHaveProperty('filter_by_published_date');
  });

  it.each([
    [{ freshness: 'week' as const }, { time_range: 'week' }],
    [{ publishedAfter: '2026-01-01' }, { start_date: '2026-01-01' }],
    [{ publishedBefore: '2026-02-01' }, { end_date: '2026-02-01' }],
  ])('narrows by %o and drops pages without a date', async (search, fields) => {
    const { request } = await searchOnce(withSettings(), BASIC, fixture('search'), { search });
    expect(request.json).toMatchObject({ ...fields, filter_by_published_date: true });
  });

  it('has the topic and country of the settings', async () => {
    const news = await searchOnce(withSettings({ topic: 'news' }), BASIC, fixture('search'));
    expect(news.request.json).toMatchObject({ topic: 'news' });
    const french = await searchOnce(withSettings({ country: 'france' }), BASIC, fixture('search'));
    expect(french.request.json).toMatchObject({ topic: 'general', country: 'france' });
  });

  it.each([
    ['the credits that are reported', {}, BASIC, 'search', ['0.008', 'reported']],
    ['those of the depth where none are', {}, 'tavily/advanced', 'search-sparse', ['0.016', 'flat']],
    ['at the price of a plan', { usdPerCredit: '0.005' }, BASIC, 'search-sparse', ['0.005', 'flat']],
    ['a search that found nothing', {}, BASIC, 'search-none', ['0.008', 'reported']],
  ])('is charged %s', async (_what, settings, slug, reply, expected) => {
    const { charged } = await searchOnce(withSettings(settings), slug, fixture(reply));
    expect(charged).toEqual(expected);
  });
});

describe('an extract of Tavily', () => {
  it.each([
    ['basic', 'markdown'],
    ['advanced', 'text'],
  ] as const)('of depth %s asks for all pages at once as %s', async (depth, format) => {
    const urls = [ZEPHYR, TRAFFIC];
    const slug = `tavily/extract-${depth}`;
    const { request } = await extractOnce(withSettings(), slug, fixture('extract'), { urls, format });
    expect(request.url.href).toBe('https://api.tavily.com/extract');
    expect(request.headers).toEqual({ authorization: 'Bearer k' });
    expect(request.json).toEqual({ urls, extract_depth: depth, format });
  });

  it.each([
    ['a fifth of a credit a page, whatever credits are reported', {}, 'basic', '0.0032'],
    ['two fifths at the depth advanced', {}, 'advanced', '0.0064'],
    ['at the price of a plan', { usdPerCredit: '0.005' }, 'basic', '0.002'],
  ])('is charged %s', async (_what, settings, depth, usd) => {
    const call = { urls: [ZEPHYR, TRAFFIC] };
    const slug = `tavily/extract-${depth}`;
    const { charged } = await extractOnce(withSettings(settings), slug, fixture('extract'), call);
    expect(charged).toEqual([usd, 'flat']);
  });
});
