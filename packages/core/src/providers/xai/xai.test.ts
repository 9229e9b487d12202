import { describe, expect, it } from 'vitest';
import { askOnce, fixturesIn, streamsIn } from '../../../test/ask-once.js';
import * as rows from '../../../test/provider-rows.js';
import type { UpstreamReason } from '../../base/errors/reasons.js';
import type { AnswerOutcome } from '../../provider-kit/provider.js';
import { type XaiSettings, xai } from './xai-provider.js';

const fixture = fixturesIn(import.meta.dirname);
const errors = fixture('errors');

const GROK = 'xai/grok-4.3';
const STRONG = 'xai/grok-4.7';
const ZEPHYR = { url: 'https://example.org/zephyr' };
const TRAFFIC = { url: 'https://example.com/traffic' };
const USAGE = { inputTokens: 7_583, cachedInputTokens: 3_072, outputTokens: 620, searches: 2 };
const REPORTED = 17_803_150n;
const ANSWER: AnswerOutcome = {
  text: 'The Zephyr Bridge opened on 14 May 2021.[1] About 40,000 vehicles use it daily.[2][1]',
  citations: [ZEPHYR, TRAFFIC],
  cost: { reported: REPORTED, usage: USAGE },
  upstreamRequestId: '25de2f84-163c-6e9e-e42e-cd1dbd6f9ed0',
  servedModel: 'grok-4.3',
};
const SHORT = { text: 'It opened in May 2021.[1]', citations: [{ url: ZEPHYR.url }] };

const ANSWERS = [
  rows.answered(GROK, 'many citations, half of which have a title, without a cost', fixture('answer-many-citations'), {
    ...ANSWER,
    text: `Bridges:${Array.from({ length: 30 }, (_, index) => ` Bridge ${index + 1} opened.[${index + 1}]`).join('')}`,
    citations: Array.from({ length: 30 }, (_, index) => index + 1).map((n) => ({
      url: `https://example.org/bridges/${n}`,
      ...(n % 2 === 0 ? {} : { title: `Bridge ${n}` }),
    })),
    cost: { usage: USAGE },
  }),
  rows.answered(GROK, 'a search that found nothing', fixture('answer-no-citations'), {
    ...ANSWER,
    text: 'Nothing was found about a Zephyr Bridge.',
    citations: [],
  }),
  rows.answered(
    GROK,
    'an answer without any optional field, and a search as in old replies',
    fixture('answer-missing-fields'),
    { ...SHORT, cost: {} },
  ),
  rows.answered(GROK, 'an answer with nulls', fixture('answer-nulls'), { ...SHORT, cost: {} }),
  rows.answered(GROK, 'an answer in many scripts', fixture('answer-unicode'), {
    ...ANSWER,
    text: '🌉 大橋は2021年5月に開通した。[1] افتُتح الجسر في مايو ٢٠٢١.[2] 👩‍👩‍👧',
    citations: [
      { url: 'https://example.jp/橋_(港)', title: 'ゼファー大橋 🌉' },
      { url: 'https://example.ae/jisr', title: 'جسر زفير' },
    ],
  }),
  rows.answered(GROK, 'citations without a place', fixture('answer-unplaced'), {
    ...ANSWER,
    text: 'It opened in May 2021.',
    citations: [{ url: ZEPHYR.url }, { url: TRAFFIC.url }],
  }),
  rows.answered(GROK, 'citations that are only listed', fixture('answer-listed-citations'), {
    ...ANSWER,
    text: 'It opened in May 2021.[2]',
    citations: [{ url: TRAFFIC.url }, { url: ZEPHYR.url }],
  }),
  rows.answered(
    GROK,
    'cached tokens that are counted apart, and searches that are not',
    fixture('answer-cached-apart'),
    { ...ANSWER, cost: { usage: { ...USAGE, inputTokens: 4_072 } } },
  ),
];

/** Replies with status 200 that are no answer: name, fixture, what it means, what it cost. */
const UNUSABLE: readonly (readonly [string, string, UpstreamReason, bigint?])[] = [
  ['an answer without a search', 'answer-ungrounded', 'upstream_invalid_response', 2_803_150n],
  ['an answer after a search that failed', 'answer-failed-search', 'upstream_invalid_response', REPORTED],
  ['a refusal', 'refused', 'query_rejected', REPORTED],
  ['an answer cut by the limit of tokens', 'incomplete', 'upstream_invalid_response', REPORTED],
  ['a filtered answer', 'filtered', 'query_rejected', REPORTED],
  ['a failed run', 'failed', 'upstream_invalid_response'],
  ['no message', 'empty', 'upstream_invalid_response', REPORTED],
];

