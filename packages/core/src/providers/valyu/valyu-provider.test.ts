import { describe, expect, it } from 'vitest';
import { askOnce, fixturesIn, streamsIn } from '../../../test/ask-once.js';
import * as rows from '../../../test/provider-rows.js';
import { valyu } from './valyu-provider.js';

const fixture = fixturesIn(import.meta.dirname);
const stream = streamsIn(import.meta.dirname);
/** Valyu always streams; which page a marker means is sure at the end. */
const streamed = (name: string) => ({ reply: stream(name), stream: { body: stream(name) } });
const errors = fixture('errors');

const SECRET = 'vl-0a1b2c3d4e5f60718293a4b5c6d7e8f9';
const ANSWER = 'valyu/answer';
const SEARCH = 'valyu/search';
const CONTENTS = 'valyu/contents';
const ZEPHYR = {
  url: 'https://example.org/zephyr',
  title: 'Zephyr Bridge opens & traffic flows',
  snippet: 'Opened on 14 May 2021, after "four years" of work.',
};
const TRAFFIC = {
  url: 'https://example.com/traffic',
  title: 'Traffic report',
  snippet:
    'Counts of vehicles. About 40,000 vehicles cross it daily. The count was taken at both ends of the bridge in every month of the year. The count was taken at both ends of the bridge in every month of the year. The count was taken at both ends of the bridge in every month of the year. The count was…',
};
const FULL_ANSWER = {
  text: 'The Zephyr Bridge opened on 14 May 2021 and carries about 40,000 vehicles a day.',
  citations: [
    ZEPHYR,
    TRAFFIC,
    {
      url: 'https://doi.example/10.1234/zb.77',
      title: 'Wind loads on arch bridges',
      snippet: 'We measure wind loads on the Zephyr Bridge.',
    },
  ],
  cost: { reported: 127_000_000n },
  upstreamRequestId: 'tx_7f0c',
};

const ERRORS = rows.meanings({
  upstream_rejected: '400 badRequest, 422 unprocessable',
  upstream_auth_failed: '401 unauthorized, 403 forbidden',
  upstream_quota_exhausted: '402 paymentRequired, 429 paymentRequired, 403 limitReached',
  upstream_rate_limited: '429 rateLimit',
  upstream_error: '500 internal, 502 html',
});

/** Streams with status 200 that are no answer: name of the fixture, what it means, what it cost. */
const UNUSABLE: readonly rows.UnusableRow[] = [
  ['ungrounded', 'upstream_invalid_response', 100_000_000n],
  ['nothing-affordable', 'upstream_invalid_response', 100_000_000n],
  ['empty-answer', 'upstream_invalid_response', 127_000_000n],
  ['failed', 'upstream_invalid_response', 12_000_000n],
  ['out-of-credit', 'upstream_quota_exhausted'],
  ['limited', 'upstream_rate_limited'],
  ['error-event', 'upstream_invalid_response'],
];

/** Status, name in errors.json, what it means of a search. */
const SEARCH_ERRORS: readonly rows.ErrorRow[] = [[200, 'unprocessable', 'upstream_invalid_response'], ...ERRORS];
/** The same of pages, of which none could be read by a 422. */
const CONTENTS_ERRORS: readonly rows.ErrorRow[] = [
  [400, 'unaffordable', 'upstream_rejected'],
  [200, 'noPage', 'upstream_invalid_response'],
  [422, 'paymentRequired', 'upstream_quota_exhausted'],
  ...ERRORS.filter(([status]) => status !== 422),
];

