import { describe, expect, it } from 'vitest';
import { askOnce, fixturesIn } from '../../../test/ask-once.js';
import * as rows from '../../../test/provider-rows.js';
import { type TavilySettings, tavily } from './tavily-provider.js';

const fixture = fixturesIn(import.meta.dirname);
const errors = fixture('errors');

const BASIC = 'tavily/answer';
const FAST = 'tavily/answer-fast';
const ULTRA_FAST = 'tavily/answer-ultra-fast';
const ADVANCED = 'tavily/answer-advanced';
const SEARCH = 'tavily/basic';
const EXTRACT = 'tavily/extract-basic';
const ZEPHYR = 'https://example.org/zephyr';
const TRAFFIC = 'https://example.com/traffic';
const ONE_CREDIT = { reported: 8_000_000n };

const ANSWERS = [
  rows.answered(BASIC, 'an answer', fixture('answer'), {
    text: 'The Zephyr Bridge opened in May 2021 and carries about 40,000 vehicles a day.',
    citations: [
      {
        url: ZEPHYR,
        title: 'Zephyr Bridge opens & traffic flows',
        snippet: 'The bridge was inaugurated on 14 May 2021. [...] It carries 40,000 vehicles daily.',
      },
      { url: TRAFFIC, title: 'Traffic report', snippet: 'Counts of "vehicles" per day.' },
    ],
    cost: ONE_CREDIT,
    upstreamRequestId: '3f0d0c2a-8f0e-4a55-9c0e-6d1a4b9f7e21',
  }),
  rows.answered(ADVANCED, 'an answer with long passages', fixture('answer-advanced'), {
    text: 'The Zephyr Bridge opened on 14 May 2021.\n\nIt has four lanes, and about 40,000 vehicles cross it every day.',
    citations: [
      {
        url: ZEPHYR,
        title: 'Zephyr Bridge opens',
        snippet:
          'The bridge was inaugurated on 14 May 2021 by the mayor, after four years of work. [...] It spans the river in one arch and carries four lanes. It spans the river in one arch and carries four lanes. It spans the river in one arch and carries four lanes. It spans the river in one arch and carries…',
      },
      { url: TRAFFIC, title: 'Traffic report' },
    ],
    cost: { reported: 16_000_000n },
    upstreamRequestId: '4a1e1d3b-9a1f-4b66-8d1f-7e2b5cad8f32',
  }),
  rows.answered(BASIC, 'many results, one of them twice', fixture('answer-many-results'), {
    text: 'Twenty bridges opened in 2021.',
    citations: Array.from({ length: 19 }, (_, index) => ({
      url: `https://example.org/bridges/${index + 1}`,
      title: `Bridge ${index + 1}`,
      snippet: `Bridge ${index + 1} opened in 2021.`,
    })),
    cost: ONE_CREDIT,
    upstreamRequestId: '5b2f2e4c-0b20-4c77-9e20-8f3c6dbe9043',
  }),
  rows.answered(BASIC, 'an answer after a search that found nothing', fixture('answer-no-results'), {
    text: 'I could not find when the Zephyr Bridge opened.',
    citations: [],
    cost: ONE_CREDIT,
    upstreamRequestId: '6c30f5d1-1c31-4d88-8f31-904d7ecfa154',
  }),
  rows.answered(BASIC, 'an answer with nulls', fixture('answer-nulls'), {
    text: 'It opened in May 2021.',
    citations: [{ url: ZEPHYR }],
  }),
  rows.answered(BASIC, 'an answer in many scripts', fixture('answer-unicode'), {
    text: '🌉 大橋は2021年5月に開通した。 افتُتح الجسر في مايو ٢٠٢١. Öffnung: »Mai« 👩‍👩‍👧.',
    citations: [
      { url: 'https://example.jp/橋', title: 'ゼファー大橋 🌉', snippet: '二〇二一年五月に開通。' },
      { url: 'https://example.ae/jisr', title: 'جسر زفير', snippet: 'افتُتح الجسر في مايو.' },
      { url: 'https://xn--brcke-kva.example/', title: 'Die Brücke – eröffnet', snippet: 'Eröffnet im Mai.' },
    ],
    cost: ONE_CREDIT,
    upstreamRequestId: '7d41a6e2-2d42-4e99-9042-a15e8fd0b265',
  }),
];

