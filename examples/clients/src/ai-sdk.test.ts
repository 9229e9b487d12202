import { generateText, streamText } from 'ai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createProvider } from './ai-sdk.js';
import { FAULTS, MODEL, QUESTION, SECRET, startServer, TEXT, type TestServer, URLS } from './test-server.js';

describe('the AI SDK with its openai-compatible provider', () => {
  let server: TestServer;
  let model: ReturnType<ReturnType<typeof createProvider>>;
  beforeAll(async () => {
    server = await startServer();
    model = createProvider(server.baseURL, SECRET)(MODEL);
  });
  afterAll(() => server.close());

  it('gets an answer with its sources', async () => {
    const { text, finishReason, finalStep } = await generateText({ model, prompt: QUESTION });
    expect([text, finishReason]).toEqual([TEXT, 'stop']);
    expect(finalStep.providerMetadata?.['searchgate']).toMatchObject({ citations: URLS });
  });

  it('gets an answer while it is written', async () => {
    const { textStream, finalStep } = streamText({ model, prompt: QUESTION });
    const parts: string[] = [];
    for await (const part of textStream) parts.push(part);
    expect(parts).toEqual([TEXT.slice(0, 12), TEXT.slice(12)]);
    expect((await finalStep).providerMetadata?.['searchgate']).toMatchObject({ citations: URLS });
  });

  it('knows the reason of an error', async () => {
    const failed = generateText({ model, instructions: 'Be brief.', prompt: QUESTION });
    await expect(failed).rejects.toMatchObject({
      statusCode: 400,
      isRetryable: false,
      data: { error: { code: 'unsupported_field', param: 'messages' } },
    });
  });

  it('gets an error in the middle of a stream that breaks off', async () => {
    const errors: unknown[] = [];
    const { textStream } = streamText({
      model,
      prompt: FAULTS.halfWay,
      onError: ({ error }) => {
        errors.push(error);
      },
    });
    const parts: string[] = [];
    for await (const part of textStream) parts.push(part);
    expect(parts.join('')).toBe(TEXT.slice(0, 12));
    expect(errors).toHaveLength(1);
  });
});
