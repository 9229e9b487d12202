import { describe, expect, it } from 'vitest';
import { askOnce, embedOnce, fixturesIn, streamsIn } from '../../../test/ask-once.js';
import * as rows from '../../../test/provider-rows.js';
import { BASE64, dataOf, embedFixtures } from '../../../test/retrieval-rows.js';
import type { UpstreamReason } from '../../base/errors/reasons.js';
import type { AnswerOutcome } from '../../provider-kit/provider.js';
import { type OpenaiSettings, openai } from './openai-provider.js';

const fixture = fixturesIn(import.meta.dirname);
const errors = fixture('errors');
const failures = fixture('failures');

const LUNA = 'openai/gpt-6-luna';
const TERRA = 'openai/gpt-6.1-terra';
const SOL = 'openai/gpt-6.2-sol';
const ASTRA = 'openai/gpt-6.2-astra';
const OPENED = 'The Zephyr Bridge opened on 14 May 2021.';
const ZEPHYR = { url: 'https://example.org/zephyr', title: 'Zephyr Bridge opens & traffic flows' };
const TRAFFIC = { url: 'https://example.com/traffic?year=2026', title: 'Traffic report' };
const USAGE = { inputTokens: 9_120, cachedInputTokens: 0, outputTokens: 410, searches: 1 };
const ANSWER: AnswerOutcome = {
  text: `${OPENED} [1]\n\n- **Traffic:** about 40,000 vehicles a day. [2]`,
  citations: [ZEPHYR, TRAFFIC],
  cost: { usage: USAGE },
  upstreamRequestId: 'resp_0a1b2c3d4e5f60718293a4b5c6d7e8f901',
  servedModel: 'gpt-6.2-sol',
};
const BRIDGES = Array.from({ length: 12 }, (_, index) => index + 1);

const ANSWERS = [
  rows.answered(SOL, 'many citations, two of them in one place', fixture('answer-many-citations'), {
    ...ANSWER,
    text: `Bridges:${BRIDGES.map((n) => ` Bridge ${n} opened. [${n}]`).join('')} All of them carry traffic [1][12].`,
    citations: BRIDGES.map((n) => ({ url: `https://example.org/bridges/${n}`, title: `Bridge ${n}` })),
    cost: {
      usage: {
        inputTokens: 41_200,
        cachedInputTokens: 12_000,
        outputTokens: 1_500,
        searches: 4,
        // 1,000 tokens at a quarter of 2.00 per million.
        otherFees: 500_000n,
      },
    },
  }),
  rows.answered(SOL, 'a search that found nothing', fixture('answer-no-citations'), {
    ...ANSWER,
    text: 'Nothing was found about a Zephyr Bridge.',
    citations: [],
  }),
  rows.answered(SOL, 'an answer with nulls', fixture('answer-nulls'), {
    text: 'It opened in May 2021. [1]',
    citations: [{ url: ZEPHYR.url }],
  }),
  rows.answered(
    SOL,
    'an answer in many scripts, with offsets in two units and what is left of a marker',
    fixture('answer-unicode'),
    {
      ...ANSWER,
      text: '🌉 大橋は2021年5月に開通した。[1] افتُتح الجسر في مايو ٢٠٢١[2]. 👩‍👩‍👧',
      citations: [
        { url: 'https://example.jp/橋', title: 'ゼファー大橋 🌉' },
        { url: 'https://example.ae/jisr', title: 'جسر زفير' },
      ],
    },
  ),
  rows.answered(SOL, 'several messages and parts, with links and numbers that are prose', fixture('answer-messages'), {
    ...ANSWER,
    text: 'See [the opening](https://example.org/zephyr)[1] of line \\[2] and `list[1]`. It is busy [2].\n\nAs of 2026.',
    citations: [{ url: ZEPHYR.url, title: 'Zephyr Bridge opens' }, { ...TRAFFIC }],
  }),
];

