import { describe, expect, it } from 'vitest';
import { askOnce, embedOnce, fixturesIn, streamsIn } from '../../../test/ask-once.js';
import * as rows from '../../../test/provider-rows.js';
import { embedFixtures } from '../../../test/retrieval-rows.js';
import type { AnswerOutcome, SearchOutcome } from '../../provider-kit/provider.js';
import type { UpstreamRequest } from '../../upstream/upstream-client.js';
import { type PerplexitySettings, perplexity } from './perplexity-provider.js';

const fixture = fixturesIn(import.meta.dirname);
const errors = fixture('errors');

const SONAR = 'perplexity/sonar';
const SEARCH = 'perplexity/search';
const ZEPHYR = {
  url: 'https://example.org/zephyr',
  title: 'Zephyr Bridge opens',
  snippet: 'The bridge was inaugurated on 14 May 2021…',
};
const TRAFFIC = {
  url: 'https://example.com/traffic',
  title: 'Traffic report',
  snippet: 'Counts of "vehicles" per day.',
};
const USAGE = { inputTokens: 2_800, cachedInputTokens: 0, outputTokens: 60, searches: 1 };
const SERVED = { upstreamRequestId: 'resp_7c0d1b1e-2f8a-4f0e-9a55-0d6f1e2c3b4a', servedModel: SONAR };

const ANSWER: AnswerOutcome = {
  text: 'It opened in May 2021.[1] Around 40,000 vehicles use it daily.[2]',
  citations: [ZEPHYR, TRAFFIC],
  cost: { reported: 3_350_000n, usage: USAGE },
  ...SERVED,
};
const SHORT_ANSWER: AnswerOutcome = { ...ANSWER, text: 'It opened in May 2021.[1]', citations: [ZEPHYR] };

const TEXT = '## Opening\nThe bridge was inaugurated on 14 May 2021.\n\nIt carries 40,000 vehicles daily.';
const FOUND_ZEPHYR = {
  url: ZEPHYR.url,
  title: 'Zephyr Bridge opens',
  snippet: TEXT,
  date: '2021-05-14',
  lastUpdated: '2026-10-02',
};
const FOUND_TRAFFIC = { url: TRAFFIC.url, title: 'Traffic report', snippet: '' };
const FOUND: SearchOutcome = {
  results: [FOUND_ZEPHYR, FOUND_TRAFFIC],
  cost: {},
  upstreamRequestId: 'e3d8c4f0-1111-4222-8333-abcdefabcdef',
};

/** Results of the Search API. */
const SEARCHES = [
  rows.searched(SEARCH, 'results', fixture('search'), FOUND),
  rows.searched(SEARCH, 'results with nulls and without fields', fixture('search-sparse'), {
    results: [{ url: ZEPHYR.url, title: null, snippet: null }, { url: TRAFFIC.url }],
  }),
  rows.searched(SEARCH, 'no results', fixture('search-none'), {
    results: [],
    upstreamRequestId: 'e3d8c4f0-1111-4222-8333-abcdefabcdf0',
  }),
];

const ERRORS = rows.meanings({
  upstream_rejected: '400 invalidRequest, 400 invalidModel, 404 notFound, 422 validation',
  upstream_auth_failed: '401 forbidden, 401 html, 403 forbidden',
  upstream_quota_exhausted: '401 insufficientQuota, 429 insufficientQuota, 402 paymentRequired',
  upstream_error: '408 gatewayTimeout, 424 connector, 500 internal, 502 badGateway, 504 gatewayTimeout',
  query_rejected: '413 tooLarge',
  upstream_rate_limited: '429 rateLimit',
});

/** Replies with status 200 that are no answer: name of the fixture, what it means, what it cost. */
const UNUSABLE: readonly rows.UnusableRow[] = [
  ['answer-ungrounded', 'upstream_invalid_response', 3_350_000n],
  ['answer-unreadable-results', 'upstream_invalid_response', 3_350_000n],
  ['chat-ungrounded', 'upstream_invalid_response', 5_010_000n],
  ['incomplete', 'upstream_invalid_response', 3_350_000n],
  ['failed', 'upstream_invalid_response', 2_500_000n],
  ['cancelled', 'upstream_invalid_response'],
  ['queued', 'upstream_invalid_response'],
  ['in-progress', 'upstream_invalid_response'],
  ['requires-action', 'upstream_invalid_response', 3_350_000n],
  ['refused', 'query_rejected', 3_350_000n],
  ['filtered', 'query_rejected', 3_350_000n],
];

