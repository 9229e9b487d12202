import { describe, expect, it } from 'vitest';
import { askOnce, embedOnce, fixturesIn, rerankOnce, streamsIn } from '../../../test/ask-once.js';
import { livePartsIn, livePartsOf } from '../../../test/live-parts-of.js';
import * as rows from '../../../test/provider-rows.js';
import { BASE64, dataOf, embedFixtures, ranksOf, rerankFixtures } from '../../../test/retrieval-rows.js';
import type { AnswerOutcome } from '../../provider-kit/provider.js';
import { type OpenrouterSettings, openrouter } from './openrouter-provider.js';

const fixture = fixturesIn(import.meta.dirname);
const stream = streamsIn(import.meta.dirname);
const errors = fixture('errors');

const ANSWER = 'openrouter/answer';
const ZEPHYR = {
  url: 'https://example.org/zephyr',
  title: 'Zephyr Bridge opens & traffic flows',
  snippet: 'The bridge opened on 14 May 2021.',
};
const TRAFFIC = {
  url: 'https://example.com/traffic',
  title: 'Traffic report',
  snippet: 'About 40,000 vehicles cross it every day.',
};
const SERVED = { upstreamRequestId: 'gen-1763800000-AbCdEfGhIj', servedModel: 'openai/gpt-6-luna' };
const COST = { reported: 12_300_000n };

const bridges = Array.from({ length: 12 }, (_, index) => ({
  url: `https://example.org/bridges/${index + 1}`,
  title: `Bridge ${index + 1}`,
  snippet: `Bridge ${index + 1} opened.`,
}));
const bridge = { url: 'https://example.jp/橋', title: 'ゼファー大橋 🌉', snippet: '二〇二一年五月に開通。' };
const [NOTHING, OPENED] = ['Nothing was found about a Zephyr Bridge.', 'It opened in May 2021.'];

type AnswerRow = readonly [file: string, name: string, text: string, AnswerOutcome['citations'], served?: object];

/** What is served: {@link SERVED} at {@link COST}, unless the row says other. */
const ANSWERS: readonly AnswerRow[] = [
  [
    'answer',
    'an answer',
    'The bridge opened on 14 May 2021 ([example.org](https://example.org/zephyr)), and about 40,000 vehicles cross it every day ([example.com](https://example.com/traffic)).',
    [ZEPHYR, TRAFFIC],
  ],
  [
    'answer-many-citations',
    'many citations, one of them twice',
    'Twelve bridges opened.',
    bridges,
    { ...SERVED, cost: { reported: 31_000_000n } },
  ],
  ['answer-no-citations', 'a search that found nothing', NOTHING, []],
  ['answer-older-count', 'a count of searches under its older name', NOTHING, []],
  ['answer-uncounted', 'citations where no searches are counted', OPENED, [ZEPHYR]],
  ['answer-own-key', 'an own key of the vendor', OPENED, [ZEPHYR], { ...SERVED, cost: { reported: 12_915_000n } }],
  ['answer-unicode', 'an answer in many scripts', '🌉 大橋は2021年5月に開通した。 افتُتح الجسر. 👩‍👩‍👧', [bridge]],
  ['answer-nulls', 'an answer with nulls', OPENED, [{ url: ZEPHYR.url }], {}],
];

/** Replies with status 200 that are no answer, what they mean, and what they cost. */
const UNUSABLE: readonly rows.UnusableRow[] = [
  ['ungrounded', 'upstream_invalid_response', 1_000_000n],
  ['empty', 'upstream_invalid_response', 12_300_000n],
  ['cut', 'upstream_invalid_response', 12_300_000n],
  ['filtered', 'query_rejected', 12_300_000n],
  ['broken-off', 'upstream_error', 12_300_000n],
  ['network-error', 'upstream_invalid_response', 12_300_000n],
];

const ERRORS = rows.meanings({
  upstream_rejected: '400 badRequest',
  query_rejected: '400 tooLong, 403 flagged',
  upstream_auth_failed: '401 authentication, 403 forbidden',
  upstream_quota_exhausted: '402 credit, 200 credit',
  upstream_error: '408 timeout, 502 down, 503 none, 200 down',
  upstream_rate_limited: '429 rateLimit, 200 rateLimit',
});

