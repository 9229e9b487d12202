import { describe, expect, it } from 'vitest';
import { askOnce, embedOnce, fixturesIn, rerankOnce, streamsIn } from '../../../test/ask-once.js';
import * as rows from '../../../test/provider-rows.js';
import { BASE64, dataOf, embedFixtures, ranksOf, rerankFixtures } from '../../../test/retrieval-rows.js';
import type { AnswerOutcome } from '../../provider-kit/provider.js';
import { jina } from './jina-provider.js';

const fixture = fixturesIn(import.meta.dirname);
const stream = streamsIn(import.meta.dirname);
const errors = fixture('errors');

const SECRET = 'jina_0f1e2d3c4b5a69788796a5b4c3d2e1f0';
const MODEL = 'jina/deepsearch';
const SEARCH = 'jina/search';
const READER = 'jina/reader';
const ZEPHYR = {
  url: 'https://example.org/zephyr',
  title: 'Zephyr Bridge opens & traffic flows',
  snippet: 'The bridge was inaugurated on 14 May 2021.',
};
const TRAFFIC = {
  url: 'https://example.com/traffic_(2026)',
  title: '[PDF] Traffic report',
  snippet: 'About 40,000 vehicles a day!',
};
const SERVED = { upstreamRequestId: '1791066401000', servedModel: 'jina-deepsearch-v1' };
/** Of a total of 61,850. */
const COST = { usage: { inputTokens: 59_540, outputTokens: 2_310 } };
const ANSWER: AnswerOutcome = {
  text: 'The Zephyr Bridge opened in May 2021.[1] About 40,000 vehicles cross it daily.[1][2]',
  citations: [ZEPHYR, TRAFFIC],
  cost: COST,
  ...SERVED,
};
const SHORT_ANSWER: AnswerOutcome = {
  ...ANSWER,
  text: 'It opened in May 2021.[1]',
  citations: [{ ...ZEPHYR, title: 'Zephyr Bridge opens' }],
};
/** 61,850 × 0.00000005 */
const LOSS = 3_092_500n;

const ERRORS = rows.meanings({
  upstream_rejected: '400 lastMessage, 400 invalidBody, 404 modelNotFound',
  upstream_auth_failed: '401 noKey, 401 badKey',
  upstream_quota_exhausted: '402 balance, 500 balance, 403 balanceCode',
  upstream_rate_limited: '429 rateLimit',
  query_rejected: '451 harmful',
  upstream_error: '500 internal, 524 html',
});

/** Streams with status 200 that are no answer: name of the fixture, what it cost. */
const UNUSABLE: readonly (readonly [string, bigint?])[] = [
  ['ungrounded', LOSS],
  ['empty-answer', LOSS],
  ['failed', LOSS],
  ['only-thoughts'],
];

/** The same of Search and Reader, which have another envelope. */
const PORT_ERRORS = rows.meanings({
  upstream_auth_failed: '401 keyRequired, 403 suspended',
  upstream_quota_exhausted: '402 balanceTooLow',
  upstream_rate_limited: '429 tooMany',
  upstream_error: '503 drained, 524 html',
});

/** Of reranks and embeddings. */
const RETRIEVAL_ERRORS = rows.meanings({
  query_rejected: '400 notEncoded',
  upstream_rejected: '400 invalidBody',
  upstream_auth_failed: '401 badKey, 403 suspended',
  upstream_quota_exhausted: '403 balanceCode, 403 balanceWords',
  upstream_rate_limited: '429 rateLimit',
  upstream_error: '500 internal',
});

const FOUND = [
  {
    url: ZEPHYR.url,
    title: 'Zephyr Bridge opens',
    snippet: 'The bridge was inaugurated in May.',
    content: '',
    date: 'May 14, 2021',
  },
  { url: 'https://example.com/traffic', title: 'Traffic report', snippet: 'Counts of vehicles per day.', content: '' },
] as const;
const PAGE_TEXT = '# Zephyr Bridge opens\n\nThe bridge was inaugurated on 14 May 2021.';
const FREE = { reported: 0n };
const tokens = (inputTokens: number) => ({ usage: { inputTokens } });

/** Status and name of an error that is about the page. */
const UNREAD = [
  [400, 'badParameter', 'page_failed'],
  [403, 'consecutiveErrors', 'page_failed'],
  [413, 'tooLarge', 'page_unsupported'],
  [422, 'noContent', 'page_failed'],
  [451, 'blockedHost', 'page_forbidden'],
] as const;