rows.testProvider(valyu, SECRET, {
  faultReplies: { error_in_200: { body: stream('failed') }, empty_answer: { body: stream('empty-answer') } },
  search: { faultReplies: { error_in_200: { body: JSON.stringify(errors.internal) } } },
  extract: { faultReplies: { error_in_200: { body: JSON.stringify(errors.internal) } } },
  evidence: { reply: ['success'], stream: ['"success":true'] },
  fixtures: [
    ...[ANSWER, 'valyu/answer-fast'].map((model) => ({
      name: 'an answer',
      model,
      headers: { 'content-type': 'text/event-stream' },
      ...streamed('answer'),
      answer: FULL_ANSWER,
    })),
    {
      name: 'many citations, one of them twice',
      model: ANSWER,
      ...streamed('answer-many-citations'),
      answer: {
        ...FULL_ANSWER,
        text: 'Bridges are many, as [1][2] and [4] and [13] say.',
        citations: [1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 14].map((n) => ({
          url: `https://example.org/bridges/${n}`,
          title: `Bridge ${n}`,
          snippet: `About bridge ${n}.`,
        })),
      },
    },
    rows.answered(ANSWER, 'a search that found nothing', stream('answer-no-citations'), {
      text: 'Nothing was found about it.',
      citations: [],
      cost: { reported: 100_000_000n },
      upstreamRequestId: 'tx_7f0c',
    }),
    ...['missing-fields', 'nulls'].map((name) =>
      rows.answered(ANSWER, `an answer with ${name}`, stream(`answer-${name}`), {
        text: 'It opened in May 2021.',
        citations: [{ url: ZEPHYR.url }],
      }),
    ),
    {
      name: 'an answer in many scripts',
      model: ANSWER,
      ...streamed('answer-unicode'),
      answer: {
        ...FULL_ANSWER,
        text: '🌉 大橋は2021年5月に開通した。افتُتح الجسر في مايو ٢٠٢١. Öffnung: »Mai« 👩‍👩‍👧.',
        citations: [
          { url: 'https://example.jp/橋', title: 'ゼファー大橋 🌉', snippet: '二〇二一年五月に開通。' },
          { url: 'https://example.ae/jisr', title: 'جسر زفير', snippet: 'افتُتح الجسر في مايو.' },
        ],
      },
    },
    {
      name: 'text and sources from the events before the last',
      model: ANSWER,
      ...streamed('answer-deltas'),
      answer: {
        ...FULL_ANSWER,
        text: 'It opened in May 2021.',
        citations: [ZEPHYR, TRAFFIC],
        cost: { reported: 27_000_000n },
      },
    },
    rows.answered(ANSWER, 'an answer for which results were left out', stream('answer-left-out'), {
      ...FULL_ANSWER,
      text: 'It opened in May 2021.',
      citations: [ZEPHYR],
    }),
    rows.answered(ANSWER, 'an answer that is no stream', fixture('answer-plain'), {
      ...FULL_ANSWER,
      text: 'It opened in May 2021.',
      citations: [ZEPHYR],
    }),
    ...rows.unusableFixtures(ANSWER, UNUSABLE, stream),
    ...rows.errorFixtures(ANSWER, ERRORS, errors),
    {
      kind: 'search',
      name: 'results of text and of data',
      model: SEARCH,
      reply: fixture('results'),
      call: { includeContent: true },
      outcome: {
        results: [
          {
            url: ZEPHYR.url,
            title: 'Zephyr Bridge opens',
            snippet: 'The bridge was inaugurated in May.',
            content: '# Zephyr Bridge opens\n\nThe bridge was inaugurated on 14 May 2021.',
            date: '2021-05-14',
            score: 0.95,
          },
          {
            url: TRAFFIC.url,
            title: 'Traffic report',
            snippet: '',
            content: '{"year":2026,"vehicles":40000}',
            date: '2026-06-15T00:00:00Z',
            score: 0.7,
          },
        ],
        cost: { reported: 3_000_000n, usage: { results: 2 } },
        upstreamRequestId: 'tx_5c0d-77',
      },
    },
    rows.searched(SEARCH, 'results with nulls and without fields', fixture('results-sparse'), {
      results: [{ url: ZEPHYR.url }, { url: TRAFFIC.url }],
      cost: { usage: { results: 2 } },
    }),
    rows.searched(SEARCH, 'a search without results', fixture('results-none'), {
      results: [],
      cost: { reported: 0n, usage: { results: 0 } },
      upstreamRequestId: 'tx_5c0d-78',
    }),
    ...rows.errorFixtures(SEARCH, SEARCH_ERRORS, errors),
    {
      kind: 'extract',
      name: 'a page and failed ones, with another status',
      model: CONTENTS,
      status: 206,
      reply: fixture('pages'),
      outcome: {
        pages: [
          { url: 'https://example.org/gone', failed: 'page_not_found' },
          {
            url: ZEPHYR.url,
            title: 'Zephyr Bridge opens',
            content: '# Zephyr Bridge opens\n\nThe bridge was inaugurated on 14 May 2021.',
            date: '2021-05-14',
          },
          { url: 'https://example.org/private', failed: 'page_forbidden' },
          { url: 'https://example.org/slow', failed: 'page_timeout' },
          { url: 'https://example.org/broken', failed: 'page_failed' },
          { url: 'https://example.org/silent', failed: 'page_failed' },
        ],
        cost: { reported: 1_000_000n },
        upstreamRequestId: 'tx_9f8e',
      },
    },
    rows.extracted(
      CONTENTS,
      'pages with nulls and without fields, whose addresses name Valyu',
      fixture('pages-sparse'),
      {
        pages: [
          { url: `${ZEPHYR.url}?utm_source=valyu`, otherUrl: ZEPHYR.url, content: 'The bridge is open.' },
          { url: `${TRAFFIC.url}?utm_source=valyu`, otherUrl: TRAFFIC.url, content: null },
        ],
      },
    ),
    {
      kind: 'extract',
      name: 'failed pages alone',
      model: CONTENTS,
      status: 422,
      reply: errors.noPage,
      outcome: {
        pages: [
          { url: ZEPHYR.url, failed: 'page_failed' },
          { url: TRAFFIC.url, failed: 'page_failed' },
        ],
        cost: { reported: 0n },
      },
    },
    ...rows.errorFixtures(CONTENTS, CONTENTS_ERRORS, errors),
  ],
});

