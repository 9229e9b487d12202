import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { livePartsIn } from '../../test/live-parts-of.js';
import { reduceAtEnd } from '../../test/reduce-at-end.js';
import { UpstreamError } from '../base/errors/upstream-error.js';
import type { ModelRow } from '../catalog/model-entry.js';
import type { UpstreamRequest, UpstreamResponse } from '../upstream/upstream-client.js';
import { reduceChat } from './chat-completion.js';
import { composeAnswer } from './compose-answer.js';
import { bearer, type JsonAnswerOptions, jsonAnswer, jsonEndpoint, keyHeader } from './json-endpoint.js';
import type { ApiKeySource, ProviderQuestion } from './provider.js';
import type { JsonObject } from './reduce-stream.js';
import { optional } from './reply-fields.js';

function endpoint(apiKey: ApiKeySource, response: Partial<UpstreamResponse> = {}) {
  const requests: UpstreamRequest[] = [];
  const ask = jsonEndpoint(
    { apiKey, baseUrl: 'https://api.example.com/v2', headers: { 'x-team': 'search', authorization: 'overridden' } },
    {
      path: '/answer',
      authorize: bearer,
      errors: [
        { status: 418, reason: 'query_rejected' },
        { code: '101', reason: 'upstream_quota_exhausted' },
      ],
      reply: z.object({ answer: z.string() }),
      completeness: ({ answer }) => (answer.endsWith('.') ? 'complete' : 'truncated'),
    },
  );
  const upstream = {
    send(request: UpstreamRequest) {
      requests.push(request);
      return Promise.resolve({ status: 200, header: () => undefined, text: '{"answer":"Yes."}', ...response });
    },
  };
  return { requests, ask: () => ask({ query: 'Is it open?' }, { upstream, signal: new AbortController().signal }) };
}

const lastOf = (events: readonly JsonObject[]) => events.at(-1) ?? {};
const LAST_EVENT = reduceAtEnd(() => true, lastOf);
const DONE_EVENT = reduceAtEnd((_events, end) => end === 'done', lastOf);

const failing = (more: object) => expect.objectContaining({ name: 'UpstreamError', ...more });

