import { describe, expect, it } from 'vitest';
import { askOnce, fixturesIn } from '../../../test/ask-once.js';
import { type ErrorRow, errorFixtures, testProvider } from '../../../test/provider-rows.js';
import type { AnswerOutcome, ExtractOutcome, SearchOutcome } from '../../provider-kit/provider.js';
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

/** Name, model, reply, what it means. */
const ANSWERS: readonly (readonly [string, string, string, AnswerOutcome])[] = [
  [
    'an answer',
    BASIC,
    'answer',
    {
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
    },
  ],
  [
    'an answer with long passages',
    ADVANCED,
    'answer-advanced',
    {
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
    },
  ],
  [
    'many results, one of them twice',
    BASIC,
    'answer-many-results',
    {
      text: 'Twenty bridges opened in 2021.',
      citations: Array.from({ length: 19 }, (_, index) => ({
        url: `https://example.org/bridges/${index + 1}`,
        title: `Bridge ${index + 1}`,
        snippet: `Bridge ${index + 1} opened in 2021.`,
      })),
      cost: ONE_CREDIT,
      upstreamRequestId: '5b2f2e4c-0b20-4c77-9e20-8f3c6dbe9043',
    },
  ],
  [
    'an answer after a search that found nothing',
    BASIC,
    'answer-no-results',
    {
      text: 'I could not find when the Zephyr Bridge opened.',
      citations: [],
      cost: ONE_CREDIT,
      upstreamRequestId: '6c30f5d1-1c31-4d88-8f31-904d7ecfa154',
    },
  ],
  [
    'an answer without any optional field',
    BASIC,
    'answer-missing-fields',
    { text: 'It opened in May 2021.', citations: [{ url: ZEPHYR }], cost: {} },
  ],
  [
    'an answer with nulls',
    BASIC,
    'answer-nulls',
    { text: 'It opened in May 2021.', citations: [{ url: ZEPHYR }], cost: {} },
  ],
  [
    'an answer in many scripts',
    BASIC,
    'answer-unicode',
    {
      text: '🌉 大橋は2021年5月に開通した。 افتُتح الجسر في مايو ٢٠٢١. Öffnung: »Mai« 👩‍👩‍👧.',
      citations: [
        { url: 'https://example.jp/橋', title: 'ゼファー大橋 🌉', snippet: '二〇二一年五月に開通。' },
        { url: 'https://example.ae/jisr', title: 'جسر زفير', snippet: 'افتُتح الجسر في مايو.' },
        { url: 'https://xn--brcke-kva.example/', title: 'Die Brücke – eröffnet', snippet: 'Eröffnet im Mai.' },
      ],
      cost: ONE_CREDIT,
      upstreamRequestId: '7d41a6e2-2d42-4e99-9042-a15e8fd0b265',
    },
  ],
];

/** Name, reply, what it means. */
const SEARCHES: readonly (readonly [string, string, SearchOutcome])[] = [
  [
    'results',
    'search',
    {
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
    },
  ],
  [
    'texts of pages, of which one could not be read',
    'search-content',
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
  ],
  [
    'results with nulls and without fields',
    'search-sparse',
    {
      results: [{ url: ZEPHYR, title: null, snippet: null, content: null, score: null }, { url: TRAFFIC }],
      cost: {},
      upstreamRequestId: null,
    },
  ],
  [
    'a search that found nothing',
    'search-none',
    { results: [], cost: ONE_CREDIT, upstreamRequestId: '123e4567-e89b-12d3-a456-426614174113' },
  ],
];

/** Name, reply, what it means. */
const EXTRACTS: readonly (readonly [string, string, ExtractOutcome])[] = [
  [
    'pages in another order',
    'extract',
    {
      pages: [
        { url: TRAFFIC, title: 'Traffic report', content: '# Traffic report\n\nCounts of vehicles per day.' },
        { url: ZEPHYR, content: 'The bridge was inaugurated on 14 May 2021.' },
      ],
      cost: {},
      upstreamRequestId: '123e4567-e89b-12d3-a456-426614174114',
    },
  ],
  [
    'pages of which most failed',
    'extract-partial',
    {
      pages: [
        { url: ZEPHYR, title: null, content: 'The bridge is open.' },
        { url: 'https://example.org/gone', failed: 'page_not_found' },
        { url: 'https://example.org/private', failed: 'page_forbidden' },
        { url: 'https://example.org/slow', failed: 'page_timeout' },
        { url: 'https://example.org/broken', failed: 'page_failed' },
        { url: 'https://example.org/silent', failed: 'page_failed' },
      ],
      cost: {},
      upstreamRequestId: '123e4567-e89b-12d3-a456-426614174115',
    },
  ],
  [
    'only failures',
    'extract-failed',
    {
      pages: [{ url: ZEPHYR, failed: 'page_failed' }],
      cost: {},
      upstreamRequestId: '123e4567-e89b-12d3-a456-426614174116',
    },
  ],
  [
    'pages with nulls and without fields',
    'extract-sparse',
    {
      pages: [{ url: ZEPHYR, title: null, content: null }],
      cost: {},
    },
  ],
];

/** Status, name in errors.json, what it means. */
const ERRORS: readonly ErrorRow[] = [
  [400, 'tooLong', 'query_rejected'],
  [400, 'badParameter', 'upstream_rejected'],
  [422, 'validation', 'upstream_rejected'],
  [401, 'unauthorized', 'upstream_auth_failed'],
  [403, 'forbidden', 'upstream_auth_failed'],
  [429, 'rateLimit', 'upstream_rate_limited'],
  [429, 'keyless', 'upstream_rate_limited'],
  [432, 'planLimit', 'upstream_quota_exhausted'],
  [433, 'paygoLimit', 'upstream_quota_exhausted'],
  [500, 'internal', 'upstream_error'],
  [502, 'html', 'upstream_error'],
  [503, 'internal', 'upstream_error'],
  [504, 'html', 'upstream_error'],
];

testProvider(tavily, 'tvly-prod-b3BlbiB0aGUgYnJpZGdl', {
  faultReplies: {
    error_in_200: { body: '{"detail":{"error":"The answer could not be generated."}}' },
    empty_answer: { body: '{"answer":"","results":[]}' },
  },
  evidence: { reply: 'closed object' },
  fixtures: [
    ...[FAST, ULTRA_FAST].map((model) => ({
      name: 'an answer',
      model,
      reply: fixture('answer'),
      answer: ANSWERS[0]![3],
    })),
    ...ANSWERS.map(([name, model, reply, answer]) => ({ name, model, reply: fixture(reply), answer })),
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
    ...SEARCHES.map(([name, reply, outcome]) => ({
      kind: 'search' as const,
      name,
      model: SEARCH,
      reply: fixture(reply),
      call: { includeContent: reply === 'search-content' },
      outcome,
    })),
    ...['tavily/fast', 'tavily/advanced'].map((model) => ({
      kind: 'search' as const,
      name: 'results',
      model,
      reply: fixture('search'),
      outcome: SEARCHES[0]![2],
    })),
    ...EXTRACTS.map(([name, reply, outcome]) => ({
      kind: 'extract' as const,
      name,
      model: EXTRACT,
      reply: fixture(reply),
      outcome,
    })),
    {
      kind: 'extract',
      name: 'pages in another order',
      model: 'tavily/extract-advanced',
      reply: fixture('extract'),
      outcome: EXTRACTS[0]![2],
    },
    ...[BASIC, SEARCH, EXTRACT].flatMap((model) => errorFixtures(model, ERRORS, errors)),
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
