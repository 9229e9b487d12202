import { describe, expect, it } from 'vitest';
import { askOnce, fixturesIn } from '../../../test/ask-once.js';
import * as rows from '../../../test/provider-rows.js';
import type { UpstreamReason } from '../../base/errors/reasons.js';
import { type KagiSettings, kagi } from './kagi-provider.js';

const fixture = fixturesIn(import.meta.dirname);
const errors = fixture('errors');

const FASTGPT = 'kagi/fastgpt';
const SEARCH = 'kagi/search';
const ZEPHYR = 'https://example.org/zephyr';
const TRAFFIC = 'https://example.com/traffic';

const ANSWERS = [
  rows.answered(FASTGPT, 'an answer, one of whose markers points beyond the references', fixture('answer'), {
    text: 'The Zephyr Bridge opened in May 2021.[1] About 40,000 vehicles cross it daily.[2] A second one is planned.[3]',
    citations: [
      {
        url: ZEPHYR,
        title: 'Zephyr Bridge opens & traffic flows',
        snippet: 'The bridge was inaugurated on 14 May 2021 …',
      },
      { url: TRAFFIC, title: 'Traffic report', snippet: 'About 40,000 vehicles a day.' },
    ],
    upstreamRequestId: 'b1f0c9f2-6c1b-4c0e-9a2e-3f1c7d0a55aa',
  }),
  rows.answered(FASTGPT, 'many references, one of them twice', fixture('answer-many-references'), {
    text: `Bridges:\n${[1, 2, 3, 4, 5, 6, 3, 7, 8, 9, 10, 11].map((marker, index) => `- Bridge ${index + 1}.[${marker}]`).join('\n')}`,
    citations: [1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 12].map((number) => ({
      url: `https://example.org/bridges/${number}`,
      title: `Bridge ${number}`,
      snippet: `Bridge ${number} opened in 2021.`,
    })),
    upstreamRequestId: 'c2a1da03-7d2c-4d1f-8b3f-402d8e1b66bb',
  }),
  rows.answered(FASTGPT, 'an answer that found nothing to cite', fixture('answer-no-references'), {
    text: 'I could not find when the Zephyr Bridge opened.',
    citations: [],
    upstreamRequestId: 'd3b2eb14-8e3d-4e20-9c40-513e9f2c77cc',
  }),
  rows.answered(FASTGPT, 'an answer without any optional field', fixture('answer-missing-fields'), {
    text: 'It opened in May 2021.[1]',
    citations: [],
  }),
  rows.answered(FASTGPT, 'an answer with nulls', fixture('answer-nulls'), {
    text: 'It opened in May 2021.[1] It is busy.',
    citations: [{ url: ZEPHYR }],
  }),
  rows.answered(FASTGPT, 'an answer in many scripts', fixture('answer-unicode'), {
    text: '🌉 大橋は2021年5月に開通した[1]。افتُتح الجسر في مايو ٢٠٢١ [2]. Öffnung: »Mai«[3][1] 👩‍👩‍👧.',
    citations: [
      { url: 'https://example.jp/橋', title: 'ゼファー大橋 🌉', snippet: '二〇二一年五月に開通。' },
      { url: 'https://example.ae/jisr', title: 'جسر زفير', snippet: 'افتُتح الجسر في مايو.' },
      { url: 'https://xn--brcke-kva.example/', title: 'Die Brücke', snippet: 'Eröffnet im Mai.' },
    ],
    upstreamRequestId: 'e4c3fc25-9f4e-4f31-8d51-624fa03d88dd',
  }),
  rows.answered(FASTGPT, 'the envelope of the newer API', fixture('answer-newer-envelope'), {
    text: 'It opened in May 2021.[1]',
    citations: [{ url: TRAFFIC, title: 'Traffic report' }],
    upstreamRequestId: '0af7651916cd43dd8448eb211c80319c',
  }),
];

/** Name in errors.json, what it means with any status. */
const CODES: readonly (readonly [string, UpstreamReason])[] = [
  ['internal', 'upstream_error'],
  ['malformed', 'upstream_rejected'],
  ['unauthorized', 'upstream_auth_failed'],
  ['noBilling', 'upstream_quota_exhausted'],
  ['noCredit', 'upstream_quota_exhausted'],
  ['noCreditInWords', 'upstream_quota_exhausted'],
  ['modelFailed', 'upstream_error'],
];