describe('a JSON endpoint', () => {
  it('posts the body with the key and the extra headers, and gives the checked reply', async () => {
    const { ask, requests } = endpoint('k1');
    expect((await ask()).body).toEqual({ answer: 'Yes.' });
    expect(requests).toEqual([
      {
        method: 'POST',
        url: new URL('https://api.example.com/v2/answer'),
        headers: { 'x-team': 'search', authorization: 'Bearer k1' },
        json: { query: 'Is it open?' },
      },
    ]);
  });

  it('reports how the reply ended, by the evidence', async () => {
    const finishOf = async (text: string) => (await endpoint('k1', { text }).ask()).finish;
    expect(await finishOf('{"answer":"Yes."}')).toBe('complete');
    expect(await finishOf('{"answer":"Ye"}')).toBe('truncated');
  });

  it('gives the headers of the reply', async () => {
    const { ask } = endpoint('k1', { header: (name) => (name === 'x-cost-usd' ? '0.004' : undefined) });
    const { header } = await ask();
    expect([header('x-cost-usd'), header('x-cost')]).toEqual(['0.004', undefined]);
  });

  it.each([
    ['keys', `{${Array.from({ length: 100_001 }, (_, at) => `"k${at}":0`).join()}}`],
    ['lists', `{"list":[${'[],'.repeat(100_001)}[]]}`],
  ])('refuses a reply of more %s than any vendor sends', async (_what, text) => {
    await expect(endpoint('k1', { text }).ask()).rejects.toThrow(
      failing({ reason: 'upstream_invalid_response', phase: 'parse', status: 200 }),
    );
  });

  it('asks a key function once per attempt', async () => {
    const keys = ['k1', 'k2'];
    const { ask, requests } = endpoint(() => Promise.resolve(keys.shift() ?? ''));
    await ask();
    await ask();
    expect(requests.map(({ headers }) => headers['authorization'])).toEqual(['Bearer k1', 'Bearer k2']);
  });

  it.each<[string, () => string | Promise<string>, string]>([
    ['is empty', () => '', 'the apiKey function returned no usable key'],
    ['has a line end', () => 'k1\n', 'the apiKey function returned no usable key'],
    ['is no text', () => undefined as unknown as string, 'the apiKey function returned no usable key'],
    [
      'cannot be had',
      () => Promise.reject(new Error('vault is sealed')),
      'the apiKey function failed: vault is sealed',
    ],
    [
      'throws at once',
      () => {
        throw new Error('no token: pplx-abcdef123456');
      },
      'the apiKey function failed: no token: [redacted]',
    ],
  ])('sends nothing when the key %s', async (_how, apiKey, detail) => {
    const { ask, requests } = endpoint(apiKey);
    await expect(ask()).rejects.toThrow(
      failing({
        reason: 'upstream_auth_failed',
        phase: 'connect',
        status: null,
        detail: expect.stringContaining(detail),
      }),
    );
    expect(requests).toEqual([]);
  });

  it('classifies errors by the provider’s table, then by the common meaning', async () => {
    const teapot = endpoint('k1', { status: 418, text: '{"error":"short and stout"}' });
    await expect(teapot.ask()).rejects.toThrow(
      failing({ reason: 'query_rejected', status: 418, detail: 'short and stout' }),
    );
    const redirect = endpoint('k1', { status: 302, text: '' });
    await expect(redirect.ask()).rejects.toThrow(failing({ reason: 'upstream_rejected', status: 302 }));
  });

  it('reports the place of an unexpected field, or the provider’s own error', async () => {
    const shapeless = endpoint('k1', { text: '{"answer":7}' });
    await expect(shapeless.ask()).rejects.toThrow(
      failing({
        reason: 'upstream_invalid_response',
        phase: 'shape',
        detail: expect.stringMatching(/^unexpected reply at answer: expected a string$/),
      }),
    );
    const sorry = endpoint('k1', { text: '{"error":{"message":"out of order"}}' });
    await expect(sorry.ask()).rejects.toThrow(failing({ phase: 'shape', detail: 'out of order' }));
  });

  it('knows the provider’s codes inside a success too', async () => {
    const broke = endpoint('k1', { text: '{"answer":null,"error":[{"code":101,"msg":"no credit"}]}' });
    await expect(broke.ask()).rejects.toThrow(
      failing({ reason: 'upstream_quota_exhausted', phase: 'shape', status: 200, detail: '101 no credit' }),
    );
  });

  it('asks for a stream when it has a reducer, and checks the reduced reply', async () => {
    const requests: UpstreamRequest[] = [];
    const ask = jsonEndpoint(
      { apiKey: 'k1', baseUrl: 'https://api.example.com', headers: {} },
      {
        path: '/',
        authorize: bearer,
        errors: [],
        reply: z.object({ text: z.string() }),
        completeness: 'valid JSON',
        reduce: LAST_EVENT,
      },
    );
    const streamed = (text: string) => ({
      signal: new AbortController().signal,
      upstream: {
        send(request: UpstreamRequest) {
          requests.push(request);
          return Promise.resolve({ status: 200, header: () => undefined, text });
        },
      },
    });
    expect((await ask({}, streamed('data: {"text":"Y"}\n\ndata: {"text":"Yes."}\n\n'))).body).toEqual({ text: 'Yes.' });
    expect(requests[0]?.headers).toEqual({ accept: 'text/event-stream', authorization: 'Bearer k1' });
    await expect(ask({}, streamed('data: {"error":"out of order"}\n\n'))).rejects.toThrow(
      failing({ reason: 'upstream_invalid_response', phase: 'shape', detail: 'out of order' }),
    );
  });

  it('asks for a stream by a field of the body when the caller wants a stream', async () => {
    const requests: UpstreamRequest[] = [];
    const ask = jsonEndpoint(
      { apiKey: () => 'k1', baseUrl: 'https://api.example.com', headers: {} },
      {
        path: '/',
        authorize: bearer,
        errors: [{ status: 418, reason: 'query_rejected' }],
        reply: z.object({ text: z.string() }),
        completeness: 'valid JSON',
        reduce: LAST_EVENT,
        streamField: 'streamed',
      },
    );
    const upstream = (text: string, status = 200) => ({
      signal: new AbortController().signal,
      upstream: {
        send(request: UpstreamRequest) {
          requests.push(request);
          return Promise.resolve({ status, header: () => undefined, text });
        },
      },
    });
    const live = { sources: () => undefined, text: () => undefined };
    expect((await ask({ q: 1 }, upstream('{"text":"Yes."}'))).body).toEqual({ text: 'Yes.' });
    expect((await ask({ q: 2 }, upstream('data: {"text":"Yes."}\n\n'), live)).body).toEqual({ text: 'Yes.' });
    await expect(ask({}, upstream('data: {"text":"Yes."}\n\n'))).rejects.toThrow(failing({ phase: 'parse' }));
    await expect(ask({}, upstream('{}', 418), live)).rejects.toThrow(failing({ reason: 'query_rejected' }));
    expect(requests.slice(0, 2).map(({ headers, json }) => ({ headers, json }))).toEqual([
      { headers: { authorization: 'Bearer k1' }, json: { q: 1, streamed: false } },
      { headers: { accept: 'text/event-stream', authorization: 'Bearer k1' }, json: { q: 2, streamed: true } },
    ]);
  });

  describe('of a provider with its own envelope of errors', () => {
    const FAULT = '{"fault":{"kind":"quota","why":"No credit for k1-secret"},"error":{"message":"see fault"}}';
    const text = optional.text;
    const ask = (sent: Partial<UpstreamResponse>, options: { isStream?: boolean; isKnown?: boolean } = {}) => {
      const { isStream = false, isKnown = true } = options;
      const send = jsonEndpoint(
        { apiKey: 'k1-secret', baseUrl: 'https://api.example.com', headers: {} },
        {
          path: '/',
          authorize: bearer,
          errors: [{ code: 'quota', reason: 'upstream_quota_exhausted' }],
          errorReply: isKnown
            ? z
                .object({ fault: z.object({ kind: text, why: text }) })
                .transform(({ fault }) => ({ code: fault.kind, message: fault.why }))
            : undefined,
          // Fits every reply, errors included.
          reply: z.object({ text: optional.text }),
          completeness: 'valid JSON',
          reduce: isStream ? DONE_EVENT : undefined,
        },
      );
      const upstream = { send: () => Promise.resolve({ status: 200, header: () => undefined, text: '', ...sent }) };
      return send({}, { upstream, signal: new AbortController().signal });
    };
    const expected = { reason: 'upstream_quota_exhausted', detail: 'quota No credit for [redacted]' };

    it.each<[string, Partial<UpstreamResponse>, boolean]>([
      ['an HTTP error', { status: 418, text: FAULT }, false],
      ['an HTTP error instead of a stream', { status: 418, text: FAULT }, true],
      ['a success', { text: FAULT }, false],
      ['a success instead of a stream', { text: FAULT }, true],
      [
        'an event of a stream that is named an error',
        { text: 'event: error\ndata: {"fault":{"kind":"quota","why":"No credit for k1-secret"}}\n\n' },
        true,
      ],
      ['an event of a stream', { text: `data: {"text":"Yes"}\n\ndata: ${FAULT}\n\ndata: [DONE]\n\n` }, true],
    ])('reads code and message of %s', async (_where, sent, isStream) => {
      await expect(ask(sent, { isStream })).rejects.toThrow(failing({ ...expected, status: sent.status ?? 200 }));
    });

    it.each(['{"fault":{},"text":"Yes"}', '{"fault":null,"text":"Yes"}', '{"text":"Yes"}'])(
      'takes no error from %s',
      async (body) => {
        expect((await ask({ text: body })).body).toEqual({ text: 'Yes' });
      },
    );

    it('reads the common envelopes too', async () => {
      const body = '{"error":{"code":"quota","message":"none left"}}';
      await expect(ask({ status: 418, text: body })).rejects.toThrow(
        failing({ reason: 'upstream_quota_exhausted', detail: 'quota none left' }),
      );
    });
  });

  it('reads an error event that the reducer cannot read', async () => {
    const ask = jsonEndpoint(
      { apiKey: 'k1', baseUrl: 'https://api.example.com', headers: {} },
      {
        path: '/',
        authorize: bearer,
        errors: [{ code: 'quota', reason: 'upstream_quota_exhausted' }],
        reply: z.object({ text: optional.text }),
        completeness: 'valid JSON',
        reduce: reduceAtEnd(
          () => false,
          () => ({}),
        ),
      },
    );
    const text = 'data: {"text":"Yes"}\n\ndata: {"error":{"code":"quota","message":"none left"}}\n\n';
    const upstream = { send: () => Promise.resolve({ status: 200, header: () => undefined, text }) };
    await expect(ask({}, { upstream, signal: new AbortController().signal })).rejects.toThrow(
      failing({ reason: 'upstream_quota_exhausted', phase: 'shape', detail: 'quota none left' }),
    );
  });

  it('makes failures of replies that turn out unusable', async () => {
    const { failure } = await endpoint('k1-secret', { text: '{"answer":"Yes.","error":"not for k1-secret"}' }).ask();
    expect(failure()).toEqual(
      failing({ reason: 'upstream_invalid_response', phase: 'shape', cost: null, detail: 'not for [redacted]' }),
    );
    expect(failure({ reason: 'query_rejected', cost: 5n, detail: 'no' })).toBeInstanceOf(UpstreamError);
    expect(failure({ reason: 'query_rejected', cost: 5n, detail: 'no' })).toEqual(
      failing({ reason: 'query_rejected', cost: 5n, detail: 'no' }),
    );
  });
});

