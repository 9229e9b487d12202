import { APICallError, generateText, type ModelMessage, RetryError, tool } from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { KEY, MODEL, mountGateway, OUTCOME, QUESTION } from './mounted-gateway.js';

const errorOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => new Error('nothing was thrown'),
    (error: unknown) => error,
  );

describe('an answer of generateText', () => {
  it('has the text, the sources with their numbers, and what it cost', async () => {
    const { searchgate, requests, charged } = await mountGateway();
    const result = await generateText({ model: searchgate(MODEL), prompt: QUESTION });
    const { response, providerMetadata } = result.finalStep;
    const { id } = response;
    expect(id).toMatch(/^ans_/);
    expect(result.text).toBe(OUTCOME.text);
    expect(result.sources).toMatchObject([
      { sourceType: 'url', id: `${id}-1`, url: 'https://example.org/a', title: 'A' },
      { sourceType: 'url', id: `${id}-2`, url: 'https://example.org/b', title: 'B' },
    ]);
    expect(result.sources[0]?.providerMetadata).toEqual({ searchgate: { number: 1, snippet: 'Opened in May.' } });
    expect(providerMetadata).toEqual({ searchgate: { answerId: id, provider: 'exa', cost: 0.01 } });
    expect(result.finishReason).toBe('stop');
    expect(result.usage).toMatchObject({ inputTokens: undefined, outputTokens: undefined });
    expect(response).toMatchObject({ modelId: MODEL, headers: { 'x-request-id': expect.any(String) } });
    expect(result.warnings).toEqual([]);
    expect(requests).toHaveLength(1);
    expect(requests[0]?.body).toEqual({ model: MODEL, query: QUESTION });
    expect(requests[0]?.headers).toMatchObject({
      authorization: `Bearer ${KEY}`,
      'content-type': 'application/json',
      'idempotency-key': expect.stringMatching(/^[\da-f-]{36}$/),
    });
    expect(await charged()).toBe('0.01');
  });

  it('names the model that served where an alias was asked', async () => {
    const { searchgate } = await mountGateway({ aliases: { fast: MODEL } });
    const { finalStep } = await generateText({ model: searchgate.languageModel('fast'), prompt: QUESTION });
    expect(finalStep.response.modelId).toBe(MODEL);
  });

  it('has neither sources nor markers without citations', async () => {
    const { searchgate } = await mountGateway();
    const result = await generateText({ model: searchgate(MODEL, { includeCitations: false }), prompt: QUESTION });
    expect(result.text).toBe('In May 2021.');
    expect(result.sources).toEqual([]);
  });

  it('is asked with the options of the call, which replace those of the model', async () => {
    const { searchgate, requests } = await mountGateway();
    const model = searchgate(MODEL, { search: { freshness: 'week' }, routing: { maxCost: '0.05', sort: 'price' } });
    const search = { includeDomains: ['example.org'], freshness: 'year' };
    await generateText({
      model,
      prompt: QUESTION,
      headers: { 'X-Tenant': 'acme' },
      providerOptions: { searchgate: { search, includeCitations: true, idempotencyKey: 'order-17' } },
    });
    expect(requests[0]).toMatchObject({
      body: {
        include_citations: true,
        search: { include_domains: ['example.org'], freshness: 'year' },
        routing: { max_cost: '0.05', sort: 'price' },
      },
      headers: { 'idempotency-key': 'order-17', 'x-tenant': 'acme' },
    });
  });

  it('warns of settings that are ignored', async () => {
    const { searchgate } = await mountGateway();
    const settings = { temperature: 0, topP: 1, topK: 5, maxOutputTokens: 10, seed: 1, stopSequences: ['.'] };
    const { warnings } = await generateText({
      model: searchgate(MODEL),
      prompt: QUESTION,
      ...settings,
      presencePenalty: 0,
      frequencyPenalty: 0,
      reasoning: 'high',
    });
    expect(warnings?.map((warning) => warning.type === 'unsupported' && warning.feature).toSorted()).toEqual(
      [...Object.keys(settings), 'presencePenalty', 'frequencyPenalty', 'reasoning'].toSorted(),
    );
  });

  it('takes a question in several parts', async () => {
    const { searchgate, requests } = await mountGateway();
    const content = ['When did it open?', 'I mean the bridge.'].map((text) => ({ type: 'text' as const, text }));
    await generateText({ model: searchgate(MODEL), messages: [{ role: 'user', content }] });
    expect(requests[0]?.body['query']).toBe('When did it open?\nI mean the bridge.');
  });
});