/** Replies with status 200 that are no answer. */
const UNUSABLE: readonly (readonly [string, unknown, UpstreamReason])[] = [
  ['an answer without a search', fixture('answer-ungrounded'), 'upstream_invalid_response'],
  ['an answer after a search that failed', fixture('answer-failed-search'), 'upstream_invalid_response'],
  ['a refusal', fixture('refused'), 'query_rejected'],
  ['a filtered answer', fixture('filtered'), 'query_rejected'],
  ['an answer cut by the limit of tokens', fixture('incomplete'), 'upstream_invalid_response'],
  ['thoughts that took all tokens', fixture('incomplete-empty'), 'upstream_invalid_response'],
  ['no message', failures.empty, 'upstream_invalid_response'],
  ['a server error', failures.serverError, 'upstream_error'],
  ['a rate limit', failures.rateLimit, 'upstream_rate_limited'],
  ['an invalid prompt', failures.invalidPrompt, 'query_rejected'],
  ['a policy', failures.bioPolicy, 'query_rejected'],
  ['a violation of a policy', failures.misalignmentPolicy, 'query_rejected'],
  ['another region', failures.dataResidency, 'upstream_rejected'],
  ['an unknown failure', failures.unknown, 'upstream_invalid_response'],
  ['a cancelled run', failures.cancelled, 'upstream_invalid_response'],
  ['a queued run', failures.queued, 'upstream_invalid_response'],
  ['a run that goes on', failures.inProgress, 'upstream_invalid_response'],
];

const ERRORS = rows.meanings({
  upstream_rejected: '400 unsupportedValue, 400 unknownParameter, 404 modelNotFound, 422 validation',
  query_rejected: '400 contextLength, 400 invalidPrompt',
  upstream_quota_exhausted: '400 billingHardLimit, 429 insufficientQuota, 429 quotaTypeOnly, 429 billingNotActive',
  upstream_auth_failed: '401 invalidKey, 403 unsupportedRegion',
  upstream_error: '408 timeout, 409 conflict, 500 serverError, 502 serverError, 503 overloaded, 504 timeout',
  upstream_rate_limited: '429 rateLimit',
});

const refused = (message: string) => ({ error: { message, type: 'invalid_request_error', param: null, code: null } });
const embedErrors = {
  tooLong: refused("This model's maximum context length is 8192 tokens, however you requested 9000 tokens."),
  tooLongInput: refused("Invalid 'input[0]': maximum input length is 8192 tokens."),
  tooMany: refused('Requested 310000 tokens, max 300000 tokens per request'),
  invalid: refused("'$.input' is invalid."),
};
const EMBED_ERRORS = rows.meanings({
  query_rejected: '400 tooLong, 400 tooLongInput, 400 tooMany',
  upstream_rejected: '400 invalid',
});
const VECTORS = { object: 'list', data: dataOf(BASE64), model: 'm', usage: { prompt_tokens: 8, total_tokens: 8 } };

rows.testProvider(openai, 'sk-proj-Qm9yZWQgb2YgZmFrZSBrZXlz', {
  faults: { error_in_200: { reason: 'upstream_error' } },
  faultReplies: {
    error_in_200: { body: JSON.stringify(failures.serverError) },
    empty_answer: { body: JSON.stringify(failures.empty) },
  },
  evidence: { reply: ['status'], stream: ['"type":"response.completed"'] },
  fixtures: [
    ...embedFixtures(openai, { reply: VECTORS, cost: { usage: { inputTokens: 8 } } }),
    ...rows.errorFixtures('openai/text-embedding-3-small', EMBED_ERRORS, embedErrors),
    ...[SOL, LUNA, TERRA, ASTRA].map((model) =>
      rows.answered(model, 'an answer', fixture('answer'), ANSWER, {
        stream: { body: streamsIn(import.meta.dirname)('answer-stream') },
      }),
    ),
    ...ANSWERS,
    ...UNUSABLE.map(([name, reply, reason]) => ({
      name,
      model: SOL,
      reply,
      failure: { reason, phase: 'shape' as const },
    })),
    ...rows.errorFixtures(SOL, ERRORS, errors),
  ],
});

const withSettings = (settings: Partial<OpenaiSettings>) => openai({ apiKey: 'k', ...settings });

