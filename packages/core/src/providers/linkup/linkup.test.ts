import { describe, expect, it } from 'vitest';
import { askOnce, fixturesIn } from '../../../test/ask-once.js';
import * as rows from '../../../test/provider-rows.js';
import type { AnswerOutcome } from '../../provider-kit/provider.js';
import { type LinkupSettings, linkup } from './linkup-provider.js';

const fixture = fixturesIn(import.meta.dirname);
const errors = fixture('errors');

const STANDARD = 'linkup/answer';
const SEARCH = 'linkup/standard';
const FETCH = 'linkup/fetch';
const ZEPHYR = {
  url: 'https://example.org/zephyr',
  title: 'Zephyr Bridge opens & traffic flows',
  snippet: 'The bridge was inaugurated on 14 May 2021…',
};
const TRAFFIC = { url: 'https://example.com/traffic', title: 'Traffic report' };
const ANSWER: AnswerOutcome = {
  text: 'The Zephyr Bridge opened in May 2021 and carries roughly 40,000 vehicles a day.',
  citations: [ZEPHYR, TRAFFIC],
  cost: {},
};

const ANSWERS = [
  rows.answered(STANDARD, 'an answer with inline citations, one beyond the sources', fixture('answer-inline'), {
    text: 'The Zephyr Bridge opened in May 2021 [1]. Roughly 40,000 vehicles cross it a day [1][2][3].',
    citations: [ZEPHYR, TRAFFIC],
  }),
  rows.answered(STANDARD, 'many sources, one of them twice', fixture('answer-many-sources'), {
    text: 'Thirty bridges opened in 2021, [29] and [4] among them.',
    citations: Array.from({ length: 30 }, (_, index) => index + 1)
      .filter((number) => number !== 12)
      .map((number) => ({
        url: `https://example.org/bridges/${number}`,
        title: `Bridge ${number}`,
        snippet: `Bridge ${number} opened in 2021.`,
      })),
  }),
  rows.answered(STANDARD, 'an answer without sources', fixture('answer-no-sources'), {
    text: 'Nothing was found about a Zephyr Bridge.',
    citations: [],
  }),
  rows.answered(STANDARD, 'an answer without any optional field', fixture('answer-missing-fields'), {
    text: 'It opened in May 2021.',
    citations: [
      { url: ZEPHYR.url, title: 'Zephyr Bridge opens' },
      { url: 'https://example.org/photo.jpg', title: 'A photo' },
    ],
  }),
  rows.answered(STANDARD, 'an answer with nulls', fixture('answer-nulls'), {
    text: 'It opened in May 2021.',
    citations: [{ url: ZEPHYR.url }],
  }),
  rows.answered(STANDARD, 'an answer with null sources', fixture('answer-null-sources'), {
    text: 'It opened in May 2021.',
    citations: [],
  }),
  rows.answered(STANDARD, 'an answer in many scripts', fixture('answer-unicode'), {
    text: '🌉 大橋は2021年5月に開通した。 افتُتح الجسر في مايو ٢٠٢١. Öffnung: »Mai« 👩‍👩‍👧.',
    citations: [
      { url: 'https://example.jp/橋', title: 'ゼファー大橋 🌉', snippet: '二〇二一年五月に開通。' },
      { url: 'https://example.ae/jisr', title: 'جسر زفير', snippet: 'افتُتح الجسر في مايو.' },
      { url: 'https://xn--brcke-kva.example/', title: 'Die Brücke', snippet: 'Eröffnet im Mai.' },
    ],
  }),
];

const ERRORS = rows.meanings({
  upstream_rejected: '400 validation, 409 conflict',
  no_answer_found: '400 noResult',
  upstream_auth_failed: '401 unauthorized, 402 paymentChallenge, 403 notWhitelisted, 403 forbidden',
  upstream_quota_exhausted: '402 insufficientFunds, 429 insufficientFunds, 429 budgetLimit',
  upstream_rate_limited: '429 queueLimit, 429 tooMany',
  upstream_error: '500 internal, 502 html, 503 internal, 504 html',
});

const PAGES = [
  {
    url: ZEPHYR.url,
    title: 'Zephyr Bridge opens',
    content: 'The bridge was inaugurated on 14 May 2021 …',
  },
  { url: TRAFFIC.url, title: 'Traffic report', content: 'About 40,000 vehicles cross it daily.' },
];
const FREE = { reported: 0n };

/** Name, status, reply. */
const NOTHING_FOUND = [
  ['the error for no result', 400, errors.noResult],
  ['an empty list', 200, fixture('results-none')],
] as const;

/** What a page of Linkup is: name, reply, page. */
const READ = [
  [
    'a page whose title is its first heading',
    'page',
    {
      url: ZEPHYR.url,
      title: 'Zephyr Bridge opens',
      content:
        '![Logo](https://example.org/logo.png)\n\n# Zephyr Bridge opens\n\nThe bridge was inaugurated on 14 May 2021.\n\n## Traffic\n\nAbout 40,000 vehicles cross it daily.',
    },
  ],
  [
    'a page without a title',
    'page-untitled',
    { url: ZEPHYR.url, content: 'The bridge was inaugurated on 14 May 2021.' },
  ],
  ['a page without text', 'page-empty', { url: ZEPHYR.url, content: '' }],
] as const;