const user = (content: string): ModelMessage => ({ role: 'user', content });
const file: ModelMessage = {
  role: 'user',
  content: [{ type: 'file', data: new Uint8Array([1]), mediaType: 'application/pdf' }],
};
const lookUp = tool({ inputSchema: z.object({}), execute: () => 'found' });

describe('generateText refuses without asking the gateway', () => {
  it.each([
    ['instructions', { instructions: 'Be brief.', prompt: QUESTION }, 'system messages'],
    ['a conversation', { messages: [user('A?'), { role: 'assistant', content: 'B.' }, user('C?')] }, 'assistant'],
    ['several questions', { messages: [user('A?'), user('B?')] }, 'several user messages'],
    ['a file', { messages: [file] }, 'files'],
    ['tools', { prompt: QUESTION, tools: { lookUp } }, 'tools'],
  ] satisfies [string, object, string][])('%s', async (_name, call, named) => {
    const { searchgate, requests } = await mountGateway();
    const error = await errorOf(
      generateText({ model: searchgate(MODEL), ...call } as Parameters<typeof generateText>[0]),
    );
    expect(error).toMatchObject({ name: 'AI_UnsupportedFunctionalityError', message: expect.stringContaining(named) });
    expect(requests).toEqual([]);
  });

  it('a question without text', async () => {
    const { searchgate, requests } = await mountGateway();
    const error = await errorOf(generateText({ model: searchgate(MODEL), prompt: ' ' }));
    expect(error).toMatchObject({ name: 'AI_InvalidPromptError' });
    expect(requests).toEqual([]);
  });

  it.each([
    ['an unknown option', { searh: {} }, 'searh'],
    ['an unknown search option', { search: { domains: [] } }, 'domains'],
    ['an option of another type', { includeCitations: 'yes' }, 'includeCitations'],
    ['a key that is no header', { idempotencyKey: 'ä' }, 'idempotencyKey'],
  ])('%s', async (_name, searchgateOptions, named) => {
    const { searchgate, requests } = await mountGateway();
    const providerOptions = { searchgate: searchgateOptions };
    const error = await errorOf(generateText({ model: searchgate(MODEL), prompt: QUESTION, providerOptions }));
    expect(error).toMatchObject({ name: 'AI_InvalidArgumentError', message: expect.stringContaining(named) });
    expect(requests).toEqual([]);
  });
});