const RANKS = { model: 'm', results: ranksOf(), usage: { total_tokens: 15, prompt_tokens: 15 } };
const VECTORS = { model: 'm', object: 'list', data: dataOf(BASE64), usage: { total_tokens: 8, prompt_tokens: 8 } };

rows.testProvider(jina, SECRET, {
  faultReplies: { error_in_200: { body: stream('failed') }, empty_answer: { body: stream('empty-answer') } },
  search: { faultReplies: { error_in_200: { body: JSON.stringify(errors.badParameter) } } },
  extract: { faultReplies: { error_in_200: { body: JSON.stringify(errors.badParameter) } } },
  rerank: { faultReplies: { error_in_200: { body: '{"detail":"Internal error"}' } } },
  embed: { faultReplies: { error_in_200: { body: '{"detail":"Internal error"}' } } },
  evidence: { reply: ['choices.0.finish_reason'], stream: ['"finish_reason":"stop"'] },
  fixtures: [
    ...rerankFixtures(jina, { reply: RANKS, cost: { usage: { inputTokens: 15 } } }),
    ...embedFixtures(jina, { reply: VECTORS, cost: { usage: { inputTokens: 8 } } }),
    ...[MODEL, 'jina/deepsearch-high'].map((model) =>
      rows.answered(model, 'an answer', stream('answer'), ANSWER, { headers: { 'content-type': 'text/event-stream' } }),
    ),
    rows.answered(MODEL, 'a last word behind the answer', stream('answer-done'), ANSWER),
    rows.answered(
      MODEL,
      'a note that names the host alone',
      stream('answer').replace('[Zephyr Bridge opens &amp; traffic flows](', '[www.Example.org]('),
      ANSWER,
    ),
    rows.answered(MODEL, 'notes that no marker names', stream('answer-unused-notes'), {
      ...ANSWER,
      text: 'It opened in May 2021.[2]',
      citations: [
        { url: 'https://example.net/bridges', title: 'Bridges', snippet: 'Bridges of the region' },
        { ...ZEPHYR, title: 'Zephyr Bridge opens' },
        { ...TRAFFIC, title: 'Traffic report' },
      ],
    }),
    rows.answered(MODEL, 'many citations, one address twice', stream('answer-many-citations'), {
      ...ANSWER,
      text: 'Bridges: bridge 1 [1], bridge 2 [2], bridge 3 [3], bridge 4 [4], bridge 5 [5], bridge 6 [6], bridge 7 [7], bridge 8 [8], bridge 9 [4], bridge 10 [9], bridge 11 [10], bridge 12 [11], bridge 13 [12], bridge 14 [13], all of them [1][2] and [10][11][12].',
      citations: [1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 14].map((n) => ({
        url: `https://example.org/bridges/${n}`,
        title: `Bridge ${n}`,
        snippet: `Bridge ${n} is a bridge`,
      })),
    }),
    rows.answered(MODEL, 'a search that found nothing', stream('answer-no-citations'), {
      ...ANSWER,
      text: 'Nothing was found about a Zephyr Bridge.',
      citations: [],
    }),
    rows.answered(MODEL, 'pages that were read, where nothing is cited', stream('answer-pages-only'), {
      ...ANSWER,
      text: 'It opened in May 2021.[^1]',
      citations: [{ url: ZEPHYR.url }, { url: TRAFFIC.url }],
    }),
    rows.answered(MODEL, 'annotations without notes, whose numbers are unknown', stream('answer-annotations-only'), {
      ...ANSWER,
      text: 'It opened in May 2021.[^1]',
      citations: [ZEPHYR],
    }),
    rows.answered(MODEL, 'an answer without any optional field', stream('answer-missing-fields'), {
      text: 'It opened in May 2021.[1]',
      citations: [{ url: ZEPHYR.url, title: 'Zephyr Bridge opens' }],
    }),
    rows.answered(MODEL, 'an answer in many scripts', stream('answer-unicode'), {
      ...ANSWER,
      text: '🌉 大橋は2021年5月に開通した[1]。افتُتح الجسر في مايو ٢٠٢١ [2]. Öffnung: »Mai« 👩‍👩‍👧.',
      citations: [
        { url: 'https://example.jp/橋', title: 'ゼファー大橋 🌉', snippet: '二〇二一年五月に開通' },
        { url: 'https://example.ae/jisr', title: 'جسر زفير', snippet: 'افتُتح الجسر' },
      ],
    }),
    rows.answered(MODEL, 'an answer that is no stream', fixture('answer-plain'), SHORT_ANSWER),
    ...UNUSABLE.map(([name, cost]) => ({
      name: `the unusable reply ${name}`,
      model: MODEL,
      reply: stream(name),
      failure: {
        reason: 'upstream_invalid_response' as const,
        phase: 'shape' as const,
        ...(cost === undefined ? {} : { cost }),
      },
    })),
    {
      name: 'a failure that is no stream',
      model: MODEL,
      reply: fixture('failed-plain'),
      failure: { reason: 'upstream_invalid_response', phase: 'shape', cost: LOSS },
    },
    ...rows.errorFixtures(MODEL, ERRORS, errors),
    rows.searched(SEARCH, 'two pages', fixture('search'), { results: FOUND, cost: tokens(10_000) }),
    {
      kind: 'search',
      name: 'a page with its text',
      model: SEARCH,
      reply: fixture('search-content'),
      call: { includeContent: true },
      outcome: {
        results: [
          { ...FOUND[0], content: PAGE_TEXT },
          { ...FOUND[1], date: '2026-06-15T08:00:00Z' },
        ],
        cost: tokens(15_812),
      },
    },
    rows.searched(SEARCH, 'pages with nulls and without fields', fixture('search-sparse'), {
      results: [{ url: ZEPHYR.url }, { url: FOUND[1].url }],
    }),
    {
      kind: 'search',
      name: 'tokens in a header',
      model: SEARCH,
      headers: { 'x-usage-tokens': '20000' },
      reply: fixture('search-sparse'),
      outcome: { results: [{ url: ZEPHYR.url }, { url: FOUND[1].url }], cost: tokens(20_000) },
    },
    {
      kind: 'search',
      name: 'a search that found nothing',
      model: SEARCH,
      status: 422,
      reply: errors.noResults,
      outcome: { results: [], cost: FREE },
    },
    rows.searched(SEARCH, 'an empty list', fixture('search-none'), { results: [], cost: { ...FREE, ...tokens(0) } }),
    ...rows.errorFixtures(SEARCH, [...PORT_ERRORS, [400, 'badParameter', 'upstream_rejected']], errors),
    rows.extracted(READER, 'a page', fixture('page'), {
      pages: [
        { url: ZEPHYR.url, title: 'Zephyr Bridge opens', content: PAGE_TEXT, date: 'Fri, 14 May 2021 23:38:37 GMT' },
      ],
      cost: tokens(33),
    }),
    {
      kind: 'extract',
      name: 'a page as text',
      model: READER,
      reply: fixture('page-text'),
      call: { format: 'text' },
      outcome: {
        pages: [
          { url: ZEPHYR.url, title: 'Zephyr Bridge opens', content: 'The bridge was inaugurated on 14 May 2021.' },
        ],
        cost: tokens(12),
      },
    },
    rows.extracted(READER, 'a page with nulls', fixture('page-sparse'), {
      pages: [{ url: ZEPHYR.url, content: 'The bridge is open.' }],
    }),
    rows.extracted(READER, 'a page without text', fixture('page-empty'), {
      pages: [{ url: ZEPHYR.url, title: '', content: null }],
      cost: { ...FREE, ...tokens(0) },
    }),
    rows.extracted(READER, 'a page with an error, which is billed', fixture('page-gone'), {
      pages: [{ url: ZEPHYR.url, failed: 'page_not_found' }],
      cost: tokens(5),
    }),
    rows.extracted(READER, 'a page with a warning that is no failure', fixture('page-captcha'), {
      pages: [{ url: ZEPHYR.url, title: 'Zephyr Bridge', content: 'The bridge is open.' }],
      cost: tokens(5),
    }),
    ...UNREAD.map(([status, name, failed]) => ({
      kind: 'extract' as const,
      name: `a failed page: ${name}`,
      model: READER,
      status,
      reply: errors[name],
      outcome: { pages: [{ url: ZEPHYR.url, failed }], cost: FREE },
    })),
    ...rows.errorFixtures(READER, PORT_ERRORS, errors),
    ...rows.errorFixtures('jina/jina-reranker-v3', RETRIEVAL_ERRORS, errors),
    ...rows.errorFixtures('jina/jina-embeddings-v4', RETRIEVAL_ERRORS, errors),
  ],
});