/** Errors of status 400 that are about the page. */
const UNREAD = [
  ['badUrl', 'page_failed'],
  ['fetchError', 'page_failed'],
  ['fetchUnreachable', 'page_failed'],
  ['fetchTooLarge', 'page_unsupported'],
  ['fetchContentType', 'page_unsupported'],
  ['fetchFile', 'page_unsupported'],
] as const;

/** The same in a search, where nothing found is no error. */
const SEARCH_ERRORS = ERRORS.filter(([, name]) => name !== 'noResult');
/** The same of a page, whose address alone can be wrong. */
const FETCH_ERRORS: readonly rows.ErrorRow[] = [
  [400, 'badRequest', 'upstream_rejected'],
  [500, 'fetchError', 'upstream_error'],
  ...SEARCH_ERRORS.filter(([, name]) => name !== 'validation'),
];

rows.testProvider(linkup, '7d1f0c2a-5b6e-4f80-9a1b-c3d4e5f60718', {
  faults: { status_402: { reason: 'upstream_auth_failed' } },
  faultReplies: {
    error_in_200: { body: JSON.stringify(errors.internal) },
    empty_answer: { body: '{"answer":" ","sources":[]}' },
  },
  evidence: { reply: 'valid JSON' },
  fixtures: [
    ...['linkup/answer', 'linkup/answer-flash', 'linkup/answer-fast', 'linkup/answer-deep'].map((model) =>
      rows.answered(model, 'an answer', fixture('answer'), ANSWER),
    ),
    ...ANSWERS,
    {
      name: 'bare results, which are no answer',
      model: STANDARD,
      reply: fixture('search-results'),
      failure: { reason: 'upstream_invalid_response', phase: 'shape' },
    },
    {
      name: 'an error inside a success',
      model: STANDARD,
      reply: errors.internal,
      failure: { reason: 'upstream_invalid_response', phase: 'shape' },
    },
    ...rows.errorFixtures(STANDARD, ERRORS, errors),
    ...['linkup/fast', 'linkup/standard', 'linkup/deep'].map((model) =>
      rows.searched(model, 'results, of which images are left out', fixture('results'), { results: PAGES }),
    ),
    rows.searched(SEARCH, 'results with nulls and without fields', fixture('results-sparse'), {
      results: [{ url: ZEPHYR.url }, { url: TRAFFIC.url }, { url: null, title: 'No address', content: '…' }],
    }),
    ...NOTHING_FOUND.map(([name, status, reply]) =>
      rows.searched(SEARCH, `a search without results: ${name}`, reply, { results: [], cost: FREE }, { status }),
    ),
    ...rows.errorFixtures(SEARCH, SEARCH_ERRORS, errors),
    ...READ.flatMap(([name, reply, page]) =>
      ['linkup/fetch', 'linkup/fetch-js'].map((model) =>
        rows.extracted(model, name, fixture(reply), { pages: [page] }),
      ),
    ),
    ...UNREAD.map(([name, failed]) => ({
      kind: 'extract' as const,
      name: `a failed page: ${name}`,
      model: FETCH,
      status: 400,
      reply: errors[name],
      outcome: { pages: [{ url: ZEPHYR.url, failed }], cost: FREE },
    })),
    ...rows.errorFixtures(FETCH, FETCH_ERRORS, errors),
  ],
});

describe('linkup', () => {
  it.each([
    ['linkup/answer', 'standard', '0.006'],
    ['linkup/answer-flash', 'flash', '0.006'],
    ['linkup/answer-fast', 'fast', '0.006'],
    ['linkup/answer-deep', 'deep', '0.055'],
  ])('asks for %s as a sourced answer of its depth, at its price', async (slug, depth, usd) => {
    const { request, charged } = await askOnce(linkup({ apiKey: 'k' }), slug, fixture('answer'));
    expect(request.url.href).toBe('https://api.linkup.so/v1/search');
    expect(request.headers).toEqual({ authorization: 'Bearer k' });
    expect(request.json).toEqual({
      q: 'Is it open?',
      depth,
      outputType: 'sourcedAnswer',
      includeInlineCitations: false,
    });
    expect(charged).toEqual([usd, 'flat']);
  });

  it('searches as configured', async () => {
    const settings: LinkupSettings = { apiKey: 'k', inlineCitations: true, maxResults: 3 };
    const { request } = await askOnce(linkup(settings), STANDARD, fixture('answer-inline'));
    expect(request.json).toMatchObject({ includeInlineCitations: true, maxResults: 3 });
  });

  it('asks for no inline citations beside a schema', async () => {
    const responseFormat = { name: 'facts', schema: {}, strict: true };
    const reply = { data: '{}', sources: [] };
    const { request } = await askOnce(linkup({ apiKey: 'k', inlineCitations: true }), STANDARD, reply, {
      responseFormat,
    });
    const structured = { outputType: 'structured', structuredOutputSchema: '{}', includeSources: true };
    expect(request.json).toEqual({ q: 'Is it open?', depth: 'standard', ...structured });
  });

  it('refuses settings that are wrong', () => {
    expect(() => linkup({ apiKey: 'k', maxResults: 0 })).toThrow('linkup.maxResults: found 0, expected at least 1');
  });
});
