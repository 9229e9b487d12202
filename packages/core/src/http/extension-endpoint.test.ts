import { describe, expect, it } from 'vitest';
import { requestOf } from '../../test/ask-over-http.js';
import { bodyText } from '../../test/body-text.js';
import { failure, OUTCOME, scripted, start } from '../../test/scripted-gateway.js';
import { RequestError } from '../base/errors/request-error.js';
import type { Extension } from './extension.js';
import type { StreamedBody } from './gateway-request.js';

const PATH = '/api/v1/mcp';
const QUESTION = { model: 'exa/answer', query: 'When?' };

function gatewayWith(
  respond: Extension['respond'],
  options: Parameters<typeof start>[1] = {},
  { replies = [OUTCOME], ...more }: Partial<Extension> & { replies?: Parameters<typeof scripted>[1] } = {},
) {
  const { provider, calls } = scripted('exa', replies);
  const presentError: Extension['presentError'] = ({ error }) => ({ refused: error.reason });
  const extension: Extension = { name: 'mcp', path: PATH, presentError, respond, ...more };
  const running = start([provider], { endpoints: { mcp: extension }, ...options });
  const post = async (body: object, headers: Record<string, string> = {}) => {
    const response = await running.gateway.handle(requestOf('mcp', { headers, body }));
    await new Promise((resolve) => void setImmediate(resolve));
    const isWhole = typeof response?.body !== 'object' || response.body === null;
    return { status: response?.status, headers: response?.headers, text: isWhole ? bodyText(response) : '', response };
  };
  return { ...running, post, calls };
}

const asking: Extension['respond'] = async ({ body }, calls) => ({
  status: 200,
  body: JSON.stringify(await calls.call('answer', body)),
});

