import { createFakeClock } from '@searchgate/testing';
import { describe, expect, it } from 'vitest';
import { bodyText } from '../../test/body-text.js';
import type { ApiKey } from '../auth/api-key.js';
import { RequestError } from '../base/errors/request-error.js';
import type { GatewayEvent, RequestFinished } from '../base/events/events.js';
import type { AnswerRequest, PresentedAnswer } from '../call/answer.js';
import type { Answers } from '../call/run-answer.js';
import { createInFlightRequests } from '../limits/in-flight-requests.js';
import { createRefusedCalls } from '../limits/refused-calls.js';
import type { HandlerDeps } from './endpoint.js';
import type { Extension } from './extension.js';
import type { GatewayRequest } from './gateway-request.js';
import { createRequestHandler } from './handle-request.js';

const apiKey: ApiKey = {
  id: 'key_1',
  organizationId: 'acme',
  label: 'demo',
  limit: 5_000_000_000n,
  limitReset: null,
  allowedModels: null,
  expiresAtMs: null,
  revokedAtMs: null,
  organizationSuspended: false,
};
const FIELDS = {
  answer: 'In May 2021 [1].',
  citations: [{ title: 'Zephyr Bridge', url: 'https://example.org/', snippet: 'Opened…' }],
};
const answered: PresentedAnswer = {
  id: 'ans_1',
  model: 'exa/answer',
  provider: 'exa',
  cost: 5_000_000n,
  body: { fields: FIELDS, usage: {} },
};
const admissionOf = (total: number) => {
  const places = { total, perOrganization: total };
  return createInFlightRequests({
    answers: places,
    bodyReads: places,
    longBodyReads: places,
    maxUnsentBytes: 1,
    clock: createFakeClock(),
  });
};
const limits = { maxBodyBytes: 1_000, bodyTimeoutMs: 1_000, maxQueryCharacters: 100 };
const question = { method: 'POST', path: '/api/v1/answer', body: '{"model":"fast","query":"When?"}' };

const answeringBy = (run: Answers['run']): Pick<HandlerDeps, 'answers'> => ({
  answers: {
    plan: (call) => ({ request: call, route: { candidates: [], longestMs: 0 } as never, expiresAtMs: 0 }),
    run,
  },
});

function notAsked(): never {
  throw new Error('not asked for');
}

const NOT_ASKED = {
  budgetTotals: () => Promise.reject(new Error('not asked for')),
  usage: () => Promise.reject(new Error('not asked for')),
  findHold: () => Promise.reject(new Error('not asked for')),
};

function setUp(overrides: Partial<HandlerDeps> = {}) {
  const steps: string[] = [];
  const events: GatewayEvent[] = [];
  const logged: unknown[] = [];
  const asked: AnswerRequest[] = [];
  let ids = 0;
  const clock = createFakeClock(0);
  const handle = createRequestHandler({
    authenticate() {
      steps.push('authenticate');
      return Promise.resolve(apiKey);
    },
    asyncAnswers: { open: notAsked, find: notAsked, cancel: notAsked },
    ...answeringBy(({ request: call }, context) => {
      steps.push('answer');
      asked.push(call);
      Object.assign(context, {
        model: 'exa/answer',
        provider: 'exa',
        cost: answered.cost,
        attempts: 1,
        upstreamMs: 20,
      });
      return clock.advance(21.25).then(() => answered);
    }),
    claims: { take: () => Promise.resolve(null), complete: () => Promise.resolve(), free: () => Promise.resolve() },
    listModels: () => [],
    streams: { keepAliveMs: 15_000, maxBufferedBytes: 1_000 },
    ledger: {
      organizationTotals: () => Promise.resolve({ credits: 25_000_000_000n, usage: 1n, held: 7n }),
      keyTotals: () =>
        Promise.resolve({ usage: 1_500_000_000n, held: 7n, windowUsage: 1_500_000_000n, resetsAtMs: null }),
      ratesUsed: () => Promise.resolve({ key: 1.5, organization: null }),
      ...NOT_ASKED,
    },
    callers: { check: () => undefined, admit: () => Promise.resolve() },
    limitsOf: () => ({}),
    admission: admissionOf(1),
    limits,
    refusedCalls: createRefusedCalls(clock),
    endpoints: {},
    paths: new Map(),
    describeApi: () => Promise.resolve('{"openapi":"3.1.1"}'),
    clock,
    newId: () => String((ids += 1)),
    events: { emit: (event) => events.push(event) },
    logger: { warn: (...args) => logged.push(args), error: (...args) => logged.push(args) },
    ...overrides,
  });
  return { handle, steps, events: events as RequestFinished[], logged, asked };
}

interface RequestShape {
  readonly method?: string;
  readonly path: string;
  readonly query?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
  readonly disconnected?: boolean;
}

