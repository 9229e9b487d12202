import { describe, expect, it } from 'vitest';
import { extractOnce, fixturesIn, searchOnce } from '../../../test/ask-once.js';
import * as rows from '../../../test/provider-rows.js';
import type { PageFailure } from '../../provider-kit/provider.js';
import { type FirecrawlSettings, firecrawl } from './firecrawl-provider.js';

const fixture = fixturesIn(import.meta.dirname);
const errors = fixture('errors');

const SEARCH = 'firecrawl/search';
const SCRAPE = 'firecrawl/scrape';
const ZEPHYR = 'https://example.org/zephyr';
const TRAFFIC = 'https://example.com/traffic';
const CREDIT = 990_000n;
const FREE = { reported: 0n };

/** Status, name in errors.json, what it means to both ports. */
const ERRORS = rows.meanings({
  upstream_rejected: '400 badRequest',
  upstream_auth_failed: '401 invalidToken, 403 forbidden',
  upstream_quota_exhausted: '402 noCredits',
  upstream_rate_limited: '429 rateLimit, 429 concurrency',
  upstream_error: '500 unknown, 502 html',
});

/** Status, name in errors.json, why the page was not read. */
const FAILED_PAGES: readonly (readonly [status: number, name: string, failed: PageFailure])[] = [
  [400, 'invalidUrl', 'page_failed'],
  [403, 'unsupportedSite', 'page_unsupported'],
  [403, 'noLongerSupported', 'page_unsupported'],
  [403, 'unsafeDomain', 'page_forbidden'],
  [403, 'mediaDenied', 'page_forbidden'],
  [404, 'noCachedData', 'page_failed'],
  [408, 'timeout', 'page_timeout'],
  [408, 'requestTimeout', 'page_timeout'],
  [500, 'allEngines', 'page_failed'],
  [500, 'siteError', 'page_failed'],
  [500, 'unsupportedFile', 'page_unsupported'],
  [500, 'pdfAntibot', 'page_forbidden'],
  [500, 'pdfTime', 'page_timeout'],
];

