import { describe, expect, it } from 'vitest';
import { askOnce, fixturesIn } from '../../../test/ask-once.js';
import * as rows from '../../../test/provider-rows.js';
import type { AnswerOutcome, PageFailure } from '../../provider-kit/provider.js';
import { type YouSettings, you } from './you-provider.js';

const fixture = fixturesIn(import.meta.dirname);
const errors = fixture('errors');

const ANSWER = 'you/answer';
const STANDARD = 'you/research-standard';
const SEARCH = 'you/search';
const EXTRACT = 'you/extract';
const TIERS = ['lite', 'standard', 'deep', 'exhaustive'];
const ZEPHYR = 'https://example.org/zephyr';
const TRAFFIC = 'https://example.com/traffic';
const RESEARCH: AnswerOutcome = {
  text: '# The Zephyr Bridge\n\nIt opened in May 2021 [1], and 40,000 vehicles cross it daily [1][2].',
  citations: [
    { url: ZEPHYR, title: 'Zephyr Bridge opens', snippet: 'The bridge was inaugurated on 14 May 2021.' },
    { url: TRAFFIC },
  ],
  cost: {},
};

const ANSWERS = [
  rows.answered(ANSWER, 'an answer, whose titles are those of results at the same address', fixture('answer'), {
    text: 'The Zephyr Bridge opened on 14 May 2021. [1][2] It carries about 40,000 vehicles a day. [2] A second one is planned. [[3, 7]]',
    citations: [
      {
        url: ZEPHYR,
        title: 'Zephyr Bridge opens & traffic flows',
        snippet: 'The bridge was inaugurated on 14 May 2021.',
      },
      {
        url: 'https://www.example.com/traffic/#daily',
        title: 'Traffic report',
        snippet: 'About 40,000 vehicles cross it. … Counts began in "May".',
      },
      { url: 'https://plans.example.net/second', snippet: 'A twin bridge is planned for 2030.' },
    ],
  }),
  rows.answered(ANSWER, 'citations without excerpts', fixture('answer-without-excerpts'), {
    text: 'It opened in May 2021 [1] and is busy [2], as is known [3].',
    citations: [
      { url: ZEPHYR, title: 'Zephyr Bridge opens', snippet: 'It opened in May 2021.' },
      { url: TRAFFIC, title: 'Traffic report', snippet: 'Counts per day' },
      { url: 'https://example.net/known' },
    ],
  }),
  rows.answered(ANSWER, 'many citations, one of them twice', fixture('answer-many-citations'), {
    text: 'Bridges: bridge 1 [1] bridge 2 [2] bridge 3 [3] bridge 4 [4] bridge 5 [5] bridge 6 [6] bridge 7 [7] bridge 8 [8] bridge 9 [9] bridge 10 [10] bridge 11 [2] bridge 12 [11], all of them [1][2][11] and others [[13]].',
    citations: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12].map((number) => ({
      url: `https://example.org/bridges/${number}`,
      ...(number < 9 ? { title: `Bridge ${number}` } : {}),
      snippet: `Bridge ${number} opened in 2021.`,
    })),
  }),
  rows.answered(ANSWER, 'an answer that cites none of the results', fixture('answer-no-citations'), {
    text: 'The pages found do not say when the Zephyr Bridge opened.',
    citations: [],
  }),
  rows.answered(ANSWER, 'an answer without any optional field', fixture('answer-missing-fields'), {
    text: 'It opened in May 2021. [[1]]',
    citations: [],
  }),
  rows.answered(ANSWER, 'an answer with nulls', fixture('answer-nulls'), {
    text: 'It opened in May 2021. [1] It is busy.',
    citations: [{ url: ZEPHYR }],
  }),
  rows.answered(ANSWER, 'an answer in many scripts', fixture('answer-unicode'), {
    text: '🌉 大橋は2021年5月に開通した[1]。افتُتح الجسر في مايو ٢٠٢١ [2]. Öffnung: »Mai« [3][1] 👩‍👩‍👧.',
    citations: [
      { url: 'https://example.jp/橋', title: 'ゼファー大橋 🌉', snippet: '二〇二一年五月に開通。' },
      { url: 'https://example.ae/jisr', title: 'جسر زفير', snippet: 'افتُتح الجسر في مايو.' },
      { url: 'https://xn--brcke-kva.example/', title: 'Die Brücke', snippet: 'Eröffnet im Mai.' },
    ],
  }),
  rows.answered('you/research-deep', 'research with warnings and nulls', fixture('research-warnings'), {
    text: 'It opened in May 2021 [1].',
    citations: [{ url: ZEPHYR }],
  }),
];

const SEARCHES = [
  rows.searched(SEARCH, 'results, and news behind', fixture('search'), {
    results: [
      {
        url: ZEPHYR,
        title: 'Zephyr Bridge opens',
        snippet: 'The bridge was inaugurated on 14 May 2021. … It carries 40,000 vehicles daily.',
        date: '2021-05-14T09:30:00',
      },
      { url: TRAFFIC, title: 'Traffic report', snippet: 'Counts per day.', date: '2026-11-20T10:00:00' },
    ],
    cost: { usage: { pages: 0 } },
    upstreamRequestId: '942ccbdd-7705-4d9c-9d37-4ef386658e90',
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
          snippet: 'The bridge was inaugurated.',
          content: '# Zephyr Bridge opens\n\nThe bridge was inaugurated on 14 May 2021.',
          date: '2021-05-14T09:30:00',
        },
        { url: TRAFFIC, title: 'Traffic report', snippet: 'Counts per day.' },
        {
          url: 'https://news.example.com/zephyr',
          title: 'Zephyr news',
          snippet: 'Open.',
          content: 'The bridge is open.',
          date: '2026-11-20T10:00:00',
        },
      ],
      cost: { usage: { pages: 2 } },
      upstreamRequestId: '942ccbdd-7705-4d9c-9d37-4ef386658e91',
    },
    { call: { includeContent: true } },
  ),
  rows.searched(
    SEARCH,
    'results with nulls and without fields',
    fixture('search-sparse'),
    { results: [{ url: ZEPHYR }, { url: TRAFFIC }], cost: { usage: { pages: 0 } } },
    { call: { includeContent: true } },
  ),
  rows.searched(SEARCH, 'no results', fixture('search-none'), {
    results: [],
    cost: { usage: { pages: 0 } },
    upstreamRequestId: '942ccbdd-7705-4d9c-9d37-4ef386658e92',
  }),
];

