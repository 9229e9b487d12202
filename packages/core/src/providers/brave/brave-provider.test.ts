import { describe, expect, it } from 'vitest';
import { askOnce, fixturesIn, streamsIn } from '../../../test/ask-once.js';
import * as rows from '../../../test/provider-rows.js';
import type { AnswerOutcome } from '../../provider-kit/provider.js';
import { brave } from './brave-provider.js';

const fixture = fixturesIn(import.meta.dirname);
const stream = streamsIn(import.meta.dirname);
/** Brave always streams. */
const streamed = (name: string) => ({ reply: stream(name), stream: { body: stream(name) } });
const errors = fixture('errors');

const SECRET = 'BSAf3k9x2mQw7Zt1Lr8Vn5Hy0Jd4Pc6';
const MODEL = 'brave/answers';
const WEB = 'brave/web';
const CONTEXT = 'brave/llm-context';
const TRAFFIC = 'https://example.com/traffic';
const PASSAGES = 'The bridge was inaugurated on 14 May 2021.\n\n{"table": [["lanes", 4]]}';
const ZEPHYR = {
  url: 'https://example.org/zephyr',
  snippet: 'The bridge was inaugurated on **14 May 2021** & opened to traffic.',
};
const SERVED = { upstreamRequestId: '66c0e90e-0000-4000-8000-000000000001', servedModel: 'brave-pro' };
const USAGE = { inputTokens: 8_625, outputTokens: 150, searches: 1 };
const ANSWER: AnswerOutcome = {
  text: 'The Zephyr Bridge opened in May 2021.[1][2] About 40,000 vehicles cross it daily.[2]',
  citations: [ZEPHYR, { url: 'https://example.com/traffic', snippet: 'Open since May 2021.' }],
  cost: { reported: 47_875_000n, usage: USAGE },
  ...SERVED,
};
const SHORT_ANSWER: AnswerOutcome = {
  ...ANSWER,
  text: 'It opened in May 2021.[1]',
  citations: [{ url: ZEPHYR.url, snippet: 'Opened in May 2021.' }],
};

/** Results of the search models. */
const SEARCHES = [
  rows.searched(WEB, 'results', fixture('web'), {
    results: [
      {
        url: ZEPHYR.url,
        title: 'Zephyr Bridge opens &amp; traffic flows',
        snippet: "The bridge's opening was on 14 May 2021. … It carries 40,000 vehicles daily. … Its toll is 2 euros.",
        date: '2021-05-14T09:30:00',
      },
      { url: TRAFFIC, title: 'Traffic report', snippet: 'Counts of "vehicles" per day.' },
    ],
  }),
  rows.searched(WEB, 'results with nulls and without fields', fixture('web-sparse'), {
    results: [
      { url: ZEPHYR.url, title: null, snippet: '', date: null },
      { url: TRAFFIC, snippet: 'Counts per day.' },
    ],
  }),
  rows.searched(WEB, 'no results', fixture('web-none'), { results: [] }),
  rows.searched(CONTEXT, 'passages', fixture('context'), {
    results: [
      { url: ZEPHYR.url, title: 'Zephyr Bridge opens', snippet: PASSAGES, lastUpdated: '2025-01-15' },
      { url: TRAFFIC, title: 'Traffic report', snippet: 'Counts per day.' },
    ],
  }),
  rows.searched(CONTEXT, 'passages with nulls and without fields', fixture('context-sparse'), {
    results: [{ url: ZEPHYR.url, title: null }, { url: TRAFFIC }],
  }),
  rows.searched(CONTEXT, 'no passages', fixture('context-none'), { results: [] }),
];

const ERRORS = rows.meanings({
  upstream_auth_failed:
    '422 tokenInvalid, 422 tokenInvalidAsList, 404 subscriptionNotFound, 401 forbidden, 403 forbidden',
  upstream_rejected: '422 validation, 422 citationsBlocking',
  upstream_rate_limited: '429 rateLimited',
  upstream_quota_exhausted: '429 quotaLimited',
  upstream_error: '500 internal, 502 html',
});

/** Streams with status 200 that are no answer: name of the fixture, what it means, what it cost. */
const UNUSABLE: readonly rows.UnusableRow[] = [
  ['ungrounded', 'upstream_invalid_response', 1_000_000n],
  ['cut-by-length', 'upstream_invalid_response', 47_875_000n],
  ['filtered', 'query_rejected', 47_875_000n],
  ['empty-answer', 'upstream_invalid_response', 47_875_000n],
  ['error-in-stream', 'upstream_invalid_response'],
];

