import { APICallError, generateText, RetryError } from 'ai';
import { describe, expect, it } from 'vitest';
import { cutsFirstReply, errorOf, MODEL, mountGateway, OUTCOME, QUESTION } from './mounted-gateway.js';

function latch() {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { open, opened };
}

describe('an error of the gateway', () => {
  it.each([
    [402, 'organization_credits_exhausted', { credits: '0.001' }, MODEL],
    [404, 'model_not_found', {}, 'exa/other'],
    [401, 'invalid_api_key', { settings: { apiKey: 'another-secret-of-twenty-characters' } }, MODEL],
    [401, 'missing_api_key', { settings: { apiKey: null } }, MODEL],
  ])('%i %s is thrown unchanged, without a retry', async (statusCode, reason, setup, model) => {
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

  it('429 is retried by the SDK after its Retry-After, under the same key', async () => {
    const started = latch();
    const release = latch();
    const { searchgate, requests } = await mountGateway({
      defaultLimits: { keys: { maxConcurrent: 1 } },
      async answer() {
        started.open();
        await release.opened;
        return OUTCOME;
      },
      front(_req, res, count) {
        if (count === 3) res.once('finish', release.open);
        return false;
      },
    });
    const ask = (maxRetries?: number) =>
      generateText({ model: searchgate(MODEL), prompt: QUESTION, ...(maxRetries !== undefined && { maxRetries }) });
    const first = ask();
    await started.opened;
    expect(await errorOf(ask(0))).toMatchObject({
      statusCode: 429,
      isRetryable: true,
      responseHeaders: { 'retry-after': '1' },
      data: { error: { reason: 'concurrency_limited', metadata: { scope: 'key', limit: 1 } } },
    });
    expect((await ask()).text).toBe(OUTCOME.text);
    expect((await first).text).toBe(OUTCOME.text);
    const keys = requests.map(({ headers }) => headers['idempotency-key']);
    expect(keys.length).toBeGreaterThan(3);
    expect(new Set(keys.slice(2)).size).toBe(1);
    expect(new Set(keys).size).toBe(3);
  });

  it('is thrown with the errors of all tries', async () => {
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

  it('from a proxy is retryable by its status', async () => {
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
  it('is charged once when its answer is lost, and gets the answer from the retry', async () => {
    const { searchgate, requests, charged } = await mountGateway({ front: cutsFirstReply });
    const { text, finalStep } = await generateText({ model: searchgate(MODEL), prompt: QUESTION });
    expect(text).toBe(OUTCOME.text);
    expect(finalStep.response.headers).toMatchObject({ 'idempotent-replayed': 'true' });
    expect(requests).toHaveLength(2);
    expect(await charged()).toBe('0.01');
  });

  it('is not retried after a malformed answer', async () => {
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