/** Base64 of 3, -4, 0 and of 127. Of the second, the place stands for the index. */
const VECTORS = {
  object: 'list',
  data: [{ index: 0, embedding: 'A/wA' }, { embedding: 'f39/' }],
  usage: {
    prompt_tokens: 8,
    total_tokens: 8,
    cost: { input_cost: 0.00000024, total_cost: 0.00000024, currency: 'USD' },
  },
};

rows.testProvider(perplexity, 'pplx-Qm9yZWQgb2YgZmFrZSBrZXlz', {
  faultReplies: {
    error_in_200: { body: JSON.stringify(fixture('failed')) },
    empty_answer: { body: '{"status":"completed","output":[{"type":"search_results","results":[]}]}' },
  },
  evidence: { reply: ['status', 'choices.0.finish_reason'], stream: ['"type":"response.completed"'] },
  fixtures: [
    ...embedFixtures(perplexity, {
      reply: VECTORS,
      cost: { reported: 240n, usage: { inputTokens: 8 } },
      vectors: [[0.6, -0.8, 0], Array.from({ length: 3 }, () => 127 / Math.hypot(127, 127, 127))],
    }),
    ...[SONAR, 'perplexity/fast', 'perplexity/low', 'perplexity/medium', 'perplexity/high', 'perplexity/xhigh'].map(
      (model) =>
        rows.answered(model, 'an answer', fixture('answer'), ANSWER, {
          stream: { body: streamsIn(import.meta.dirname)('answer-stream') },
        }),
    ),
    rows.answered(
      'perplexity/medium',
      'an answer after several searches and fetches',
      fixture('answer-many-searches'),
      {
        text: 'First, the opening: May 2021 [1][7].\n\nTraffic grew every year [9][10][11][12][13], as others say [3].',
        citations: [
          ...Array.from({ length: 13 }, (_, index) => ({
            url: `https://example.org/${index + 1}`,
            title: `Source ${index + 1}`,
            snippet: `Passage ${index + 1}.`,
          })),
          { url: 'https://example.net/register', title: 'Bridge register', snippet: 'Entry 41.' },
        ],
        cost: {
          reported: 32_100_000n,
          usage: {
            inputTokens: 52_000,
            cachedInputTokens: 12_000,
            outputTokens: 1_400,
            searches: 3,
            otherFees: 1_000_000n,
          },
        },
        ...SERVED,
      },
    ),
    rows.answered(
      SONAR,
      'annotated markers, whose ids two searches give to different pages',
      fixture('answer-annotated'),
      { ...ANSWER, text: 'It opened in May 2021.[1] It is busy.[2] Both are on record.[1]' },
    ),
    rows.answered(SONAR, 'annotated sentences without markers', fixture('answer-annotated-sentences'), {
      ...ANSWER,
      text: 'It opened in May 2021.[2] It is busy.[1]',
      citations: [TRAFFIC, { url: 'https://example.net/other', title: 'Another page' }, ZEPHYR],
    }),
    rows.answered(SONAR, 'ids that begin again with each search', fixture('answer-repeated-ids'), {
      ...ANSWER,
      text: 'It opened in May 2021.[1] It is busy.[1]',
      citations: [ZEPHYR, TRAFFIC],
    }),
    rows.answered(SONAR, 'a search that found nothing', fixture('answer-no-results'), {
      ...ANSWER,
      text: 'Nothing was found about a Zephyr Bridge.[1]',
      citations: [],
    }),
    rows.answered('perplexity/low', 'an answer grounded in people', fixture('answer-people'), {
      text: 'Ada L. built the Zephyr Bridge [1].',
      citations: [{ url: 'https://people.example/ada', title: 'Ada L.', snippet: 'Engineer of the Zephyr Bridge.' }],
      cost: { reported: 5_850_000n, usage: { ...USAGE, searches: 0, otherFees: 5_000_000n } },
      ...SERVED,
    }),
    rows.answered(SONAR, 'an answer without any optional field', fixture('answer-missing-fields'), {
      text: 'It opened in May 2021.[1]',
      citations: [{ url: ZEPHYR.url }],
    }),
    rows.answered(SONAR, 'an answer in many scripts', fixture('answer-unicode'), {
      ...ANSWER,
      text: '🌉 大橋は2021年5月に開通した[1]。افتُتح الجسر في مايو ٢٠٢١ [2]. 👩‍👩‍👧',
      citations: [
        { url: 'https://example.jp/橋', title: 'ゼファー大橋 🌉', snippet: '二〇二一年五月に開通。' },
        { url: 'https://example.ae/jisr', title: 'جسر زفير', snippet: 'افتُتح الجسر في مايو.' },
      ],
    }),
    rows.answered(SONAR, 'what was used where no cost is reported', fixture('answer-unpriced'), {
      ...SHORT_ANSWER,
      // Three fetches at 0.0005 and a sandbox at 0.03.
      cost: {
        usage: { inputTokens: 2_800, cachedInputTokens: 800, outputTokens: 60, searches: 2, otherFees: 31_500_000n },
      },
    }),
    rows.answered('perplexity/high', 'another model that served, at its own rates', fixture('answer-other-model'), {
      ...SHORT_ANSWER,
      cost: { reported: 41_700_000n },
      servedModel: 'openai/gpt-6-luna',
    }),
    rows.answered(SONAR, 'a cost in another currency', fixture('answer-other-currency'), {
      ...SHORT_ANSWER,
      cost: { usage: USAGE },
    }),
    rows.answered(SONAR, 'an answer in the shape of chat completions', fixture('chat'), {
      text: 'It opened in May 2021[1], and is busy[2].',
      citations: [
        { url: ZEPHYR.url, title: ZEPHYR.title },
        { url: TRAFFIC.url, title: TRAFFIC.title, snippet: '40,000 a day.' },
      ],
      cost: { reported: 5_050_000n },
      upstreamRequestId: 'c0ffee-1',
      servedModel: 'sonar',
    }),
    rows.answered(SONAR, 'chat completions with nulls and content in parts', fixture('chat-nulls'), {
      text: 'It opened in May 2021.[1]',
      citations: [{ url: ZEPHYR.url }],
    }),
    ...rows.unusableFixtures(SONAR, UNUSABLE, fixture),
    ...SEARCHES,
    {
      kind: 'search',
      name: 'results with content',
      model: SEARCH,
      reply: fixture('search'),
      call: { includeContent: true },
      outcome: {
        ...FOUND,
        results: [
          { ...FOUND_ZEPHYR, content: TEXT },
          { ...FOUND_TRAFFIC, content: '' },
        ],
      },
    },
    rows.searched('perplexity/search-fast', 'results', fixture('search'), FOUND),
    ...[SONAR, SEARCH].flatMap((model) => rows.errorFixtures(model, ERRORS, errors)),
  ],
});

