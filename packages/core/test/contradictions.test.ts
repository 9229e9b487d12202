import { describe, expect, it } from 'vitest';
import type { UpstreamReason } from '../src/provider-kit/index.js';
import * as allProviders from '../src/providers/index.js';
import { askOnce, fixturesIn, streamsIn } from './ask-once.js';
import { expectedAnswers } from './every-model/expected-answers.js';

type Json = Record<string, unknown>;

const FOLDERS = `${import.meta.dirname}/../src/providers`;
const ERROR = { code: 500, message: 'It failed.' };

/** An answer of each provider that answers, as the provider sends it. */
const PROVIDERS = Object.values(allProviders).flatMap((create) => {
  const provider = create({ apiKey: 'a-key', baseUrl: 'http://127.0.0.1:9' });
  const [answer] = expectedAnswers(provider.id);
  if (answer === undefined) return [];
  const [slug, { reply, contentType }] = answer;
  return [{ provider, slug, text: String(reply), isStream: contentType === 'text/event-stream' }];
});

const providerOf = (slug: string) => {
  const found = PROVIDERS.find(({ provider: { id } }) => slug.startsWith(`${id}/`));
  if (found === undefined) throw new Error(`no provider has ${slug}`);
  return found.provider;
};

/** The reply with additional fields: in a stream, in its last event. */
function withFields({ text, isStream }: { readonly text: string; readonly isStream: boolean }, fields: Json): string {
  if (!isStream) return JSON.stringify({ ...(JSON.parse(text) as Json), ...fields });
  const lines = text.split('\n');
  const last = lines.findLastIndex((line) => line.startsWith('data: {'));
  const event = JSON.parse((lines[last] ?? '').slice('data: '.length)) as Json;
  return lines.with(last, `data: ${JSON.stringify({ ...event, ...fields })}`).join('\n');
}

const DENIALS: readonly Json[] = [
  { error: 'It failed.' },
  { error: ERROR },
  { error: [{ code: 1, msg: 'It failed.' }] },
  { errors: [{ detail: 'It failed.' }] },
  { object: 'error' },
  { type: 'error' },
  { success: false },
  { status: 'failed' },
  { status: 'running' },
];

/** Valyu reports omitted results as an `error`. */
const isNote = (slug: string, fields: Json) => slug.startsWith('valyu/') && 'error' in fields;

describe.each(PROVIDERS)('an answer of $slug', ({ provider, slug, ...reply }) => {
  it.each(DENIALS.filter((fields) => !isNote(slug, fields)))('with %j is not charged', async (fields) => {
    await expect(askOnce(provider, slug, withFields(reply, fields))).rejects.toMatchObject({ name: 'UpstreamError' });
  });

  it.each([null, '', {}, [], false].map((error) => ({ error, errors: error })))('%j is fine', async (fields) => {
    const { outcome } = await askOnce(provider, slug, withFields(reply, fields));
    expect(outcome.text).not.toBe('');
  });
});

const fixture = (slug: string, name = 'answer') => fixturesIn(`${FOLDERS}/${providerOf(slug).id}`)(name);
const choiceOf = (reply: Json) => (reply['choices'] as Json[])[0] as Json;
const messageOf = (reply: Json) => (reply['output'] as Json[]).find(({ type }) => type === 'message') as Json;

const inChoice = (fields: Json) => (reply: Json) => void Object.assign(choiceOf(reply), fields);
const inMessage = (fields: Json) => (reply: Json) => void Object.assign(messageOf(reply), fields);
const beside = (fields: Json) => (reply: Json) => void Object.assign(reply, fields);
const CHAT = ['openrouter/answer', 'zai/glm-5.3'];
const RESPONSES = ['openai/gpt-6.1-terra', 'xai/grok-4.3', 'perplexity/sonar', 'parallel/responses-medium'];
const INVALID: UpstreamReason = 'upstream_invalid_response';

/** Contradictions to a good end, by dialect. */
const CONTRADICTIONS: readonly (readonly [string, readonly string[], (reply: Json) => void, UpstreamReason])[] = [
  ['an error of the choice', ['zai/glm-5.3'], inChoice({ error: { code: '1302' } }), 'upstream_rate_limited'],
  ['an error of the choice', ['openrouter/answer'], inChoice({ error: ERROR }), 'upstream_error'],
  ['an error of the reply', ['openrouter/answer'], beside({ error: ERROR }), 'upstream_error'],
  ['another word of the model', CHAT, inChoice({ native_finish_reason: 'stop_error' }), INVALID],
  ['a word of the model that is none', CHAT, inChoice({ native_finish_reason: 0 }), INVALID],
  [
    'an end of another choice alone',
    CHAT,
    (reply) => {
      const choice = choiceOf(reply);
      reply['choices'] = [
        { ...choice, index: 1 },
        { ...choice, index: 0, finish_reason: null },
      ];
    },
    INVALID,
  ],
  ['details of a cut', RESPONSES, beside({ incomplete_details: { reason: 'max_output_tokens' } }), INVALID],
  ['details of a cut in words', RESPONSES, beside({ incomplete_details: 'max_output_tokens' }), INVALID],
  ['a message that is cut', RESPONSES, inMessage({ status: 'incomplete' }), INVALID],
  ['a message that goes on', RESPONSES, inMessage({ status: 'in_progress' }), INVALID],
  ['an error of the run', ['openai/gpt-6.1-terra'], beside({ error: { code: 'server_error' } }), 'upstream_error'],
  [
    'a blocked prompt',
    ['google/gemini-3.8-flash'],
    beside({ promptFeedback: { blockReason: 'SAFETY' } }),
    'query_rejected',
  ],
  [
    'an end of another candidate alone',
    ['google/gemini-3.8-flash'],
    (reply) => {
      const [candidate] = reply['candidates'] as [Json];
      reply['candidates'] = [
        { ...candidate, index: 1 },
        { ...candidate, index: 0, finishReason: null },
      ];
    },
    INVALID,
  ],
];
const CASES = CONTRADICTIONS.flatMap(([title, slugs, change, reason]) =>
  slugs.map((slug) => ({ title, slug, change, reason })),
);