const ERRORS = rows.meanings({
  upstream_rejected:
    '400 invalidArgument, 400 bareText, 400 openaiStyle, 404 modelNotFound, 410 gone, 415 unprocessable, 422 unprocessable',
  upstream_auth_failed: '400 invalidKey, 401 noAuthorization, 403 blocked',
  query_rejected: '400 promptLength, 400 safety, 403 safety',
  upstream_quota_exhausted: '403 credits, 403 outOfCredits, 429 credits',
  upstream_rate_limited: '429 rateLimit',
  upstream_error: '500 internal, 503 overloaded, 529 overloaded',
});

rows.testProvider(xai, 'xai-Qm9yZWQgb2YgZmFrZSBrZXlz', {
  faultReplies: {
    error_in_200: { body: JSON.stringify(fixture('failed')) },
    empty_answer: { body: JSON.stringify({ ...fixture('empty'), usage: null }) },
  },
  evidence: { reply: ['status'], stream: ['"type":"response.completed"'] },
  fixtures: [
    ...[GROK, STRONG].map((model) =>
      rows.answered(model, 'an answer', fixture('answer'), ANSWER, {
        stream: { body: streamsIn(import.meta.dirname)('answer-stream') },
      }),
    ),
    ...ANSWERS,
    ...UNUSABLE.map(([name, file, reason, cost]) => ({
      name,
      model: GROK,
      reply: fixture(file),
      failure: { reason, phase: 'shape' as const, ...(cost === undefined ? {} : { cost }) },
    })),
    ...rows.errorFixtures(GROK, ERRORS, errors),
  ],
});

const withSettings = (settings: Partial<XaiSettings>) => xai({ apiKey: 'k', ...settings });

describe('xai', () => {
  it.each([GROK, STRONG])('forces a search by %s, and keeps nothing', async (slug) => {
    const { request } = await askOnce(withSettings({}), slug, fixture('answer'));
    expect(request.url.href).toBe('https://api.x.ai/v1/responses');
    expect(request.headers).toEqual({ authorization: 'Bearer k' });
    expect(request.json).toEqual({
      model: slug.slice('xai/'.length),
      input: [
        {
          role: 'system',
          content: expect.stringMatching(/^Search the web before you answer, .* at most 3 searches\./),
        },
        { role: 'user', content: 'Is it open?' },
      ],
      tools: [{ type: 'web_search' }],
      tool_choice: 'required',
      reasoning: { effort: 'low' },
      max_turns: 3,
      max_output_tokens: 8_192,
      store: false,
      stream: false,
    });
  });

  it('searches and thinks as configured', async () => {
    const settings = { reasoningEffort: 'none', maxSearches: 1, maxOutputTokens: 2_000 } as const;
    const { request } = await askOnce(withSettings(settings), GROK, fixture('answer'));
    expect(request.json).toMatchObject({
      input: [{ content: expect.stringContaining(' with one search.') }, {}],
      reasoning: { effort: 'none' },
      max_turns: 1,
      max_output_tokens: 2_000,
    });
  });

  it.each([
    [GROK, 'none', 'none'],
    [GROK, 'xhigh', 'high'],
    [STRONG, 'none', 'low'],
    [STRONG, 'xhigh', 'xhigh'],
  ] as const)('asks %s for the effort %s as %s', async (slug, reasoningEffort, effort) => {
    const { request } = await askOnce(withSettings({ reasoningEffort }), slug, fixture('answer'));
    expect(request.json).toMatchObject({ reasoning: { effort } });
  });

  it.each([
    ['what xAI reports', GROK, 'answer', ['0.01780315', 'reported']],
    // 4,511 × 1.25 + 3,072 × 0.20 + 620 × 2.50 per million, and two searches: the same.
    ['tokens and searches where it reports nothing', GROK, 'answer-many-citations', ['0.01780315', 'computed']],
    ['the rates of the strong model', STRONG, 'answer-many-citations', ['0.024278', 'computed']],
    ['tokens that are counted apart', GROK, 'answer-cached-apart', ['0.0134144', 'computed']],
    ['the ceiling where nothing is reported', GROK, 'answer-nulls', ['0.26', 'ceiling']],
  ])('charges %s', async (_what, slug, reply, expected) => {
    expect((await askOnce(withSettings({}), slug, fixture(reply))).charged).toEqual(expected);
  });

  it.each<[string, Partial<XaiSettings>]>([
    ['reasoningEffort: found "max", expected none, low, medium, high or xhigh', { reasoningEffort: 'max' as 'low' }],
    ['maxSearches: found 21, expected a whole number from 1 to 20', { maxSearches: 21 }],
    ['maxOutputTokens: found 1.5, expected a whole number from 1024', { maxOutputTokens: 1.5 }],
    ['models[0]: found "grok-3", expected one of grok-4.3, grok-4.7', { models: ['grok-3'] }],
  ])('refuses %s', (message, settings) => {
    expect(() => withSettings(settings)).toThrow(`xai.${message}`);
  });
});
