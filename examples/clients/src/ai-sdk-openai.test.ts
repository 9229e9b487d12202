import { createOpenAI } from '@ai-sdk/openai';
import { APICallError, generateText, streamText } from 'ai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FAULTS, MODEL, QUESTION, SECRET, startServer, TEXT, type TestServer, URLS } from './test-server.js';

const urlsOf = (sources: readonly object[]) => sources.map((source) => 'url' in source && source.url);

describe('the OpenAI provider of the AI SDK, whose models are responses', () => {
  let server: TestServer;
  let openai: ReturnType<typeof createOpenAI>;
  beforeAll(async () => {
    server = await startServer();
    openai = createOpenAI({ baseURL: server.baseURL, apiKey: SECRET });
  });
  afterAll(() => server.close());

  it('gets an answer with its sources and its cost', async () => {
    const { text, sources, finishReason, usage } = await generateText({ model: openai(MODEL), prompt: QUESTION });
    expect([text, urlsOf(sources), finishReason]).toEqual([TEXT, URLS, 'stop']);
    expect(sources[0]).toMatchObject({ title: 'Zephyr Bridge opens' });
    expect(usage.raw).toMatchObject({ cost: 0.01 });
  });

  it('gets the sources of its web search tool', async () => {
    const tools = { web_search: openai.tools.webSearch({ searchContextSize: 'medium' }) };
    const { text, sources, toolResults } = await generateText({ model: openai(MODEL), prompt: QUESTION, tools });
    expect([text, urlsOf(sources)]).toEqual([TEXT, URLS]);
    expect(toolResults).toMatchObject([{ toolName: 'web_search', output: { action: { type: 'search' } } }]);
  });

  it.each([[false], [true]])('streams an answer with its sources, with the tool: %s', async (hasTool) => {
    const tools = hasTool ? { web_search: openai.tools.webSearch({}) } : {};
    const { stream, sources } = streamText({ model: openai(MODEL), prompt: QUESTION, tools });
    const parts: string[] = [];
    for await (const part of stream) {
      if (part.type === 'error') throw part.error;
      if (part.type === 'text-delta') parts.push(part.text);
    }
    expect(parts).toEqual([TEXT.slice(0, 12), TEXT.slice(12)]);
    expect(urlsOf(await sources)).toEqual(URLS);
  });

  it('is told of a stream that breaks off', async () => {
    const { stream } = streamText({
      model: openai(MODEL),
      prompt: FAULTS.halfWay,
      maxRetries: 0,
      onError: () => undefined,
    });
    const errors: unknown[] = [];
    for await (const part of stream) if (part.type === 'error') errors.push(part.error);
    expect(errors).toHaveLength(1);
    expect(JSON.stringify(errors[0])).toContain('upstream_error');
  });

  it('is told of the field that a request may not have', async () => {
    const messages = [
      { role: 'user' as const, content: QUESTION },
      { role: 'system' as const, content: 'Be brief.' },
    ];
    const asked = generateText({ model: openai(MODEL), messages, allowSystemInMessages: true });
    const error = await asked.catch((thrown: unknown) => thrown);
    expect(APICallError.isInstance(error)).toBe(true);
    expect(error).toMatchObject({ statusCode: 400, message: expect.stringContaining(' input ') as string });
  });
});