/** Statuses that are of the page. */
const PAGE_FAILURES: readonly (readonly [number, PageFailure])[] = [
  [400, 'page_failed'],
  [404, 'page_not_found'],
  [408, 'page_timeout'],
  [410, 'page_not_found'],
  [415, 'page_unsupported'],
  [424, 'page_failed'],
];

const ERRORS = rows.meanings({
  upstream_rejected: '400 badRequest, 400 badRequestError, 404 notFound, 422 unknownField, 422 combination',
  query_rejected: '400 tooLongText, 422 tooLong',
  upstream_auth_failed: '401 keyRequired, 401 keyInvalid, 403 scopes, 403 gateway',
  upstream_quota_exhausted: '402 paymentRequired',
  upstream_rate_limited: '429 rateLimit',
  upstream_error: '500 internal, 502 empty, 503 empty, 504 empty',
});

rows.testProvider(you, 'ydc-sk-5d4c3b2a1f0e9d8c7b6a', {
  faultReplies: {
    error_in_200: { body: '{"detail":"The answer could not be generated."}' },
    empty_answer: { body: '{"answer":"","citations":[],"results":{"web":[]}}' },
  },
  evidence: { reply: 'valid JSON' },
  extract: { faults: { status_404: 'nothing found' } },
  fixtures: [
    ...ANSWERS,
    ...TIERS.map((tier) => rows.answered(`you/research-${tier}`, 'research', fixture('research'), RESEARCH)),
    ...['research-ungrounded', 'research-object', 'research-queued'].map((reply) => ({
      name: `the unusable reply ${reply}`,
      model: STANDARD,
      reply: fixture(reply),
      failure: { reason: 'upstream_invalid_response' as const, phase: 'shape' as const },
    })),
    ...SEARCHES,
    rows.extracted(EXTRACT, 'a page', fixture('extract'), {
      pages: [
        {
          url: ZEPHYR,
          title: 'Zephyr Bridge opens',
          content: '# Zephyr Bridge opens\n\nThe bridge was inaugurated on 14 May 2021.',
        },
      ],
    }),
    ...['extract-empty', 'extract-sparse'].map((reply) =>
      rows.extracted(EXTRACT, `the empty page ${reply}`, fixture(reply), { pages: [{ url: ZEPHYR, content: null }] }),
    ),
    ...PAGE_FAILURES.map(([status, failed]) => ({
      kind: 'extract' as const,
      name: `a page that failed with ${status}`,
      model: EXTRACT,
      status,
      reply: fixture('extract-failed'),
      outcome: { pages: [{ url: ZEPHYR, failed }], cost: {} },
    })),
    ...[ANSWER, STANDARD, SEARCH].flatMap((model) => rows.errorFixtures(model, ERRORS, errors)),
    ...rows.errorFixtures(
      EXTRACT,
      ERRORS.filter(([status]) => status !== 400 && status !== 404),
      errors,
    ),
  ],
});

const withSettings = (settings: Partial<YouSettings> = {}) => you({ apiKey: 'k', ...settings });

describe('you', () => {
  it('asks for an answer with only the query, because unknown fields are refused', async () => {
    const { request, charged } = await askOnce(withSettings(), ANSWER, fixture('answer'));
    expect(request.url.href).toBe('https://api.you.com/v1/answer');
    expect(request.headers).toEqual({ 'x-api-key': 'k' });
    expect(request.json).toEqual({ query: 'Is it open?' });
    expect(charged).toEqual(['0.005', 'flat']);
  });

  it('searches as configured', async () => {
    const settings = { country: 'GB', language: 'EN-GB', safesearch: 'strict' } as const;
    const { request } = await askOnce(withSettings(settings), ANSWER, fixture('answer'));
    expect(request.json).toEqual({ query: 'Is it open?', ...settings });
  });

  it.each([
    ['lite', '0.012'],
    ['standard', '0.05'],
    ['deep', '0.1'],
    ['exhaustive', '0.45'],
  ])('asks for research with effort %s and waits for it, at its price', async (effort, usd) => {
    const { request, charged } = await askOnce(
      withSettings({ country: 'GB' }),
      `you/research-${effort}`,
      fixture('research'),
    );
    expect(request.url.href).toBe('https://api.you.com/v1/research');
    expect(request.json).toEqual({ input: 'Is it open?', research_effort: effort });
    expect(charged).toEqual([usd, 'flat']);
  });

  it.each<[string, object]>([
    ['country: found "de", expected one of AR, AT, AU', { country: 'de' }],
    ['country: found "UA", expected one of AR, AT, AU', { country: 'UA' }],
    ['language: found "en-gb", expected one of AR, BG, BN', { language: 'en-gb' }],
    ['language: found "JA", expected one of AR, BG, BN', { language: 'JA' }],
    ['safesearch: found "on", expected off, moderate or strict', { safesearch: 'on' }],
  ])('refuses %s', (message, settings) => {
    expect(() => withSettings(settings)).toThrow(`you.${message}`);
  });
});
