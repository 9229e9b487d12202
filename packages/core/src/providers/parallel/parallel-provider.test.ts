import { describe, expect, it } from 'vitest';
import { askOnce, fixturesIn } from '../../../test/ask-once.js';
import * as rows from '../../../test/provider-rows.js';
import type { AnswerOutcome } from '../../provider-kit/provider.js';
import { parallel } from './parallel-provider.js';

const fixture = fixturesIn(import.meta.dirname);
const errors = fixture('errors');

const SECRET = 'pk-7c1f0a9e5d3b4826a0f1e2d3c4b5a697';
const MODEL = 'parallel/responses-low';
const SEARCH = 'parallel/basic';
const EXTRACT = 'parallel/extract';
const MODELS = [MODEL, 'parallel/responses-medium', 'parallel/responses-high'];
const ZEPHYR = { url: 'https://example.org/zephyr', title: 'Zephyr Bridge opens & traffic flows' };
const TRAFFIC = { url: 'https://example.com/traffic', title: 'Traffic report' };
const ANSWER: AnswerOutcome = {
  text: 'The Zephyr Bridge opened in May 2021.[1][2] It carries about 40,000 vehicles a day.[2]',
  citations: [ZEPHYR, TRAFFIC],
  cost: {},
  upstreamRequestId: 'resp_4b1e',
  servedModel: 'parallel',
};

const SEARCHES = [
  rows.searched(SEARCH, 'results', fixture('search'), {
    results: [
      {
        url: ZEPHYR.url,
        title: 'Zephyr Bridge opens',
        snippet: 'Section Title: Opening\nContent:\nThe bridge was inaugurated on 14 May 2021.\n\nIt has four lanes.',
        date: '2021-05-14',
      },
      { url: TRAFFIC.url, title: null, snippet: 'Counts per day.', date: null },
    ],
    cost: { usage: { results: 10 } },
    upstreamRequestId: 'search_cad0a6d2dec046bd95ae900527d880e7',
  }),
  rows.searched(SEARCH, 'results with nulls and without fields', fixture('search-sparse'), {
    results: [{ url: ZEPHYR.url, title: null, date: null }, { url: TRAFFIC.url }],
    cost: { usage: { results: 2 } },
    upstreamRequestId: null,
  }),
  rows.searched(SEARCH, 'no results', fixture('search-none'), {
    results: [],
    cost: { usage: { results: 10 } },
    upstreamRequestId: 'search_cad0a6d2dec046bd95ae900527d880e9',
  }),
];

const EXTRACTS = [
  rows.extracted(EXTRACT, 'pages, or the excerpts of a page without text', fixture('extract'), {
    pages: [
      {
        url: ZEPHYR.url,
        title: 'Zephyr Bridge opens',
        content: '# Zephyr Bridge opens\n\nThe bridge was inaugurated on 14 May 2021.',
        date: '2021-05-14',
      },
      { url: TRAFFIC.url, title: 'Traffic report', content: 'Counts per day.\n\nSundays are quiet.', date: null },
    ],
    upstreamRequestId: 'extract_8a911eb27c7a4afaa20d0d9dc98d07c0',
  }),
  rows.extracted(EXTRACT, 'pages of which most failed', fixture('extract-partial'), {
    pages: [
      { url: ZEPHYR.url, title: 'Zephyr Bridge opens', content: 'The bridge is open.', date: null },
      { url: 'https://example.org/gone', failed: 'page_not_found' },
      { url: 'https://example.org/private', failed: 'page_forbidden' },
      { url: 'https://example.org/slow', failed: 'page_timeout' },
      { url: 'https://example.org/late', failed: 'page_timeout' },
      { url: 'https://example.org/film', failed: 'page_unsupported' },
      { url: 'https://example.org/broken', failed: 'page_failed' },
      { url: 'https://example.org/silent', failed: 'page_failed' },
    ],
    upstreamRequestId: 'extract_8a911eb27c7a4afaa20d0d9dc98d07c1',
  }),
  rows.extracted(EXTRACT, 'only failures', fixture('extract-failed'), {
    pages: [{ url: ZEPHYR.url, failed: 'page_not_found' }],
    upstreamRequestId: 'extract_8a911eb27c7a4afaa20d0d9dc98d07c2',
  }),
  rows.extracted(EXTRACT, 'pages with nulls and without fields', fixture('extract-sparse'), {
    pages: [{ url: ZEPHYR.url, title: null, content: 'Open.', date: null }],
  }),
];

const ERRORS = rows.meanings({
  upstream_rejected: '400 invalidModel, 400 emptyInput, 422 validation, 404 notFound',
  upstream_auth_failed: '401 unauthorized, 403 forbidden',
  upstream_quota_exhausted: '402 paymentRequired',
  upstream_error: '408 timeout, 500 internal, 502 html, 503 internal',
  upstream_rate_limited: '429 rateLimit',
});

