import { describe, expect, it } from 'vitest';
import { askOnce, embedOnce, fixturesIn, streamsIn } from '../../../test/ask-once.js';
import * as rows from '../../../test/provider-rows.js';
import { dataOf, embedFixtures, NUMBERS } from '../../../test/retrieval-rows.js';
import type { AnswerOutcome } from '../../provider-kit/provider.js';
import { type MistralSettings, mistral } from './mistral-provider.js';

const fixture = fixturesIn(import.meta.dirname);
const errors = fixture('errors');

const SMALL = 'mistral/mistral-small-latest';
const MEDIUM = 'mistral/mistral-medium-latest';
const LARGE = 'mistral/mistral-large-2512';

const ZEPHYR = {
  url: 'https://example.org/zephyr',
  title: 'Zephyr Bridge opens & traffic flows',
  snippet: 'The bridge was inaugurated on 14 May 2021, after "four years" of work.',
};
const SERVED = { upstreamRequestId: 'conv_06835b734f2776bb80008fa7a309bf5a', servedModel: 'mistral-medium-3-5' };
const USAGE = { inputTokens: 7_300, outputTokens: 55, searches: 1 };

const ANSWER: AnswerOutcome = {
  text: 'The Zephyr Bridge opened on 14 May 2021[1][2]. About 40,000 vehicles cross it every day[2].',
  citations: [ZEPHYR, { url: 'https://example.com/traffic', title: 'Traffic report' }],
  cost: { usage: USAGE },
  ...SERVED,
};
const SHORT_ANSWER: AnswerOutcome = { ...ANSWER, text: 'It opened in May 2021[1].', citations: [ZEPHYR] };

const bridge = (n: number) => ({
  url: `https://example.org/bridges/${n}`,
  title: `Bridge ${n}`,
  snippet: `Bridge ${n} opened.`,
});

const ANSWERS = [
  rows.answered(
    MEDIUM,
    'many citations of two searches, with something found out between them',
    fixture('answer-many-citations'),
    {
      ...ANSWER,
      text: [
        'Found first[1].\n\nBridges that opened:',
        '- Bridge 1[2][3]',
        '- Bridge 2[3]',
        ...[3, 4, 5, 6, 7, 8, 9, 10, 11].map((n) => `- Bridge ${n}[${n + 1}][3]`),
        '- Bridge 12[1][3]',
        'See also note \\[1].[2]',
      ].join('\n'),
      citations: [12, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11].map((n) =>
        n === 2 ? { ...bridge(2), snippet: 'Bridge 2 is old.' } : bridge(n),
      ),
      cost: { usage: { inputTokens: 21_400, outputTokens: 500, searches: 2 } },
    },
  ),
  rows.answered(MEDIUM, 'an answer after a premium search', fixture('answer-premium'), SHORT_ANSWER),
  rows.answered(MEDIUM, 'a search that found nothing', fixture('answer-no-citations'), {
    ...ANSWER,
    text: 'Nothing was found about a Zephyr Bridge.',
    citations: [],
  }),
  rows.answered(MEDIUM, 'two messages in a row', fixture('answer-two-messages'), {
    ...SHORT_ANSWER,
    text: 'It opened in May 2021[1].\n\nThat is all.',
  }),
  rows.answered(MEDIUM, 'an answer without any optional field', fixture('answer-missing-fields'), {
    text: 'It opened in May 2021[1].',
    citations: [{ url: ZEPHYR.url }],
  }),
  rows.answered(MEDIUM, 'an answer with nulls', fixture('answer-nulls'), {
    text: 'It opened in May 2021.[1]',
    citations: [{ url: ZEPHYR.url }],
  }),
  rows.answered(MEDIUM, 'an answer in many scripts', fixture('answer-unicode'), {
    ...ANSWER,
    text: '🌉 大橋は2021年5月に開通した[1]。افتُتح الجسر في مايو ٢٠٢١[2]. 👩‍👩‍👧',
    citations: [
      { url: 'https://example.jp/橋', title: 'ゼファー大橋 🌉', snippet: '二〇二一年五月に開通。' },
      { url: 'https://example.ae/jisr', title: 'جسر زفير' },
    ],
  }),
  rows.answered(MEDIUM, 'searches that are not counted', fixture('answer-uncounted'), {
    ...SHORT_ANSWER,
    cost: { usage: { ...USAGE, searches: 2 } },
  }),
  rows.answered(MEDIUM, 'a usage of only zeros', fixture('answer-zero-usage'), { ...SHORT_ANSWER, cost: {} }),
];

/** Replies with status 200 that are no answer. */
const UNUSABLE = ['ungrounded', 'other-tool', 'cut', 'searched-without-text', 'no-message'];

const ERRORS = rows.meanings({
  upstream_rejected: '400 badRequest, 400 notInUse, 404 notFound, 422 validation, 422 nestedValidation',
  query_rejected: '400 tooLong',
  upstream_auth_failed: '401 unauthorizedDetail, 401 unauthorizedMessage, 403 forbidden',
  upstream_quota_exhausted: '402 payment, 429 monthly',
  upstream_rate_limited: '429 rateLimit, 429 capacity',
  upstream_error: '500 internal, 502 badGateway, 503 unavailable, 504 timeout',
});

