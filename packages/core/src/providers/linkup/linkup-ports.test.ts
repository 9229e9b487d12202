import { describe, expect, it } from 'vitest';
import { extractOnce, fixturesIn, searchOnce } from '../../../test/ask-once.js';
import { linkup } from './linkup-provider.js';

const fixture = fixturesIn(import.meta.dirname);
const provider = linkup({ apiKey: 'k' });

describe('the search of linkup', () => {
  it.each([
    ['linkup/fast', 'fast', '0.005'],
    ['linkup/standard', 'standard', '0.005'],
    ['linkup/deep', 'deep', '0.05'],
  ])('asks for %s as bare results of its depth, at its price', async (slug, depth, usd) => {
    const { request, charged } = await searchOnce(provider, slug, fixture('results'), { maxResults: 20 });
    expect(request.url.href).toBe('https://api.linkup.so/v1/search');
    expect(request.headers).toEqual({ authorization: 'Bearer k' });
    expect(request.json).toEqual({ q: 'Is it open?', depth, outputType: 'searchResults', maxResults: 20 });
    expect(charged).toEqual([usd, 'flat']);
  });

  it('asks for the pages of some domains and days', async () => {
    const search = { includeDomains: ['example.org'], publishedAfter: '2026-01-02', publishedBefore: '2026-03-04' };
    const { request } = await searchOnce(provider, 'linkup/standard', fixture('results'), { search });
    expect(request.json).toMatchObject({
      includeDomains: ['example.org'],
      fromDate: '2026-01-02',
      toDate: '2026-03-04',
    });
  });
});

describe('the extract of linkup', () => {
  it.each([
    ['linkup/fetch', false, '0.001'],
    ['linkup/fetch-js', true, '0.005'],
  ])('asks for a page with %s, at its price', async (slug, renderJs, usd) => {
    const { request, charged } = await extractOnce(provider, slug, fixture('page'), { format: 'text' });
    expect(request.url.href).toBe('https://api.linkup.so/v1/fetch');
    expect(request.headers).toEqual({ authorization: 'Bearer k' });
    expect(request.json).toEqual({ url: 'https://example.org/zephyr', renderJs });
    expect(charged).toEqual([usd, 'flat']);
  });
});
