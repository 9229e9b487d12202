import { providerConformance } from '@searchgate/testing';
import { describe, expect, it } from 'vitest';
import { askOnce, fixturesIn } from '../../../test/ask-once.js';
import * as rows from '../../../test/provider-rows.js';
import { type SerpapiSettings, serpapi } from './serpapi-provider.js';

const fixture = fixturesIn(import.meta.dirname);
const errors = fixture('errors');

const AI_MODE = 'serpapi/google-ai-mode';
const GOOGLE = 'serpapi/google';
const ZEPHYR = 'https://example.org/zephyr';
const OPENING = {
  url: ZEPHYR,
  title: 'Zephyr Bridge opens & traffic flows',
  snippet: 'The bridge was inaugurated on 14 May 2021 & opened to traffic. It has four lanes.',
};
const TRAFFIC = {
  url: 'https://example.com/traffic',
  title: 'Traffic report',
  snippet: 'About 40,000 vehicles a day.',
};

const ANSWERS = [
  rows.answered(AI_MODE, 'an answer, with a reference that Google shows in a viewer of its own', fixture('answer'), {
    text: 'The **Zephyr Bridge** opened on 14 May 2021. [1]\n\n- Traffic: about 40,000 vehicles a day \\(as of 2026\\) [2] [3]\n- Owner: see its [web site](https://bridge.example/).',
    citations: [
      OPENING,
      TRAFFIC,
      {
        url: 'https://www.google.com/searchviewer/10?svid=CAwSHRIbCgNwdnE',
        title: 'Bridge cameras',
        snippet: 'Live pictures.',
      },
    ],
    upstreamRequestId: '6ab88854822c5fd1d33adf13',
  }),
  rows.answered(
    AI_MODE,
    'many references in another order than their numbers, one of them twice',
    fixture('answer-many-references'),
    {
      text: `Bridges:\n\n${[11, 10, 9, 4, 8, 7, 6, 5, 4, 3, 2, 1].map((marker, index) => `- Bridge ${index + 1}. [${marker}]`).join('\n')}\n\nAll of them: [11] [10] [4] [1] [12]`,
      citations: [12, 11, 10, 9, 8, 7, 6, 5, 3, 2, 1].map((number) => ({
        url: `https://example.org/bridges/${number === 9 ? 4 : number}`,
        title: `Bridge ${number}`,
        snippet: `Bridge ${number} opened in 2021.`,
      })),
      upstreamRequestId: '6ab88854822c5fd1d33adf14',
    },
  ),
  rows.answered(AI_MODE, 'an answer with nulls', fixture('answer-nulls'), {
    text: 'It opened in May 2021. [1]',
    citations: [{ url: ZEPHYR }],
  }),
  rows.answered(AI_MODE, 'an answer in many scripts', fixture('answer-unicode'), {
    text: '🌉 大橋は2021年5月に開通した。[1] افتُتح الجسر في مايو ٢٠٢١ [2]. Öffnung: »Mai« [3] [1] 👩‍👩‍👧.',
    citations: [
      { url: 'https://example.jp/橋', title: 'ゼファー大橋 🌉', snippet: '二〇二一年五月に開通。' },
      { url: 'https://example.ae/jisr', title: 'جسر زفير', snippet: 'افتُتح الجسر في مايو.' },
      { url: 'https://xn--brcke-kva.example/', title: 'Die Brücke', snippet: 'Eröffnet im Mai 🌉.' },
    ],
    upstreamRequestId: '6ab88854822c5fd1d33adf16',
  }),
  rows.answered(AI_MODE, 'an answer in blocks alone', fixture('answer-blocks'), {
    text: [
      '### Zephyr Bridge\n',
      'It opened in May 2021.[1]\n',
      '- Traffic: 40,000 a day[2][1]\n- Lanes\n  - two each way\n',
      '| Year | Vehicles[2] |\n| --- | --- |\n| 2025 | 38,000 |\n',
      '```\nbridge --open\n```\n\n',
      'More\n- It has a toll \\[2].\n\nInner.[1]',
    ].join('\n'),
    citations: [OPENING, TRAFFIC],
    upstreamRequestId: '6ab88854822c5fd1d33adf17',
  }),
];

/** Replies with status 200 that are no answer. */
const UNUSABLE: readonly rows.UnusableRow[] = [
  ['answer-no-references', 'upstream_invalid_response'],
  ['no-results', 'no_answer_found'],
  ['failed', 'upstream_invalid_response'],
  ['failed-without-words', 'upstream_invalid_response'],
  ['exhausted', 'upstream_quota_exhausted'],
];

