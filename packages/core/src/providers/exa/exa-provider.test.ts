import { describe, expect, it } from 'vitest';
import { askOnce, fixturesIn, streamsIn } from '../../../test/ask-once.js';
import { livePartsOf } from '../../../test/live-parts-of.js';
import * as rows from '../../../test/provider-rows.js';
import type { AnswerOutcome } from '../../provider-kit/provider.js';
import { exa } from './exa-provider.js';

const fixture = fixturesIn(import.meta.dirname);
const errors = fixture('errors');

const ZEPHYR = 'https://example.org/zephyr';
const DEEP_ANSWER: AnswerOutcome = {
  text: 'The Zephyr Bridge opened on 14 May 2021 and carries about 40,000 vehicles a day.',
  citations: [
    { url: ZEPHYR, title: 'Zephyr Bridge opens' },
    { url: 'https://example.com/traffic', title: 'Traffic report', snippet: 'About 40,000 vehicles cross it daily.' },
    { url: 'https://example.net/bridges', title: 'Bridges of the region' },
  ],
  cost: { reported: 15_000_000n },
  upstreamRequestId: '6273c18450d34fb9e6b7c8d9e0f10213',
};

const ERRORS = rows.meanings({
  upstream_auth_failed: '401 flatWithTag, 403 featureDisabled',
  upstream_rejected: '400 flatWithStatus, 404 nested, 422 unprocessable',
  upstream_error: '502 html, 500 internal, 503 overloaded, 504 gatewayTimeout',
  upstream_rate_limited: '429 rateLimit',
  upstream_quota_exhausted: '402 noMoreCredits, 402 budgetExceeded, 429 budgetExceeded',
  query_rejected: '403 prohibitedContent, 403 moderated',
  no_answer_found: '501 noAnswer',
});

