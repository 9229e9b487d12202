import type { UpstreamReason } from '@searchgate/core/provider-kit';
import { ACCOUNT_CASES } from './cases/account-cases.js';
import { ANSWER_CASES } from './cases/answer-cases.js';
import { ASYNC_CASES } from './cases/async-cases.js';
import { AUTHENTICATION_CASES } from './cases/authentication-cases.js';
import { BODY_CASES } from './cases/body-cases.js';
import { CHAT_CASES } from './cases/chat-cases.js';
import { EMBEDDING_CASES, EMBEDDING_TRANSPORT_CASES } from './cases/embedding-cases.js';
import { EXTRACT_CASES, EXTRACT_TRANSPORT_CASES } from './cases/extract-cases.js';
import { FIELD_CASES } from './cases/field-cases.js';
import { IDEMPOTENCY_CASES } from './cases/idempotency-cases.js';
import { IDEMPOTENCY_FAILURE_CASES } from './cases/idempotency-failure-cases.js';
import { LIMIT_CASES } from './cases/limit-cases.js';
import { MODEL_CASES } from './cases/model-cases.js';
import { RERANK_CASES, RERANK_TRANSPORT_CASES } from './cases/rerank-cases.js';
import { SEARCH_CASES, SEARCH_TRANSPORT_CASES } from './cases/search-cases.js';
import { SERVICE_CASES } from './cases/service-cases.js';
import { STREAM_CASES } from './cases/stream-cases.js';
import { USAGE_CASES } from './cases/usage-cases.js';
import { throughChat, throughResponses } from './chat-form.js';
import { ANSWERED, answered, ask, type Expectation, type HttpCase, invalid, refused, row } from './http-case.js';
import { FAILURES, QUERIES } from './stub-provider.js';

function failing(reason: UpstreamReason, status: number, more: Omit<Expectation, 'status' | 'error'> = {}): HttpCase {
  const { phase, status: upstreamStatus = null } = FAILURES[reason];
  const metadata = { provider: 'stub', model: 'stub/flat', attempts: 1, upstream_status: upstreamStatus, phase };
  const type = status < 500 ? 'invalid_request_error' : 'upstream_error';
  const headers = { 'retry-after': null, ...more.headers };
  return {
    name: `answers ${status} when the provider ends in ${reason}, and charges nothing`,
    request: ask({ query: QUERIES.fail(reason) }),
    expect: refused(
      status,
      { type, reason, metadata },
      { ...more, headers, event: { model: 'stub/flat', cost: null, attempts: 1 } },
    ),
  };
}

/** A provider's failures as callers see them: without the provider's status or text. */
const UPSTREAM_CASES: readonly HttpCase[] = [
  failing('upstream_auth_failed', 502),
  failing('upstream_quota_exhausted', 502),
  failing('upstream_rate_limited', 503, { headers: { 'retry-after': '60' } }),
  failing('upstream_rejected', 502),
  failing('query_rejected', 400),
  failing('no_answer_found', 400),
  failing('upstream_error', 502),
  failing('upstream_unreachable', 502),
  failing('upstream_timeout', 504, { loss: { amount: '0.005', model: 'stub/flat' } }),
  failing('upstream_invalid_response', 502, { loss: { amount: '0.003', model: 'stub/flat' } }),
  {
    name: 'treats an adapter that throws like a reply that is of no use',
    request: ask({ query: QUERIES.throw }),
    expect: refused(502, {
      type: 'upstream_error',
      reason: 'upstream_invalid_response',
      metadata: { provider: 'stub', model: 'stub/flat', attempts: 1, upstream_status: null, phase: 'shape' },
    }),
  },
  {
    name: 'answers 503 while every provider of the model is paused',
    request: ask(),
    gateway: () => ({ providerFailureThreshold: 1, providerCooldownMs: 29_001 }),
    before: answered(ask({ query: QUERIES.fail('upstream_error') })),
    expect: refused(
      503,
      { type: 'upstream_error', reason: 'upstream_unavailable' },
      { headers: { 'retry-after': '30' }, event: { attempts: 0 } },
    ),
  },
];

const NOT_OURS: Expectation = { status: 404, by: 'host' };

const FOREIGN_TARGETS = [
  '/',
  '/api/v1',
  '/api/v1/answer//',
  '/api/v1/answers',
  '/api/v1/chat/completions/create',
  '/api/v1/completions',
  '/api/v1/responses/ans_1',
  '/api/v1/openapi.json',
  '/api/v2/answer',
  '/API/V1/answer',
  '/api/v1/%61nswer',
];

function wrongMethod(method: string, target: string, allow: string): HttpCase {
  return {
    name: `refuses ${method} on ${target} for every caller`,
    request: { method, target, key: null },
    expect: refused(405, invalid('method_not_allowed', { metadata: { allow: allow.split(', ') } }), {
      headers: { allow },
    }),
  };
}