function request(
  { method = 'GET', path, query = '', headers = {}, body = '', disconnected = false }: RequestShape,
  steps: string[] = [],
): GatewayRequest {
  const all: Record<string, string> = { 'content-type': 'application/json', ...headers };
  return {
    method,
    path,
    query,
    header: (name) => all[name],
    readBody() {
      steps.push('readBody');
      return Promise.resolve({ bytes: Buffer.from(body) });
    },
    disconnected,
  };
}

const errorOf = (body: unknown) => (JSON.parse(String(body)) as { error: Record<string, unknown> }).error;

describe('createRequestHandler', () => {
  it('answers a question', async () => {
    const { handle, asked } = setUp();
    const response = await handle(
      request({ ...question, body: '{"model":"fast","query":" When? ","include_citations":true}' }),
    );
    expect(response).toEqual({
      status: 200,
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'content-length': '194',
        'cache-control': 'no-store',
        'x-request-id': 'req_1',
        'x-content-type-options': 'nosniff',
        'server-timing': 'gateway;dur=1.3, upstream;dur=20.0',
      },
      body:
        '{"id":"ans_1","model":"exa/answer","provider":"exa","answer":"In May 2021 [1].",' +
        '"citations":[{"title":"Zephyr Bridge","url":"https://example.org/","snippet":"Opened…"}],"usage":{"cost":0.005}}',
    });
    expect(asked).toMatchObject([{ apiKey, model: 'fast' }]);
    expect(asked[0]?.call.fingerprintInput({})).toEqual([' When? ', true]);
  });

  it.each(['/api/v1/', '/x/api/v1/answer', '__proto__'])('leaves %s to the host', async (path) => {
    const { handle, events } = setUp();
    expect(await handle(request({ method: 'POST', path }))).toBeUndefined();
    expect(events).toEqual([]);
  });

  it('shows no window without a limit', async () => {
    const unlimited = { ...apiKey, limit: null, limitReset: 'daily' } as const;
    const { handle } = setUp({ authenticate: () => Promise.resolve(unlimited) });
    const { body } = (await handle(request({ path: '/api/v1/key' }))) ?? {};
    expect(body).toContain(
      '"limit":null,"limit_remaining":null,"limit_reset":null,"resets_at":null,"rate_limit":null,"max_concurrent":null,',
    );
  });

  it.each(['models', 'credits', 'key'])('serves HEAD on %s with the headers of GET', async (name) => {
    const get = await setUp().handle(request({ path: `/api/v1/${name}` }));
    const head = await setUp().handle(request({ method: 'HEAD', path: `/api/v1/${name}` }));
    expect(head).toEqual({ ...get, body: null });
    expect(Number(head?.headers['content-length'])).toBeGreaterThan(0);
  });

  it('checks headers, then the caller, then the body, then its fields', async () => {
    const badHeaders = setUp();
    await badHeaders.handle(request({ ...question, headers: { 'content-type': 'text/plain' } }, badHeaders.steps));
    expect(badHeaders.steps).toEqual([]);

    const unknown = setUp({ authenticate: () => Promise.reject(new RequestError('invalid_api_key')) });
    expect(await unknown.handle(request({ ...question, body: '{' }, unknown.steps))).toMatchObject({ status: 401 });
    expect(unknown.steps).toEqual([]);

    const badBody = setUp();
    expect(errorOf((await badBody.handle(request({ ...question, body: '{' }, badBody.steps)))?.body)).toMatchObject({
      reason: 'malformed_json',
    });
    expect(badBody.steps).toEqual(['authenticate', 'readBody']);

    const badField = setUp();
    expect(errorOf((await badField.handle(request({ ...question, body: '{}' }, badField.steps)))?.body)).toMatchObject({
      reason: 'invalid_field',
    });
    expect(badField.steps).toEqual(['authenticate', 'readBody']);

    const good = setUp();
    await good.handle(request(question, good.steps));
    expect(good.steps).toEqual(['authenticate', 'readBody', 'answer']);
  });

  it('checks the query parameter of models only for callers it knows', async () => {
    const { handle } = setUp({ authenticate: () => Promise.reject(new RequestError('missing_api_key')) });
    expect(await handle(request({ path: '/api/v1/models', query: 'category=x' }))).toMatchObject({ status: 401 });
  });

  it('counts every answer call out again, however it ended', async () => {
    const outcomes = [
      () => Promise.resolve(answered),
      () => Promise.reject(new RequestError('upstream_error')),
      () => Promise.reject(new Error('bug')),
    ];
    const { handle } = setUp(answeringBy(() => (outcomes.shift() ?? (() => Promise.resolve(answered)))()));
    const statuses: unknown[] = [];
    for (let call = 0; call < 4; call += 1) statuses.push((await handle(request(question)))?.status);
    expect(statuses).toEqual([200, 502, 500, 200]);
  });

  it('answers 503 when the ledger has no figures', async () => {
    const { handle, logged } = setUp({
      ledger: {
        organizationTotals: () => Promise.reject(new Error('db1.internal: refused')),
        keyTotals: () => Promise.reject(new Error('db1.internal')),
        ratesUsed: () => Promise.reject(new Error('db1.internal')),
        ...NOT_ASKED,
      },
    });
    for (const path of ['/api/v1/credits', '/api/v1/key']) {
      const response = await handle(request({ path }));
      expect(response).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
      expect(errorOf(response?.body)).toMatchObject({ reason: 'ledger_unavailable', metadata: null });
      expect(bodyText(response)).not.toContain('db1');
    }
    expect(logged).toHaveLength(2);
  });

  it('hides bugs from callers and logs each once', async () => {
    const bug = new TypeError('secret sg_1_2 leaked');
    const { handle, logged, events } = setUp(answeringBy(() => Promise.reject(bug)));
    const response = await handle(request(question));
    expect(errorOf(response?.body)).toMatchObject({ code: 500, reason: 'internal_error', metadata: null });
    expect(bodyText(response)).not.toContain('leaked');
    expect(logged).toEqual([[{ error: bug, requestId: 'req_1' }, expect.any(String)]]);
    expect(events).toMatchObject([{ status: 500, reason: 'internal_error' }]);
  });

  it('survives a logger that throws', async () => {
    const failing = () => {
      throw new Error('disk full');
    };
    const { handle } = setUp({ ...answeringBy(failing), logger: { warn: failing, error: failing } });
    expect(await handle(request(question))).toMatchObject({ status: 500 });
  });

  it('emits one event per request', async () => {
    const { handle, events } = setUp();
    await handle(request({ ...question, headers: { 'x-request-id': `abc\u0007é${'x'.repeat(200)}` } }));
    expect(events).toEqual([
      {
        type: 'request_finished',
        atMs: 21.25,
        requestId: 'req_1',
        clientRequestId: `abc${'x'.repeat(125)}`,
        answerId: null,
        endpoint: 'answer',
        status: 200,
        reason: null,
        replayed: false,
        keyId: 'key_1',
        organizationId: 'acme',
        tag: null,
        requestedModel: 'fast',
        model: 'exa/answer',
        provider: 'exa',
        cost: 5_000_000n,
        upstreamCost: null,
        loss: 0n,
        cache: null,
        joined: false,
        attempts: 1,
        firstContentMs: null,
        durationMs: 21.25,
        upstreamMs: 20,
      },
    ]);
    await handle(request({ path: '/api/v1/models', headers: { 'x-request-id': '\u0007' } }));
    await handle(request({ method: 'POST', path: '/api/v1/key' }));
    await handle(request({ path: '/api/v1/credits' }));
    expect(events.slice(1)).toMatchObject([
      { endpoint: 'models', status: 200, clientRequestId: null, keyId: 'key_1', requestedModel: null, cost: null },
      { endpoint: 'key', status: 405, reason: 'method_not_allowed', keyId: null, organizationId: null },
      { endpoint: 'credits', status: 200, reason: null, keyId: 'key_1' },
    ]);
  });

  it('reports in the event that the caller has gone away, even if the answer was found and charged', async () => {
    const { handle, events, asked } = setUp();
    await handle(request({ ...question, disconnected: true }));
    expect(asked[0]?.isDisconnected()).toBe(true);
    expect(events).toMatchObject([{ status: 499, reason: 'client_closed_request', cost: 5_000_000n }]);
  });

  it('serves the path of an extension like its own, and leaves the path to the host without an extension', async () => {
    const asking: Extension = {
      name: 'mcp',
      path: '/api/v1/mcp',
      presentError: ({ error }) => ({ refused: error.reason }),
      respond: async ({ body }, calls) => ({
        status: 200,
        body: JSON.stringify((await calls.call('answer', body)).body),
      }),
    };
    const call = { ...question, path: asking.path };
    expect(await setUp().handle(request(call))).toBeUndefined();
    const { handle, steps, events } = setUp({ endpoints: { mcp: asking } });
    const reply = await handle(request(call, steps));
    expect(reply?.body).toContain('"id":"ans_1"');
    expect(steps).toEqual(['authenticate', 'readBody', 'answer']);
    expect(events).toMatchObject([{ endpoint: 'mcp', status: 200, requestedModel: 'fast', cost: 5_000_000n }]);
    const refused = await handle(request({ ...call, method: 'GET' }));
    expect(refused).toMatchObject({
      status: 405,
      headers: { allow: 'POST' },
      body: '{"refused":"method_not_allowed"}',
    });
  });
});