rows.testProvider(exa, 'c2f6a1d0-9b7e-4e55-8f3a-0d1c2b3a4f5e', {
  faultReplies: { empty_answer: { body: '{"requestId":"r","answer":" ","citations":[]}' } },
  evidence: { reply: 'valid JSON', stream: ['"finish_reason":"stop"'] },
  fixtures: [
    {
      name: 'an answer',
      model: 'exa/answer',
      reply: fixture('answer'),
      answer: {
        text: 'The Zephyr bridge opened in May 2021 [1][2] and carries about 40,000 vehicles a day [2].',
        citations: [
          { url: ZEPHYR, title: 'Zephyr Bridge opens & traffic flows' },
          { url: 'https://example.com/traffic', title: 'Traffic report' },
        ],
        cost: { reported: 5_000_000n },
        upstreamRequestId: '0c1f6b2e9a7d4f5380b1c2d3e4f5a6b7',
      },
      stream: { body: streamsIn(import.meta.dirname)('answer-stream') },
    },
    rows.answered('exa/answer', 'an answer with the text of its sources', fixture('answer-with-text'), {
      text: 'It opened in May 2021 [1].',
      citations: [
        {
          url: ZEPHYR,
          title: 'Zephyr Bridge opens',
          snippet:
            'Zephyr Bridge The bridge was inaugurated on 14 May 2021 by the mayor, after "four years" of work. It spans the river in one arch and carries four lanes. It spans the river in one arch and carries four lanes. It spans the river in one arch and carries four lanes. It spans the river in one arch and…',
        },
      ],
      cost: { reported: 6_000_000n },
      upstreamRequestId: '1d2e7c3f0b8e4a6491c2d3e4f5a6b7c8',
    }),
    rows.answered('exa/answer', 'many citations, one of them twice', fixture('answer-many-citations'), {
      text: 'Bridges: bridge 1 [1] bridge 2 [2] bridge 3 [3] bridge 4 [4] bridge 5 [5] bridge 6 [6] bridge 7 [7] bridge 8 [8] bridge 9 [4] bridge 10 [9] bridge 11 [10] bridge 12 [11] bridge 13 [12] bridge 14 [13], all of them [1][2][3][11][13].',
      citations: [1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 14].map((n) => ({
        url: `https://example.org/bridges/${n}`,
        title: `Bridge ${n}`,
      })),
      cost: { reported: 5_000_000n },
      upstreamRequestId: '2e3f8d401c9f4b75a2d3e4f5a6b7c8d9',
    }),
    rows.answered('exa/answer', 'an answer that found nothing to cite', fixture('answer-no-citations'), {
      text: 'I could not find when the Zephyr Bridge opened.',
      citations: [],
      cost: { reported: 5_000_000n },
      upstreamRequestId: '3f409e512da04c86b3e4f5a6b7c8d9e0',
    }),
    rows.answered('exa/answer', 'an answer without any optional field', fixture('answer-missing-fields'), {
      text: 'It opened in May 2021 [1].',
      citations: [{ url: ZEPHYR }],
    }),
    rows.answered('exa/answer', 'an answer in many scripts, with other forms of markers', fixture('answer-unicode'), {
      text: '🌉 大橋は2021年5月に開通した[1]。افتُتح الجسر في مايو ٢٠٢١ [2]. Öffnung: »Mai« [3][1] 👩‍👩‍👧.',
      citations: [
        { url: 'https://example.jp/橋', title: 'ゼファー大橋 🌉' },
        { url: 'https://example.ae/jisr', title: 'جسر زفير' },
        { url: 'https://xn--brcke-kva.example/', title: 'Die Brücke – eröffnet' },
      ],
      cost: { reported: 5_000_000n },
      upstreamRequestId: '4051af623eb14d97c4f5a6b7c8d9e0f1',
    }),
    rows.answered('exa/answer', 'an answer with links instead of markers, as in 2025', fixture('answer-links'), {
      text: 'It opened in May 2021 ([example.org](https://example.org/zephyr)).',
      citations: [{ url: ZEPHYR, title: 'Zephyr Bridge opens' }],
      cost: { reported: 5_000_000n },
      upstreamRequestId: '5162b0734fc24ea8d5a6b7c8d9e0f102',
    }),
    ...['exa/answer-deep-lite', 'exa/answer-deep', 'exa/answer-deep-reasoning'].map((model) =>
      rows.answered(model, 'an answer', fixture('deep'), DEEP_ANSWER),
    ),
    rows.answered('exa/answer-deep', 'an answer with nulls', fixture('deep-nulls'), {
      text: 'It opened in May 2021.',
      citations: [{ url: ZEPHYR }],
    }),
    ...['exa/auto', 'exa/neural', 'exa/lite', 'exa/fast', 'exa/deep'].map((model) =>
      rows.searched(model, 'two pages', fixture('search'), {
        results: [
          {
            url: ZEPHYR,
            title: 'Zephyr Bridge opens',
            snippet: 'The bridge was inaugurated on 14 May 2021. … It carries four lanes.',
            date: '2021-05-14T09:30:00.000Z',
            score: 0.46,
          },
          {
            url: 'https://example.com/traffic',
            title: 'Traffic report',
            snippet: 'About 40,000 vehicles cross it daily.',
            date: '2024-02-01T00:00:00.000Z',
            score: 0.31,
          },
        ],
        cost: { reported: 7_000_000n },
        upstreamRequestId: 'b5947044c4b78efa9552a7c89b306d95',
      }),
    ),
    {
      kind: 'search',
      name: 'a page with its text',
      model: 'exa/auto',
      reply: fixture('search-with-content'),
      call: { includeContent: true },
      outcome: {
        results: [
          {
            url: ZEPHYR,
            title: 'Zephyr Bridge opens',
            snippet: 'The bridge was inaugurated on 14 May 2021.',
            content: '# Zephyr Bridge\n\nThe bridge was inaugurated on 14 May 2021 by the mayor.',
            date: '2021-05-14T09:30:00.000Z',
          },
        ],
        cost: { reported: 7_000_000n },
        upstreamRequestId: 'c6a58155d5c89f0ba663b8d90c417ea6',
      },
    },
    rows.searched('exa/auto', 'pages with nulls and without fields', fixture('search-nulls'), {
      results: [{ url: ZEPHYR }, { url: 'https://example.com/traffic' }],
    }),
    rows.searched('exa/auto', 'no pages', fixture('search-no-results'), {
      results: [],
      cost: { reported: 7_000_000n },
      upstreamRequestId: 'd7b69266e6d9a01cb774c9ea1d528fb7',
    }),
    rows.extracted('exa/contents', 'two pages and a failed one', fixture('contents'), {
      pages: [
        {
          url: ZEPHYR,
          title: 'Zephyr Bridge opens',
          content: '# Zephyr Bridge\n\nThe bridge was inaugurated on 14 May 2021.',
          date: '2021-05-14T09:30:00.000Z',
        },
        {
          url: 'https://example.com/traffic',
          otherUrl: 'https://www.example.com/traffic/',
          title: 'Traffic report',
          content: 'About 40,000 vehicles cross it daily.',
        },
        { url: 'https://example.net/gone', failed: 'page_not_found' },
      ],
      cost: { reported: 2_000_000n },
      upstreamRequestId: 'e492118ccdedcba5088bfc4357a8a125',
    }),
    rows.extracted('exa/contents', 'pages with nulls and without fields', fixture('contents-nulls'), {
      pages: [
        { url: ZEPHYR, content: 'Open.' },
        { url: 'https://example.com/traffic', content: '' },
      ],
    }),
    rows.extracted('exa/contents', 'failed pages alone', fixture('contents-all-failed'), {
      pages: [
        { url: 'https://example.org/a', failed: 'page_not_found' },
        { url: 'https://example.org/b', failed: 'page_forbidden' },
        { url: 'https://example.org/c', failed: 'page_timeout' },
        { url: 'https://example.org/d', failed: 'page_unsupported' },
        { url: 'https://example.org/e', failed: 'page_failed' },
        { url: 'https://example.org/f', failed: 'page_failed' },
      ],
      cost: { reported: 0n },
      upstreamRequestId: 'f5a3229ddefedcb6199c0d5468b9b236',
    }),
    ...rows.errorFixtures('exa/answer', ERRORS, errors),
    ...rows.errorFixtures('exa/auto', ERRORS, errors),
    ...rows.errorFixtures('exa/contents', ERRORS, errors),
  ],
});

