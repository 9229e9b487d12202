import { describe, expect, it } from 'vitest';
import { askOnce, fixturesIn, streamsIn } from '../../../test/ask-once.js';
import { livePartsIn } from '../../../test/live-parts-of.js';
import { messagesAnswers, TRAFFIC, ZEPHYR } from '../../../test/messages-answers.js';
import * as rows from '../../../test/provider-rows.js';
import { expectBeginning } from '../../../test/streamed-answers.js';
import { eventText, messageEvents, streamedMessages } from '../../../test/streamed-messages.js';
import { isUpstreamError } from '../../base/errors/upstream-error.js';
import type {
  AnswerOutcome,
  CallContext,
  LiveAnswer,
  Provider,
  ProviderQuestion,
} from '../../provider-kit/provider.js';
import type { UpstreamRequest } from '../../upstream/upstream-client.js';
import { type AnthropicSettings, anthropic } from './anthropic-provider.js';

const fixture = fixturesIn(import.meta.dirname);
const errors = fixture('errors');

const HAIKU = 'anthropic/claude-haiku-5-5';
const SONNET = 'anthropic/claude-sonnet-5-5';
const FABLE = 'anthropic/claude-fable-5-2';
const OPUS = 'anthropic/claude-opus-5-5';

const SERVED = { upstreamRequestId: 'msg_01AbCdEfGhIjKlMnOpQrStUv', servedModel: 'claude-sonnet-5-5' };
const { answer: ANSWER, answers: ANSWERS } = messagesAnswers('message', SERVED);

/** Replies with status 200 that are no answer. */
const UNUSABLE: readonly rows.UnusableRow[] = [
  ['ungrounded', 'upstream_invalid_response'],
  ['searched-without-text', 'upstream_invalid_response'],
  ['refused', 'query_rejected'],
  ['cut', 'upstream_invalid_response'],
  ['context-full', 'upstream_invalid_response'],
  ['tool-wanted', 'upstream_invalid_response'],
  ['message-paused', 'upstream_invalid_response'],
  ['search-limited', 'upstream_rate_limited'],
  ['search-too-long', 'query_rejected'],
  ['search-unavailable', 'upstream_error'],
  ['search-refused', 'upstream_invalid_response'],
];

const ERRORS = rows.meanings({
  upstream_rejected: '400 invalidRequest, 400 searchDisabled, 404 notFound',
  upstream_auth_failed: '400 onHold, 401 authentication, 403 permission',
  upstream_quota_exhausted:
    '400 creditTooLow, 400 usageLimit, 402 billing, 429 enforcedSpendLimit, 429 contractSpendLimit',
  query_rejected: '400 promptTooLong, 413 tooLarge',
  upstream_rate_limited: '429 rateLimit, 429 rampLimit',
  upstream_error: '500 api, 503 unavailable, 504 timeout, 529 overloaded',
});

rows.testProvider(anthropic, 'sk-ant-api03-RmFrZUtleUZvclRlc3Rz', {
  faultReplies: {
    error_in_200: { body: JSON.stringify(errors.overloaded) },
    empty_answer: { body: JSON.stringify(fixture('searched-without-text')) },
  },
  evidence: { reply: ['stop_reason'], stream: ['"stop_reason":"end_turn"'] },
  fixtures: [
    ...[SONNET, HAIKU, OPUS, FABLE].map((model) =>
      rows.answered(model, 'an answer', fixture('message'), ANSWER, {
        stream: { body: streamsIn(import.meta.dirname)('message-stream') },
      }),
    ),
    ...ANSWERS.map(([file, name, answer]) => rows.answered(SONNET, name, fixture(file), answer)),
    ...rows.unusableFixtures(SONNET, UNUSABLE, fixture),
    ...rows.errorFixtures(SONNET, ERRORS, errors),
  ],
});

const withSettings = (settings: Partial<AnthropicSettings>) => anthropic({ apiKey: 'k', ...settings });

/** Puts a question to an upstream that sends these replies one after the other, the last one again and again. */
const askInRounds = (...replies: readonly unknown[]) => askedInRounds(replies, {});

