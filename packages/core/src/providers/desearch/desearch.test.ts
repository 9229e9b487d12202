import { describe, expect, it } from 'vitest';
import { askOnce, fixturesIn } from '../../../test/ask-once.js';
import * as rows from '../../../test/provider-rows.js';
import type { AnswerOutcome } from '../../provider-kit/provider.js';
import { type DesearchSettings, desearch } from './desearch-provider.js';

const fixture = fixturesIn(import.meta.dirname);
const errors = fixture('errors');

const NOVA = 'desearch/nova';
const ORBIT = 'desearch/orbit';
const ZEPHYR = {
  url: 'https://example.org/zephyr_(bridge)',
  title: 'Zephyr Bridge opens & traffic flows',
  snippet: 'The bridge was inaugurated on 14 May 2021 …',
};
const TRAFFIC = {
  url: 'https://example.com/traffic?year=2026',
  title: 'Traffic report',
  snippet: 'About 40,000 vehicles a day.',
};

const ANSWERS = [
  rows.answered(NOVA, 'an answer with markers that are links, one of them with a wrong number', fixture('answer'), {
    text: '- The Zephyr Bridge opened in May 2021 [1].\n- About 40,000 vehicles cross it daily [2][1].\n- Both say so [1][2], and [another page](https://example.net/other) [3](https://example.net/elsewhere).',
    citations: [ZEPHYR, TRAFFIC],
    cost: { reported: 4_000_000n },
  }),
  rows.answered(ORBIT, 'an older form of the reply', fixture('answer-orbit'), {
    text: 'It opened in May 2021 [1].',
    citations: [ZEPHYR],
  }),
  rows.answered(NOVA, 'many pages, one of them twice', fixture('answer-many-pages'), {
    text: `Bridges: ${Array.from({ length: 14 }, (_, index) => `bridge ${index + 1} [${index + 1 === 9 ? 4 : index < 8 ? index + 1 : index}]`).join(' ')}`,
    citations: [1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 14].map((number) => ({
      url: `https://example.org/bridges/${number}`,
      title: `Bridge ${number}`,
      snippet: `Bridge ${number} opened in 2021.`,
    })),
    cost: { reported: 5_200_000n },
  }),
  rows.answered(NOVA, 'a search that found nothing, which is free', fixture('answer-no-pages'), {
    text: 'I could not find when the Zephyr Bridge opened. [1]',
    citations: [],
    cost: { reported: 0n },
  }),
  rows.answered(NOVA, 'an answer with nulls', fixture('answer-nulls'), {
    text: 'It opened in May 2021 [1].',
    citations: [{ url: 'https://example.org/zephyr' }],
  }),
  rows.answered(NOVA, 'an answer in many scripts', fixture('answer-unicode'), {
    text: '🌉 大橋は2021年5月に開通した[1]。افتُتح الجسر في مايو ٢٠٢١ [2]. Öffnung: »Mai« [3][1] 👩‍👩‍👧.',
    citations: [
      { url: 'https://example.jp/橋', title: 'ゼファー大橋 🌉', snippet: '二〇二一年五月に開通。' },
      { url: 'https://example.ae/jisr', title: 'جسر زفير', snippet: 'افتُتح الجسر في مايو.' },
      { url: 'https://xn--brcke-kva.example/', title: 'Die Brücke', snippet: 'Eröffnet im Mai.' },
    ],
    cost: { reported: 1_200_000n },
  }),
];

/** What the headers say of the cost, and what is believed. */
const COSTS: readonly (readonly [string, Record<string, string>, AnswerOutcome['cost']])[] = [
  ['the cost in a header', { 'x-desearch-cost-usd': '0.0036', 'x-desearch-currency': 'USD' }, { reported: 3_600_000n }],
  ['a cost in another currency', { 'x-desearch-cost-usd': '0.0036', 'x-desearch-currency': 'TAO' }, {}],
  ['a cost that is no number', { 'x-desearch-cost-usd': 'free' }, {}],
];

const ERRORS = rows.meanings({
  upstream_auth_failed: '401 noKey, 403 badKey',
  upstream_quota_exhausted: '402 paymentRequired, 403 noFunds, 429 noFunds',
  upstream_rejected: '422 validation, 422 noTools',
  upstream_rate_limited: '429 rateLimit',
  upstream_error: '500 internal, 502 html',
});

rows.testProvider(desearch, 'dt_$QnJpZGdlIGtleSBmb3IgdGVzdHM', {
  faultReplies: {
    error_in_200: { body: '{"detail":"The search could not be made."}' },
    empty_answer: { body: '{"completion":" ","search":[]}' },
  },
  evidence: { reply: 'valid JSON' },
  fixtures: [
    ...ANSWERS,
    ...COSTS.map(([name, headers, cost]) => ({
      name,
      model: NOVA,
      headers,
      reply: fixture('answer-orbit'),
      answer: { text: 'It opened in May 2021 [1].', citations: [ZEPHYR], cost },
    })),
    {
      name: 'a text without a search',
      model: NOVA,
      reply: fixture('ungrounded'),
      failure: { reason: 'upstream_invalid_response', phase: 'shape', cost: 4_000_000n },
    },
    {
      name: 'a search without a text',
      model: ORBIT,
      headers: { 'x-desearch-cost-usd': '0.008' },
      reply: fixture('no-text'),
      failure: { reason: 'upstream_invalid_response', phase: 'shape', cost: 8_000_000n },
    },
    ...rows.errorFixtures(NOVA, ERRORS, errors),
  ],
});

const ask = (settings: Partial<DesearchSettings>, slug: string, reply: string) =>
  askOnce(desearch({ apiKey: 'k', ...settings }), slug, fixture(reply));

describe('desearch', () => {
  it.each([
    [NOVA, 'NOVA'],
    [ORBIT, 'ORBIT'],
  ])('asks for %s as a text over ten web pages, in one piece', async (slug, model) => {
    const { request } = await ask({}, slug, 'answer');
    expect(request.url.href).toBe('https://api.desearch.ai/desearch/ai/search');
    expect(request.headers).toEqual({ authorization: 'k' });
    expect(request.json).toEqual({
      prompt: 'Is it open?',
      tools: ['web'],
      model,
      result_type: 'LINKS_WITH_FINAL_SUMMARY',
      streaming: false,
      count: 10,
    });
  });

  it('asks for pages of the configured age', async () => {
    const { request } = await ask({ dateFilter: 'PAST_YEAR' }, NOVA, 'answer');
    expect(request.json).toMatchObject({ date_filter: 'PAST_YEAR' });
    expect(() => desearch({ apiKey: 'k', dateFilter: 'PAST_DAY' as never })).toThrow(
      'desearch.dateFilter: found "PAST_DAY", expected one of PAST_24_HOURS',
    );
  });

  it.each([
    ['what Desearch reports', NOVA, 'answer-many-pages', ['0.0052', 'reported']],
    ['the price where nothing is reported', NOVA, 'answer-nulls', ['0.004', 'flat']],
    ['the price where nothing was found', NOVA, 'answer-no-pages', ['0.004', 'flat']],
    ['the ceiling where the reply does not tell', ORBIT, 'answer-orbit', ['0.02', 'ceiling']],
  ])('costs %s', async (_what, slug, reply, charged) => {
    expect((await ask({}, slug, reply)).charged).toEqual(charged);
  });
});
