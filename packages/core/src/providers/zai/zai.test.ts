import { describe, expect, it } from 'vitest';
import { askOnce, fixturesIn, streamsIn } from '../../../test/ask-once.js';
import { livePartsIn, livePartsOf } from '../../../test/live-parts-of.js';
import * as rows from '../../../test/provider-rows.js';
import type { AnswerOutcome } from '../../provider-kit/provider.js';
import { type ZaiSettings, zai } from './zai-provider.js';

const fixture = fixturesIn(import.meta.dirname);
const stream = streamsIn(import.meta.dirname);
const errors = fixture('errors');

const GLM = 'zai/glm-5.3';
const FLASH = 'zai/glm-5.3-flash';
const SEARCH = 'zai/search';
const READER = 'zai/reader';
const ZEPHYR = {
  url: 'https://example.org/zephyr',
  title: 'Zephyr Bridge opens & traffic flows',
  snippet: 'The bridge was inaugurated on 14 May 2021 by the mayor.',
};
const TRAFFIC = {
  url: 'https://example.com/traffic',
  title: 'Traffic report',
  snippet: 'About 40,000 vehicles a day.',
};
const OPENS = { url: ZEPHYR.url, title: 'Zephyr Bridge opens' };
const COST = { usage: { inputTokens: 6_210, cachedInputTokens: 210, outputTokens: 140, searches: 1 } };
const SERVED = { cost: COST, upstreamRequestId: '20261120210000abcdef', servedModel: 'glm-5.3' };

const bridges = [1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 14, 15].map((number) => ({
  url: `https://example.org/bridges/${number}`,
  title: `Bridge ${number}`,
  snippet: `Bridge ${number} opened in 2021.`,
}));
const cited = Array.from({ length: 15 }, (_, at) => `bridge ${at + 1} [${at + 1 === 9 ? 4 : at < 8 ? at + 1 : at}]`);
const scripts = [
  { url: 'https://example.jp/橋', title: 'ゼファー大橋 🌉', snippet: '二〇二一年五月に開通。' },
  { url: 'https://example.ae/jisr', title: 'جسر زفير', snippet: 'افتُتح الجسر في مايو.' },
  { url: 'https://xn--brcke-kva.example/', title: 'Die Brücke', snippet: 'Eröffnet im Mai.' },
];

type AnswerRow = readonly [name: string, reply: string, text: string, AnswerOutcome['citations'], served?: object];

/** What is served: {@link SERVED}, unless the row says other. */
const ANSWERS: readonly AnswerRow[] = [
  [
    'an answer with every form of marker',
    'answer',
    'The Zephyr Bridge opened in May 2021 [1]. About 40,000 vehicles cross it daily[2], as others say [1][2].',
    [ZEPHYR, TRAFFIC],
  ],
  [
    'pages that are called by numbers alone',
    'answer-flash',
    'It opened in May 2021.[1]',
    [ZEPHYR, TRAFFIC],
    { ...SERVED, servedModel: 'glm-5.3-flash' },
  ],
  ['many pages, one of them twice', 'answer-many-pages', `Bridges: ${cited.join(' ')}.`, bridges],
  ['a search that found nothing', 'answer-no-pages', 'I could not find when the Zephyr Bridge opened.', []],
  ['no address', 'answer-without-addresses', 'It opened in May 2021 and is busy [1].', [TRAFFIC]],
  ['no optional field', 'answer-missing-fields', 'It opened in May 2021 [1].', [{ url: ZEPHYR.url }], { cost: {} }],
  ['an answer with nulls', 'answer-nulls', 'It opened in May 2021 [1].', [{ url: ZEPHYR.url }], { cost: {} }],
  [
    'an answer in many scripts',
    'answer-unicode',
    '🌉 大橋は2021年5月に開通した[1]。افتُتح الجسر في مايو ٢٠٢١ [2]. Öffnung: »Mai« [3][1] 👩‍👩‍👧.',
    scripts,
  ],
];