describe('the path of an extension', () => {
  it('gets an answer in the form of the answer endpoint', async () => {
    const { post, events } = gatewayWith(asking);
    const { status, text } = await post({ ...QUESTION, stream: true });
    expect(status).toBe(200);
    expect(JSON.parse(text)).toEqual({
      body: {
        id: expect.stringMatching(/^ans_/),
        model: 'exa/answer',
        provider: 'exa',
        answer: OUTCOME.text,
        citations: OUTCOME.citations,
        usage: { cost: 0.005 },
      },
      refusal: null,
    });
    expect(events).toContainEqual(expect.objectContaining({ endpoint: 'mcp', status: 200, reason: null }));
  });

  it('gets a refusal as data, and the event has the reason', async () => {
    const { post, events } = gatewayWith(asking, { limit: '0.001' });
    expect(JSON.parse((await post(QUESTION)).text)).toEqual({
      body: null,
      refusal: {
        error: {
          code: 402,
          type: 'insufficient_credits',
          reason: 'key_limit_reached',
          message: expect.any(String),
          param: null,
          retryable: false,
          request_id: expect.stringMatching(/^req_/),
          metadata: { limit: 0.001, usage: 0, required: 0.005, limit_reset: null, resets_at: null },
        },
        retryAfterSeconds: null,
      },
    });
    expect(events).toContainEqual(
      expect.objectContaining({ endpoint: 'mcp', status: 200, reason: 'key_limit_reached' }),
    );
  });

  it('gets the wait with a refusal, and its caller gets the rate headers', async () => {
    const rateLimit = { requests: 1, periodMs: 60_000 };
    const { post } = gatewayWith(asking, { defaultLimits: { keys: { rateLimit } } });
    expect((await post(QUESTION)).headers).toMatchObject({ ratelimit: '"key";r=0;t=60' });
    const { headers, text } = await post(QUESTION);
    expect(headers).toMatchObject({ 'ratelimit-policy': '"key";q=1;w=60' });
    expect(JSON.parse(text)).toMatchObject({ refusal: { error: { reason: 'rate_limited' }, retryAfterSeconds: 60 } });
  });

  it('gets the first outcome again under one Idempotency-Key', async () => {
    const { post, calls } = gatewayWith(asking);
    const first = await post(QUESTION, { 'idempotency-key': 'one' });
    const second = await post(QUESTION, { 'idempotency-key': 'one' });
    expect(second.text).toBe(first.text);
    expect([first, second].map(({ headers }) => headers?.['idempotent-replayed'])).toEqual([undefined, 'true']);
    expect(calls).toHaveLength(1);
    expect(JSON.parse((await post(QUESTION, { 'idempotency-key': 'ä' })).text)).toMatchObject({
      refusal: { error: { reason: 'invalid_idempotency_key' } },
    });
  });

  it('asks once per request', async () => {
    const { post, calls, logged } = gatewayWith(async (request, extensionCalls) => {
      await extensionCalls.call('answer', request.body);
      return asking(request, extensionCalls);
    });
    expect(await post(QUESTION)).toMatchObject({ status: 500, text: '{"refused":"internal_error"}' });
    expect(calls).toHaveLength(1);
    expect(logged).toHaveLength(1);
  });

  it('may answer without a body, with additional headers', async () => {
    const { post } = gatewayWith(() => Promise.resolve({ status: 202, headers: { 'x-own': '1' }, body: null }));
    const { status, headers } = await post({});
    expect(status).toBe(202);
    expect(headers).toMatchObject({ 'x-own': '1', 'x-request-id': expect.stringMatching(/^req_/) });
    expect(headers).not.toHaveProperty('content-type');
  });

  it('may refuse, and hides internal errors', async () => {
    const { post, logged } = gatewayWith(({ body }) =>
      Promise.reject('bug' in body ? new TypeError('secret') : new RequestError('unsupported_field')),
    );
    expect(await post({})).toMatchObject({ status: 400, text: '{"refused":"unsupported_field"}' });
    expect(logged).toEqual([]);
    expect(await post({ bug: true })).toMatchObject({ status: 500, text: '{"refused":"internal_error"}' });
    expect(logged).toHaveLength(1);
  });

  it('sees the models that the key may ask', async () => {
    const listing: Extension['respond'] = (_request, calls) =>
      Promise.resolve({ status: 200, body: JSON.stringify(calls.models('answer').map(({ id }) => id)) });
    expect((await gatewayWith(listing).post({})).text).toBe('["exa/answer"]');
    const authenticate = () => ({ id: 'one', organizationId: 'acme', allowedModels: ['other/answer'] });
    expect((await gatewayWith(listing, { apiKeys: undefined, authenticate }).post({})).text).toBe('[]');
  });
});

it('may refuse by headers, before the caller is authenticated', async () => {
  const checkHeaders: Extension['checkHeaders'] = (header) => {
    if (header('origin') !== undefined) throw new RequestError('origin_not_allowed');
  };
  const { post, events } = gatewayWith(asking, {}, { checkHeaders });
  const refused = await post(QUESTION, { origin: 'https://example.org', authorization: 'Bearer wrong' });
  expect(refused).toMatchObject({ status: 403, text: '{"refused":"origin_not_allowed"}' });
  expect(events).toMatchObject([{ endpoint: 'mcp', status: 403, reason: 'origin_not_allowed', keyId: null }]);
  expect((await post(QUESTION)).status).toBe(200);
});