rows.testProvider(firecrawl, 'fc-7c1e9b5d3f2a486081c4e6a8b0d2f4e6', {
  faultReplies: { error_in_200: { body: JSON.stringify(errors.unknown) } },
  evidence: { reply: 'valid JSON' },
  fixtures: [
    rows.searched(SEARCH, 'pages', fixture('search'), {
      results: [
        {
          url: ZEPHYR,
          title: 'Zephyr Bridge opens & traffic flows',
          snippet: 'The bridge was inaugurated on 14 May 2021.',
        },
        { url: TRAFFIC, title: 'Traffic report', snippet: 'About 40,000 vehicles a day.' },
      ],
      cost: { reported: 2n * CREDIT },
      upstreamRequestId: '019a2f4e-7c1b-7d3e-9f80-2b1c3d4e5f60',
    }),
    {
      kind: 'search',
      name: 'pages with their text, two of which could not be read',
      model: SEARCH,
      reply: fixture('search-content'),
      call: { includeContent: true },
      outcome: {
        results: [
          {
            url: ZEPHYR,
            title: 'Zephyr Bridge opens',
            snippet: 'The bridge was inaugurated.',
            content: '# Zephyr Bridge\n\nIt opened on 14 May 2021.',
            date: '2021-05-14T09:30:00Z',
          },
          { url: TRAFFIC, title: 'Traffic report', snippet: 'About 40,000 vehicles a day.' },
          { url: 'https://example.net/bridges', title: 'Bridges', snippet: 'Bridges of the region.' },
        ],
        cost: { reported: 5n * CREDIT },
        upstreamRequestId: '019a2f4e-8d2c-7e4f-a091-3c2d4e5f6071',
      },
    },
    rows.searched(SEARCH, 'pages without optional fields', fixture('search-sparse'), {
      results: [{ url: ZEPHYR, title: 'Zephyr Bridge opens' }, { url: TRAFFIC }],
    }),
    rows.searched(SEARCH, 'no pages', fixture('search-none'), {
      results: [],
      cost: FREE,
      upstreamRequestId: '019a2f4e-9e3d-7f50-b1a2-4d3e5f607182',
    }),
    rows.extracted(SCRAPE, 'a page', fixture('page'), {
      pages: [
        {
          url: ZEPHYR,
          otherUrl: 'https://www.example.org/zephyr',
          title: 'Zephyr Bridge opens',
          content: '# Zephyr Bridge\n\nIt opened on 14 May 2021.',
          date: '2021-05-14T09:30:00Z',
        },
      ],
      cost: { reported: CREDIT, usage: { pages: 1 } },
    }),
    rows.extracted(SCRAPE, 'a PDF document without its credits', fixture('page-pdf'), {
      pages: [{ url: 'https://example.org/plans.pdf', title: 'Plans', content: 'Plans of the bridge' }],
      cost: { usage: { pages: 3 } },
    }),
    rows.extracted(SCRAPE, 'a page without optional fields', fixture('page-sparse'), {
      pages: [{ url: ZEPHYR, content: 'It opened on 14 May 2021.' }],
      cost: { usage: { pages: 1 } },
    }),
    rows.extracted(SCRAPE, 'the page of an error, which is charged', fixture('page-gone'), {
      pages: [{ url: ZEPHYR, failed: 'page_not_found' }],
      cost: { reported: CREDIT, usage: { pages: 1 } },
    }),
    ...[200, 500].map((status) => ({
      kind: 'extract' as const,
      name: `a host that does not exist, with ${status}, which costs a credit`,
      model: SCRAPE,
      status,
      reply: errors.unknownHost,
      outcome: { pages: [{ url: ZEPHYR, failed: 'page_failed' as const }], cost: { reported: CREDIT } },
    })),
    ...FAILED_PAGES.map(([status, name, failed]) => ({
      kind: 'extract' as const,
      name: `the failed page ${name} with ${status}`,
      model: SCRAPE,
      status,
      reply: errors[name],
      outcome: { pages: [{ url: ZEPHYR, failed }], cost: FREE },
    })),
    ...rows.errorFixtures(SEARCH, [...ERRORS, [408, 'requestTimeout', 'upstream_error']], errors),
    ...rows.errorFixtures(SCRAPE, ERRORS, errors),
  ],
});

const PDF = { type: 'pdf', maxPages: 10 };
const PLAIN = { query: 'Is it open?', limit: 10 };

describe('the search of firecrawl', () => {
  it.each<[string, Parameters<typeof searchOnce>[3], object]>([
    ['ten pages', {}, PLAIN],
    ['another number of pages', { maxResults: 100 }, { ...PLAIN, limit: 100 }],
    [
      'the text of pages',
      { includeContent: true },
      { ...PLAIN, scrapeOptions: { formats: [{ type: 'markdown' }], parsers: [PDF] } },
    ],
    [
      'pages of some hosts, days and a country',
      {
        search: {
          includeDomains: ['example.org', 'example.com'],
          days: { first: '2026-01-31', last: '2026-02-28' },
          country: 'DE',
        },
      },
      {
        ...PLAIN,
        includeDomains: ['example.org', 'example.com'],
        tbs: 'cdr:1,cd_min:01/31/2026,cd_max:02/28/2026',
        country: 'DE',
      },
    ],
    [
      'pages of the last week without a host',
      { search: { excludeDomains: ['example.com'], freshness: 'week' } },
      { ...PLAIN, excludeDomains: ['example.com'], tbs: 'qdr:w' },
    ],
  ])('asks for %s', async (_what, call, json) => {
    const { request } = await searchOnce(firecrawl({ apiKey: 'k' }), SEARCH, fixture('search'), call);
    expect([request.url.href, request.headers]).toEqual([
      'https://api.firecrawl.dev/v2/search',
      { authorization: 'Bearer k' },
    ]);
    expect(request.json).toEqual(json);
  });

  it.each([
    ['the reported credits', 'search', {}, ['0.00198', 'reported']],
    ['ten pages by the list', 'search-sparse', {}, ['0.00198', 'flat']],
    ['each further page by the list', 'search-sparse', { maxResults: 20 }, ['0.00396', 'flat']],
    ['the text of each page by the list', 'search-sparse', { includeContent: true }, ['0.01188', 'flat']],
  ])('costs %s', async (_what, reply, call, charged) => {
    expect((await searchOnce(firecrawl({ apiKey: 'k' }), SEARCH, fixture(reply), call)).charged).toEqual(charged);
  });
});