async function askedInRounds(replies: readonly unknown[], more: Partial<ProviderQuestion>) {
  const bodies: unknown[] = [];
  const provider = withSettings({});
  const model = provider.models.find(({ slug }) => slug === SONNET)!;
  const upstream = {
    send({ json }: UpstreamRequest) {
      const reply = replies[Math.min(bodies.length, replies.length - 1)];
      bodies.push(JSON.parse(JSON.stringify(json)));
      return Promise.resolve({ status: 200, header: () => undefined, text: JSON.stringify(reply) });
    },
  };
  const asked = provider.answer!.answer(
    { model, query: 'Is it open?', ...more },
    { upstream, signal: new AbortController().signal },
  );
  const outcome = await asked.catch((error: unknown) => error);
  return { bodies, outcome };
}

/** Streams these messages one after the other. */
function streamInRounds({ answer }: Provider, rounds: readonly Record<string, unknown>[], bodies: unknown[]) {
  const upstream = {
    send({ json, onText }: UpstreamRequest) {
      onText?.(eventText(messageEvents(rounds[bodies.length] ?? {})));
      bodies.push(JSON.parse(JSON.stringify(json)));
      return Promise.resolve({ status: 200, header: () => undefined, text: '' });
    },
  };
  return (call: ProviderQuestion, context: CallContext, live: LiveAnswer) =>
    answer!.stream!(call, { ...context, upstream }, live);
}

