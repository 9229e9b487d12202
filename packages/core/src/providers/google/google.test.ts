import { describe, expect, it } from 'vitest';
import { askOnce, embedOnce, fixturesIn, streamsIn } from '../../../test/ask-once.js';
import * as rows from '../../../test/provider-rows.js';
import { embedFixtures } from '../../../test/retrieval-rows.js';
import type { UpstreamReason } from '../../base/errors/reasons.js';
import type { AnswerOutcome } from '../../provider-kit/provider.js';
import { type GoogleSettings, google } from './google-provider.js';

const fixture = fixturesIn(import.meta.dirname);
const errors = fixture('errors');

const FLASH = 'google/gemini-3.8-flash';
const MODELS = [
  'google/gemini-3.5-flash-lite',
  FLASH,
  'google/gemini-4-hydrogen',
  'google/gemini-4-argon',
  'google/gemini-4-carbon',
];

const redirect = (id: string) => `https://vertexaisearch.cloud.google.com/grounding-api-redirect/${id}`;
const SERVED = { upstreamRequestId: 'bFkqacT1FfaVkdUPj5yBoAQ', servedModel: 'gemini-3.8-flash' };
const USAGE = { inputTokens: 38, outputTokens: 306, searches: 1 };
const OPENED = 'The Zephyr Bridge opened on 14 May 2021.';
const TRAFFIC = 'About 40,000 vehicles cross it every day.';

const ANSWER: AnswerOutcome = {
  text: `${OPENED}[1] ${TRAFFIC}[2][1]`,
  citations: [
    { url: redirect('AUZIYQF7kP2sXw9z'), title: 'example.com' },
    { url: redirect('AUZIYQHVLORG1H1b'), title: 'example.org' },
  ],
  cost: { usage: { ...USAGE, searches: 2 } },
  ...SERVED,
};

const bridge = (n: number, marker: number) => `* **Bridge ${n}** opened in ${1990 + n}.[${marker}]`;
const site = (n: number) => ({ url: redirect(`AUZIYQ${String(n).padStart(2, '0')}`), title: `site${n}.example` });

const ANSWERS = [
  rows.answered(
    FLASH,
    'many citations, one page found twice, and searches for nothing',
    fixture('answer-many-citations'),
    {
      text: `Bridges:\n\n${[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 5, 11, 12, 13].map((marker, n) => bridge(n, marker)).join('\n')}\n\nAll of them are open.[13][5]`,
      citations: [
        ...[13, 12, 11, 10, 3, 8, 7, 6, 5, 4, 2, 1, 0].map((n) => site(n)),
        // Found, but nothing rests on them.
        site(14),
        site(15),
      ],
      cost: { usage: { inputTokens: 52, cachedInputTokens: 32, outputTokens: 400, searches: 6 } },
      ...SERVED,
    },
  ),
  rows.answered(FLASH, 'a search that found nothing', fixture('answer-no-citations'), {
    text: 'Nothing was found about a Zephyr Bridge.',
    citations: [],
    cost: { usage: USAGE },
    ...SERVED,
  }),
  rows.answered(
    FLASH,
    'pages that were found without a query, which prove one search',
    fixture('answer-chunks-without-queries'),
    { ...ANSWER, cost: { usage: { ...USAGE, searches: 1 } } },
  ),
  rows.answered(FLASH, 'an answer without any optional field', fixture('answer-missing-fields'), {
    text: 'It opened in May 2021.[1]',
    citations: [{ url: redirect('AUZIYQ1') }],
  }),
  rows.answered(FLASH, 'an answer with nulls', fixture('answer-nulls'), {
    text: 'It opened in May 2021.[1]',
    citations: [{ url: redirect('AUZIYQ1') }],
  }),
  rows.answered(FLASH, 'an answer in many scripts, whose offsets count bytes', fixture('answer-unicode'), {
    text: '🌉 大橋は2021年5月に開通した。[1]افتُتح الجسر في مايو ٢٠٢١.[2] Öffnung: »Mai« \\[3] 👩‍👩‍👧.[3][1]',
    citations: [
      { url: redirect('AUZIYQja'), title: '例え.example' },
      { url: redirect('AUZIYQar'), title: 'example.ae' },
      { url: redirect('AUZIYQde'), title: 'brücke.example & Söhne' },
    ],
    cost: { usage: USAGE },
    ...SERVED,
  }),
  rows.answered(
    FLASH,
    'a text in parts, of which segments name the right one, none, and one they do not stand in',
    fixture('answer-parts'),
    {
      text: 'I looked it up.[1] It opened in May 2021.[1] It is busy.[2]',
      citations: [
        { url: redirect('AUZIYQ1'), title: 'example.org' },
        { url: redirect('AUZIYQ2'), title: 'example.com' },
      ],
      cost: { usage: USAGE },
      ...SERVED,
    },
  ),
];

/** A reply whose only citation stands behind a segment. */
const segmentOf = (parts: readonly object[], segment: object) => ({
  candidates: [
    {
      content: { parts },
      finishReason: 'STOP',
      groundingMetadata: {
        webSearchQueries: ['bridge'],
        groundingChunks: [{ web: { uri: redirect('AUZIYQ1') } }],
        groundingSupports: [{ segment, groundingChunkIndices: [0] }],
      },
    },
  ],
});