const ERRORS = rows.meanings({
  upstream_auth_failed: '200 unauthorized, 401 unauthorized, 403 forbidden',
  upstream_rejected: '400 missing, 400 unsupported, 404 notFound',
  no_answer_found: '400 noResults',
  query_rejected: '414 html',
  upstream_quota_exhausted: '429 outOfSearches',
  upstream_rate_limited: '429 throughput',
  upstream_error: '500 internal, 503 internal',
});

/** Of the search, which takes a page without results for no error. */
const SEARCH_UNUSABLE = UNUSABLE.filter(([, reason]) => reason !== 'no_answer_found');
const SEARCH_ERRORS = ERRORS.filter(([, , reason]) => reason !== 'no_answer_found');

providerConformance({
  describe,
  it,
  secret: '5f1c0b7e9a2d4c6f8e0b1a3d5c7f9e2b4d6a8c0e',
  keyParameter: 'api_key',
  create: (baseUrl) => serpapi({ apiKey: '5f1c0b7e9a2d4c6f8e0b1a3d5c7f9e2b4d6a8c0e', baseUrl }),
  faultReplies: {
    error_in_200: { body: JSON.stringify(fixture('failed')) },
    empty_answer: {
      body: '{"reconstructed_markdown":" ","text_blocks":[],"references":[{"link":"https://a.example/"}]}',
    },
  },
  evidence: { reply: ['search_metadata.status'] },
  fixtures: [
    ...ANSWERS,
    ...rows.unusableFixtures(AI_MODE, UNUSABLE, fixture),
    ...rows.errorFixtures(AI_MODE, ERRORS, errors),
    rows.searched(GOOGLE, 'pages beside an answer and an advertisement', fixture('search'), {
      results: [
        {
          url: ZEPHYR,
          title: 'Zephyr Bridge opens & traffic flows',
          snippet: 'The bridge was inaugurated on 14 May 2021.',
          date: 'May 14, 2021',
        },
        { ...TRAFFIC, date: '3 days ago' },
      ],
      upstreamRequestId: '6ab88854822c5fd1d33adf2a',
    }),
    rows.searched(GOOGLE, 'pages without optional fields', fixture('search-sparse'), {
      results: [{ url: ZEPHYR, title: 'Zephyr Bridge opens' }, { url: TRAFFIC.url }],
    }),
    ...[200, 400].map((status) =>
      rows.searched(GOOGLE, `no pages with ${status}`, fixture('search-none'), { results: [] }, { status }),
    ),
    ...rows.unusableFixtures(GOOGLE, SEARCH_UNUSABLE, fixture),
    ...rows.errorFixtures(GOOGLE, SEARCH_ERRORS, errors),
  ],
});

const ask = (settings: Partial<SerpapiSettings>, reply = 'answer') =>
  askOnce(serpapi({ apiKey: 'k', ...settings }), AI_MODE, fixture(reply));

describe('serpapi', () => {
  it('asks Google’s AI Mode', async () => {
    const { request } = await ask({ headers: { 'x-team': 'a' } });
    expect(request).toEqual({ method: 'GET', url: request.url, headers: { 'x-team': 'a' } });
    expect(request.url.href).toBe('https://serpapi.com/search.json?engine=google_ai_mode&q=Is+it+open%3F&api_key=k');
  });

  it('asks from the configured place and in the configured language', async () => {
    const { request } = await ask({ country: 'at', language: 'de', location: ' Graz, Austria ', cache: false });
    expect(Object.fromEntries(request.url.searchParams)).toEqual({
      engine: 'google_ai_mode',
      q: 'Is it open?',
      gl: 'at',
      hl: 'de',
      location: 'Graz, Austria',
      no_cache: 'true',
      api_key: 'k',
    });
  });

  it.each<[Partial<SerpapiSettings>, string]>([
    [{}, '0.015'],
    [{ usdPerSearch: '0.01' }, '0.01'],
  ])('costs a search, with %o %s dollars', async (settings, usd) => {
    expect((await ask(settings)).charged).toEqual([usd, 'flat']);
  });

  it.each<[Partial<SerpapiSettings>, string]>([
    [{ country: 'DE' }, 'serpapi.country: found "DE", expected a country code of two lower-case letters'],
    [{ language: 'German' }, 'serpapi.language: found "German", expected a language code'],
    [{ location: ' ' }, 'serpapi.location: found " ", expected the name of a place'],
    [{ usdPerSearch: '0' }, 'serpapi.usdPerSearch: found "0", expected a decimal string of US dollars above 0'],
    [{ cache: 'no' as never }, 'serpapi.cache: found "no", expected true or false'],
  ])('refuses %o', (settings, message) => {
    expect(() => serpapi({ apiKey: 'k', ...settings })).toThrow(message);
  });
});