const RANKS = {
  id: 'gen-1',
  model: 'cohere/rerank-v3.5',
  results: ranksOf(),
  usage: { cost: 0.002, search_units: 1, total_tokens: 150 },
};
const VECTORS = {
  id: 'gen-2',
  object: 'list',
  data: dataOf(BASE64),
  model: 'm',
  usage: { prompt_tokens: 8, total_tokens: 8, cost: 0.00000016 },
};
const refused = (message: string) => ({ error: { code: 400, message } });
const embedErrors = {
  tooLong: refused("Invalid 'input[0]': maximum input length is 8192 tokens."),
  tooMany: refused('Requested 310000 tokens, max 300000 tokens per request'),
  invalid: refused('The parameter dimensions is wrong.'),
};
const EMBED_ERRORS: readonly rows.ErrorRow[] = [
  [400, 'tooLong', 'query_rejected'],
  [400, 'tooMany', 'query_rejected'],
  [400, 'invalid', 'upstream_rejected'],
];

rows.testProvider(openrouter, 'sk-or-v1-b3BlbnJvdXRlci10ZXN0LWtleQ', {
  faultReplies: {
    error_in_200: { body: JSON.stringify({ error: { message: 'The model returned nothing.' } }) },
    empty_answer: { body: JSON.stringify(fixture('empty')) },
  },
  evidence: { reply: ['choices.0.finish_reason'], stream: ['"finish_reason":"stop"', '"usage":'] },
  fixtures: [
    ...rerankFixtures(openrouter, {
      reply: RANKS,
      cost: { reported: 2_000_000n, usage: { searchUnits: 1, inputTokens: 150 } },
      upstreamRequestId: 'gen-1',
    }),
    ...embedFixtures(openrouter, {
      reply: VECTORS,
      cost: { reported: 160n, usage: { inputTokens: 8 } },
      upstreamRequestId: 'gen-2',
    }),
    ...ANSWERS.map(([file, name, text, citations, served = { ...SERVED, cost: COST }]) => {
      const body = stream('answer-stream');
      const streamed = file === 'answer' ? { stream: { body, citationsAreLate: true as const } } : {};
      return rows.answered(ANSWER, name, fixture(file), { text, citations, ...served }, streamed);
    }),
    ...rows.unusableFixtures(ANSWER, UNUSABLE, fixture),
    ...rows.errorFixtures(ANSWER, ERRORS, errors),
    ...rows.errorFixtures('openrouter/text-embedding-3-small', EMBED_ERRORS, embedErrors),
  ],
});

const withSettings = (settings: Partial<OpenrouterSettings>) => openrouter({ apiKey: 'k', ...settings });

describe('openrouter', () => {
  const REQUEST = {
    model: 'openrouter/auto',
    messages: [
      { role: 'system', content: expect.stringContaining('Search the web at least once') },
      { role: 'user', content: 'Is it open?' },
    ],
    tools: [{ type: 'openrouter:web_search', parameters: { max_results: 5, max_uses: 3 } }],
    max_tokens: 8_192,
    stream: false,
  };

  it('offers web search', async () => {
    const { request, charged } = await askOnce(withSettings({}), ANSWER, fixture('answer'));
    expect(request.url.href).toBe('https://openrouter.ai/api/v1/chat/completions');
    expect(request.headers).toEqual({ authorization: 'Bearer k' });
    expect(request.json).toEqual(REQUEST);
    expect(charged).toEqual(['0.0123', 'reported']);
  });

  it('asks the configured model', async () => {
    const settings = { model: 'deepseek/deepseek-flash:nitro', maxResults: 10, maxSearches: 8, maxOutputTokens: 2_000 };
    const { request } = await askOnce(withSettings(settings), ANSWER, fixture('answer'));
    expect(request.json).toEqual({
      ...REQUEST,
      model: settings.model,
      tools: [{ ...REQUEST.tools[0], parameters: { max_results: 10, max_uses: 8 } }],
      max_tokens: 2_000,
    });
  });

  it('charges the ceiling without a reported cost', async () => {
    const { charged } = await askOnce(withSettings({}), ANSWER, fixture('answer-nulls'));
    expect(charged).toEqual(['0.5', 'ceiling']);
  });

  it.each<[string, Partial<OpenrouterSettings>]>([
    ['model: found "gpt-6-luna", expected an id of a model', { model: 'gpt-6-luna' }],
    ['maxResults: found 11, expected a whole number from 1 to 10', { maxResults: 11 }],
    ['maxSearches: found 21, expected a whole number from 1 to 20', { maxSearches: 21 }],
    ['maxOutputTokens: found 500, expected a whole number from 1024 to 65536', { maxOutputTokens: 500 }],
  ])('refuses %s', (message, settings) => {
    expect(() => withSettings(settings)).toThrow(`openrouter.${message}`);
  });

  it('streams text and pages', async () => {
    const create = (baseUrl: string) => openrouter({ apiKey: 'k', baseUrl });
    const chunks = stream('answer-stream').split(/(?<=\n\n)/);
    const asked = { create, model: ANSWER, chunks, query: 'Is it open?' };
    const { requests, parts, citationLists } = await livePartsOf(asked);
    expect(requests).toMatchObject([{ path: '/chat/completions', body: { ...REQUEST, stream: true } }]);
    expect(requests[0]?.headers['accept']).toBe('text/event-stream');
    expect(parts.length).toBeGreaterThan(3);
    expect(citationLists).toEqual([[ZEPHYR], [ZEPHYR, TRAFFIC]]);
  });

  it('does not treat a stream as whole after its model has broken off', async () => {
    const [stop, broken] = ['stop', 'network_error'].map((reason) => `"native_finish_reason":"${reason}"`);
    const chunks = [stream('answer-stream').replace(stop!, broken!)];
    const { error } = await livePartsIn(withSettings({}), { model: ANSWER, chunks });
    expect(error).toMatchObject({ reason: 'upstream_invalid_response', cost: 12_300_000n });
  });

  it('reports a failure in the middle of a stream', async () => {
    const { error, text } = await livePartsIn(withSettings({}), { model: ANSWER, chunks: [stream('error-in-stream')] });
    expect(error).toMatchObject({ reason: 'upstream_error', detail: expect.stringContaining('Provider disconnected') });
    expect(text).toMatch(/^The bridge/);
  });
});