/** Replies with status 200 that are no answer. */
const UNUSABLE: readonly rows.UnusableRow[] = [
  ['answer-ungrounded', 'upstream_invalid_response'],
  ['answer-no-queries', 'upstream_invalid_response'],
  ['answer-lost-sources', 'upstream_invalid_response'],
  ['answer-only-thoughts', 'upstream_invalid_response'],
  ['no-candidates', 'upstream_invalid_response'],
  ['cut', 'upstream_invalid_response'],
  ['blocked-prompt', 'query_rejected'],
  ['blocked-answer', 'query_rejected'],
];

/** Every other way a candidate can end, and what it means. */
const FINISH_REASONS: readonly (readonly [string, UpstreamReason])[] = [
  ['PROHIBITED_CONTENT', 'query_rejected'],
  ['BLOCKLIST', 'query_rejected'],
  ['SPII', 'query_rejected'],
  ['RECITATION', 'query_rejected'],
  ['LANGUAGE', 'query_rejected'],
  ['MODEL_ARMOR', 'query_rejected'],
  ['TOO_MANY_TOOL_CALLS', 'upstream_invalid_response'],
  ['MALFORMED_RESPONSE', 'upstream_invalid_response'],
  ['UNEXPECTED_TOOL_CALL', 'upstream_invalid_response'],
  ['CONTINUATION', 'upstream_invalid_response'],
  ['OTHER', 'upstream_invalid_response'],
];

/** Status, name in errors.json, what it means, the wait the body asks for. */
const ERRORS: readonly rows.ErrorRow[] = [
  ...rows.meanings({
    upstream_rejected: '400 invalidArgument, 400 location, 404 notFound',
    upstream_auth_failed: '400 invalidKey, 400 invalidKeyPlain, 401 unauthenticated, 403 permissionDenied',
    upstream_quota_exhausted: '400 noBilling, 429 zeroQuota, 429 prepayment, 429 spendingCap',
    query_rejected: '400 tooLong',
    upstream_error: '499 cancelled, 500 internal, 502 badGateway, 503 unavailable, 504 deadline',
  }),
  [429, 'perMinute', 'upstream_rate_limited', 28_000],
  [429, 'overload', 'upstream_rate_limited', 1_500],
  [429, 'perDay', 'upstream_quota_exhausted', 40_000],
];

function endingWith(finishReason: string): unknown {
  const reply = fixture('answer');
  return { ...reply, candidates: [{ ...reply.candidates[0], finishReason }] };
}

const VECTORS = { embeddings: [{ values: [0.6, 0.8] }, { values: [1, 0] }] };

rows.testProvider(google, 'AIzaSyFakeKeyForTests0123456789abcdefgh', {
  faultReplies: { empty_answer: { body: JSON.stringify(fixture('answer-only-thoughts')) } },
  evidence: { reply: ['candidates.0.finishReason'], stream: ['"finishReason":"STOP"', 'clean end'] },
  fixtures: [
    ...embedFixtures(google, {
      reply: VECTORS,
      cost: {},
      vectors: [
        [0.6, 0.8],
        [1, 0],
      ],
    }),
    ...MODELS.map((model) =>
      rows.answered(model, 'an answer', fixture('answer'), ANSWER, {
        stream: { body: streamsIn(import.meta.dirname)('answer-stream'), markersAreLate: true as const },
      }),
    ),
    ...ANSWERS,
    ...rows.unusableFixtures(FLASH, UNUSABLE, fixture),
    ...FINISH_REASONS.map(([finishReason, reason]) => ({
      name: `a reply that ends with ${finishReason}`,
      model: FLASH,
      reply: endingWith(finishReason),
      failure: { reason, phase: 'shape' as const },
    })),
    ...rows.errorFixtures(FLASH, ERRORS, errors),
  ],
});

const withSettings = (settings: Partial<GoogleSettings>) => google({ apiKey: 'k', ...settings });

