import { describe, expect, it } from 'vitest';
import { extractOnce, fixturesIn, searchOnce } from '../../../test/ask-once.js';
import { type ValyuSettings, valyu } from './valyu-provider.js';

const fixture = fixturesIn(import.meta.dirname);
const withSettings = (settings: Partial<ValyuSettings> = {}) => valyu({ apiKey: 'k', ...settings });

const SEARCH = 'valyu/search';
const CONTENTS = 'valyu/contents';
const ZEPHYR = 'https://example.org/zephyr';

describe('the search of valyu', () => {
  it('asks for results of the web with short texts', async () => {
    const { request } = await searchOnce(withSettings(), SEARCH, fixture('results'));
    expect(request.url.href).toBe('https://api.valyu.ai/v1/search');
    expect(request.headers).toEqual({ 'x-api-key': 'k' });
    expect(request.json).toEqual({
      query: 'Is it open?',
      max_num_results: 10,
      response_length: 4_000,
      search_type: 'web',
    });
  });

  it('asks for more results with the text of their pages', async () => {
    const call = { maxResults: 20, includeContent: true };
    const { request } = await searchOnce(withSettings(), SEARCH, fixture('results'), call);
    expect(request.json).toMatchObject({ max_num_results: 20, response_length: 'large' });
  });

  it('has the sources and the country of the settings, and the country of the caller before', async () => {
    const provider = withSettings({ searchType: 'all', country: 'ALL' });
    const { request } = await searchOnce(provider, SEARCH, fixture('results'));
    expect(request.json).toMatchObject({ search_type: 'all', country_code: 'ALL' });
    const german = await searchOnce(provider, SEARCH, fixture('results'), { search: { country: 'DE' } });
    expect(german.request.json).toMatchObject({ search_type: 'all', country_code: 'DE' });
  });

  it('asks for the pages of some domains and days', async () => {
    const search = { excludeDomains: ['example.org'], publishedAfter: '2026-01-02', publishedBefore: '2026-03-04' };
    const { request } = await searchOnce(withSettings(), SEARCH, fixture('results'), { search });
    expect(request.json).toMatchObject({
      excluded_sources: ['example.org'],
      start_date: '2026-01-02',
      end_date: '2026-03-04',
    });
  });

  it.each([
    ['the reported cost', 'web', 'results', ['0.003', 'reported']],
    ['the results where no cost is reported', 'web', 'results-sparse', ['0.003', 'computed']],
    ['the ceiling of licensed sources where no cost is reported', 'all', 'results-sparse', ['0.5', 'ceiling']],
  ] as const)('charges %s', async (_what, searchType, reply, charged) => {
    const asked = await searchOnce(withSettings({ searchType }), SEARCH, fixture(reply));
    expect(asked.charged).toEqual(charged);
  });
});

describe('the extract of valyu', () => {
  it('asks for the whole text of all pages', async () => {
    const urls = [ZEPHYR, 'https://example.com/traffic'];
    const { request, charged } = await extractOnce(withSettings(), CONTENTS, fixture('pages'), {
      urls,
      format: 'text',
    });
    expect(request.url.href).toBe('https://api.valyu.ai/v1/contents');
    expect(request.headers).toEqual({ 'x-api-key': 'k' });
    expect(request.json).toEqual({ urls, response_length: 'max' });
    expect(charged).toEqual(['0.001', 'reported']);
  });

  it('charges pages by the list where no cost is reported', async () => {
    expect((await extractOnce(withSettings(), CONTENTS, fixture('pages-sparse'))).charged).toEqual(['0.001', 'flat']);
  });
});
