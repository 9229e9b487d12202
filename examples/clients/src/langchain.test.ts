import { HumanMessage, SystemMessage } from '@langchain/core/messages';
import { ChatOpenAI } from '@langchain/openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, createModel } from './langchain.js';
import { FAULTS, MODEL, QUESTION, SECRET, startServer, TEXT, type TestServer, URLS } from './test-server.js';

describe('ChatOpenAI of LangChain', () => {
  let server: TestServer;
  let model: ChatOpenAI;
  beforeAll(async () => {
    server = await startServer();
    model = createModel(server.baseURL, SECRET, MODEL);
  });
  afterAll(() => server.close());

  it('gets an answer with its sources', async () => {
    expect(await ask(model, QUESTION)).toEqual({ answer: TEXT, citations: URLS });
  });

  it('drops the sources without the raw response', async () => {
    const plain = new ChatOpenAI({ model: MODEL, apiKey: SECRET, configuration: { baseURL: server.baseURL } });
    expect(JSON.stringify(await plain.invoke(QUESTION))).not.toContain(URLS[0]);
  });

  it('streams an answer, with the sources in the raw chunks', async () => {
    const parts: string[] = [];
    const lists: unknown[] = [];
    for await (const { text, additional_kwargs } of await model.stream(QUESTION)) {
      parts.push(text);
      lists.push((additional_kwargs['__raw_response'] as { citations?: unknown } | undefined)?.citations);
    }
    expect(parts.join('')).toBe(TEXT);
    expect(lists).toContainEqual(URLS);
  });

  it('takes a message in parts', async () => {
    const message = new HumanMessage({ content: [{ type: 'text', text: QUESTION }] });
    expect((await model.invoke([message])).text).toBe(TEXT);
  });

  it('throws the reason of an error', async () => {
    const failed = model.invoke([new HumanMessage(QUESTION), new SystemMessage('Be brief.')]);
    await expect(failed).rejects.toMatchObject({ status: 400, code: 'unsupported_field', param: 'messages' });
  });

  it('throws in the middle of a stream that breaks off', async () => {
    const parts: string[] = [];
    const read = async () => {
      for await (const { text } of await model.stream(FAULTS.halfWay)) parts.push(text);
    };
    await expect(read()).rejects.toMatchObject({ code: 'upstream_error' });
    expect(parts.join('')).toBe(TEXT.slice(0, 12));
  });
});

describe('ChatOpenAI of LangChain with responses', () => {
  let server: TestServer;
  let model: ChatOpenAI;
  beforeAll(async () => {
    server = await startServer();
    const configuration = { baseURL: server.baseURL };
    model = new ChatOpenAI({ model: MODEL, apiKey: SECRET, configuration, maxRetries: 0, useResponsesApi: true });
  });
  afterAll(() => server.close());

  const sources = URLS.map((url) => ({ type: 'citation', url }));

  it('gets an answer with its sources', async () => {
    const { text, contentBlocks } = await model.invoke(QUESTION);
    expect(text).toBe(TEXT);
    expect(contentBlocks.at(-1)).toMatchObject({ type: 'text', annotations: sources });
  });

  it('gets the sources of its web search tool', async () => {
    const { text, additional_kwargs } = await model.invoke(QUESTION, { tools: [{ type: 'web_search' }] });
    expect(text).toBe(TEXT);
    expect(additional_kwargs['tool_outputs']).toMatchObject([{ type: 'web_search_call', status: 'completed' }]);
  });

  it('streams an answer with its sources and its cost', async () => {
    const chunks = [];
    for await (const chunk of await model.stream(QUESTION)) chunks.push(chunk);
    const whole = chunks.reduce((all, chunk) => all.concat(chunk));
    expect(whole.text).toBe(TEXT);
    expect(whole.contentBlocks.at(-1)).toMatchObject({ type: 'text', annotations: sources });
    expect(whole.response_metadata['usage']).toMatchObject({ cost: 0.01 });
  });

  it('throws in the middle of a stream that breaks off', async () => {
    const parts: string[] = [];
    const read = async () => {
      for await (const { text } of await model.stream(FAULTS.halfWay)) parts.push(text);
    };
    await expect(read()).rejects.toMatchObject({ code: 'upstream_error' });
    expect(parts.join('')).toBe(TEXT.slice(0, 12));
  });
});