describe('perplexity', () => {
  it('forces a search by Sonar, which does not search by itself', async () => {
    const { request } = await askOnce(perplexity({ apiKey: 'k' }), SONAR, fixture('answer'));
    expect(request.url.href).toBe('https://api.perplexity.ai/v1/agent');
    expect(request.json).toEqual({
      model: SONAR,
      input: 'Is it open?',
      stream: false,
      store: false,
      tools: [{ type: 'web_search' }],
      tool_choice: { type: 'web_search' },
    });
  });

  it.each<[string, Partial<PerplexitySettings>, object]>([
    ['as an effort, pinned to Sonar', {}, { effort: 'low', model: SONAR }],
    ['as a preset', { tierField: 'preset' }, { preset: 'low', model: SONAR }],
    ['with another model', { tierModel: 'openai/gpt-6-luna' }, { effort: 'low', model: 'openai/gpt-6-luna' }],
    ['with the model Perplexity chooses', { tierModel: null }, { effort: 'low' }],
  ])('asks for a level of effort %s', async (_how, settings, expected) => {
    const provider = perplexity({ apiKey: 'k', ...settings });
    const { request } = await askOnce(provider, 'perplexity/low', fixture('answer'));
    expect(request.json).toEqual({ ...expected, input: 'Is it open?', stream: false, store: false });
  });

  describe('with a refused name of the level', () => {
    /** Asks one provider for levels in turn; its upstream refuses these names. @returns the names that were sent, and each ending. */
    async function namesSent(
      slugs: readonly string[],
      refuses: (name: string, nth: number) => object | undefined,
      settings = {},
    ) {
      const names: string[] = [];
      const provider = perplexity({ apiKey: 'k', ...settings });
      const upstream = {
        send({ json }: UpstreamRequest) {
          const name = Object.keys(json ?? {}).find((key) => key === 'effort' || key === 'preset') ?? 'none';
          const error = refuses(name, names.length);
          names.push(name);
          const text = JSON.stringify(error === undefined ? fixture('answer') : { error });
          return Promise.resolve({ status: error === undefined ? 200 : 400, header: () => undefined, text });
        },
      };
      const endings: unknown[] = [];
      for (const slug of slugs) {
        const model = provider.models.find((candidate) => candidate.slug === slug)!;
        const asked = provider.answer!.answer(
          { model, query: 'Is it open?' },
          { upstream, signal: AbortSignal.abort() },
        );
        endings.push(
          await asked.then(
            () => 'answered',
            ({ reason }: { reason: unknown }) => reason,
          ),
        );
      }
      return { names, endings };
    }
    const refusing = (refused: string) => (name: string) =>
      name === refused ? { message: `Unknown field: ${name}` } : undefined;

    it('asks with the other name in the same attempt, and uses it from then on', async () => {
      expect(await namesSent(['perplexity/low', 'perplexity/high', SONAR], refusing('effort'))).toEqual({
        names: ['effort', 'preset', 'preset', 'none'],
        endings: ['answered', 'answered', 'answered'],
      });
    });

    it('returns to the first name if the learned name is refused', async () => {
      const refuses = (name: string, nth: number) =>
        name === (nth === 0 ? 'effort' : 'preset') ? { message: `Unknown field: ${name}` } : undefined;
      const once = (name: string, nth: number) => (nth === 1 ? undefined : refuses(name, nth));
      expect((await namesSent(['perplexity/low', 'perplexity/low', 'perplexity/low'], once)).names).toEqual([
        'effort',
        'preset',
        'preset',
        'effort',
        'effort',
      ]);
    });

    it('asks twice at most, and learns nothing from a failure', async () => {
      const refuses = (name: string) => ({ message: `Unknown field: ${name}` });
      expect(await namesSent(['perplexity/low', 'perplexity/low'], refuses)).toEqual({
        names: ['effort', 'preset', 'effort', 'preset'],
        endings: ['upstream_rejected', 'upstream_rejected'],
      });
    });

    it.each<[string, (name: string) => object | undefined, object]>([
      ['names another field', () => ({ message: 'Unknown field: stop' }), {}],
      ['comes for the name that is set', refusing('effort'), { tierField: 'effort' }],
    ])('asks once where the 400 %s', async (_what, refuses, settings) => {
      expect(await namesSent(['perplexity/low'], refuses, settings)).toEqual({
        names: ['effort'],
        endings: ['upstream_rejected'],
      });
    });
  });

  it('lists the rates of Sonar only if Sonar does the work', () => {
    const pricesOf = (settings: Partial<PerplexitySettings>) =>
      Object.fromEntries(
        perplexity({ apiKey: 'k', ...settings }).models.map(({ slug, prices }) => [slug, 'perSearch' in prices[0]!]),
      );
    expect(pricesOf({ models: ['sonar', 'high'] })).toEqual({ [SONAR]: true, 'perplexity/high': true });
    expect(pricesOf({ models: ['sonar', 'high'], tierModel: null })).toEqual({
      [SONAR]: true,
      'perplexity/high': false,
    });
  });

  it('refuses a model that is no slug, and an unknown field', () => {
    expect(() => perplexity({ apiKey: 'k', tierModel: 'sonar' })).toThrow(
      'perplexity.tierModel: found "sonar", expected <provider>/<model> or null',
    );
    expect(() => perplexity({ apiKey: 'k', tierField: 'tier' as 'effort' })).toThrow(
      'perplexity.tierField: found "tier", expected effort or preset',
    );
  });
});

describe('the embeddings of perplexity', () => {
  it('are asked for as numbers of 8 bits', async () => {
    const model = 'perplexity/pplx-embed-v1-4b';
    const { request, charged } = await embedOnce(perplexity({ apiKey: 'k' }), model, VECTORS, { dimensions: 256 });
    expect(request.url.href).toBe('https://api.perplexity.ai/v1/embeddings');
    const asked = {
      model: 'pplx-embed-v1-4b',
      input: ['It is open.'],
      encoding_format: 'base64_int8',
      dimensions: 256,
    };
    expect(request.json).toEqual(asked);
    expect(charged).toEqual(['0.00000024', 'reported']);
  });

  it.each(['A/w*A', 'A/w', 'A_wA'])('are no numbers where %s is no base64', async (embedding) => {
    const reply = { data: [{ index: 0, embedding }] };
    const { outcome } = await embedOnce(perplexity({ apiKey: 'k' }), 'perplexity/pplx-embed-v1-4b', reply);
    expect(outcome.embeddings).toEqual([{ index: 0, vector: [] }]);
  });
});