/** The gateway's paths and methods. */
const PATH_CASES: readonly HttpCase[] = [
  ...FOREIGN_TARGETS.map((target) => row(`leaves POST ${target} to the host`, ask({}, { target }), NOT_OURS)),
  row('serves a path with a final slash', ask({}, { target: '/api/v1/answer/?from=a' }), ANSWERED),
  row('serves a model with a final slash', { target: '/api/v1/models/stub/flat/' }, { status: 200 }),
  ...['answer', 'chat/completions', 'responses', 'models', 'credits', 'key'].map((name) => ({
    name: `leaves OPTIONS on ${name} to the host, whose CORS middleware answers it`,
    request: {
      method: 'OPTIONS',
      target: `/api/v1/${name}`,
      headers: { origin: 'https://app.example.com', 'access-control-request-method': 'POST' },
    },
    expect: NOT_OURS,
  })),
  row('leaves GET /api/v1/openapi.json to the host, unless it is wanted', { target: '/api/v1/openapi.json' }, NOT_OURS),
  wrongMethod('GET', '/api/v1/answer', 'POST'),
  wrongMethod('HEAD', '/api/v1/answer', 'POST'),
  wrongMethod('PUT', '/api/v1/answer', 'POST'),
  wrongMethod('GET', '/api/v1/chat/completions', 'POST'),
  wrongMethod('GET', '/api/v1/responses', 'POST'),
  wrongMethod('POST', '/api/v1/models', 'GET, HEAD'),
  wrongMethod('DELETE', '/api/v1/credits', 'GET, HEAD'),
  wrongMethod('PATCH', '/api/v1/key', 'GET, HEAD'),
  {
    name: 'answers with a query string it does not need',
    request: { target: '/api/v1/credits?verbose=1' },
    expect: { status: 200, body: '{"total_credits":100,"total_usage":0.02}' },
  },
];

const gateway: NonNullable<HttpCase['gateway']> = () => ({ cache: { ttlMs: 60_000, price: '0.5' } });
const headersOf = (status: string, age: string | null = null) => ({ 'cache-status': status, age });

/** Cached answers, in a gateway with half price for cached answers. */
const CACHE_CASES: readonly HttpCase[] = [
  {
    name: 'says nothing of a cache where there is none',
    request: ask({}, { headers: { 'cache-control': 'no-cache' } }),
    expect: { ...ANSWERED, headers: { 'cache-status': null, age: null }, event: { cache: null } },
  },
  {
    name: 'says that a new answer was kept',
    gateway,
    request: ask(),
    expect: { ...ANSWERED, headers: headersOf('searchgate; fwd=miss; stored'), event: { cache: 'miss' } },
  },
  {
    ...row('gives a kept answer again at its price, and says how old it is', ask(), {
      status: 200,
      headers: headersOf('searchgate; hit; ttl=60', '0'),
      charge: { amount: '0.0025', model: 'stub/flat' },
      event: { cache: 'hit', attempts: 0 },
    }),
    gateway,
    before: answered(ask()),
  },
  {
    ...row('gives a kept answer as a stream', ask({ stream: true }), {
      status: 200,
      streamed: true,
      headers: headersOf('searchgate; hit; ttl=60', '0'),
      charge: { amount: '0.0025', model: 'stub/flat' },
      event: { cache: 'hit' },
    }),
    gateway,
    before: answered(ask()),
  },
  {
    name: 'asks for a new answer on request, and caches it',
    gateway,
    before: answered(ask()),
    request: ask({}, { headers: { 'cache-control': 'no-cache' } }),
    expect: { ...ANSWERED, headers: headersOf('searchgate; fwd=request; stored'), event: { cache: 'refresh' } },
  },
  {
    name: 'keeps no answer of a caller who does not want it kept',
    gateway,
    request: ask({}, { headers: { 'cache-control': 'no-store' } }),
    expect: { ...ANSWERED, headers: headersOf('searchgate; fwd=request'), event: { cache: 'off' } },
  },
];

/** Rows for both forms of questions, and rows that do not depend on a form. */
const OF_ALL_FORMS: readonly HttpCase[] = [
  ...AUTHENTICATION_CASES,
  ...BODY_CASES,
  ...ANSWER_CASES,
  ...STREAM_CASES,
  ...MODEL_CASES,
  ...ACCOUNT_CASES,
  ...LIMIT_CASES,
  ...CACHE_CASES,
  ...IDEMPOTENCY_CASES,
  ...IDEMPOTENCY_FAILURE_CASES,
  ...UPSTREAM_CASES,
  ...SERVICE_CASES,
];

/**
 * The rows that a host can influence: paths, headers, bodies and their transport, disconnects, streams, whole answers, `HEAD` and 304. All other rows
 * depend only on the gateway.
 */
export const TRANSPORT_CASES: readonly HttpCase[] = [
  ...PATH_CASES,
  ...AUTHENTICATION_CASES,
  ...BODY_CASES,
  ...ANSWER_CASES,
  ...STREAM_CASES,
  ...CHAT_CASES,
  ...MODEL_CASES,
  ...ACCOUNT_CASES,
  ...CACHE_CASES,
  ...ASYNC_CASES,
  ...SEARCH_TRANSPORT_CASES,
  ...EXTRACT_TRANSPORT_CASES,
  ...RERANK_TRANSPORT_CASES,
  ...EMBEDDING_TRANSPORT_CASES,
];

/** The whole HTTP contract, row by row. */
export const HTTP_CASES: readonly HttpCase[] = [
  ...PATH_CASES,
  ...FIELD_CASES,
  ...CHAT_CASES,
  ...USAGE_CASES,
  ...ASYNC_CASES,
  ...SEARCH_CASES,
  ...EXTRACT_CASES,
  ...RERANK_CASES,
  ...EMBEDDING_CASES,
  ...OF_ALL_FORMS,
  ...throughChat(OF_ALL_FORMS),
  ...throughResponses(OF_ALL_FORMS),
];