describe('exa', () => {
  it('asks for answers without the text of pages', async () => {
    const { request } = await askOnce(exa({ apiKey: 'k' }), 'exa/answer', { answer: 'Yes.' });
    expect(request.url.href).toBe('https://api.exa.ai/answer');
    expect(request.json).toEqual({ query: 'Is it open?', text: false, stream: false });
  });

  it('asks for the text of pages if snippets are configured', async () => {
    const { request } = await askOnce(exa({ apiKey: 'k', snippets: true }), 'exa/answer', { answer: 'Yes.' });
    expect(request.json).toEqual({ query: 'Is it open?', text: true, stream: false });
  });

  it('leaves out thoughts in front of an answer, whole or streamed', async () => {
    const content = '<think>Is it?</think>Yes.';
    const create = (baseUrl: string) => exa({ apiKey: 'k', baseUrl });
    const { outcome } = await askOnce(create('https://api.exa.ai'), 'exa/answer', { answer: content });
    const chunk = JSON.stringify({ choices: [{ delta: { content }, finish_reason: 'stop' }] });
    const chunks = [`data: ${chunk}\n\n`, 'data: [DONE]\n\n'];
    const streamed = await livePartsOf({ create, model: 'exa/answer', chunks });
    expect([outcome.text, streamed.text, streamed.outcome?.text]).toEqual(['Yes.', 'Yes.', 'Yes.']);
  });

  it.each<[string, object, string | undefined]>([
    ['a finish_reason', { choices: [{ delta: {}, finish_reason: 'stop' }] }, undefined],
    ['its cost', { choices: [], costDollars: { total: 0.005 } }, undefined],
    ['its last word alone', {}, 'the stream ended before the answer did'],
    ['a limit', { choices: [{ delta: {}, finish_reason: 'length' }] }, 'the answer was cut off'],
  ])('takes a stream that ends with %s for what it is', async (_what, last, detail) => {
    const create = (baseUrl: string) => exa({ apiKey: 'k', baseUrl });
    const events = [{ choices: [{ delta: { content: 'Yes.' } }] }, last].map((event) => JSON.stringify(event));
    const chunks = [...events, '[DONE]'].map((event) => `data: ${event}\n\n`);
    const { outcome, error } = await livePartsOf({ create, model: 'exa/answer', chunks });
    expect([outcome?.text, (error as { detail?: string } | undefined)?.detail]).toEqual([
      detail === undefined ? 'Yes.' : undefined,
      detail,
    ]);
  });

  it.each(['deep-lite', 'deep', 'deep-reasoning'])('asks for %s as a search with a synthesized text', async (type) => {
    const { request } = await askOnce(exa({ apiKey: 'k' }), `exa/answer-${type}`, { output: { content: 'Yes.' } });
    expect(request.url.href).toBe('https://api.exa.ai/search');
    const asked = { query: 'Is it open?', type, outputSchema: { type: 'text' }, contents: { highlights: true } };
    expect(request.json).toEqual(asked);
  });
});
