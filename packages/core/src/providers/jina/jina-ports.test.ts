import { describe, expect, it } from 'vitest';
import { extractOnce, fixturesIn, searchOnce } from '../../../test/ask-once.js';
import { type JinaSettings, jina } from './jina-provider.js';

const fixture = fixturesIn(import.meta.dirname);
const withSettings = (settings: Partial<JinaSettings> = {}) => jina({ apiKey: 'k', ...settings });

const SEARCH = 'jina/search';
const READER = 'jina/reader';
const PAGE = 'https://example.org/zephyr';
const page = (data: object) => ({ code: 200, status: 20_000, data: { content: 'Words.', ...data } });

describe('the search of jina', () => {
  it('asks for results without the text of pages', async () => {
    const { request } = await searchOnce(withSettings(), SEARCH, fixture('search'));
    expect(request.url.href).toBe('https://s.jina.ai/');
    expect(request.headers).toEqual({ authorization: 'Bearer k', 'x-respond-with': 'no-content' });
    expect(request.json).toEqual({ q: 'Is it open?', num: 10 });
  });

  it('asks for more results, with the text of their pages', async () => {
    const call = { maxResults: 20, includeContent: true };
    const provider = withSettings({ headers: { 'x-trace': '7' } });
    const { request } = await searchOnce(provider, SEARCH, fixture('search-content'), call);
    expect(request.headers).toEqual({ authorization: 'Bearer k', 'x-trace': '7' });
    expect(request.json).toEqual({ q: 'Is it open?', num: 20 });
  });

  it('asks for the pages of some domains, from a country', async () => {
    const search = { includeDomains: ['example.com', 'example.org'], country: 'DE' };
    const { request } = await searchOnce(withSettings(), SEARCH, fixture('search'), { search });
    expect(request.json).toMatchObject({ site: ['example.com', 'example.org'], gl: 'DE' });
  });

  it.each([
    ['the tokens', {}, 'search', ['0.0005', 'computed']],
    ['the tokens at the price of the account', { usdPerMillionTokens: '0.02' }, 'search', ['0.0002', 'computed']],
    ['the ceiling where no tokens are reported', {}, 'search-sparse', ['0.05', 'ceiling']],
  ])('charges %s', async (_what, settings, reply, charged) => {
    expect((await searchOnce(withSettings(settings), SEARCH, fixture(reply))).charged).toEqual(charged);
  });
});

describe('the extract of jina', () => {
  it.each([
    ['markdown', {}],
    ['text', { respondWith: 'text' }],
  ] as const)('asks for a page as %s', async (format, fields) => {
    const { request } = await extractOnce(withSettings(), READER, fixture('page'), { format });
    expect(request.url.href).toBe('https://r.jina.ai/');
    expect(request.headers).toEqual({ authorization: 'Bearer k' });
    expect(request.json).toEqual({ url: PAGE, ...fields, retainImages: 'none' });
  });

  it('is asked at the base URL of the settings, as the search is', async () => {
    const provider = withSettings({ baseUrl: 'https://proxy.example/jina' });
    const read = await extractOnce(provider, READER, fixture('page'));
    const found = await searchOnce(provider, SEARCH, fixture('search'));
    expect(read.request.url.href).toBe('https://proxy.example/jina/');
    expect(found.request.url.href).toBe('https://proxy.example/jina/');
  });

  it.each([
    ['the tokens of the reply', 'page', ['0.00000165', 'computed']],
    ['the tokens of the page', 'page-text', ['0.0000006', 'computed']],
    ['the ceiling where no tokens are reported', 'page-sparse', ['0.01', 'ceiling']],
  ])('charges %s', async (_what, reply, charged) => {
    expect((await extractOnce(withSettings(), READER, fixture(reply))).charged).toEqual(charged);
  });

  it.each([
    [401, 'page_forbidden'],
    [403, 'page_forbidden'],
    [404, 'page_not_found'],
    [408, 'page_timeout'],
    [410, 'page_not_found'],
    [451, 'page_forbidden'],
    [500, 'page_failed'],
    [504, 'page_timeout'],
  ])('takes a page of status %i for %s', async (status, failed) => {
    for (const data of [{ httpStatus: status }, { warning: `Target URL returned error ${status}: No` }]) {
      const { outcome } = await extractOnce(withSettings(), READER, page(data));
      expect(outcome.pages).toEqual([{ url: PAGE, failed }]);
    }
  });

  it('believes the status of a page before its warnings', async () => {
    const data = { httpStatus: 200, warning: 'Target URL returned error 404: Not Found' };
    const { outcome } = await extractOnce(withSettings(), READER, page(data));
    expect(outcome.pages).toMatchObject([{ url: PAGE, content: 'Words.' }]);
  });
});