describe('keyHeader', () => {
  it('puts the key into a separate header', () => {
    expect(keyHeader('x-api-key')('k1')).toEqual({ 'x-api-key': 'k1' });
  });
});

const MODEL: ModelRow = {
  slug: 'mini/answer',
  name: 'Mini',
  description: 'The smallest provider there is.',
  prices: [{ kind: 'flat', request: '0.001', source: 'its own words', asOf: '2026-11-21', confidence: 'high' }],
  features: ['citations', 'streaming'],
  contextLength: null,
  timeoutMs: 1_000,
};
const CONNECTION = { apiKey: 'k1', baseUrl: 'https://api.example.com', headers: {} };
const reply = z.object({ choices: z.tuple([z.object({ message: z.object({ content: z.string() }) })]) });
const MARKERS = [{ start: 4, end: 7, position: 1 }];
const SOURCES = [{ url: 'https://a.example/' }];

function adapter(options: Partial<JsonAnswerOptions<typeof reply>> = {}) {
  return jsonAnswer(CONNECTION, {
    path: '/answer',
    authorize: bearer,
    errors: [],
    reply,
    completeness: 'valid JSON',
    reduce: reduceChat({ sources: ({ citations }) => (citations === undefined ? [] : SOURCES) }),
    streamField: 'stream',
    request: ({ model, query }, isLive) => ({ model: model.slug, query, isLive }),
    outcome: ({ body }, { query }) =>
      composeAnswer({ text: `${body.choices[0].message.content} (${query})`, sources: SOURCES, cost: {} }),
    ...options,
  });
}