describe('the extract of firecrawl', () => {
  it('asks for the Markdown of a page, and gives a slow page up before the call ends', async () => {
    const { request } = await extractOnce(firecrawl({ apiKey: 'k' }), SCRAPE, fixture('page'), { format: 'text' });
    expect(request.url.href).toBe('https://api.firecrawl.dev/v2/scrape');
    expect(request.json).toEqual({ url: ZEPHYR, formats: [{ type: 'markdown' }], parsers: [PDF], timeout: 25_000 });
  });

  it('reads as many pages of a PDF document as are set', async () => {
    const { request } = await extractOnce(firecrawl({ apiKey: 'k', maxPdfPages: 3 }), SCRAPE, fixture('page'));
    expect(request.json).toMatchObject({ parsers: [{ type: 'pdf', maxPages: 3 }] });
  });

  it.each<[string, string, string, Partial<FirecrawlSettings>]>([
    ['page', '0.00099', 'reported', {}],
    ['page', '0.0046', 'reported', { usdPerCredit: '0.0046' }],
    ['page-sparse', '0.00099', 'flat', {}],
    ['page-sparse', '0.0046', 'flat', { usdPerCredit: '0.0046' }],
    ['page-pdf', '0.00297', 'flat', {}],
  ])('charges for the reply %s %s, %s, with %o', async (reply, usd, source, settings) => {
    const provider = firecrawl({ apiKey: 'k', ...settings });
    expect((await extractOnce(provider, SCRAPE, fixture(reply))).charged).toEqual([usd, source]);
  });

  it('charges at least a page', async () => {
    const reply = { success: true, data: { markdown: 'It opened.', metadata: { numPages: 0 } } };
    const { charged } = await extractOnce(firecrawl({ apiKey: 'k' }), SCRAPE, reply);
    expect(charged).toEqual(['0.00099', 'flat']);
  });

  it.each([
    [401, 'page_forbidden'],
    [403, 'page_forbidden'],
    [404, 'page_not_found'],
    [408, 'page_timeout'],
    [410, 'page_not_found'],
    [429, 'page_failed'],
    [503, 'page_failed'],
    [504, 'page_timeout'],
  ])('takes a page with the status %i for %s', async (statusCode, failed) => {
    const reply = { success: true, data: { markdown: '# Oh', metadata: { statusCode } } };
    const { outcome } = await extractOnce(firecrawl({ apiKey: 'k' }), SCRAPE, reply);
    expect(outcome.pages).toEqual([{ url: ZEPHYR, failed }]);
  });
});

describe('firecrawl', () => {
  it.each<[Partial<FirecrawlSettings>, string]>([
    [{ usdPerCredit: '0' }, 'firecrawl.usdPerCredit: found "0", expected a decimal string of US dollars above 0'],
    [{ maxPdfPages: 21 }, 'firecrawl.maxPdfPages: found 21, expected a whole number from 1 to 20'],
    [{ apiKey: '' }, 'Set FIRECRAWL_API_KEY or give apiKey'],
  ])('refuses %o', (settings, message) => {
    expect(() => firecrawl({ apiKey: 'k', ...settings })).toThrow(message);
  });
});