describe('valyu', () => {
  it('asks for a streamed answer from the web, with a limit on search data', async () => {
    const { request } = await askOnce(valyu({ apiKey: 'k' }), ANSWER, stream('answer'));
    expect(request.url.href).toBe('https://api.valyu.ai/v1/answer');
    expect(request.headers).toEqual({ accept: 'text/event-stream', 'x-api-key': 'k' });
    expect(request.json).toEqual({ query: 'Is it open?', search_type: 'web', data_max_price: 0.1 });
  });

  it('asks for the fast mode, other sources, another limit and a country', async () => {
    const provider = valyu({ apiKey: 'k', searchType: 'all', dataMaxPrice: '1.25', country: 'DE' });
    const { request } = await askOnce(provider, 'valyu/answer-fast', stream('answer'));
    expect(request.json).toEqual({
      query: 'Is it open?',
      search_type: 'all',
      data_max_price: 1.25,
      country_code: 'DE',
      fast_mode: true,
    });
  });

  it.each([
    ['what is reported', 'answer', ['0.127', 'reported']],
    ['what is reported as a text', 'answer-deltas', ['0.027', 'reported']],
    ['the ceiling where nothing is reported', 'answer-missing-fields', ['0.25', 'ceiling']],
  ])('charges %s', async (_what, name, charged) => {
    expect((await askOnce(valyu({ apiKey: 'k' }), ANSWER, stream(name))).charged).toEqual(charged);
  });

  it('raises the ceiling with the limit on search data', () => {
    const [model] = valyu({ apiKey: 'k', dataMaxPrice: '1.25' }).models;
    expect(model?.prices).toMatchObject([{ typical: '0.13', ceiling: '1.4' }]);
  });

  it.each([
    [{ searchType: 'academic' }, 'valyu.searchType: found "academic", expected one of web, all, proprietary, news'],
    [{ dataMaxPrice: '0' }, 'valyu.dataMaxPrice: found "0", expected a decimal string of US dollars above 0'],
    [{ country: 'Germany' }, 'valyu.country: found "Germany", expected one of ALL, AR, AT, AU'],
    [{ country: 'UA' }, 'valyu.country: found "UA", expected one of ALL, AR, AT, AU'],
  ])('refuses %j', (settings, problem) => {
    expect(() => valyu({ apiKey: 'k', ...settings } as Parameters<typeof valyu>[0])).toThrow(problem);
  });
});
