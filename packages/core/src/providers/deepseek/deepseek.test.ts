import { describe, expect, it } from 'vitest';
import { askOnce, fixturesIn, streamsIn } from '../../../test/ask-once.js';
import { messagesAnswers } from '../../../test/messages-answers.js';
import * as rows from '../../../test/provider-rows.js';
import { streamedMessages } from '../../../test/streamed-messages.js';
import { formatUsd } from '../../base/money.js';
import { peakFee } from './deepseek-peak-fee.js';
import { type DeepseekSettings, deepseek } from './deepseek-provider.js';

const fixture = fixturesIn(import.meta.dirname);
const errors = fixture('errors');

const FLASH = 'deepseek/deepseek-flash';
const PRO = 'deepseek/deepseek-v4-pro';
const SEARCH = 'deepseek/search';
const FETCH = 'deepseek/fetch';
const SATURDAY = { date: 'Sat, 21 Nov 2026 02:00:00 GMT' };

const SERVED = { upstreamRequestId: '8b1f6a52-3c0d-4a57-9e3b-6f2f0f1c2d3e', servedModel: 'deepseek-flash' };
const { answer: ANSWER, answers, usage } = messagesAnswers('answer', SERVED);
const ANSWERS = [
  ...answers,
  ['answer-cached', 'an answer with cached input', { ...ANSWER, cost: usage({ cachedInputTokens: 8_000 }) }] as const,
];

/** Replies with status 200 that are no answer. */
const UNUSABLE: readonly rows.UnusableRow[] = [
  ['ungrounded', 'upstream_invalid_response'],
  ['searched-without-text', 'upstream_invalid_response'],
  ['refused', 'query_rejected'],
  ['cut', 'upstream_invalid_response'],
  ['search-limited', 'upstream_rate_limited'],
  ['search-unavailable', 'upstream_error'],
];

const ERRORS = rows.meanings({
  upstream_rejected: '400 invalidRequest, 400 unknownModel, 422 parameters',
  query_rejected: '400 risk, 400 tooLong',
  upstream_auth_failed: '401 authentication',
  upstream_quota_exhausted: '402 balance',
  upstream_rate_limited: '429 rateLimit',
  upstream_error: '500 server, 503 overloaded',
});

const ZEPHYR = 'https://example.org/zephyr';
const TRAFFIC = 'https://example.com/traffic';
const FOUND = [
  {
    url: ZEPHYR,
    title: 'Zephyr Bridge opens',
    snippet: 'The bridge was inaugurated on 14 May 2021 after four years of work.',
    content: '',
    date: '2021-05-14T08:00:00Z',
    score: 2.1,
  },
  { url: TRAFFIC, title: 'Traffic report', snippet: 'About 40,000 vehicles a day.', content: '', score: 0.9 },
] as const;
const READ = '# Zephyr Bridge opens\n\nThe bridge was inaugurated on 14 May 2021.';
const FREE = { reported: 0n };

/** The errors of the tools, which have no content policy of their own. */
const TOOL_ERRORS: readonly rows.ErrorRow[] = [
  [404, 'noPath', 'upstream_rejected'],
  [400, 'badUrl', 'upstream_rejected'],
  ...ERRORS.filter(([status]) => status !== 400),
];

rows.testProvider(deepseek, 'sk-ZGVlcHNlZWtGYWtlS2V5Rm9yVGVzdHM', {
  faultReplies: {
    error_in_200: { body: JSON.stringify(errors.overloaded) },
    empty_answer: { body: JSON.stringify(fixture('searched-without-text')) },
  },
  evidence: { reply: ['stop_reason'], stream: ['"stop_reason":"end_turn"'] },
  fixtures: [
    ...[FLASH, PRO].map((model) =>
      rows.answered(model, 'an answer', fixture('answer'), ANSWER, {
        headers: SATURDAY,
        stream: { body: streamsIn(import.meta.dirname)('answer-stream') },
      }),
    ),
    ...ANSWERS.map(([file, name, answer]) => rows.answered(FLASH, name, fixture(file), answer, { headers: SATURDAY })),
    ...rows.unusableFixtures(FLASH, UNUSABLE, fixture),
    ...rows.errorFixtures(FLASH, ERRORS, errors),
    rows.searched(SEARCH, 'two pages', fixture('search'), { results: FOUND }),
    {
      kind: 'search',
      name: 'a page with its text',
      model: SEARCH,
      reply: fixture('search-content'),
      call: { includeContent: true },
      outcome: { results: [{ ...FOUND[0], content: READ }, FOUND[1]], cost: {} },
    },
    rows.searched(SEARCH, 'pages with nulls and without fields', fixture('search-sparse'), {
      results: [{ url: ZEPHYR }, { url: TRAFFIC }],
    }),
    rows.searched(SEARCH, 'a search that found nothing', fixture('search-none'), { results: [], cost: FREE }),
    ...rows.errorFixtures(SEARCH, [...TOOL_ERRORS, [404, 'notFetched', 'upstream_rejected']], errors),
    rows.extracted(FETCH, 'a page', fixture('page'), {
      pages: [{ url: ZEPHYR, title: 'Zephyr Bridge opens', content: READ }],
    }),
    rows.extracted(FETCH, 'a page without a title', fixture('page-sparse'), {
      pages: [{ url: ZEPHYR, content: 'The bridge is open.' }],
    }),
    rows.extracted(FETCH, 'a page without text', fixture('page-empty'), {
      pages: [{ url: ZEPHYR, title: '', content: '' }],
      cost: FREE,
    }),
    {
      kind: 'extract',
      name: 'a page that failed',
      model: FETCH,
      status: 404,
      reply: errors.notFetched,
      outcome: { pages: [{ url: ZEPHYR, failed: 'page_failed' }], cost: FREE },
    },
    ...rows.errorFixtures(FETCH, TOOL_ERRORS, errors),
  ],
});