describe('anthropic', () => {
  const REQUEST = {
    model: 'claude-sonnet-5-5',
    max_tokens: 8_192,
    system: expect.stringContaining('Search the web at least once'),
    messages: [{ role: 'user', content: 'Is it open?' }],
    tools: [{ type: 'web_search_20250305', name: 'web_search', max_uses: 3 }],
    output_config: { effort: 'low' },
    service_tier: 'standard_only',
    stream: false,
  };

  streamedMessages({
    folder: import.meta.dirname,
    model: SONNET,
    create: (baseUrl) => anthropic({ apiKey: 'k', baseUrl }),
    path: '/v1/messages',
    whole: ANSWERS.map(([file]) => file),
    stream: ['message-stream', 'message'],
    ungrounded: 'ungrounded',
  });

  it('continues to stream after a paused turn, and returns its blocks unchanged', async () => {
    const paused = fixture('message-paused');
    const cited = { ...paused, content: [...fixture('message').content.slice(0, 5), ...paused.content] };
    const rounds = [cited, fixture('message-continued')];
    const plain = await askInRounds(...rounds);
    const bodies: unknown[] = [];
    const base = withSettings({});
    const provider = { ...base, answer: { ...base.answer!, stream: streamInRounds(base, rounds, bodies) } };
    const run = await livePartsIn(provider, { model: SONNET, chunks: [] });
    expectBeginning(run, plain.outcome as AnswerOutcome);
    expect(run.text).toBe(run.outcome?.text);
    expect(run.text).toContain('2021[1]Let me search.\n\nIt opened');
    expect(bodies).toEqual(plain.bodies.map((body) => ({ ...(body as object), stream: true })));
  });

  it.each([HAIKU, SONNET, OPUS, FABLE])('offers web search to %s', async (slug) => {
    const { request } = await askOnce(withSettings({}), slug, fixture('message'));
    expect(request.url.href).toBe('https://api.anthropic.com/v1/messages');
    expect(request.headers).toEqual({ 'x-api-key': 'k', 'anthropic-version': '2026-10-21' });
    expect(request.json).toEqual({ ...REQUEST, model: slug.slice('anthropic/'.length) });
  });

  it('uses the configured effort, searches and output', async () => {
    const settings = {
      effort: 'high',
      maxSearches: 10,
      maxOutputTokens: 16_000,
      userLocation: { city: 'Berlin', country: 'DE' },
      headers: { 'Anthropic-Version': '2023-06-01' },
    } as const;
    const { request } = await askOnce(withSettings(settings), SONNET, fixture('message'));
    expect(request.headers).toEqual({ 'x-api-key': 'k', 'anthropic-version': '2023-06-01' });
    expect(request.json).toEqual({
      ...REQUEST,
      max_tokens: 16_000,
      tools: [
        { ...REQUEST.tools[0], max_uses: 10, user_location: { type: 'approximate', city: 'Berlin', country: 'DE' } },
      ],
      output_config: { effort: 'high' },
    });
  });

  it('continues a paused turn with its blocks unchanged, and adds up its usage', async () => {
    const paused = fixture('message-paused');
    const { bodies, outcome } = await askInRounds(paused, fixture('message-continued'));
    expect(bodies).toEqual([
      REQUEST,
      { ...REQUEST, messages: [...REQUEST.messages, { role: 'assistant', content: paused.content }] },
    ]);
    expect(outcome).toMatchObject({
      text: 'It opened in May 2021[1] and is busy[2].',
      citations: [ZEPHYR, TRAFFIC],
      cost: { usage: { inputTokens: 23_000, cachedInputTokens: 0, outputTokens: 320, searches: 2 } },
      ...SERVED,
    });
  });

  it('continues a paused turn with the rest of the caller’s limit', async () => {
    const paused = fixture('message-paused');
    const { output_tokens: written } = paused.usage as { output_tokens: number };
    for (const [maxOutputTokens, rest] of [
      [written + 7, 7],
      [written - 1, 1],
    ] as const) {
      const { bodies, outcome } = await askedInRounds([paused, fixture('cut')], { maxOutputTokens });
      expect(bodies.map((body) => (body as { max_tokens: number }).max_tokens)).toEqual([maxOutputTokens, rest]);
      expect(outcome).toMatchObject({ truncated: true });
    }
  });

  it('fails by the reason of a failed search, also where the caller’s limit ended the answer', async () => {
    const limited = { ...fixture('search-limited'), stop_reason: 'max_tokens' };
    const { outcome } = await askedInRounds([limited], { maxOutputTokens: 9 });
    expect(outcome).toMatchObject({ reason: 'upstream_rate_limited' });
  });

  it('continues a turn three times, each time with all of its blocks, and then gives up', async () => {
    const paused = fixture('message-paused');
    const { bodies, outcome } = await askInRounds(paused);
    const contents = (bodies as { messages: { content: unknown }[] }[]).map(({ messages }) => messages[1]?.content);
    const times = (count: number) => Array.from({ length: count }, () => paused.content).flat();
    expect(contents).toEqual([undefined, times(1), times(2), times(3)]);
    expect(isUpstreamError(outcome) && [outcome.reason, outcome.detail]).toEqual([
      'upstream_invalid_response',
      'the provider did not finish: pause_turn',
    ]);
  });

  it.each([
    // 11,840 × 2 + 312 × 10 per million, and one search.
    ['tokens and searches', SONNET, 'message', ['0.0368', 'computed']],
    ['the lower rates of Haiku', HAIKU, 'message', ['0.01134', 'computed']],
    // 118,000 × 0.5 + 2,000 × 0.05 + 1,000 × 2.5 per million, and three searches.
    ['the higher rates of Haiku for a long prompt', HAIKU, 'message-long-prompt', ['0.0916', 'computed']],
    // 2,000 × 0.20 + 118,000 × 8 + 1,000 × 40 per million, and three searches.
    ['the rates of Fable', FABLE, 'message-long-prompt', ['1.0144', 'computed']],
    ['no such rates of others', OPUS, 'message-long-prompt', ['0.5224', 'computed']],
    // (1,000 + 1.25 × 400 + 2 × 200) × 2 + 2,000 × 0.1 + 300 × 10 per million, and one search.
    ['what is written to and read from the cache', SONNET, 'message-cached', ['0.017', 'computed']],
    ['the searches it sees where none are counted', SONNET, 'message-uncounted', ['0.0368', 'computed']],
    ['the ceiling where no tokens are reported', SONNET, 'message-nulls', ['0.35', 'ceiling']],
  ])('charges %s', async (_what, slug, reply, expected) => {
    const { charged } = await askOnce(withSettings({}), slug, fixture(reply));
    expect(charged).toEqual(expected);
  });

  it.each<[string, Partial<AnthropicSettings>]>([
    ['effort: found "minimal", expected one of low, medium, high, xhigh, max', { effort: 'minimal' as 'low' }],
    ['maxSearches: found 0, expected a whole number from 1 to 20', { maxSearches: 0 }],
    ['maxSearches: found 21, expected a whole number from 1 to 20', { maxSearches: 21 }],
    ['maxOutputTokens: found 500, expected a whole number from 1024 to 21333', { maxOutputTokens: 500 }],
    ['userLocation: found an object, expected at least one field', { userLocation: {} }],
    ['userLocation.country: found "de", expected two capital letters', { userLocation: { country: 'de' } }],
    ['userLocation.city: found " ", expected a text that is not empty', { userLocation: { city: ' ' } }],
    ['userLocation.zip: found an unknown option', { userLocation: { zip: '1' } as object }],
  ])('refuses %s', (message, settings) => {
    expect(() => withSettings(settings)).toThrow(`anthropic.${message}`);
  });
});
