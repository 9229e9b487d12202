import { type AnswerEvent as EventInProcess, type Gateway, isRequestError } from '@searchgate/core';
import { handleNode } from '@searchgate/core/node';
import { gatewayRouter } from '@searchgate/express';
import { fakeProvider } from '@searchgate/testing';
import express from 'express';
import { describe, expect, it } from 'vitest';
import { type AnswerEvent, createClient, isSearchgateError, SearchgateError } from '../src/index.js';
import {
  impatientClient,
  KEY,
  type Listener,
  listen,
  MODEL,
  OUTCOME,
  PROVIDER,
  QUESTION,
  startGateway,
} from './stage.js';

const HOSTS: Record<string, (gateway: Gateway) => Listener> = {
  Express: (gateway) => express().use('/search', gatewayRouter(gateway)),
  'node:http': (gateway) => async (req, res) => {
    const target = (req.url ?? '').replace('/search', '');
    if (!(await handleNode(gateway, { req, res, target }))) res.writeHead(404).end();
  },
};

const FAILING = fakeProvider({ id: PROVIDER, replies: [{ failure: 'query_rejected' }] });

async function collect<T>(events: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const event of events) all.push(event);
  return all;
}

describe.each(Object.entries(HOSTS))('a client of a gateway mounted in %s', (_name, mount) => {
  async function begin(options?: Parameters<typeof startGateway>[0], limit?: string | null) {
    const stage = startGateway(options, limit);
    const baseUrl = `${await listen(mount(stage.gateway))}/search/`;
    return { ...stage, baseUrl, client: createClient({ baseUrl, apiKey: KEY }) };
  }

  it('gets an answer, with the options under their names of the wire', async () => {
    const { client, asked } = await begin();
    const reply = await client.answer({
      ...QUESTION,
      includeCitations: true,
      search: { includeDomains: ['example.org'] },
      routing: { fallbacks: [], maxCost: '0.5' },
    });
    expect(reply).toEqual({
      id: expect.stringMatching(/^ans_/),
      model: MODEL,
      provider: 'handbook',
      answer: OUTCOME.text,
      citations: OUTCOME.citations,
      usage: { cost: 0.01 },
    });
    expect(asked).toMatchObject([{ query: QUESTION.query, search: { includeDomains: ['example.org'] } }]);
  });

  it('sends a conversation and a schema as they are', async () => {
    const { baseUrl } = await begin({ maxAttempts: 1 });
    const sent: unknown[] = [];
    const recording = (url: string, init: RequestInit) => {
      sent.push(JSON.parse(init.body as string));
      return fetch(url, init);
    };
    const client = createClient({ baseUrl, apiKey: KEY, maxRetries: 0, fetch: recording });
    const messages = ['When?', 'In May.', 'Where?'].map((content, at) => ({
      role: at === 1 ? ('assistant' as const) : ('user' as const),
      content,
    }));
    const jsonSchema = { name: 'facts', schema: { properties: { camelCase: { type: 'string' } } }, strict: true };
    const asking = client.answer({ model: MODEL, messages, responseFormat: { type: 'json_schema', jsonSchema } });
    // The answer of this provider is no JSON.
    await expect(asking).rejects.toMatchObject({ reason: 'upstream_invalid_response' });
    expect(sent).toEqual([
      { model: MODEL, messages, response_format: { type: 'json_schema', json_schema: jsonSchema } },
    ]);
  });

  it('sends instructions and a limit, and is told where the limit has ended the answer, and what a check of it found', async () => {
    const features = ['instructions', 'max_output_tokens', 'streaming'] as const;
    const shown = { truncated: true, grounding: { sentences: 9, supported: 4, unsupported: 2, removed: 3 } };
    const outcome = { text: 'Thirty', citations: [], cost: {}, ...shown };
    const answer = (call: object) => Promise.resolve((asked.push(call), outcome));
    const asked: object[] = [];
    const provider = { ...fakeProvider({ id: PROVIDER, models: [{ features }] }), answer: { answer } };
    const { client } = await begin({ providers: [provider] });
    const limited = { ...QUESTION, instructions: 'Be brief.', maxOutputTokens: 2 };
    expect(await client.answer(limited)).toMatchObject({ answer: 'Thirty', ...shown });
    const last = (await collect(client.answerStream(limited))).at(-1);
    expect(last).toMatchObject({ type: 'done', answer: { answer: 'Thirty', ...shown } });
    const call = expect.objectContaining({ instructions: 'Be brief.', maxOutputTokens: 2 }) as object;
    expect(asked).toEqual([call, call]);
  });

  it('gets the same events as a call in process', async () => {
    const { client, gateway } = await begin();
    const here = await collect(gateway.answerStream({ apiKey: KEY, ...QUESTION }));
    const there = await collect(client.answerStream(QUESTION));
    expect(withoutIds(there)).toEqual(withoutIds(here.map(asClientEvent)));
    expect(there.map(({ type }) => type)).toEqual(['start', 'citations', 'delta', 'delta', 'done']);
  });

  it('gets the models, the credits and its key', async () => {
    const { client } = await begin();
    await client.answer(QUESTION);
    const { data } = await client.models({ category: 'answer' });
    expect(data.map(({ id }) => id)).toEqual([MODEL]);
    expect((await client.models()).data.length).toBeGreaterThan(1);
    expect(await client.credits()).toEqual({ total_credits: 1, total_usage: 0.01 });
    expect(await client.key()).toMatchObject({ label: 'demo', usage: 0.01, limit: null });
  });

  it('gets its usage by tag, and the state of an answer', async () => {
    const { client } = await begin({ endpoints: { usage: true } });
    const { id } = await client.answer({ ...QUESTION, tag: 'team-a' });
    await client.answer(QUESTION);
    const total = { requests: 2, cost: 0.02 };
    const data = [
      { tag: 'team-a', requests: 1, cost: 0.01 },
      { tag: null, requests: 1, cost: 0.01 },
    ];
    expect(await client.usage({ by: 'tag' })).toEqual({ data, total });
    expect(await client.usage({ by: 'day', from: '2020-01-01', to: '2020-01-01' })).toMatchObject({ data: [] });
    expect(await client.answerStatus(id)).toMatchObject({ id, status: 'charged', model: MODEL, cost: 0.01 });
    await expect(client.answerStatus('ans_unknown')).rejects.toMatchObject({ reason: 'answer_not_found' });
  });

  it('gets an answer by look-ups, and the error of a call that failed', async () => {
    const { client, asked } = await begin({ endpoints: { asyncAnswers: true } });
    expect(await client.answerAsync({ ...QUESTION, pollMs: 100 })).toMatchObject({
      id: expect.stringMatching(/^async_/) as string,
      answer: OUTCOME.text,
      usage: { cost: 0.01 },
    });
    expect(asked).toHaveLength(1);
    const { client: unlucky } = await begin({ endpoints: { asyncAnswers: true }, providers: [FAILING] });
    await expect(unlucky.answerAsync({ ...QUESTION, pollMs: 100 })).rejects.toMatchObject({
      reason: 'query_rejected',
      status: 400,
    });
    await expect(client.answerAsync({ ...QUESTION, pollMs: 1 })).rejects.toThrow(TypeError);
  });

  it('waits for the answer of a gateway without asynchronous answers', async () => {
    const { client } = await begin();
    expect(await client.answerAsync(QUESTION)).toMatchObject({ answer: OUTCOME.text });
  });

  it('gets an error with the metadata of its reason', async () => {
    const { client } = await begin({}, '0.005');
    const error = await client.answer(QUESTION).catch((caught: unknown) => caught);
    if (!isSearchgateError(error) || error.reason !== 'key_limit_reached') throw error;
    const { limit, required } = error.metadata;
    expect({ limit, required }).toEqual({ limit: 0.005, required: 0.01 });
    expect(error).toMatchObject({ status: 402, param: null, retryable: false, retryAfterMs: null });
    expect(error.requestId).toMatch(/^req_/);
    expect(error).toBeInstanceOf(SearchgateError);
  });

  it('throws an error that comes before the first event', async () => {
    const { baseUrl } = await begin();
    const stranger = createClient({ baseUrl, apiKey: 'sg_of-no-one' });
    await expect(stranger.answerStream(QUESTION).next()).rejects.toMatchObject({
      reason: 'invalid_api_key',
      status: 401,
    });
  });

  it('names the wrong field by its name on the wire', async () => {
    const { client } = await begin();
    const asked = client.answer({ ...QUESTION, search: { publishedAfter: 'yesterday' } });
    await expect(asked).rejects.toMatchObject({ reason: 'invalid_field', param: 'search.published_after' });
  });

  it('is charged once for two calls under one idempotencyKey', async () => {
    const { client } = await begin();
    const question = { ...QUESTION, idempotencyKey: 'order-17' };
    const first = await client.answer(question);
    expect(await client.answer(question)).toEqual(first);
    expect((await collect(client.answerStream(question))).at(-1)).toEqual({ type: 'done', answer: first });
    expect((await client.credits()).total_usage).toBe(0.01);
  });

  it('is charged for each of two calls without an idempotencyKey', async () => {
    const { client } = await begin();
    await client.answer(QUESTION);
    await client.answer(QUESTION);
    expect((await client.credits()).total_usage).toBe(0.02);
  });
});