const VECTORS = {
  id: 'e1',
  object: 'list',
  data: dataOf(NUMBERS),
  model: 'm',
  usage: { prompt_tokens: 8, completion_tokens: 0, total_tokens: 8 },
};

rows.testProvider(mistral, 'Xq9RmFrZUtleUZvclRlc3RzMDEyMzQ1', {
  faultReplies: {
    error_in_200: { body: JSON.stringify(errors.internal) },
    empty_answer: { body: JSON.stringify(fixture('searched-without-text')) },
  },
  evidence: { reply: 'valid JSON', stream: ['"type":"conversation.response.done"'] },
  fixtures: [
    ...embedFixtures(mistral, {
      reply: VECTORS,
      cost: { usage: { inputTokens: 8 } },
      upstreamRequestId: 'e1',
      vectors: NUMBERS,
    }),
    ...[MEDIUM, SMALL, LARGE].map((model) =>
      rows.answered(model, 'an answer', fixture('answer'), ANSWER, {
        stream: { body: streamsIn(import.meta.dirname)('answer-stream') },
      }),
    ),
    ...ANSWERS,
    ...UNUSABLE.map((name) => ({
      name: `the unusable reply ${name}`,
      model: MEDIUM,
      reply: fixture(name),
      failure: { reason: 'upstream_invalid_response' as const, phase: 'shape' as const },
    })),
    ...rows.errorFixtures(MEDIUM, ERRORS, errors),
  ],
});

const withSettings = (settings: Partial<MistralSettings>) => mistral({ apiKey: 'k', ...settings });

describe('mistral', () => {
  const REQUEST = {
    model: 'mistral-medium-3-5',
    inputs: 'Is it open?',
    instructions: expect.stringContaining('Always search the web'),
    tools: [{ type: 'web_search' }],
    completion_args: { max_tokens: 8_192 },
    store: false,
    stream: false,
  };

  it.each([
    [SMALL, 'mistral-small-2603'],
    [MEDIUM, 'mistral-medium-3-5'],
    [LARGE, 'mistral-large-2512'],
  ])('asks for %s by the version whose price is known', async (slug, version) => {
    const { request } = await askOnce(withSettings({}), slug, fixture('answer'));
    expect(request.url.href).toBe('https://api.mistral.ai/v1/conversations');
    expect(request.headers).toEqual({ authorization: 'Bearer k' });
    expect(request.json).toEqual({ ...REQUEST, model: version });
  });

  it('uses the configured search tool and output', async () => {
    const settings = { searchTool: 'web_search_premium', maxOutputTokens: 4_000 } as const;
    const { request } = await askOnce(withSettings(settings), MEDIUM, fixture('answer'));
    const tools = [{ type: 'web_search_premium' }];
    expect(request.json).toEqual({ ...REQUEST, tools, completion_args: { max_tokens: 4_000 } });
  });

  it('treats only an answer that used up its tokens as truncated', async () => {
    const ask = (maxOutputTokens: number) => askOnce(withSettings({ maxOutputTokens }), MEDIUM, fixture('cut'));
    await expect(ask(8_192)).rejects.toMatchObject({ detail: 'the answer was cut off' });
    await expect(ask(8_193)).resolves.toBeDefined();
  });

  it.each<[string, string, string, Partial<MistralSettings>, [string, string]]>([
    // (188 + 7,112) × 1.5 + 55 × 7.5 per million, and one search.
    ['tokens, what the search brought in, and the search', MEDIUM, 'answer', {}, ['0.0413625', 'computed']],
    ['the rates of Small', SMALL, 'answer', {}, ['0.031128', 'computed']],
    ['the rates of Large', LARGE, 'answer', {}, ['0.0337325', 'computed']],
    ['a premium search', MEDIUM, 'answer-premium', { searchTool: 'web_search_premium' }, ['0.0613625', 'computed']],
    ['the searches it sees where none are counted', MEDIUM, 'answer-uncounted', {}, ['0.0713625', 'computed']],
    ['the ceiling where all figures are zero', MEDIUM, 'answer-zero-usage', {}, ['0.3', 'ceiling']],
    [
      'a higher ceiling for premium searches',
      MEDIUM,
      'answer-zero-usage',
      { searchTool: 'web_search_premium' },
      ['0.42', 'ceiling'],
    ],
  ])('charges %s', async (_what, slug, reply, settings, expected) => {
    const { charged } = await askOnce(withSettings(settings), slug, fixture(reply));
    expect(charged).toEqual(expected);
  });

  it.each<[string, Partial<MistralSettings>]>([
    ['searchTool: found "search", expected web_search or web_search_premium', { searchTool: 'search' as 'web_search' }],
    ['maxOutputTokens: found 1, expected a whole number from 256', { maxOutputTokens: 1 }],
  ])('refuses %s', (message, settings) => {
    expect(() => withSettings(settings)).toThrow(`mistral.${message}`);
  });
});

describe('the embeddings of mistral', () => {
  it('come as numbers', async () => {
    const model = 'mistral/codestral-embed';
    const { request, charged } = await embedOnce(mistral({ apiKey: 'k' }), model, VECTORS, { dimensions: 256 });
    expect(request.url.href).toBe('https://api.mistral.ai/v1/embeddings');
    expect(request.json).toEqual({ model: 'codestral-embed', input: ['It is open.'], output_dimension: 256 });
    expect(charged).toEqual(['0.0000012', 'computed']);
  });
});