/** Replies of which there are streams; in that of `answer-flash` the pages come behind the text. */
const STREAMED = ['answer', 'answer-flash'];

/** Replies with status 200 that are no answer. */
const UNUSABLE: readonly rows.UnusableRow[] = [
  ['ungrounded', 'upstream_invalid_response'],
  ['cut', 'upstream_invalid_response'],
  ['window', 'upstream_invalid_response'],
  ['sensitive', 'query_rejected'],
  ['network-error', 'upstream_invalid_response'],
  ['tool-calls', 'upstream_invalid_response'],
  ['empty', 'upstream_invalid_response'],
];

const ERRORS = rows.meanings({
  upstream_auth_failed: '401 noKey, 401 badKey, 429 locked, 429 irregular, 403 noPermission, 434 forbidden',
  upstream_quota_exhausted: '429 noBalance, 200 noBalance, 429 dailyLimit, 429 planLimit, 429 planExpired',
  upstream_rate_limited: '429 concurrency, 429 frequency, 429 rateLimit, 400 searchConcurrency',
  query_rejected: '400 tooLong, 400 policy, 400 unsafe',
  upstream_rejected: '400 parameter, 400 noModel, 400 unwrapped',
  upstream_error:
    '400 accountUnavailable, 500 process, 400 network, 400 noEngine, 400 noSearchData, 500 internal, 502 html',
});

rows.testProvider(zai, '9f2c4b7d1e3a4c5b.Zm9yIGEgYnJpZGdl', {
  faultReplies: {
    error_in_200: { body: JSON.stringify(errors.parameter) },
    empty_answer: { body: JSON.stringify(fixture('empty')) },
  },
  evidence: { reply: ['choices.0.finish_reason'], stream: ['"finish_reason":"stop"'] },
  fixtures: [
    ...ANSWERS.map(([name, reply, text, citations, served = SERVED]) => {
      const streamed = STREAMED.includes(reply) ? { stream: { body: stream(`${reply}-stream`) } } : {};
      const model = reply === 'answer-flash' ? FLASH : GLM;
      return rows.answered(model, name, fixture(reply), { text, citations, ...served }, streamed);
    }),
    ...rows.unusableFixtures(GLM, UNUSABLE, fixture),
    ...rows.errorFixtures(GLM, ERRORS, errors),
    rows.searched(SEARCH, 'two pages, one of them without an address', fixture('search'), {
      results: [
        { ...OPENS, snippet: 'The bridge was inaugurated on 14 May 2021.', date: '2021-05-14' },
        { url: '', title: 'Empty link', snippet: '…', date: '' },
      ],
      upstreamRequestId: '20261126200000fedcba',
    }),
    rows.searched(SEARCH, 'pages with nulls and without fields', fixture('search-sparse'), {
      results: [{ url: ZEPHYR.url }, { url: TRAFFIC.url }],
      upstreamRequestId: '20261126200000abcdef',
    }),
    rows.searched(SEARCH, 'a search that found nothing', fixture('search-none'), {
      results: [],
      upstreamRequestId: '20261126200000fedcba',
    }),
    ...rows.errorFixtures(SEARCH, ERRORS, errors),
    rows.extracted(READER, 'a page', fixture('page'), {
      pages: [{ ...OPENS, content: '# Zephyr Bridge opens\n\nThe bridge was inaugurated on 14 May 2021.' }],
      upstreamRequestId: '20261126200000fedcba',
    }),
    rows.extracted(READER, 'a page with nulls', fixture('page-sparse'), {
      pages: [{ url: ZEPHYR.url, content: 'The bridge is open.' }],
    }),
    rows.extracted(READER, 'a page without text', fixture('page-empty'), {
      pages: [{ url: ZEPHYR.url, title: '', content: '' }],
      upstreamRequestId: '20261126200000fedcba',
    }),
    ...rows.errorFixtures(READER, ERRORS, errors),
  ],
});