const WHOLE = '{"choices":[{"message":{"content":"Yes [1]."}}]}';
const STREAM = [
  'data: {"citations":[1],"choices":[{"delta":{"content":"Yes [1]"}}]}\n\n',
  'data: {"choices":[{"delta":{"content":"."},"finish_reason":"stop"}]}\n\n',
  'data: [DONE]\n\n',
];

const streamed = (options?: Partial<JsonAnswerOptions<typeof reply>>) =>
  livePartsIn(
    { id: 'mini', name: 'Mini', models: [MODEL], answer: adapter(options) },
    { model: MODEL.slug, chunks: STREAM },
  );

/** What the adapter sends when it is asked for a whole answer. */
async function askedWhole(
  text: string,
  options?: Partial<JsonAnswerOptions<typeof reply>>,
  more: Partial<ProviderQuestion> = {},
) {
  const requests: UpstreamRequest[] = [];
  const upstream = {
    send(request: UpstreamRequest) {
      requests.push(request);
      return Promise.resolve({ status: 200, header: () => undefined, text });
    },
  };
  const context = { upstream, signal: new AbortController().signal };
  const outcome = await adapter(options).answer({ model: MODEL, query: 'Open?', ...more }, context);
  return { outcome, requests };
}

describe('an adapter of one address', () => {
  it('answers by one plain request', async () => {
    const { outcome, requests } = await askedWhole(WHOLE);
    expect(outcome).toEqual({ text: 'Yes [1]. (Open?)', markers: MARKERS, citations: SOURCES, cost: {} });
    expect(requests).toEqual([
      {
        method: 'POST',
        url: new URL('https://api.example.com/answer'),
        headers: { authorization: 'Bearer k1' },
        json: { model: 'mini/answer', query: 'Open?', isLive: false, stream: false },
      },
    ]);
  });

  it('hands over sources and text of a stream, and returns the same outcome', async () => {
    const { text, citations, outcome } = await streamed();
    expect({ text, citations }).toEqual({ text: 'Yes [1].', citations: SOURCES });
    expect(outcome).toEqual({ text: 'Yes [1]. (Is it open?)', markers: MARKERS, citations: SOURCES, cost: {} });
  });

  it('delivers nothing without the evidence, even if the adapter does not check', async () => {
    const completeness = () => 'unproven' as const;
    await expect(askedWhole(WHOLE, { completeness })).rejects.toMatchObject({
      reason: 'upstream_invalid_response',
      detail: 'the reply does not say that the answer is complete',
    });
  });

  it('never delivers an answer that a limit has ended as a whole one', async () => {
    const completeness = () => 'truncated' as const;
    const { outcome } = await askedWhole(WHOLE, { completeness }, { maxOutputTokens: 9 });
    expect(outcome.truncated).toBe(true);
    await expect(askedWhole(WHOLE, { completeness })).rejects.toMatchObject({ detail: 'the answer was cut off' });
  });

  it('asks for no stream when it cannot read one', async () => {
    const { requests } = await askedWhole(WHOLE, { reduce: undefined });
    expect(requests[0]?.json).toMatchObject({ stream: false });
    const { outcome } = await livePartsIn(
      { id: 'mini', name: 'Mini', models: [MODEL], answer: adapter({ reduce: undefined }) },
      { model: MODEL.slug, chunks: [WHOLE] },
    );
    expect(outcome?.text).toBe('Yes [1]. (Is it open?)');
  });

  it('reads every reply as a stream when no field asks for a stream', async () => {
    const { outcome, requests } = await askedWhole(STREAM.join(''), { streamField: undefined });
    expect(outcome.text).toBe('Yes [1]. (Open?)');
    expect(requests[0]).toMatchObject({
      headers: { accept: 'text/event-stream', authorization: 'Bearer k1' },
      json: { model: 'mini/answer', query: 'Open?', isLive: false },
    });
    expect(requests[0]?.json).not.toHaveProperty('stream');
  });
});