describe('jina', () => {
  it.each([
    [MODEL, 'low'],
    ['jina/deepsearch-high', 'high'],
  ])('asks %s for a stream with effort %s, and for a search whatever the question', async (slug, effort) => {
    const { request } = await askOnce(jina({ apiKey: 'k' }), slug, stream('answer'));
    expect(request.url.href).toBe('https://deepsearch.jina.ai/v1/chat/completions');
    expect(request.headers).toEqual({ accept: 'text/event-stream', authorization: 'Bearer k' });
    expect(JSON.parse(JSON.stringify(request.json))).toStrictEqual({
      model: 'jina-deepsearch-v1',
      messages: [{ role: 'user', content: 'Is it open?' }],
      stream: true,
      no_direct_answer: true,
      reasoning_effort: effort,
    });
  });

  it('asks for the configured hosts only, and excludes others', async () => {
    const provider = jina({ apiKey: 'k', onlyHostnames: ['example.org'], badHostnames: ['ads.example.com'] });
    const { request } = await askOnce(provider, MODEL, stream('answer'));
    expect(request.json).toMatchObject({ only_hostnames: ['example.org'], bad_hostnames: ['ads.example.com'] });
  });

  it.each([
    ['the tokens at the price of today’s package', {}, 'answer', ['0.0030925', 'computed']],
    ['the tokens at the account’s price', { usdPerMillionTokens: '0.02' }, 'answer', ['0.001237', 'computed']],
    ['the ceiling where no tokens are reported', {}, 'answer-missing-fields', ['0.025', 'ceiling']],
  ])('charges %s', async (_what, settings, name, charged) => {
    expect((await askOnce(jina({ apiKey: 'k', ...settings }), MODEL, stream(name))).charged).toEqual(charged);
  });

  it('lists and holds by the account’s price', () => {
    const [, high] = jina({ apiKey: 'k', usdPerMillionTokens: '0.02' }).models;
    expect(high?.prices).toMatchObject([
      { perMillionInputTokens: '0.02', perMillionOutputTokens: '0.02', typical: '0.012', ceiling: '0.04' },
    ]);
  });

  it('tells what the provider reported of a failure', async () => {
    await expect(askOnce(jina({ apiKey: 'k' }), MODEL, stream('failed'))).rejects.toMatchObject({
      detail: 'The model is overloaded',
    });
  });

  it.each([
    [{ usdPerMillionTokens: 0.05 }, 'expected a decimal string of US dollars above 0, such as "0.05"'],
    [{ onlyHostnames: ['https://example.org'] }, 'expected a host name such as "example.org"'],
    [{ badHostnames: [] }, 'jina.badHostnames: found an array of 0, expected at least one host name'],
  ])('refuses %j', (settings, problem) => {
    expect(() => jina({ apiKey: 'k', ...settings } as Parameters<typeof jina>[0])).toThrow(problem);
  });
});

