import { describe, expect, it } from 'vitest';
import { bodyText } from '../../test/body-text.js';
import { KEY, OUTCOME, scripted, start } from '../../test/scripted-gateway.js';
import { RequestError } from '../base/errors/request-error.js';
import type { Extension } from './extension.js';

const PATH = '/api/v1/mcp';
const QUESTION = { model: 'exa/answer', query: 'When?' };

function gatewayWith(respond: Extension['respond'], options: Parameters<typeof start>[1] = {}) {
  const { provider, calls } = scripted('exa', [OUTCOME]);
  const presentError: Extension['presentError'] = ({ error }) => ({ refused: error.reason });
  const extension: Extension = { name: 'mcp', path: PATH, presentError, respond };
  const running = start([provider], { endpoints: { mcp: extension }, ...options });
  const post = async (body: object, headers: Record<string, string> = {}) => {
    const all: Record<string, string> = {
      authorization: `Bearer ${KEY}`,
      'content-type': 'application/json',
      ...headers,
    };
    const response = await running.gateway.handle({
      method: 'POST',
      path: PATH,
      query: '',
      header: (name) => all[name],
      readBody: () => Promise.resolve({ parsed: body }),
      disconnected: false,
    });
    await new Promise((resolve) => void setImmediate(resolve));
    return { status: response?.status, headers: response?.headers, text: bodyText(response) };
  };
  return { ...running, post, calls };
}

const asking: Extension['respond'] = async ({ body }, calls) => ({
  status: 200,
  body: JSON.stringify(await calls.answer(body)),
});

describe('the path of an extension', () => {
  it('gets an answer in the form of the answer endpoint', async () => {
    const { post, events } = gatewayWith(asking);
    const { status, text } = await post({ ...QUESTION, stream: true });
    expect(status).toBe(200);
    expect(JSON.parse(text)).toEqual({
      answer: {
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
      answer: null,
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
    const { post, calls, logged } = gatewayWith(async ({ body }, extensionCalls) => {
      await extensionCalls.answer(body);
      return asking({ body, header: () => undefined }, extensionCalls);
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

  it('sees the answer models that the key may ask', async () => {
    const listing: Extension['respond'] = (_request, calls) =>
      Promise.resolve({ status: 200, body: JSON.stringify(calls.answerModels().map(({ id }) => id)) });
    expect((await gatewayWith(listing).post({})).text).toBe('["exa/answer"]');
    const authenticate = () => ({ id: 'one', organizationId: 'acme', allowedModels: ['other/answer'] });
    expect((await gatewayWith(listing, { apiKeys: undefined, authenticate }).post({})).text).toBe('[]');
  });
});
