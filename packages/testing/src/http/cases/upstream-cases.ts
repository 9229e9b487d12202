import type { UpstreamReason } from '@searchgate/core/provider-kit';
import { answered, ask, type Expectation, type HttpCase, refused } from '../http-case.js';
import { FAILURES, QUERIES } from '../stub-provider.js';

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

/** How failures of a provider look from outside: never with the provider's status or words. */
export const UPSTREAM_CASES: readonly HttpCase[] = [
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
