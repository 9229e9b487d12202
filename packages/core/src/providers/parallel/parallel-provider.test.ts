import { describe, expect, it } from 'vitest';
import { askOnce, fixturesIn } from '../../../test/ask-once.js';
import {
  type ErrorRow,
  errorFixtures,
  testProvider,
  type UnusableRow,
  unusableFixtures,
} from '../../../test/provider-rows.js';
import type { AnswerOutcome, ExtractOutcome, SearchOutcome } from '../../provider-kit/provider.js';
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

/** Name, reply, what it means. */
const SEARCHES: readonly (readonly [string, string, SearchOutcome])[] = [
  [
    'results',
    'search',
    {
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
    },
  ],
  [
    'results with nulls and without fields',
    'search-sparse',
    {
      results: [{ url: ZEPHYR.url, title: null, date: null }, { url: TRAFFIC.url }],
      cost: { usage: { results: 2 } },
      upstreamRequestId: null,
    },
  ],
  [
    'no results',
    'search-none',
    {
      results: [],
      cost: { usage: { results: 10 } },
      upstreamRequestId: 'search_cad0a6d2dec046bd95ae900527d880e9',
    },
  ],
];

/** Name, reply, what it means. */
const EXTRACTS: readonly (readonly [string, string, ExtractOutcome])[] = [
  [
    'pages, or the excerpts of a page without text',
    'extract',
    {
      pages: [
        {
          url: ZEPHYR.url,
          title: 'Zephyr Bridge opens',
          content: '# Zephyr Bridge opens\n\nThe bridge was inaugurated on 14 May 2021.',
          date: '2021-05-14',
        },
        { url: TRAFFIC.url, title: 'Traffic report', content: 'Counts per day.\n\nSundays are quiet.', date: null },
      ],
      cost: {},
      upstreamRequestId: 'extract_8a911eb27c7a4afaa20d0d9dc98d07c0',
    },
  ],
  [
    'pages of which most failed',
    'extract-partial',
    {
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
      cost: {},
      upstreamRequestId: 'extract_8a911eb27c7a4afaa20d0d9dc98d07c1',
    },
  ],
  [
    'only failures',
    'extract-failed',
    {
      pages: [{ url: ZEPHYR.url, failed: 'page_not_found' }],
      cost: {},
      upstreamRequestId: 'extract_8a911eb27c7a4afaa20d0d9dc98d07c2',
    },
  ],
  [
    'pages with nulls and without fields',
    'extract-sparse',
    {
      pages: [{ url: ZEPHYR.url, title: null, content: 'Open.', date: null }],
      cost: {},
    },
  ],
];

/** Status, name in errors.json, what it means. */
const ERRORS: readonly ErrorRow[] = [
  [400, 'invalidModel', 'upstream_rejected'],
  [400, 'emptyInput', 'upstream_rejected'],
  [422, 'validation', 'upstream_rejected'],
  [401, 'unauthorized', 'upstream_auth_failed'],
  [402, 'paymentRequired', 'upstream_quota_exhausted'],
  [403, 'forbidden', 'upstream_auth_failed'],
  [404, 'notFound', 'upstream_rejected'],
  [408, 'timeout', 'upstream_error'],
  [429, 'rateLimit', 'upstream_rate_limited'],
  [500, 'internal', 'upstream_error'],
  [502, 'html', 'upstream_error'],
  [503, 'internal', 'upstream_error'],
];

/** Replies with status 200 that are no answer: name of the fixture, what it means, what it cost. */
const UNUSABLE: readonly UnusableRow[] = [
  ['ungrounded', 'upstream_invalid_response', 10_000_000n],
  ['empty-answer', 'upstream_invalid_response', 10_000_000n],
  ['failed', 'upstream_invalid_response'],
  ['incomplete', 'upstream_invalid_response'],
  ['in-progress', 'upstream_invalid_response'],
  ['filtered', 'query_rejected'],
  ['refused', 'query_rejected'],
];

testProvider(parallel, SECRET, {
  faultReplies: {
    error_in_200: { body: JSON.stringify(fixture('failed')) },
    empty_answer: { body: JSON.stringify(fixture('empty-answer')) },
  },
  evidence: { reply: ['status'] },
  fixtures: [
    ...MODELS.map((model) => ({ name: 'an answer', model, reply: fixture('answer'), answer: ANSWER })),
    {
      name: 'many citations, one address twice',
      model: MODEL,
      reply: fixture('answer-many-citations'),
      answer: {
        ...ANSWER,
        text: 'Bridge 1 is long.[1] Bridge 2 is long.[2] Bridge 3 is long.[3] Bridge 4 is long.[4] Bridge 5 is long.[5] Bridge 6 is long.[6] Bridge 7 is long.[7] Bridge 8 is long.[8] Bridge 9 is long.[4] Bridge 10 is long.[9] Bridge 11 is long.[10] Bridge 12 is long.[11] Bridge 13 is long.[12] Bridge 14 is long.[13]',
        citations: [1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 14].map((n) => ({
          url: `https://example.org/bridges/${n}`,
          title: `Bridge ${n}`,
        })),
      },
    },
    {
      name: 'an answer in parts',
      model: MODEL,
      reply: fixture('answer-parts'),
      answer: {
        ...ANSWER,
        text: 'It opened in May 2021.[1] It is busy.[2]',
        citations: [{ url: ZEPHYR.url, title: 'Zephyr Bridge opens' }, { ...TRAFFIC }],
      },
    },
    {
      name: 'a search that found nothing',
      model: MODEL,
      reply: fixture('answer-no-citations'),
      answer: { ...ANSWER, text: 'Nothing was found about a Zephyr Bridge.', citations: [] },
    },
    ...['missing-fields', 'nulls'].map((name) => ({
      name: `an answer with ${name}`,
      model: MODEL,
      reply: fixture(`answer-${name}`),
      answer: { text: 'It opened in May 2021.', citations: [{ url: ZEPHYR.url }], cost: {} },
    })),
    {
      name: 'an answer in many scripts, with offsets in code points',
      model: MODEL,
      reply: fixture('answer-unicode'),
      answer: {
        ...ANSWER,
        text: '🌉 大橋は2021年5月に開通した[1]。افتُتح الجسر في مايو ٢٠٢١[2]. Öffnung: »Mai« 👩‍👩‍👧.',
        citations: [
          { url: 'https://example.jp/橋', title: 'ゼファー大橋 🌉' },
          { url: 'https://example.ae/jisr', title: 'جسر زفير' },
        ],
      },
    },
    {
      name: 'numbers in brackets that are no markers',
      model: MODEL,
      reply: fixture('answer-brackets'),
      answer: {
        ...ANSWER,
        text: 'In `x[1]` the element \\[1] of [2026] is meant.[1]',
        citations: [{ url: ZEPHYR.url, title: 'Arrays' }],
      },
    },
    ...unusableFixtures(MODEL, UNUSABLE, fixture),
    ...SEARCHES.map(([name, reply, outcome]) => ({
      kind: 'search' as const,
      name,
      model: SEARCH,
      reply: fixture(reply),
      outcome,
    })),
    ...['parallel/turbo', 'parallel/fast', 'parallel/advanced'].map((model) => ({
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
    ...[MODEL, SEARCH, EXTRACT].flatMap((model) => errorFixtures(model, ERRORS, errors)),
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

  it('refuses settings it does not know', () => {
    const settings = { apiKey: 'k', effort: 'high' } as Parameters<typeof parallel>[0];
    expect(() => parallel(settings)).toThrow('parallel.effort: found an unknown option');
  });
});