describe('the ranks and vectors of jina', () => {
  const rerank = 'jina/jina-reranker-v3';
  const embed = 'jina/jina-embeddings-v5-text-small';

  it('are asked for at a host of their own', async () => {
    const ranked = await rerankOnce(jina({ apiKey: 'k' }), rerank, RANKS, { topN: 1 });
    expect(ranked.request.url.href).toBe('https://api.jina.ai/v1/rerank');
    const documents = ['It is open.', 'It is closed.'];
    const asked = { model: 'jina-reranker-v3', query: 'Is it open?', documents, top_n: 1, return_documents: false };
    expect(ranked.request.json).toEqual(asked);
    const embedded = await embedOnce(jina({ apiKey: 'k' }), embed, VECTORS, { inputType: 'document', dimensions: 64 });
    expect(embedded.request.url.href).toBe('https://api.jina.ai/v1/embeddings');
    expect(embedded.request.json).toEqual({
      model: 'jina-embeddings-v5-text-small',
      input: ['It is open.'],
      embedding_type: 'base64',
      normalized: true,
      dimensions: 64,
      task: 'retrieval.passage',
    });
  });

  it('are charged at the price that the account pays for a token', async () => {
    expect((await rerankOnce(jina({ apiKey: 'k' }), rerank, RANKS)).charged[0]).toBe('0.00000075');
    const cheap = jina({ apiKey: 'k', usdPerMillionTokens: '0.02' });
    expect((await embedOnce(cheap, embed, VECTORS)).charged[0]).toBe('0.00000016');
  });
});