describe('the ranks and vectors of openrouter', () => {
  const provider = openrouter({ apiKey: 'k' });

  it('are asked for by the names of their vendors', async () => {
    const documents = ['It is open.', 'It is closed.'];
    for (const id of ['cohere/rerank-v3.5', 'cohere/rerank-4-pro', 'voyageai/rerank-2.5', 'voyageai/rerank-2.5-lite']) {
      const slug = id.replace(/^\w+/, 'openrouter');
      const ranked = await rerankOnce(provider, slug, RANKS, { topN: 1 });
      expect(ranked.request.url.href).toBe('https://openrouter.ai/api/v1/rerank');
      expect(ranked.request.json).toEqual({ model: id, query: 'Is it open?', documents, top_n: 1 });
    }
    const embedded = await embedOnce(provider, 'openrouter/text-embedding-3-small', VECTORS, { dimensions: 256 });
    expect(embedded.request.url.href).toBe('https://openrouter.ai/api/v1/embeddings');
    const asked = { model: 'openai/text-embedding-3-small', input: ['It is open.'], encoding_format: 'base64' };
    expect(embedded.request.json).toEqual({ ...asked, dimensions: 256 });
  });

  it('are charged as reported', async () => {
    expect((await rerankOnce(provider, 'openrouter/rerank-v3.5', RANKS)).charged).toEqual(['0.002', 'reported']);
    const { charged } = await embedOnce(provider, 'openrouter/text-embedding-3-small', VECTORS);
    expect(charged).toEqual(['0.00000016', 'reported']);
  });
});

describe("the cost with the operator's own key of a vendor", () => {
  const provider = openrouter({ apiKey: 'k' });
  const bill = (upstream_inference_cost: unknown) => ({ is_byok: true, cost_details: { upstream_inference_cost } });

  it.each([
    ['the fee and the bill of the vendor', { cost: 0.000615, ...bill(0.0123) }, 12_915_000n],
    ['the bill alone below the limit without a fee', { cost: 0, ...bill(0.0123) }, 12_300_000n],
    ['the bill alone without a figure of the fee', { cost: null, ...bill('1.23e-2') }, 12_300_000n],
    ['unknown without the bill', { cost: 0.000615, ...bill(null) }, undefined],
    ['unknown without details', { cost: 0.000615, is_byok: true, cost_details: null }, undefined],
    ['the cost alone with a key of OpenRouter', { ...bill(0.0123), cost: '1E-2', is_byok: false }, 10_000_000n],
    ['the cost alone for another word', { ...bill(0.0123), cost: 0.01, is_byok: null }, 10_000_000n],
  ])('is %s', async (_what, usage, reported) => {
    const whole = { ...fixture('answer'), usage };
    const streamed = stream('answer-stream').replace(/"usage":\{.*\}\}\}/, `"usage":${JSON.stringify(usage)}}`);
    const chunks = [streamed];
    expect((await askOnce(provider, ANSWER, whole)).outcome.cost.reported).toBe(reported);
    expect((await livePartsIn(provider, { model: ANSWER, chunks })).outcome?.cost.reported).toBe(reported);
    const ranked = await rerankOnce(provider, 'openrouter/rerank-v3.5', { ...RANKS, usage });
    expect(ranked.outcome.cost.reported).toBe(reported);
    const embedded = await embedOnce(provider, 'openrouter/text-embedding-3-small', { ...VECTORS, usage });
    expect(embedded.outcome.cost.reported).toBe(reported);
  });
});