const SEARCHES = [
  rows.searched(SEARCH, 'results', fixture('search'), {
    results: [
      {
        url: ZEPHYR,
        title: 'Zephyr Bridge opens &amp; traffic flows',
        snippet: 'The bridge was inaugurated on 14 May 2021. [...] It carries 40,000 vehicles daily.',
        content: null,
        date: '2026-10-02',
        score: 0.81025416,
      },
      {
        url: TRAFFIC,
        title: 'Traffic report',
        snippet: 'Counts of "vehicles" per day.',
        content: null,
        date: 'Thu, 02 Oct 2026 07:00:00 GMT',
        score: 0.64,
      },
    ],
    cost: ONE_CREDIT,
    upstreamRequestId: '123e4567-e89b-12d3-a456-426614174111',
  }),
  rows.searched(
    SEARCH,
    'texts of pages, of which one could not be read',
    fixture('search-content'),
    {
      results: [
        {
          url: ZEPHYR,
          title: 'Zephyr Bridge opens',
          snippet: 'The bridge was inaugurated on 14 May 2021.',
          content: '# Zephyr Bridge opens\n\nThe bridge was inaugurated on 14 May 2021 by the mayor.',
          date: '2021-05-14',
          score: 0.81025416,
        },
        { url: TRAFFIC, title: 'Traffic report', snippet: 'Counts per day.', content: null, date: null, score: 0.64 },
      ],
      cost: { reported: 16_000_000n },
      upstreamRequestId: '123e4567-e89b-12d3-a456-426614174112',
    },
    { call: { includeContent: true } },
  ),
  rows.searched(SEARCH, 'results with nulls and without fields', fixture('search-sparse'), {
    results: [{ url: ZEPHYR, title: null, snippet: null, content: null, score: null }, { url: TRAFFIC }],
    upstreamRequestId: null,
  }),
  rows.searched(SEARCH, 'a search that found nothing', fixture('search-none'), {
    results: [],
    cost: ONE_CREDIT,
    upstreamRequestId: '123e4567-e89b-12d3-a456-426614174113',
  }),
];

const EXTRACTS = [
  rows.extracted(EXTRACT, 'pages in another order', fixture('extract'), {
    pages: [
      { url: TRAFFIC, title: 'Traffic report', content: '# Traffic report\n\nCounts of vehicles per day.' },
      { url: ZEPHYR, content: 'The bridge was inaugurated on 14 May 2021.' },
    ],
    upstreamRequestId: '123e4567-e89b-12d3-a456-426614174114',
  }),
  rows.extracted(EXTRACT, 'pages of which most failed', fixture('extract-partial'), {
    pages: [
      { url: ZEPHYR, title: null, content: 'The bridge is open.' },
      { url: 'https://example.org/gone', failed: 'page_not_found' },
      { url: 'https://example.org/private', failed: 'page_forbidden' },
      { url: 'https://example.org/slow', failed: 'page_timeout' },
      { url: 'https://example.org/broken', failed: 'page_failed' },
      { url: 'https://example.org/silent', failed: 'page_failed' },
    ],
    upstreamRequestId: '123e4567-e89b-12d3-a456-426614174115',
  }),
  rows.extracted(EXTRACT, 'only failures', fixture('extract-failed'), {
    pages: [{ url: ZEPHYR, failed: 'page_failed' }],
    upstreamRequestId: '123e4567-e89b-12d3-a456-426614174116',
  }),
  rows.extracted(EXTRACT, 'pages with nulls and without fields', fixture('extract-sparse'), {
    pages: [{ url: ZEPHYR, title: null, content: null }],
  }),
];

const ERRORS = rows.meanings({
  query_rejected: '400 tooLong, 400 tooShort, 400 operatorsAlone, 400 wrongDomains',
  upstream_rejected: '400 badParameter, 422 validation',
  upstream_auth_failed: '401 unauthorized, 403 forbidden',
  upstream_rate_limited: '429 rateLimit, 429 keyless',
  upstream_quota_exhausted: '432 planLimit, 433 paygoLimit',
  upstream_error: '500 internal, 502 html, 503 internal, 504 html',
});

