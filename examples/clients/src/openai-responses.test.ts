import OpenAI, { APIError, BadRequestError, InternalServerError } from 'openai';
import type { ResponseStreamEvent } from 'openai/resources/responses/responses';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FAULTS, MODEL, QUESTION, SECRET, startServer, TEXT, type TestServer, URLS } from './test-server.js';

const failureOf = (promise: Promise<unknown>) =>
  promise.then(
    () => expect.fail('nothing was thrown'),
    (error: unknown) => error,
  );

const tools = [{ type: 'web_search' as const }];
const include = ['web_search_call.action.sources' as const];
const SOURCES = URLS.map((url) => ({ type: 'url', url }));

describe('responses of the openai client', () => {
  let server: TestServer;
  let client: OpenAI;
  beforeAll(async () => {
    server = await startServer();
    client = new OpenAI({ baseURL: server.baseURL, apiKey: SECRET });
  });
  afterAll(() => server.close());

  const ask = (input: OpenAI.Responses.ResponseInput | string, more: object = {}) =>
    client.responses.create({ model: MODEL, input, ...more });

  it('are an answer with its search, its sources, and its cost', async () => {
    const response = await ask(QUESTION, { tools, include });
    expect(response.output_text).toBe(TEXT);
    const annotations = URLS.map((url, index) => ({ url, start_index: 22 + 3 * index, end_index: 25 + 3 * index }));
    expect([TEXT.slice(22, 25), TEXT.slice(25, 28)]).toEqual(['[1]', '[2]']);
    expect(response.output).toMatchObject([
      { type: 'web_search_call', status: 'completed', action: { type: 'search', sources: SOURCES } },
      { type: 'message', status: 'completed', content: [{ type: 'output_text', text: TEXT, annotations }] },
    ]);
    expect(response).toMatchObject({ model: MODEL, status: 'completed', usage: { total_tokens: 0, cost: 0.01 } });
  });

  it('list no sources unless they are included', async () => {
    const [search] = (await ask(QUESTION, { tools })).output;
    expect(search).toMatchObject({ type: 'web_search_call', action: { type: 'search' } });
    expect(JSON.stringify(search)).not.toContain(URLS[0]);
  });

  it('take a message in parts', async () => {
    const content = [{ type: 'input_text' as const, text: QUESTION }];
    expect((await ask([{ role: 'user', content }])).output_text).toBe(TEXT);
    expect((await ask([{ type: 'message', role: 'user', content }])).output_text).toBe(TEXT);
  });

  it.each([[[]], [include]])('stream, with %j, into the response of the last event', async (included) => {
    const stream = client.responses.stream({ model: MODEL, input: QUESTION, tools, include: included });
    const events: ResponseStreamEvent[] = [];
    for await (const event of stream) events.push(event);
    expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, index) => index));
    expect(events.map(({ type }) => type).filter((type, index, all) => type !== all[index - 1])).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.web_search_call.in_progress',
      'response.web_search_call.searching',
      'response.web_search_call.completed',
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.annotation.added',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.completed',
    ]);
    const last = events.at(-1);
    const final = await stream.finalResponse();
    expect(final).toMatchObject(last?.type === 'response.completed' ? last.response : {});
    expect(final.output_text).toBe(TEXT);
    expect(final).toMatchObject({ usage: { cost: 0.01 }, output: [{ type: 'web_search_call' }, { type: 'message' }] });
  });

  it('throw in the middle of a stream that breaks off', async () => {
    const parts: string[] = [];
    const read = async () => {
      const stream = await client.responses.create({ model: MODEL, input: FAULTS.halfWay, stream: true });
      for await (const event of stream) if (event.type === 'response.output_text.delta') parts.push(event.delta);
    };
    const failure = await failureOf(read());
    expect(failure).toBeInstanceOf(APIError);
    expect(failure).toMatchObject({ code: 'upstream_error', error: { status: 502, retryable: true } });
    expect(parts.join('')).toBe(TEXT.slice(0, 12));
    const helper = client.responses.stream({ model: MODEL, input: FAULTS.halfWay });
    expect(await failureOf(helper.finalResponse())).toMatchObject({ code: 'upstream_error' });
  });

  it('name in a message what they cannot do', async () => {
    const refused = await failureOf(ask(QUESTION, { previous_response_id: 'resp_1' }));
    expect(refused).toBeInstanceOf(BadRequestError);
    expect(refused).toMatchObject({
      code: 'unsupported_field',
      param: 'previous_response_id',
      message: expect.stringContaining('previous_response_id') as string,
    });
  });

  it('are retried after a retryable error alone, and charged once', async () => {
    const before = Number(await server.usage());
    expect((await ask(FAULTS.once)).output_text).toBe(TEXT);
    expect(Number(await server.usage()) - before).toBeCloseTo(0.01, 9);
    expect(await failureOf(ask(FAULTS.always))).toBeInstanceOf(InternalServerError);
    expect(server.asked().filter((query) => query === FAULTS.always)).toHaveLength(1);
  });
});