/** Replies with status 200 that are no answer: name of the fixture, what it means, what it cost. */
const UNUSABLE: readonly rows.UnusableRow[] = [
  ['ungrounded', 'upstream_invalid_response', 10_000_000n],
  ['empty-answer', 'upstream_invalid_response', 10_000_000n],
  ['failed', 'upstream_invalid_response'],
  ['incomplete', 'upstream_invalid_response'],
  ['in-progress', 'upstream_invalid_response'],
  ['filtered', 'query_rejected'],
  ['refused', 'query_rejected'],
];

rows.testProvider(parallel, SECRET, {
  faultReplies: {
    error_in_200: { body: JSON.stringify(fixture('failed')) },
    empty_answer: { body: JSON.stringify(fixture('empty-answer')) },
  },
  evidence: { reply: ['status'] },
  fixtures: [
    ...MODELS.map((model) => rows.answered(model, 'an answer', fixture('answer'), ANSWER)),
    rows.answered(MODEL, 'many citations, one address twice', fixture('answer-many-citations'), {
      ...ANSWER,
      text: 'Bridge 1 is long.[1] Bridge 2 is long.[2] Bridge 3 is long.[3] Bridge 4 is long.[4] Bridge 5 is long.[5] Bridge 6 is long.[6] Bridge 7 is long.[7] Bridge 8 is long.[8] Bridge 9 is long.[4] Bridge 10 is long.[9] Bridge 11 is long.[10] Bridge 12 is long.[11] Bridge 13 is long.[12] Bridge 14 is long.[13]',
      citations: [1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 14].map((n) => ({
        url: `https://example.org/bridges/${n}`,
        title: `Bridge ${n}`,
      })),
    }),
    rows.answered(MODEL, 'an answer in parts', fixture('answer-parts'), {
      ...ANSWER,
      text: 'It opened in May 2021.[1] It is busy.[2]',
      citations: [{ url: ZEPHYR.url, title: 'Zephyr Bridge opens' }, { ...TRAFFIC }],
    }),
    rows.answered(MODEL, 'a search that found nothing', fixture('answer-no-citations'), {
      ...ANSWER,
      text: 'Nothing was found about a Zephyr Bridge.',
      citations: [],
    }),
    rows.answered(MODEL, 'an answer with nulls', fixture('answer-nulls'), {
      text: 'It opened in May 2021.',
      citations: [{ url: ZEPHYR.url }],
    }),
    rows.answered(MODEL, 'an answer in many scripts, with offsets in code points', fixture('answer-unicode'), {
      ...ANSWER,
      text: '🌉 大橋は2021年5月に開通した[1]。افتُتح الجسر في مايو ٢٠٢١[2]. Öffnung: »Mai« 👩‍👩‍👧.',
      citations: [
        { url: 'https://example.jp/橋', title: 'ゼファー大橋 🌉' },
        { url: 'https://example.ae/jisr', title: 'جسر زفير' },
      ],
    }),
    rows.answered(MODEL, 'numbers in brackets that are no markers', fixture('answer-brackets'), {
      ...ANSWER,
      text: 'In `x[1]` the element \\[1] of [2026] is meant.[1]',
      citations: [{ url: ZEPHYR.url, title: 'Arrays' }],
    }),
    ...rows.unusableFixtures(MODEL, UNUSABLE, fixture),
    ...SEARCHES,
    ...['parallel/turbo', 'parallel/fast', 'parallel/advanced'].map((model) =>
      rows.searched(model, 'results', fixture('search'), SEARCHES[0]!.outcome),
    ),
    ...EXTRACTS,
    ...[MODEL, SEARCH, EXTRACT].flatMap((model) => rows.errorFixtures(model, ERRORS, errors)),
  ],
});

describe('parallel', () => {
  it.each([
    [MODEL, 'low', '0.01'],
    ['parallel/responses-medium', 'medium', '0.05'],
    ['parallel/responses-high', 'high', '0.25'],
  ])('asks %s with effort %s, and charges the price of the call', async (slug, effort, price) => {
    const { request, charged } = await askOnce(parallel({ apiKey: 'k' }), slug, fixture('answer'));
    expect(request.url.href).toBe('https://api.parallel.ai/v1/responses');
    expect(request.headers).toEqual({ 'x-api-key': 'k' });
    expect(request.json).toEqual({ model: 'parallel', input: 'Is it open?', reasoning: { effort }, stream: false });
    expect(charged).toEqual([price, 'flat']);
  });

  it('tells what the provider reported of a failure', async () => {
    await expect(askOnce(parallel({ apiKey: 'k' }), MODEL, fixture('failed'))).rejects.toMatchObject({
      detail: 'failed server_error The response could not be generated.',
    });
  });
});