/** Status, name in errors.json, what it means. */
const ERRORS: readonly rows.ErrorRow[] = [
  ...CODES.flatMap(([name, reason]) => [400, 500].map((status) => [status, name, reason] as const)),
  [401, 'newerUnauthorized', 'upstream_auth_failed'],
  [400, 'newerBad', 'upstream_rejected'],
  [403, 'html', 'upstream_auth_failed'],
  [429, 'rateLimit', 'upstream_rate_limited'],
  [502, 'html', 'upstream_error'],
];

/** Of the search, which belongs to the newer API. */
const SEARCH_ERRORS = rows.meanings({
  upstream_invalid_response: '200 newerBad',
  upstream_rejected: '400 newerBad',
  upstream_auth_failed: '400 invalidToken, 401 newerUnauthorized, 403 ipNotAllowed',
  upstream_rate_limited: '429 newerLimit',
  upstream_quota_exhausted: '429 newerExhausted',
  upstream_error: '500 html',
});

rows.testProvider(kagi, 'Nn1yQ0tBR0kx.c2VjcmV0LW9mLWthZ2k', {
  faultReplies: {
    error_in_200: { body: JSON.stringify(errors.newerBad) },
    empty_answer: { body: '{"meta":{"id":"r"},"data":{"output":"","tokens":0,"references":[]}}' },
  },
  evidence: { reply: 'valid JSON' },
  fixtures: [
    ...ANSWERS,
    ...[...CODES, ['withData', 'upstream_error'] as const].map(([name, reason]) => ({
      name: `the error ${name} inside a success`,
      model: FASTGPT,
      reply: errors[name],
      failure: { reason, phase: 'shape' as const },
    })),
    ...rows.errorFixtures(FASTGPT, ERRORS, errors),
    rows.searched(SEARCH, 'pages beside other findings', fixture('search'), {
      results: [
        {
          url: ZEPHYR,
          title: 'Zephyr Bridge opens &amp; traffic flows',
          snippet: 'The bridge was inaugurated on 14 May 2021 & opened to traffic.',
          date: '2021-05-14T09:30:00Z',
        },
        { url: TRAFFIC, title: 'Traffic report', snippet: 'About 40,000 vehicles a day.', date: '2026-10-01' },
      ],
      upstreamRequestId: '0b7c2f4f6a1d4e52a3c8f7e6d5b4a392',
    }),
    rows.searched(SEARCH, 'pages without optional fields', fixture('search-sparse'), {
      results: [
        { url: ZEPHYR, title: 'Zephyr Bridge opens', snippet: '' },
        { url: TRAFFIC, title: '', snippet: '' },
      ],
    }),
    rows.searched(SEARCH, 'no pages', fixture('search-none'), {
      results: [],
      upstreamRequestId: '1c8d305a7b2e4f63b4d908f7e6c5a403',
    }),
    ...rows.errorFixtures(SEARCH, SEARCH_ERRORS, errors),
  ],
});

describe('kagi', () => {
  it('asks FastGPT, which always searches, at its price', async () => {
    const { request, charged } = await askOnce(kagi({ apiKey: 'k' }), FASTGPT, fixture('answer'));
    expect(request.url.href).toBe('https://kagi.com/api/v0/fastgpt');
    expect(request.headers).toEqual({ authorization: 'Bot k' });
    expect(request.json).toEqual({ query: 'Is it open?', cache: true });
    expect(charged).toEqual(['0.015', 'flat']);
  });

  it('follows FastGPT to the newer API by its settings, and does without the cache', async () => {
    const settings = { apiKey: 'k', baseUrl: 'https://kagi.com/api/v1', authScheme: 'Bearer', cache: false } as const;
    const { request } = await askOnce(kagi(settings), FASTGPT, fixture('answer-newer-envelope'));
    expect(request.url.href).toBe('https://kagi.com/api/v1/fastgpt');
    expect(request.headers).toEqual({ authorization: 'Bearer k' });
    expect(request.json).toEqual({ query: 'Is it open?', cache: false });
  });

  it('refuses settings that are wrong', () => {
    const settings = { apiKey: 'k', authScheme: 'bot' } as unknown as KagiSettings;
    expect(() => kagi(settings)).toThrow('kagi.authScheme: found "bot", expected Bot or Bearer');
  });
});