describe('openai', () => {
  it.each([LUNA, TERRA, SOL, ASTRA])('forces a search by %s, and keeps nothing', async (slug) => {
    const { request } = await askOnce(withSettings({}), slug, fixture('answer'));
    expect(request.url.href).toBe('https://api.openai.com/v1/responses');
    expect(request.headers).toEqual({ authorization: 'Bearer k' });
    expect(request.json).toEqual({
      model: slug.slice('openai/'.length),
      instructions: expect.stringContaining('Search the web before you answer'),
      input: 'Is it open?',
      tools: [{ type: 'web_search', search_context_size: 'low', user_location: { type: 'approximate' } }],
      tool_choice: 'required',
      max_tool_calls: 4,
      reasoning: { effort: 'low' },
      max_output_tokens: 8_192,
      store: false,
      stream: false,
      service_tier: 'default',
      prompt_cache_options: { mode: 'explicit' },
    });
  });

  it('searches and thinks as configured', async () => {
    const settings = {
      searchContextSize: 'high',
      reasoningEffort: 'max',
      country: 'DE',
      maxToolCalls: 12,
      maxOutputTokens: 30_000,
    } as const;
    const { request } = await askOnce(withSettings(settings), SOL, fixture('answer'));
    expect(request.json).toMatchObject({
      tools: [{ search_context_size: 'high', user_location: { type: 'approximate', country: 'DE' } }],
      max_tool_calls: 12,
      reasoning: { effort: 'max' },
      max_output_tokens: 30_000,
    });
  });

  it.each([
    // 9,120 × 2.00 + 410 × 10.00 per million, and a search.
    ['tokens and a search', SOL, 'answer', ['0.03234', 'computed']],
    ['the rates of Luna', LUNA, 'answer', ['0.011117', 'computed']],
    ['the rates of Terra', TERRA, 'answer', ['0.02117', 'computed']],
    ['the rates of Astra', ASTRA, 'answer', ['0.09936', 'computed']],
    // 29,200 × 2.00 + 12,000 × 0.10 + 1,500 × 10.00 + 1,000 × 0.50 per million, and four searches: three reported, four seen.
    ['cached tokens and those written to the cache', SOL, 'answer-many-citations', ['0.1151', 'computed']],
    ['the ceiling where no tokens are reported', SOL, 'answer-nulls', ['0.4', 'ceiling']],
  ])('charges %s', async (_what, slug, reply, expected) => {
    expect((await askOnce(withSettings({}), slug, fixture(reply))).charged).toEqual(expected);
  });

  it('counts searches that ran although the reply reports 0', async () => {
    const reply = { ...fixture('answer'), tool_usage: { web_search: { num_requests: 0 } } };
    expect((await askOnce(withSettings({}), SOL, reply)).outcome.cost.usage?.searches).toBe(1);
  });

  it('counts more reported searches than steps of searches', async () => {
    const reply = { ...fixture('answer'), tool_usage: { web_search: { num_requests: 5 } } };
    expect((await askOnce(withSettings({}), SOL, reply)).outcome.cost.usage?.searches).toBe(5);
  });

  it('counts the searches that ran without a report of billable searches', async () => {
    const { tool_usage: _told, ...reply } = fixture('answer-many-citations');
    const { charged, outcome } = await askOnce(withSettings({}), SOL, reply);
    expect(outcome.cost.usage?.searches).toBe(4);
    expect(charged).toEqual(['0.1151', 'computed']);
  });

  it.each<[string, Partial<OpenaiSettings>]>([
    ['searchContextSize: found "tiny", expected low, medium or high', { searchContextSize: 'tiny' as 'low' }],
    ['reasoningEffort: found "none", expected low, medium, high, xhigh or max', { reasoningEffort: 'none' as 'low' }],
    ['country: found "Germany", expected an upper-case ISO 3166 country code, such as "DE"', { country: 'Germany' }],
    ['maxToolCalls: found 0, expected a whole number from 1 to 100', { maxToolCalls: 0 }],
    ['maxOutputTokens: found 1023, expected a whole number from 1024', { maxOutputTokens: 1_023 }],
    [
      'models[0]: found "gpt-4", expected one of gpt-6-luna, gpt-6.1-terra, gpt-6.2-sol, gpt-6.2-astra',
      { models: ['gpt-4'] },
    ],
  ])('refuses %s', (message, settings) => {
    expect(() => withSettings(settings)).toThrow(`openai.${message}`);
  });
});

describe('the embeddings of openai', () => {
  it('come as base64, of the length that is asked for', async () => {
    const model = 'openai/text-embedding-3-large';
    const { request, charged } = await embedOnce(openai({ apiKey: 'k' }), model, VECTORS, { dimensions: 256 });
    expect([request.url.href, request.headers]).toEqual([
      'https://api.openai.com/v1/embeddings',
      { authorization: 'Bearer k' },
    ]);
    const input = ['It is open.'];
    expect(request.json).toEqual({
      model: 'text-embedding-3-large',
      input,
      encoding_format: 'base64',
      dimensions: 256,
    });
    expect(charged).toEqual(['0.00000104', 'computed']);
  });
});
