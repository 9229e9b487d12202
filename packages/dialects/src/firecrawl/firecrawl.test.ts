import { expect, it } from 'vitest';
import { formAsker } from '../../test/form-asker.js';
import { TITLE, URL } from '../../test/retrieval-provider.js';
import { firecrawl } from './firecrawl.js';

const ask = formAsker({ firecrawl: firecrawl({ search: 'house/search', extract: 'house/extract' }) });
const search = (body: object) =>
  ask({ path: '/api/v1/firecrawl/v2/search', body: { query: 'Zephyr Bridge', ...body } });
const scrape = (body: object) => ask({ path: '/api/v1/firecrawl/v2/scrape', body: { url: URL, ...body } });

it('a search has the form of Firecrawl, and is charged once', async () => {
  const { status, body, spent, event, seen } = await search({ origin: 'js-sdk@4.42.0', sources: ['web'] });
  expect(body).toEqual({
    success: true,
    data: { web: [{ url: URL, title: TITLE, description: 'Opened.' }] },
    id: expect.stringMatching(/^sch_/) as string,
    cost: 0.005,
  });
  expect([status, spent, event.endpoint]).toEqual([200, 0.005, 'firecrawl_search']);
  expect(seen).toMatchObject({ maxResults: 5, includeContent: false });
});

it('news have the form of news', async () => {
  const { body } = await search({ sources: [{ type: 'news' }], scrapeOptions: { formats: ['markdown'] } });
  const page = { url: URL, title: TITLE, snippet: 'Opened.', date: '2021-05-14', markdown: 'The whole page.' };
  expect(body).toMatchObject({ success: true, data: { news: [page] } });
});

it.each<[object, object]>([
  [
    { limit: 3, sources: [{ type: 'web' }] },
    { maxResults: 3, search: undefined },
  ],
  [{ sources: ['news'], country: 'DE' }, { search: { country: 'DE', topic: 'news' } }],
  [{ scrapeOptions: { formats: ['markdown', 'rawHtml'] } }, { includeContent: true }],
  [{ scrapeOptions: { formats: [{ type: 'markdown' }] } }, { includeContent: true }],
  [{ scrapeOptions: { formats: [] } }, { includeContent: false }],
  [{ tbs: 'qdr:m' }, { search: { freshness: 'month' } }],
  [
    { tbs: 'cdr:1,cd_min:3/1/2021,cd_max:12/31/2021', includeDomains: ['example.com'] },
    { search: { publishedAfter: '2021-03-01', publishedBefore: '2021-12-31', includeDomains: ['example.com'] } },
  ],
  [{ location: 'Germany' }, { search: { country: 'DE' } }],
  [{ country: 'uk', location: 'United Kingdom' }, { search: { country: 'GB' } }],
  [{ tbs: 'cdr:1,cd_max:12/31/2021' }, { search: { publishedBefore: '2021-12-31' } }],
])('%j is asked as %j', async (body, seen) => {
  const { status, seen: asked } = await search(body);
  expect([status, asked]).toMatchObject([200, seen]);
});

it.each<[object, string]>([
  [{ query: '' }, 'query'],
  [{ limit: 0 }, 'limit'],
  [{ sources: ['web', 'news'] }, 'sources'],
  [{ sources: 'web' }, 'sources'],
  [{ sources: ['images'] }, 'sources'],
  [{ scrapeOptions: { formats: ['json'] } }, 'scrapeOptions.formats'],
  [{ scrapeOptions: 'markdown' }, 'scrapeOptions'],
  [{ tbs: 'qdr:h' }, 'tbs'],
  [{ tbs: 'sbd:1,qdr:d' }, 'tbs'],
  [{ tbs: 7 }, 'tbs'],
  [{ country: 'us', location: 'Germany' }, 'location'],
  [{ location: 'San Francisco' }, 'location'],
  [{ includeDomains: ['no host'] }, 'includeDomains'],
  [{ categories: ['github'] }, 'categories'],
])('%j is refused by name, and nothing is charged', async (wrong, field) => {
  const { status, body, seen, spent } = await search(wrong);
  expect([status, seen, spent]).toEqual([400, undefined, 0]);
  expect(body).toMatchObject({ success: false, error: expect.stringContaining(field) as string });
});

it('a page is read as Markdown', async () => {
  const { status, body, spent, seen } = await scrape({ formats: ['markdown'], onlyMainContent: true, waitFor: 100 });
  expect(body).toEqual({
    success: true,
    data: {
      markdown: 'The whole page.',
      metadata: { title: TITLE, url: URL, sourceURL: URL, statusCode: 200, scrapeId: expect.any(String) as string },
    },
    cost: 0.005,
  });
  expect([status, spent, seen]).toMatchObject([200, 0.005, { urls: [URL] }]);
});

it.each([{ url: 'no address' }, { url: undefined }, { formats: ['screenshot'] }, { actions: [{ type: 'wait' }] }])(
  '%j is refused, and nothing is charged',
  async (wrong) => {
    const { status, body, spent } = await scrape(wrong);
    const error = expect.stringContaining(Object.keys(wrong)[0] ?? '') as string;
    expect([status, body, spent]).toMatchObject([400, { success: false, error }, 0]);
  },
);

it('a page that cannot be read is an error in the form of Firecrawl', async () => {
  const { status, body, spent } = await scrape({ url: 'https://example.org/gone' });
  expect([status, body, spent]).toMatchObject([502, { success: false, code: 'no_page_extracted' }, 0]);
});
