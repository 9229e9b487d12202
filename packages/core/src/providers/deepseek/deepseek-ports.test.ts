import { describe, expect, it } from 'vitest';
import { extractOnce, fixturesIn, searchOnce } from '../../../test/ask-once.js';
import { deepseek } from './deepseek-provider.js';

const fixture = fixturesIn(import.meta.dirname);
const provider = deepseek({ apiKey: 'k' });

const SEARCH = 'deepseek/search';

describe('the search of deepseek', () => {
  it.each([
    [{}, { count: 10, need_content: false }],
    [
      { maxResults: 50, includeContent: true },
      { count: 50, need_content: true },
    ],
  ])('asks for %j at one price', async (call, fields) => {
    const { request, charged } = await searchOnce(provider, SEARCH, fixture('search'), call);
    expect(request.url.href).toBe('https://api.deepseek.com/v1/tools/search');
    expect(request.headers).toEqual({ authorization: 'Bearer k' });
    expect(request.json).toEqual({ query: 'Is it open?', ...fields });
    expect(charged).toEqual(['0.00075', 'flat']);
  });

  it('is asked below the base URL of the settings', async () => {
    const other = deepseek({ apiKey: 'k', baseUrl: 'https://proxy.example/deepseek' });
    const { request } = await searchOnce(other, SEARCH, fixture('search'));
    expect(request.url.href).toBe('https://proxy.example/deepseek/v1/tools/search');
  });
});

describe('the extract of deepseek', () => {
  it('asks for a page, at its price', async () => {
    const { request, charged } = await extractOnce(provider, 'deepseek/fetch', fixture('page'), { format: 'text' });
    expect(request.url.href).toBe('https://api.deepseek.com/v1/tools/fetch');
    expect(request.headers).toEqual({ authorization: 'Bearer k' });
    expect(request.json).toEqual({ url: 'https://example.org/zephyr' });
    expect(charged).toEqual(['0.00075', 'flat']);
  });
});