describe('the server-sent events of an extension', () => {
  const flush = () => new Promise((resolve) => void setImmediate(resolve));
  const streaming: Extension['respond'] = ({ body }, extensionCalls) =>
    Promise.resolve({
      status: 200,
      headers: { 'x-own': '1' },
      body: async (send) => {
        send('data: begun\n\n');
        const { refusal } = await extensionCalls.call('answer', body);
        send(`data: ${refusal?.error.reason ?? 'answered'}\n\n`);
      },
    });

  /** A stream whose first attempt ends when the test says how. */
  async function open() {
    let end: (outcome: Promise<typeof OUTCOME>) => void = () => undefined;
    const first = new Promise<typeof OUTCOME>((resolve) => (end = resolve));
    const running = gatewayWith(
      streaming,
      { maxAttempts: 2, streamKeepAliveMs: 5_000 },
      { replies: [() => first, OUTCOME] },
    );
    const { response, headers, status } = await running.post(QUESTION);
    const seen = { text: '', isEnded: false, isGone: false };
    (response!.body as StreamedBody).pipeTo({
      write: (text) => void (seen.text += text),
      end: () => void (seen.isEnded = true),
      destroy: () => void (seen.isGone = true),
      bufferedBytes: 0,
      get isClosed() {
        return seen.isGone;
      },
    });
    return { ...running, seen, headers, status, end };
  }

  it('begin before the call ends, and end with it; the gateway closes after them', async () => {
    const { gateway, seen, headers, status, events, end } = await open();
    expect(status).toBe(200);
    expect(headers).toMatchObject({ 'content-type': 'text/event-stream; charset=utf-8', 'x-own': '1' });
    expect(seen).toMatchObject({ text: 'data: begun\n\n', isEnded: false });
    const closed = gateway.close();
    end(Promise.resolve(OUTCOME));
    await closed;
    expect(seen).toMatchObject({ text: 'data: begun\n\ndata: answered\n\n', isEnded: true });
    expect(events).toContainEqual(expect.objectContaining({ type: 'request_finished', status: 200, cost: 5_000_000n }));
  });

  it('have a comment in a long silence', async () => {
    const { clock, seen, end } = await open();
    await clock.advance(5_000);
    expect(seen.text).toBe('data: begun\n\n: keep-alive\n\n');
    end(Promise.resolve(OUTCOME));
  });

  it('carry a refusal after they have begun', async () => {
    const { seen, end } = await open();
    end(Promise.reject(failure('query_rejected', { status: 400 })));
    await flush();
    expect(seen).toMatchObject({ text: expect.stringContaining('data: query_rejected'), isEnded: true });
  });

  it('begin no further attempt for a caller who has gone away', async () => {
    const { clock, seen, calls, events, end } = await open();
    seen.isGone = true;
    end(Promise.reject(failure('upstream_error')));
    await flush();
    await clock.advance(60_000);
    await flush();
    expect(calls).toHaveLength(1);
    expect(events).toContainEqual(expect.objectContaining({ status: 499, reason: 'client_closed_request' }));
  });

  it('end with an exception, whose text is hidden', async () => {
    const { post, logged, events } = gatewayWith(() =>
      Promise.resolve({ status: 200, body: () => Promise.reject(new TypeError('secret')) }),
    );
    const { response, status } = await post(QUESTION);
    const seen = { text: '', isEnded: false };
    const write = (text: string) => void (seen.text += text);
    const end = () => void (seen.isEnded = true);
    (response!.body as StreamedBody).pipeTo({
      write,
      end,
      destroy: () => undefined,
      bufferedBytes: 0,
      isClosed: false,
    });
    expect(status).toBe(200);
    expect(seen).toEqual({ text: '', isEnded: true });
    await flush();
    expect(logged).toHaveLength(1);
    expect(events).toContainEqual(expect.objectContaining({ status: 500, reason: 'internal_error' }));
  });
});

describe('searches and extracts of an extension', () => {
  it.each(['search', 'extract'] as const)('are checked like those of POST /%s', async (category) => {
    const { post } = gatewayWith(async ({ body }, extensionCalls) => {
      return { status: 200, body: JSON.stringify(await extensionCalls.call(category, body)) };
    });
    const missing = category === 'search' ? 'query' : 'urls';
    const refusal = { error: { reason: 'invalid_field', param: missing } };
    expect(JSON.parse((await post({ model: 'exa/answer' })).text)).toMatchObject({ body: null, refusal });
    const given = category === 'search' ? { query: 'Q' } : { urls: ['https://example.org/'] };
    expect(JSON.parse((await post({ model: 'exa/answer', ...given })).text)).toMatchObject({
      refusal: { error: { reason: 'model_category_mismatch' } },
    });
  });
});
