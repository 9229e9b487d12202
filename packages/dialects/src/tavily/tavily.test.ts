import { describe, expect, it } from 'vitest';
import { formAsker } from '../../test/form-asker.js';
import { TITLE, URL } from '../../test/retrieval-provider.js';
import { tavily } from './tavily.js';

const MODELS = { search: 'house/search', extract: 'house/extract', answer: 'house/answer' };
const ask = formAsker({ tavily: tavily(MODELS) });
const search = (body: object) => ask({ path: '/api/v1/tavily/search', body: { query: 'Zephyr Bridge', ...body } });
const RESULT = {
  title: TITLE,
  url: URL,
  content: 'Opened.',
  score: 1,
  raw_content: null,
  published_date: '2021-05-14',
};

it('a search has the form of Tavily, and is charged once', async () => {
  const { status, body, seen, spent, event } = await search({});
  expect(body).toEqual({
    query: 'Zephyr Bridge',
    answer: null,
    images: [],
    results: [RESULT],
    response_time: expect.any(Number) as number,
    usage: { cost: 0.005 },
    request_id: expect.stringMatching(/^sch_/) as string,
  });
  expect([status, spent, event.endpoint]).toEqual([200, 0.005, 'tavily_search']);
  expect(seen).toMatchObject({ query: 'Zephyr Bridge', maxResults: 5, includeContent: false });
});

it.each<[object, object]>([
  [{ max_results: 3 }, { maxResults: 3 }],
  [{ include_raw_content: 'markdown' }, { includeContent: true }],
  [{ include_raw_content: false }, { includeContent: false }],
  [{ include_domains: ['example.com'], exclude_domains: [] }, { search: { includeDomains: ['example.com'] } }],
  [{ exclude_domains: ['example.com'] }, { search: { excludeDomains: ['example.com'] } }],
  [{ time_range: 'w' }, { search: { freshness: 'week' } }],
  [{ time_range: 'year' }, { search: { freshness: 'year' } }],
  [
    { start_date: '2021-01-01', end_date: '2021-12-31' },
    { search: { publishedAfter: '2021-01-01', publishedBefore: '2021-12-31' } },
  ],
  [{ country: 'united states' }, { search: { country: 'US' } }],
  [{ topic: 'news' }, { search: { topic: 'news' } }],
  [{ country: 'DE', language: 'de' }, { search: { country: 'DE', language: 'de' } }],
  [{ topic: 'general', search_depth: 'advanced', include_images: false, include_answer: false }, { search: undefined }],
])('%j is asked as %j', async (body, seen) => {
  const { status, seen: asked } = await search(body);
  expect([status, asked]).toMatchObject([200, seen]);
});

it.each<[object, string]>([
  [{ query: '' }, 'query'],
  [{ max_results: 0 }, 'max_results'],
  [{ max_results: 'many' }, 'max_results'],
  [{ include_raw_content: 'html' }, 'include_raw_content'],
  [{ include_answer: 'long' }, 'include_answer'],
  [{ include_answer: true, include_raw_content: true }, 'include_raw_content'],
  [{ include_answer: true, max_results: 0 }, 'max_results'],
  [{ include_answer: true, max_results: 'many' }, 'max_results'],
  [{ include_images: true }, 'include_images'],
  [{ include_domains: 'example.com' }, 'include_domains'],
  [{ include_domains: ['no host'] }, 'include_domains'],
  [{ start_date: 'yesterday' }, 'start_date'],
  [{ time_range: 'hour' }, 'time_range'],
  [{ country: 'atlantis' }, 'country'],
  [{ topic: 'finance' }, 'topic'],
  [{ days: 3 }, 'days'],
  [{ max_result: 3 }, 'max_results'],
])('%j is refused by name, and nothing is charged', async (wrong, field) => {
  const { status, body, seen, spent } = await search(wrong);
  expect([status, seen, spent]).toEqual([400, undefined, 0]);
  expect(body).toEqual({
    detail: {
      error: expect.stringMatching(new RegExp(`\\b${field}\\b`)) as string,
      code: expect.stringMatching(/^(?:invalid|unsupported)_field$/) as string,
      request_id: expect.any(String) as string,
    },
  });
});

it('a search with an answer is one question, whose sources are the results', async () => {
  const { body, seen, spent } = await search({ include_answer: 'basic' });
  const results = [{ ...RESULT, published_date: null }];
  expect(body).toMatchObject({ answer: 'In 2021.', results, usage: { cost: 0.005 } });
  expect([seen?.['port'], spent]).toEqual(['answer', 0.005]);
});

it('an answer is refused where no model for answers is set up', async () => {
  const other = formAsker({ tavily: tavily({ search: 'house/search' }) });
  const body = { query: 'Zephyr Bridge', include_answer: true };
  expect((await other({ path: '/api/v1/tavily/search', body })).body).toMatchObject({
    detail: { code: 'unsupported_field' },
  });
});

describe('an extract', () => {
  const extract = (body: object) => ask({ path: '/api/v1/tavily/extract', body });

  it('names the pages that were read, and those that were not', async () => {
    const { body, spent } = await extract({ urls: [URL, 'https://example.org/gone'], extract_depth: 'advanced' });
    expect(body).toMatchObject({
      results: [{ url: URL, title: TITLE, raw_content: 'The whole page.', images: [] }],
      failed_results: [{ url: 'https://example.org/gone', error: 'page_not_found' }],
    });
    expect(spent).toBe(0.005);
  });

  it('takes one address without a list', async () => {
    expect((await extract({ urls: URL, format: 'text' })).seen).toMatchObject({ urls: [URL], format: 'text' });
  });

  it.each([{}, { urls: [] }, { urls: ['no address'] }, { urls: URL, format: 'html' }, { urls: URL, query: 'x' }])(
    '%j is refused',
    async (wrong) => {
      const { status, spent } = await extract(wrong);
      expect([status, spent]).toEqual([400, 0]);
    },
  );
});

it('without a key the error has the form of Tavily too', async () => {
  const { status, body } = await ask({ path: '/api/v1/tavily/search', body: {}, headers: { authorization: '' } });
  expect([status, body]).toMatchObject([401, { detail: { error: expect.any(String) as string } }]);
});