describe('no contradictory reply is charged', () => {
  it.each(CASES)('$slug: $title', async ({ slug, change, reason }) => {
    const reply = fixture(slug) as Json;
    change(reply);
    await expect(askOnce(providerOf(slug), slug, reply)).rejects.toMatchObject({ name: 'UpstreamError', reason });
  });
});

/** Asks for a stream that arrives at once and ends in order. */
async function streamOnce(slug: string, text: string) {
  const provider = providerOf(slug);
  const model = provider.models.find((each) => each.slug === slug);
  const upstream = { send: () => Promise.resolve({ status: 200, header: () => undefined, text }) };
  if (model === undefined || provider.answer?.stream === undefined) throw new Error(`${slug} does not stream`);
  const live = { text: () => undefined, citations: () => undefined };
  const context = { upstream, signal: new AbortController().signal };
  return provider.answer.stream({ model, query: 'Is it open?' }, context, live);
}

const recorded = (slug: string, name: string) => streamsIn(`${FOLDERS}/${providerOf(slug).id}`)(name);
const dataOf = (fields: object) => `data: ${JSON.stringify(fields)}\n\n`;
const chunkOf = (fields: object) => dataOf({ choices: [{ index: 0, delta: {}, ...fields }] });
/** Inserts an event before the last event. */
const before = (last: RegExp, event: string) => (text: string) => text.replace(last, (found) => event + found);
const DONE = /data: \[DONE\]/;

type StreamRow = readonly [string, string, string, (text: string) => string, UpstreamReason];
const STREAMED: readonly StreamRow[] = [
  [
    'a later word of the model',
    'openrouter/answer',
    'answer-stream',
    before(DONE, chunkOf({ native_finish_reason: 'network_error' })),
    INVALID,
  ],
  [
    'an error of the choice',
    'openrouter/answer',
    'answer-stream',
    before(DONE, chunkOf({ error: ERROR })),
    'upstream_error',
  ],
  ...['incomplete', 'failed', 'cancelled'].flatMap((word): StreamRow[] =>
    ['openai/gpt-6.1-terra', 'xai/grok-4.3', 'perplexity/sonar'].map((slug) => [
      `response.${word} around a completed response`,
      slug,
      'answer-stream',
      (text) => text.replaceAll('response.completed', `response.${word}`),
      INVALID,
    ]),
  ),
  ...['length', 'error'].map(
    (finish_reason): StreamRow => [
      `a text that ends by ${finish_reason}`,
      'valyu/answer',
      'answer',
      before(/data: .*"success":true/, chunkOf({ delta: { content: '' }, finish_reason })),
      INVALID,
    ],
  ),
  [
    'a prompt that is blocked, and another feedback',
    'google/gemini-3.8-flash',
    'answer-stream',
    (text) =>
      dataOf({ promptFeedback: { blockReason: 'SAFETY' } }) + dataOf({ promptFeedback: { safetyRatings: [] } }) + text,
    'query_rejected',
  ],
];

describe('no contradictory stream is charged', () => {
  it.each(STREAMED)('%s at %s', async (_title, slug, name, change, reason) => {
    const text = recorded(slug, name);
    expect((await streamOnce(slug, text)).text).not.toBe('');
    expect(change(text)).not.toBe(text);
    await expect(streamOnce(slug, change(text))).rejects.toMatchObject({ name: 'UpstreamError', reason });
  });
});

describe('a plain reply to a streamed call', () => {
  it.each([
    ['perplexity/sonar', 'chat'],
    ['perplexity/sonar', 'answer'],
    ['openrouter/answer', 'answer'],
    ['zai/glm-5.3', 'answer'],
  ])('of %s (%s) is the answer, even as a single event', async (slug, name) => {
    const reply: unknown = fixture(slug, name);
    const { outcome } = await askOnce(providerOf(slug), slug, reply);
    expect(await streamOnce(slug, JSON.stringify(reply))).toEqual(outcome);
    expect(await streamOnce(slug, `${dataOf(reply as object)}data: [DONE]\n\n`)).toEqual(outcome);
  });
});