rows.testProvider(tavily, 'tvly-prod-b3BlbiB0aGUgYnJpZGdl', {
  faultReplies: {
    error_in_200: { body: '{"detail":{"error":"The answer could not be generated."}}' },
    empty_answer: { body: '{"answer":"","results":[]}' },
  },
  evidence: { reply: 'valid JSON' },
  fixtures: [
    ...[FAST, ULTRA_FAST].map((model) => rows.answered(model, 'an answer', fixture('answer'), ANSWERS[0]!.answer)),
    ...ANSWERS,
    {
      name: 'a search without an answer, which is paid for',
      model: BASIC,
      reply: fixture('no-answer'),
      failure: { reason: 'upstream_invalid_response', phase: 'shape', cost: 8_000_000n },
    },
    {
      name: 'an empty answer',
      model: ADVANCED,
      reply: fixture('empty-answer'),
      failure: { reason: 'upstream_invalid_response', phase: 'shape', cost: 16_000_000n },
    },
    ...SEARCHES,
    ...['tavily/fast', 'tavily/advanced'].map((model) =>
      rows.searched(model, 'results', fixture('search'), SEARCHES[0]!.outcome),
    ),
    ...EXTRACTS,
    rows.extracted('tavily/extract-advanced', 'pages in another order', fixture('extract'), EXTRACTS[0]!.outcome),
    ...[BASIC, SEARCH, EXTRACT].flatMap((model) => rows.errorFixtures(model, ERRORS, errors)),
  ],
});

const withSettings = (settings: Partial<TavilySettings>) => tavily({ apiKey: 'k', ...settings });

describe('tavily', () => {
  it.each([
    [BASIC, 'basic', 'basic'],
    [FAST, 'fast', 'basic'],
    [ULTRA_FAST, 'ultra-fast', 'basic'],
    [ADVANCED, 'advanced', 'advanced'],
  ])('asks for %s as a search of depth %s with an answer', async (slug, depth, answer) => {
    const { request } = await askOnce(withSettings({}), slug, fixture('answer'));
    expect(request.url.href).toBe('https://api.tavily.com/search');
    expect(request.headers).toEqual({ authorization: 'Bearer k' });
    expect(request.json).toEqual({
      query: 'Is it open?',
      search_depth: depth,
      include_answer: answer,
      max_results: 5,
      topic: 'general',
      include_usage: true,
    });
  });

  it('searches as configured', async () => {
    const settings = { maxResults: 20, country: 'south korea' };
    const { request } = await askOnce(withSettings(settings), BASIC, fixture('answer'));
    expect(request.json).toMatchObject({ max_results: 20, topic: 'general', country: 'south korea' });
    const news = await askOnce(withSettings({ topic: 'news' }), BASIC, fixture('answer'));
    expect(news.request.json).toMatchObject({ topic: 'news' });
  });

  it.each([
    ['as many credits as Tavily reports', {}, BASIC, 'answer', ['0.008', 'reported']],
    ['one credit for a fast search where none are reported', {}, FAST, 'answer-nulls', ['0.008', 'flat']],
    ['one for an ultra-fast search', {}, ULTRA_FAST, 'answer-nulls', ['0.008', 'flat']],
    ['two credits for an advanced search', {}, ADVANCED, 'answer-advanced', ['0.016', 'reported']],
    ['the price of a plan', { usdPerCredit: '0.0067' }, ADVANCED, 'answer-advanced', ['0.0134', 'reported']],
    ['the credits of the depth where none are reported', {}, ADVANCED, 'answer-nulls', ['0.016', 'flat']],
    ['those at the price of a plan', { usdPerCredit: '0.005' }, ADVANCED, 'answer-nulls', ['0.01', 'flat']],
  ])('charges %s', async (_what, settings, slug, reply, expected) => {
    const { charged } = await askOnce(withSettings(settings), slug, fixture(reply));
    expect(charged).toEqual(expected);
  });

  it.each<[string, Partial<TavilySettings>]>([
    ['usdPerCredit: found "0.000", expected a decimal string', { usdPerCredit: '0.000' }],
    ['usdPerCredit: found "8e-3", expected a decimal string', { usdPerCredit: '8e-3' }],
    ['maxResults: found 21, expected at most 20', { maxResults: 21 }],
    ['country: found "Germany", expected the English name', { country: 'Germany' }],
    ['country: found "germany", expected no country', { country: 'germany', topic: 'news' }],
    ['maxQueryCharacters: found 0, expected at least 1', { maxQueryCharacters: 0 }],
  ])('refuses %s', (message, settings) => {
    expect(() => withSettings(settings)).toThrow(`tavily.${message}`);
  });
});