it('gets an answer lost with its connection, and is charged once', async () => {
  const { gateway, asked } = startGateway();
  const app = express();
  let lost = 0;
  app.use((_req, res, next) => {
    if (lost === 0) res.end = () => res.destroy();
    lost += 1;
    next();
  });
  app.use(gatewayRouter(gateway));
  const { client } = impatientClient(await listen(app));
  expect(await client.answer(QUESTION)).toMatchObject({ answer: OUTCOME.text });
  expect([lost, asked.length]).toEqual([2, 1]);
  expect((await client.credits()).total_usage).toBe(0.01);
});

it('needs no API key if the host authenticates its callers', async () => {
  const { gateway } = startGateway({
    apiKeys: undefined,
    authenticate: (_token, request) => ({ id: request.header('x-user') ?? '', organizationId: 'acme' }),
  });
  const baseUrl = await listen(express().use(gatewayRouter(gateway)));
  const client = createClient({ baseUrl, headers: { 'X-User': 'maria' } });
  expect((await client.key()).label).toBe('maria');
});

function withoutIds(events: readonly AnswerEvent[]): unknown {
  return JSON.parse(JSON.stringify(events).replaceAll(/ans_\w+/g, 'ans')) as unknown;
}

/** Compiles only while the events of the client and of core are the same. */
function asClientEvent(event: EventInProcess): AnswerEvent {
  if (event.type !== 'error') return event;
  throw isRequestError(event.error) ? event.error : new Error('an error of another kind');
}
