import OpenAI, { APIError, AuthenticationError, BadRequestError, InternalServerError, NotFoundError } from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, askStream, createClient } from './openai-client.js';
import { FAULTS, MODEL, QUESTION, SECRET, startServer, TEXT, type TestServer, URLS } from './test-server.js';

const failureOf = (promise: Promise<unknown>) =>
  promise.then(
    () => expect.fail('nothing was thrown'),
    (error: unknown) => error,
  );

describe('the openai client', () => {
  let server: TestServer;
  let client: OpenAI;
  beforeAll(async () => {
    server = await startServer();
    client = createClient(server.baseURL, SECRET);
  });
  afterAll(() => server.close());

  const messages = [{ role: 'user' as const, content: QUESTION }];
  const asking = (content: string) => ({ model: MODEL, messages: [{ role: 'user' as const, content }] });

  it('gets an answer with its sources', async () => {
    const { answer, sources } = await ask(client, MODEL, QUESTION);
    expect(answer).toBe(TEXT);
    expect(sources.map(({ url }) => url)).toEqual(URLS);
    expect(sources.map(({ start_index, end_index }) => answer.slice(start_index, end_index))).toEqual(['[1]', '[2]']);
  });

  it('gets the source fields of Perplexity’s clients, and the cost', async () => {
    expect(await client.chat.completions.create({ model: MODEL, messages })).toMatchObject({
      object: 'chat.completion',
      model: MODEL,
      citations: URLS,
      search_results: [
        { title: 'Zephyr Bridge opens', url: URLS[0], snippet: 'Opened on 14 May…' },
        { title: 'The opening', url: URLS[1], snippet: '' },
      ],
      usage: { total_tokens: 0, cost: 0.01 },
    });
  });

  it('streams an answer', async () => {
    const parts: string[] = [];
    const annotations: unknown[] = [];
    for await (const { choices } of await client.chat.completions.create({ model: MODEL, messages, stream: true })) {
      const delta = choices[0]?.delta as { content?: string; annotations?: unknown[] } | undefined;
      if (delta?.content) parts.push(delta.content);
      annotations.push(...(delta?.annotations ?? []));
    }
    expect(parts).toEqual([TEXT.slice(0, 12), TEXT.slice(12)]);
    expect(annotations).toHaveLength(2);
  });

  it('assembles chunks into a completion with its own helper', async () => {
    const stream = client.chat.completions.stream({ model: MODEL, messages, stream_options: { include_usage: true } });
    expect(await stream.finalChatCompletion()).toMatchObject({
      choices: [{ finish_reason: 'stop', message: { role: 'assistant', content: TEXT } }],
      usage: { cost: 0.01 },
    });
  });

  it('sends the gateway’s own fields, and gets the cost of a stream', async () => {
    const stream = askStream(client, MODEL, QUESTION);
    let [text, part] = ['', await stream.next()];
    for (; part.done !== true; part = await stream.next()) text += part.value;
    expect([text, part.value]).toEqual(['It opened in May 2021.', 0.01]);
  });

  it('throws its own error classes, with the reason as code', async () => {
    const stranger = createClient(server.baseURL, 'wrong');
    const unknown = await failureOf(stranger.chat.completions.create(asking(QUESTION)));
    expect(unknown).toBeInstanceOf(AuthenticationError);
    expect(unknown).toMatchObject({ code: 'invalid_api_key', type: 'authentication_error' });

    const noModel = await failureOf(client.chat.completions.create({ ...asking(QUESTION), model: 'bridges/answers' }));
    expect(noModel).toBeInstanceOf(NotFoundError);
    const error = { metadata: { suggestions: [MODEL] } };
    expect(noModel).toMatchObject({ code: 'model_not_found', param: 'model', error });

    const late = [...messages, { role: 'system' as const, content: 'Be brief.' }];
    const refused = await failureOf(client.chat.completions.create({ model: MODEL, messages: late }));
    expect(refused).toBeInstanceOf(BadRequestError);
    expect(refused).toMatchObject({ code: 'unsupported_field', param: 'messages', type: 'invalid_request_error' });
  });

  it('retries a retryable error, and is charged once', async () => {
    const before = Number(await server.usage());
    expect(await ask(client, MODEL, FAULTS.once)).toMatchObject({ answer: TEXT });
    expect(server.asked().filter((query) => query === FAULTS.once)).toHaveLength(2);
    expect(Number(await server.usage()) - before).toBeCloseTo(0.01, 9);
  });

  it('does not retry a permanent error, despite its status 502', async () => {
    const failure = await failureOf(ask(client, MODEL, FAULTS.always));
    expect(failure).toBeInstanceOf(InternalServerError);
    expect(failure).toMatchObject({ status: 502, code: 'upstream_rejected' });
    expect(server.asked().filter((query) => query === FAULTS.always)).toHaveLength(1);
  });

  it('throws in the middle of a stream that breaks off', async () => {
    const parts: string[] = [];
    const read = async () => {
      const stream = await client.chat.completions.create({ ...asking(FAULTS.halfWay), stream: true });
      for await (const { choices } of stream) parts.push(choices[0]?.delta.content ?? '');
    };
    const failure = await failureOf(read());
    expect(failure).toBeInstanceOf(APIError);
    expect(failure).toMatchObject({ code: 'upstream_error', error: { status: 502 } });
    expect(parts.join('')).toBe(TEXT.slice(0, 12));
  });

  it('lists only callable models', async () => {
    const inAll = await client.models.list({ query: { category: 'answer' } });
    expect(inAll.data.map(({ id }) => id)).toEqual([MODEL]);
    const picky = new OpenAI({ baseURL: server.baseURL, apiKey: SECRET, defaultQuery: { category: 'answer' } });
    expect((await picky.models.list()).data.map(({ id }) => id)).toEqual([MODEL]);
    expect(await client.models.retrieve(MODEL)).toMatchObject({
      id: MODEL,
      object: 'model',
      created: expect.any(Number),
    });
    await expect(client.models.retrieve('nobody/nothing')).rejects.toMatchObject({ status: 404 });
    expect(await ask(picky, MODEL, QUESTION)).toMatchObject({ answer: TEXT });
  });
});
