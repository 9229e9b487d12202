import { describe, expect, it } from 'vitest';
import { extractOnce, fixturesIn, searchOnce } from '../../../test/ask-once.js';
import { type YouSettings, you } from './you-provider.js';

const fixture = fixturesIn(import.meta.dirname);
const withSettings = (settings: Partial<YouSettings> = {}) => you({ apiKey: 'k', ...settings });

const SEARCH = 'you/search';
const EXTRACT = 'you/extract';
const FULL_PAGE = { extraction_formats: ['markdown'] };

describe('a search of You.com', () => {
  it('goes to the host of the index, with only the fields it needs', async () => {
    const { request, charged } = await searchOnce(withSettings(), SEARCH, fixture('search'), { maxResults: 100 });
    expect(request.url.href).toBe('https://ydc-index.io/v1/search');
    expect(request.headers).toEqual({ 'x-api-key': 'k' });
    expect(request.json).toEqual({ query: 'Is it open?', count: 100 });
    expect(charged).toEqual(['0.005', 'flat']);
  });

  it('goes to a host that is set', async () => {
    const provider = withSettings({ baseUrl: 'https://proxy.example/you' });
    const { request } = await searchOnce(provider, SEARCH, fixture('search'));
    expect(request.url.href).toBe('https://proxy.example/you/v1/search');
    const page = await extractOnce(provider, EXTRACT, fixture('extract'));
    expect(page.request.url.href).toBe('https://proxy.example/you/v1/extract');
  });

  it('asks for the text of pages, and costs a tenth of a cent for each that came, of news too', async () => {
    const call = { includeContent: true };
    const { request, charged } = await searchOnce(withSettings(), SEARCH, fixture('search-content'), call);
    const extraction = { extraction_mode: 'full_page', full_page: FULL_PAGE };
    expect(request.json).toEqual({ query: 'Is it open?', count: 10, extraction });
    expect(charged).toEqual(['0.007', 'flat']);
  });

  it.each([
    [{ includeDomains: ['a.org'] }, { include_domains: ['a.org'] }],
    [{ excludeDomains: ['a.org'] }, { exclude_domains: ['a.org'] }],
    [{ country: 'DE' }, { country: 'DE' }],
    [{ language: 'de' }, { language: 'DE' }],
    [{ language: 'ja' }, { language: 'JP' }],
  ])('narrows by %o', async (search, fields) => {
    const { request } = await searchOnce(withSettings(), SEARCH, fixture('search'), { search });
    expect(request.json).toEqual({ query: 'Is it open?', count: 10, ...fields });
  });

  it('has the settings, unless the caller asks otherwise', async () => {
    const provider = withSettings({ country: 'GB', language: 'EN-GB', safesearch: 'strict' });
    const { request } = await searchOnce(provider, SEARCH, fixture('search'), { search: { country: 'FR' } });
    expect(request.json).toMatchObject({ country: 'FR', language: 'EN-GB', safesearch: 'strict' });
  });
});

describe('an extract of You.com', () => {
  it('asks for one page as Markdown, at the effort that makes no PDF dearer', async () => {
    const { request, charged } = await extractOnce(withSettings(), EXTRACT, fixture('extract'));
    expect(request.url.href).toBe('https://ydc-index.io/v1/extract');
    expect(request.headers).toEqual({ 'x-api-key': 'k' });
    const url = 'https://example.org/zephyr';
    expect(request.json).toEqual({ url, full_page: FULL_PAGE, parse_effort: 'lite' });
    expect(charged).toEqual(['0.0009', 'flat']);
  });
});