describe('google', () => {
  it.each(MODELS)('offers Google Search to %s', async (slug) => {
    const { request } = await askOnce(withSettings({}), slug, fixture('answer'));
    const model = slug.slice('google/'.length);
    expect(request.url.href).toBe(`https://generativelanguage.googleapis.com/v1beta/models/${model}:generateContent`);
    expect(request.headers).toEqual({ 'x-goog-api-key': 'k' });
    expect(request.json).toEqual({
      systemInstruction: { parts: [{ text: expect.stringContaining('Search with Google before you answer') }] },
      contents: [{ role: 'user', parts: [{ text: 'Is it open?' }] }],
      tools: [{ googleSearch: {} }],
      generationConfig: { maxOutputTokens: 8_192, thinkingConfig: { thinkingLevel: 'LOW' } },
    });
  });

  it.each([
    ['no part', { endIndex: 5 }, 'Open.[1] Busy.'],
    ['a part that does not exist', { partIndex: 9, endIndex: 5 }, 'Open.[1] Busy.'],
    ['the second part', { partIndex: 1, endIndex: 6 }, 'Open. Busy.[1]'],
  ])('places a segment that names %s', async (_what, segment, text) => {
    const reply = segmentOf([{ text: 'Open.' }, { text: ' Busy.' }], segment);
    const { outcome } = await askOnce(withSettings({}), FLASH, reply);
    expect(outcome.text).toBe(text);
  });

  it('uses the configured thinking level and output', async () => {
    const settings = { thinkingLevel: 'high', maxOutputTokens: 20_000 } as const;
    const { request } = await askOnce(withSettings(settings), FLASH, fixture('answer'));
    expect(request.json).toMatchObject({
      generationConfig: { maxOutputTokens: 20_000, thinkingConfig: { thinkingLevel: 'HIGH' } },
    });
  });

  it.each([
    ['XHIGH', 'google/gemini-4-hydrogen'],
    ['HIGH', 'google/gemini-4-argon'],
    ['HIGH', FLASH],
  ])('thinks at most %s with %s', async (thinkingLevel, slug) => {
    const { request } = await askOnce(withSettings({ thinkingLevel: 'xhigh' }), slug, fixture('answer'));
    expect(request.json).toMatchObject({ generationConfig: { thinkingConfig: { thinkingLevel } } });
  });

  it.each([
    // 38 × 0.75 + 306 × 3.75 per million, and two searches.
    ['tokens, thoughts and searches', FLASH, 'answer', '2026-12-31', ['0.029176', 'computed']],
    ['the rates that begin with 2027', FLASH, 'answer', '2027-01-01', ['0.030352', 'computed']],
    ['the rates that end with November', MODELS[3], 'answer', '2026-11-30', ['0.031136', 'computed']],
    ['the rates that begin with December', MODELS[3], 'answer', '2026-12-01', ['0.034272', 'computed']],
    // 20 × 0.75 + 32 × 0.075 + 400 × 3.75 per million, and six searches.
    ['cached tokens at their rate', FLASH, 'answer-many-citations', '2026-11-21', ['0.0855174', 'computed']],
    ['the ceiling where no tokens are reported', FLASH, 'answer-nulls', '2026-11-21', ['0.25', 'ceiling']],
  ])('charges %s', async (_what, slug, reply, date, expected) => {
    const { charged } = await askOnce(withSettings({}), slug ?? '', fixture(reply), { atMs: Date.parse(date) });
    expect(charged).toEqual(expected);
  });

  it.each<[string, Partial<GoogleSettings>]>([
    ['thinkingLevel: found "minimal", expected low, medium, high or xhigh', { thinkingLevel: 'minimal' as 'low' }],
    ['maxOutputTokens: found 255, expected a whole number from 256 to 65536', { maxOutputTokens: 255 }],
    ['maxOutputTokens: found 65537, expected a whole number from 256 to 65536', { maxOutputTokens: 65_537 }],
    ['maxOutputTokens: found 300.5, expected a whole number from 256 to 65536', { maxOutputTokens: 300.5 }],
    ['headers["X-Goog-Api-Key"]: found', { headers: { 'X-Goog-Api-Key': 'other' } }],
  ])('refuses %s', (message, settings) => {
    expect(() => withSettings(settings)).toThrow(`google.${message}`);
  });
});

describe('the embeddings of google', () => {
  const model = 'google/gemini-embedding-001';

  it.each([
    [undefined, {}],
    ['query', { taskType: 'RETRIEVAL_QUERY' }],
    ['document', { taskType: 'RETRIEVAL_DOCUMENT' }],
  ] as const)('are asked for with the role %s', async (inputType, role) => {
    const asked = { inputs: ['a', 'b'], inputType, dimensions: 768 };
    const { request } = await embedOnce(google({ apiKey: 'k' }), model, VECTORS, asked);
    expect(request.url.pathname).toBe('/v1beta/models/gemini-embedding-001:batchEmbedContents');
    expect(request.headers).toEqual({ 'x-goog-api-key': 'k' });
    const shared = { model: 'models/gemini-embedding-001', outputDimensionality: 768, ...role };
    expect(request.json).toEqual({
      requests: ['a', 'b'].map((text) => ({ ...shared, content: { parts: [{ text }] } })),
    });
  });

  it('have the length 1 where Google shortens them without', async () => {
    const reply = { embeddings: [{ values: [3, 4] }] };
    const vectorOf = async (slug: string) =>
      (await embedOnce(google({ apiKey: 'k' }), slug, reply, { dimensions: 2 })).outcome.embeddings[0]?.vector;
    expect(await vectorOf(model)).toEqual([0.6, 0.8]);
    expect(await vectorOf('google/gemini-embedding-2')).toEqual([3, 4]);
  });

  it('are charged by an estimate, or by the tokens of a reply that has them', async () => {
    expect((await embedOnce(google({ apiKey: 'k' }), model, VECTORS)).charged).toEqual(['0.00000045', 'computed']);
    const counted = { ...VECTORS, usageMetadata: { promptTokenCount: 4 } };
    expect((await embedOnce(google({ apiKey: 'k' }), model, counted)).charged).toEqual(['0.0000006', 'computed']);
  });
});