rows.testProvider(brave, SECRET, {
  faultReplies: { error_in_200: { body: stream('error-in-stream') }, empty_answer: { body: stream('empty-answer') } },
  evidence: { reply: ['choices.0.finish_reason'], stream: ['"finish_reason":"stop"'] },
  search: {
    faultReplies: { error_in_200: { body: JSON.stringify(errors.internal) } },
  },
  fixtures: [
    {
      name: 'an answer',
      model: MODEL,
      headers: { 'content-type': 'text/event-stream' },
      ...streamed('answer'),
      answer: ANSWER,
    },
    {
      name: 'tags in pieces, and words that look like tags',
      model: MODEL,
      ...streamed('answer-split-tags'),
      answer: {
        ...SHORT_ANSWER,
        text: 'It opened in May 2021.[1] It is <citation>not</citation> new, nor is </usage>.',
      },
    },
    {
      name: 'many citations with gaps in their numbers, one address twice',
      model: MODEL,
      ...streamed('answer-many-citations'),
      answer: {
        ...ANSWER,
        text: 'Bridges: bridge 1[1] bridge 2[2] bridge 3[3] bridge 4[4] bridge 5[5] bridge 6[6] bridge 7[7] bridge 8[8] bridge 9[4] bridge 10[9] bridge 11[10] bridge 12[11] bridge 13[12] bridge 14[13].',
        citations: [1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 14].map((n) => ({
          url: `https://example.org/bridges/${n}`,
          snippet: `Bridge ${n} is a bridge.`,
        })),
        cost: { reported: 57_500_000n, usage: { ...USAGE, inputTokens: 10_500 } },
      },
    },
    {
      name: 'an answer without citations, as is common in other languages than English',
      model: MODEL,
      ...streamed('answer-no-citations'),
      answer: {
        ...ANSWER,
        text: 'ゼファー橋は2021年に開通しました。',
        citations: [],
        cost: { reported: 47_900_000n, usage: USAGE },
      },
    },
    ...['missing-fields', 'nulls'].map((name) => ({
      name: `an answer with ${name}`,
      model: MODEL,
      ...streamed(`answer-${name}`),
      answer: { text: 'It opened in May 2021.[1]', citations: [{ url: ZEPHYR.url }], cost: {} },
    })),
    {
      name: 'an answer in many scripts',
      model: MODEL,
      ...streamed('answer-unicode'),
      answer: {
        ...ANSWER,
        text: '🌉 大橋は2021年5月に開通した。[1]افتُتح الجسر في مايو ٢٠٢١.[2] Öffnung: »Mai« 👩‍👩‍👧.',
        citations: [
          { url: 'https://example.jp/橋', snippet: '二〇二一年五月に開通。' },
          { url: 'https://example.ae/jisr', snippet: 'افتُتح الجسر.' },
        ],
      },
    },
    {
      name: 'numbers in brackets that are no markers',
      model: MODEL,
      ...streamed('answer-brackets'),
      answer: {
        ...ANSWER,
        text: 'The array `x[1]` has the element \\[1], see [2026].[1]\n\n```js\nx[2]\n```\n[2]',
        citations: [
          { url: ZEPHYR.url, snippet: 'An array.' },
          { url: 'https://example.com/traffic', snippet: 'x' },
        ],
      },
    },
    rows.answered(MODEL, 'an answer that is no stream', fixture('answer-blocking'), {
      text: 'It opened in May 2021.',
      citations: [],
      cost: { usage: { inputTokens: 8_600, outputTokens: 140, searches: 1 } },
      upstreamRequestId: '66c0e90e-0000-4000-8000-000000000002',
      servedModel: 'brave-pro',
    }),
    ...rows.unusableFixtures(MODEL, UNUSABLE, stream),
    ...SEARCHES,
    {
      kind: 'search',
      name: 'passages as content',
      model: CONTEXT,
      reply: fixture('context'),
      call: { includeContent: true },
      outcome: {
        results: [
          {
            url: ZEPHYR.url,
            title: 'Zephyr Bridge opens',
            snippet: PASSAGES,
            content: PASSAGES,
            lastUpdated: '2025-01-15',
          },
          { url: TRAFFIC, title: 'Traffic report', snippet: 'Counts per day.', content: 'Counts per day.' },
        ],
        cost: {},
      },
    },
    ...[MODEL, WEB, CONTEXT].flatMap((model) => rows.errorFixtures(model, ERRORS, errors)),
  ],
});

describe('brave', () => {
  it('asks for a stream with citations', async () => {
    const { request } = await askOnce(brave({ apiKey: 'k' }), MODEL, stream('answer'));
    expect(request.url.href).toBe('https://api.search.brave.com/res/v1/chat/completions');
    expect(request.headers).toEqual({ accept: 'text/event-stream', 'x-subscription-token': 'k' });
    expect(JSON.stringify(request.json)).toBe(
      '{"model":"brave","messages":[{"role":"user","content":"Is it open?"}],"stream":true,"enable_citations":true}',
    );
  });

  it('asks for a country, a language, safety and an amount of context', async () => {
    const settings = { country: 'DE', language: 'de', safesearch: 'strict', searchContextSize: 'low' } as const;
    const { request } = await askOnce(brave({ apiKey: 'k', ...settings }), MODEL, stream('answer'));
    expect(request.json).toEqual({
      model: 'brave',
      messages: [{ role: 'user', content: 'Is it open?' }],
      stream: true,
      enable_citations: true,
      country: 'DE',
      language: 'de',
      safesearch: 'strict',
      web_search_options: { search_context_size: 'low' },
    });
  });

  it.each([
    ['what is reported', 'answer', ['0.047875', 'reported']],
    ['what is reported as a text', 'answer-no-citations', ['0.0479', 'reported']],
    // 2 × 0.004 + 9,200 × 0.000005
    ['queries and tokens where no total is reported', 'answer-no-total', ['0.054', 'computed']],
    // 0.004 + 8,775 × 0.000005
    ['one query and the tokens of the last chunk', 'answer-no-usage-tag', ['0.047875', 'computed']],
    ['the ceiling where nothing is reported', 'answer-missing-fields', ['0.08', 'ceiling']],
  ])('charges %s', async (_what, name, charged) => {
    expect((await askOnce(brave({ apiKey: 'k' }), MODEL, stream(name))).charged).toEqual(charged);
  });

  it.each([
    [{ country: 'de' }, 'brave.country: found "de", expected a country code of two capital letters, or "ALL"'],
    [{ language: 'German' }, 'brave.language: found "German", expected a language code in lower case'],
    [{ safesearch: 'on' }, 'brave.safesearch: found "on", expected off, moderate or strict'],
    [{ searchContextSize: 'huge' }, 'brave.searchContextSize: found "huge", expected low, medium or high'],
  ])('refuses %j', (settings, problem) => {
    expect(() => brave({ apiKey: 'k', ...settings } as Parameters<typeof brave>[0])).toThrow(problem);
  });
});