const ask = (settings: Partial<ZaiSettings>, slug: string, reply: string) =>
  askOnce(zai({ apiKey: 'k', ...settings }), slug, fixture(reply));

describe('zai', () => {
  it('asks with little thinking and one required search', async () => {
    const { request } = await ask({}, GLM, 'answer');
    expect(request.url.href).toBe('https://api.z.ai/api/paas/v4/chat/completions');
    expect(request.headers).toEqual({ authorization: 'Bearer k' });
    expect(request.json).toEqual({
      model: 'glm-5.3',
      messages: [{ role: 'user', content: 'Is it open?' }],
      tools: [
        {
          type: 'web_search',
          web_search: {
            enable: true,
            search_engine: 'search_pro_jina',
            search_result: true,
            require_search: true,
            count: 10,
            content_size: 'medium',
            result_sequence: 'after',
          },
        },
      ],
      tool_choice: 'auto',
      reasoning_effort: 'low',
      max_tokens: 8_192,
      stream: false,
    });
  });

  it('searches as configured', async () => {
    const { request } = await ask({ searchEngine: 'search_pro', contentSize: 'high' }, FLASH, 'answer');
    expect(request.json).toMatchObject({
      model: 'glm-5.3-flash',
      tools: [{ web_search: { search_engine: 'search_pro', content_size: 'high' } }],
    });
  });

  it.each([
    // 6,000 × 1.4 + 210 × 0.26 + 140 × 4.4 per million, and a search.
    ['tokens and a search', GLM, 'answer', ['0.0190706', 'computed']],
    ['the rates of the small model', FLASH, 'answer-flash', ['0.01048815', 'computed']],
    ['the most there is where no tokens are reported', GLM, 'answer-missing-fields', ['0.08', 'ceiling']],
  ])('costs %s', async (_what, slug, reply, charged) => {
    expect((await ask({}, slug, reply)).charged).toEqual(charged);
  });

  it('refuses an engine that is no name, and an unknown size', () => {
    expect(() => zai({ apiKey: 'k', searchEngine: '' })).toThrow('zai.searchEngine: found "", expected the name of');
    expect(() => zai({ apiKey: 'k', contentSize: 'low' as never })).toThrow(
      'zai.contentSize: found "low", expected medium or high',
    );
  });

  it('asks for a stream, with the pages before the text', async () => {
    const create = (baseUrl: string) => zai({ apiKey: 'k', baseUrl });
    const chunks = stream('answer-stream').split(/(?<=\n\n)/);
    const { requests, parts, citationLists } = await livePartsOf({ create, model: GLM, chunks });
    const body = { stream: true, tools: [{ web_search: { result_sequence: 'before' } }] };
    expect(requests).toMatchObject([{ headers: { accept: 'text/event-stream' }, body }]);
    expect(parts.length).toBeGreaterThan(5);
    expect(citationLists).toEqual([[ZEPHYR, TRAFFIC]]);
  });

  it('keeps the pages that were listed before the text was handed over', async () => {
    const chunk = (content: string, others = {}) =>
      `data: ${JSON.stringify({ choices: [{ delta: { content, reasoning_content: 'Hm.' } }], ...others })}\n\n`;
    const pages = (...links: string[]) => ({
      web_search: links.map((link, index) => ({ link, refer: `ref_${index + 1}` })),
    });
    const chunks = [
      chunk('', pages('https://a.example/')),
      chunk('So [ref_1] and [ref_2] it is.', pages('https://a.example/', 'https://b.example/')),
      chunk('', pages('https://c.example/')),
      `data: ${JSON.stringify({ choices: [{ delta: {}, finish_reason: 'stop' }] })}\n\n`,
    ];
    const { outcome, text } = await livePartsIn(zai({ apiKey: 'k' }), { model: GLM, chunks });
    expect(outcome).toMatchObject({ text, citations: [{ url: 'https://a.example/' }, { url: 'https://b.example/' }] });
    expect(text).toBe('So [1] and [2] it is.');
  });
});