const withSettings = (settings: Partial<DeepseekSettings>) => deepseek({ apiKey: 'k', ...settings });

describe('deepseek', () => {
  const REQUEST = {
    model: 'deepseek-flash',
    max_tokens: 8_192,
    system: expect.stringContaining('Search the web at least once'),
    messages: [{ role: 'user', content: 'Is it open?' }],
    tools: [{ type: 'deepseek_web_search', name: 'deepseek_web_search', max_uses: 3 }],
    thinking: { type: 'enabled' },
    output_config: { effort: 'low' },
    stream: false,
  };

  streamedMessages({
    folder: import.meta.dirname,
    model: FLASH,
    create: (baseUrl) => deepseek({ apiKey: 'k', baseUrl }),
    path: '/anthropic/v1/messages',
    whole: ANSWERS.map(([file]) => file),
    stream: ['answer-stream', 'answer'],
    ungrounded: 'ungrounded',
  });

  it('searches with the tool that the settings name', async () => {
    const { request } = await askOnce(withSettings({ searchTool: 'web_search_20250305' }), FLASH, fixture('answer'));
    expect(request.json).toEqual({
      ...REQUEST,
      tools: [{ type: 'web_search_20250305', name: 'web_search', max_uses: 3 }],
    });
  });

  it.each([FLASH, PRO])('offers web search to %s', async (slug) => {
    const { request } = await askOnce(withSettings({}), slug, fixture('answer'));
    expect(request.url.href).toBe('https://api.deepseek.com/anthropic/v1/messages');
    expect(request.headers).toEqual({ 'x-api-key': 'k' });
    expect(request.json).toEqual({ ...REQUEST, model: slug.slice('deepseek/'.length) });
  });

  it('uses the configured searches, effort and output', async () => {
    const settings = { effort: 'max', maxSearches: 10, maxOutputTokens: 32_000 } as const;
    const { request } = await askOnce(withSettings(settings), FLASH, fixture('answer'));
    expect(request.json).toEqual({
      ...REQUEST,
      max_tokens: 32_000,
      tools: [{ ...REQUEST.tools[0], max_uses: 10 }],
      output_config: { effort: 'max' },
    });
  });

  it('turns thinking off, and sends no effort then', async () => {
    const { request } = await askOnce(withSettings({ effort: 'none' }), FLASH, fixture('answer'));
    const { output_config: _, ...others } = REQUEST;
    expect(request.json).toEqual({ ...others, thinking: { type: 'disabled' } });
  });

  it.each([
    // Without a date, as at peak: 2 × (11,840 × 0.15 + 312 × 0.6) per million, and one search.
    ['tokens and searches', FLASH, 'answer', ['0.0046764', 'computed']],
    ['the rates of the larger model', PRO, 'answer', ['0.01761432', 'computed']],
    // 2 × (3,840 × 0.15 + 8,000 × 0.003 + 312 × 0.6) per million, and one search.
    ['what is read from the cache', FLASH, 'answer-cached', ['0.0023244', 'computed']],
    ['the ceiling where no tokens are reported', FLASH, 'answer-nulls', ['0.04', 'ceiling']],
  ])('charges %s', async (_what, slug, reply, expected) => {
    const { charged } = await askOnce(withSettings({}), slug, fixture(reply));
    expect(charged).toEqual(expected);
  });

  it.each([
    ['Mon, 23 Nov 2026 00:59:59 GMT', '0'],
    ['Mon, 23 Nov 2026 01:00:00 GMT', '0.0019632'],
    ['Mon, 23 Nov 2026 03:59:59 GMT', '0.0019632'],
    ['Mon, 23 Nov 2026 04:00:00 GMT', '0'],
    ['Fri, 27 Nov 2026 06:00:00 GMT', '0.0019632'],
    ['Fri, 27 Nov 2026 09:59:59 GMT', '0.0019632'],
    ['Fri, 27 Nov 2026 10:00:00 GMT', '0'],
    ['Sat, 28 Nov 2026 08:00:00 GMT', '0'],
    ['Sun, 29 Nov 2026 08:00:00 GMT', '0'],
    ['no date', '0.0019632'],
    [undefined, '0.0019632'],
  ])('costs at %s %s more than off-peak', (date, expected) => {
    const tokens = { input: 11_840, cachedInput: 0, output: 312 };
    expect(formatUsd(peakFee({ slug: FLASH, tokens, date }))).toBe(expected);
  });

  it.each<[string, Partial<DeepseekSettings>]>([
    ['effort: found "medium", expected one of none, low, high, max', { effort: 'medium' as 'low' }],
    ['maxSearches: found 0, expected a whole number from 1 to 20', { maxSearches: 0 }],
    ['maxOutputTokens: found 500, expected a whole number from 1024 to 65536', { maxOutputTokens: 500 }],
  ])('refuses %s', (message, settings) => {
    expect(() => withSettings(settings)).toThrow(`deepseek.${message}`);
  });
});
