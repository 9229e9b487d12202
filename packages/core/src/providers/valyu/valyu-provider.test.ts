import { describe, expect, it } from 'vitest';
import { askOnce, fixturesIn, streamsIn } from '../../../test/ask-once.js';
import {
  type ErrorRow,
  errorFixtures,
  testProvider,
  type UnusableRow,
  unusableFixtures,
} from '../../../test/provider-rows.js';
import { valyu } from './valyu-provider.js';

const fixture = fixturesIn(import.meta.dirname);
const stream = streamsIn(import.meta.dirname);
/** Valyu always streams; which page a marker means is sure at the end. */
const streamed = (name: string) => ({ reply: stream(name), stream: { body: stream(name) } });
const errors = fixture('errors');

const SECRET = 'vl-0a1b2c3d4e5f60718293a4b5c6d7e8f9';
const ANSWER = 'valyu/answer';
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

/** Status, name in errors.json, what it means. */
const ERRORS: readonly ErrorRow[] = [
  [400, 'badRequest', 'upstream_rejected'],
  [401, 'unauthorized', 'upstream_auth_failed'],
  [402, 'paymentRequired', 'upstream_quota_exhausted'],
  [429, 'paymentRequired', 'upstream_quota_exhausted'],
  [403, 'limitReached', 'upstream_quota_exhausted'],
  [403, 'forbidden', 'upstream_auth_failed'],
  [422, 'unprocessable', 'upstream_rejected'],
  [429, 'rateLimit', 'upstream_rate_limited'],
  [500, 'internal', 'upstream_error'],
  [502, 'html', 'upstream_error'],
];

/** Streams with status 200 that are no answer: name of the fixture, what it means, what it cost. */
const UNUSABLE: readonly UnusableRow[] = [
  ['ungrounded', 'upstream_invalid_response', 100_000_000n],
  ['nothing-affordable', 'upstream_invalid_response', 100_000_000n],
  ['empty-answer', 'upstream_invalid_response', 127_000_000n],
  ['failed', 'upstream_invalid_response', 12_000_000n],
  ['out-of-credit', 'upstream_quota_exhausted'],
  ['limited', 'upstream_rate_limited'],
  ['error-event', 'upstream_invalid_response'],
];

testProvider(valyu, SECRET, {
  faultReplies: { error_in_200: { body: stream('failed') }, empty_answer: { body: stream('empty-answer') } },
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
    {
      name: 'a search that found nothing',
      model: ANSWER,
      reply: stream('answer-no-citations'),
      answer: {
        text: 'Nothing was found about it.',
        citations: [],
        cost: { reported: 100_000_000n },
        upstreamRequestId: 'tx_7f0c',
      },
    },
    ...['missing-fields', 'nulls'].map((name) => ({
      name: `an answer with ${name}`,
      model: ANSWER,
      reply: stream(`answer-${name}`),
      answer: { text: 'It opened in May 2021.', citations: [{ url: ZEPHYR.url }], cost: {} },
    })),
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
    {
      name: 'an answer for which results were left out',
      model: ANSWER,
      reply: stream('answer-left-out'),
      answer: { ...FULL_ANSWER, text: 'It opened in May 2021.', citations: [ZEPHYR] },
    },
    {
      name: 'an answer that is no stream',
      model: ANSWER,
      reply: fixture('answer-plain'),
      answer: { ...FULL_ANSWER, text: 'It opened in May 2021.', citations: [ZEPHYR] },
    },
    ...unusableFixtures(ANSWER, UNUSABLE, stream),
    ...errorFixtures(ANSWER, ERRORS, errors),
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
    [{ fastMode: true }, 'valyu.fastMode: found an unknown option'],
  ])('refuses %j', (settings, problem) => {
    expect(() => valyu({ apiKey: 'k', ...settings } as Parameters<typeof valyu>[0])).toThrow(problem);
  });
});