describe('an error of the gateway', () => {
  it.each([
    [402, 'organization_credits_exhausted', { credits: '0.001' }, MODEL],
    [404, 'model_not_found', {}, 'exa/other'],
    [401, 'invalid_api_key', { settings: { apiKey: 'another-secret-of-twenty-characters' } }, MODEL],
    [401, 'missing_api_key', { settings: { apiKey: null } }, MODEL],
  ])('%i %s is thrown as it is, and the call is not tried again', async (statusCode, reason, setup, model) => {
    const { searchgate, baseUrl, charged } = await mountGateway(setup);
    const error = await errorOf(generateText({ model: searchgate(model), prompt: QUESTION }));
    if (!APICallError.isInstance(error)) throw error;
    expect(error).toMatchObject({
      statusCode,
      isRetryable: false,
      url: `${baseUrl}/api/v1/answer`,
      data: { error: { code: statusCode, reason, retryable: false, message: error.message } },
    });
    expect(error.responseHeaders).toMatchObject({ 'x-request-id': expect.any(String) });
    expect(JSON.parse(error.responseBody ?? '')).toEqual(error.data);
    expect(await charged()).toBe('0');
  });

  it('429 is tried again by the SDK when its Retry-After has passed, under the same key', async () => {
    const rateLimit = { requests: 1, periodSeconds: 1 };
    const { searchgate, requests } = await mountGateway({ defaultLimits: { keys: { rateLimit } } });
    const ask = (maxRetries: number) => generateText({ model: searchgate(MODEL), prompt: QUESTION, maxRetries });
    await ask(0);
    expect(await errorOf(ask(0))).toMatchObject({
      statusCode: 429,
      isRetryable: true,
      responseHeaders: { 'retry-after': '1' },
      data: { error: { reason: 'rate_limited', metadata: { limit: 1, period_seconds: 1 } } },
    });
    requests.splice(0);
    expect((await ask(2)).text).toBe(OUTCOME.text);
    expect(requests).toHaveLength(2);
    expect(new Set(requests.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
  });

  it('is thrown with all tries when each of them has failed', async () => {
    const { searchgate, requests } = await mountGateway({
      front(_req, res) {
        res.writeHead(503, { 'content-type': 'application/json', 'retry-after': '0' });
        const error = { type: 'service_unavailable', reason: 'overloaded', message: 'Too busy.', param: null };
        res.end(JSON.stringify({ error: { ...error, code: 503, retryable: true, request_id: 'r', metadata: null } }));
        return true;
      },
    });
    const error = await errorOf(generateText({ model: searchgate(MODEL), prompt: QUESTION }));
    if (!RetryError.isInstance(error)) throw error;
    expect(error.errors).toHaveLength(3);
    expect(error.lastError).toMatchObject({ statusCode: 503, message: 'Too busy.' });
    expect(new Set(requests.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
  });

  it('counts by its status where it is not of a gateway', async () => {
    const { searchgate } = await mountGateway({
      front(_req, res, count) {
        res.writeHead(count === 1 ? 502 : 403, { 'content-type': 'text/html', 'retry-after': '0' }).end('<html>');
        return true;
      },
    });
    const error = await errorOf(generateText({ model: searchgate(MODEL), prompt: QUESTION }));
    if (!RetryError.isInstance(error)) throw error;
    expect(error.errors).toMatchObject([
      { statusCode: 502, isRetryable: true, responseBody: '<html>' },
      { statusCode: 403, isRetryable: false },
    ]);
  });
});

describe('a call that breaks', () => {
  it('is charged once when its answer is lost, and gets that answer', async () => {
    const { searchgate, requests, charged } = await mountGateway({
      front(_req, res, count) {
        // The head and a part of the body go out, then the connection is gone.
        if (count === 1) {
          res.setHeader('retry-after', '0');
          res.end = ((body: string) => {
            res.write(body.slice(0, 20), () => res.destroy());
            return res;
          }) as typeof res.end;
        }
        return false;
      },
    });
    const { text, finalStep } = await generateText({ model: searchgate(MODEL), prompt: QUESTION });
    expect(text).toBe(OUTCOME.text);
    expect(finalStep.response.headers).toMatchObject({ 'idempotent-replayed': 'true' });
    expect(requests).toHaveLength(2);
    expect(await charged()).toBe('0.01');
  });

  it('is not tried again where the gateway does not answer in its form', async () => {
    const { searchgate } = await mountGateway({
      front(_req, res) {
        res.writeHead(200, { 'content-type': 'application/json' }).end('{"answer":1}');
        return true;
      },
    });
    const error = await errorOf(generateText({ model: searchgate(MODEL), prompt: QUESTION }));
    expect(error).toMatchObject({ name: 'AI_APICallError', message: 'Invalid JSON response', isRetryable: false });
  });

  it('ends with an AbortError when it is aborted', async () => {
    const controller = new AbortController();
    const { searchgate } = await mountGateway({
      answer() {
        controller.abort();
        return Promise.resolve(OUTCOME);
      },
    });
    const { signal } = controller;
    const error = await errorOf(generateText({ model: searchgate(MODEL), prompt: QUESTION, abortSignal: signal }));
    expect(error).toMatchObject({ name: 'AbortError' });
  });
});
