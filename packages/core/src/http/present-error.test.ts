import { describe, expect, it } from 'vitest';
import { REASONS, type Reason } from '../base/errors/reasons.js';
import { RequestError } from '../base/errors/request-error.js';
import type { RequestState } from '../request/handle-request-lifecycle.js';
import { errorResponse } from './present-error.js';

const CALL = { context: { requestId: 'req_1', rates: null, cache: null, joined: false }, replay: null } as RequestState;

function present(error: RequestError) {
  const { status, headers, body: sent } = errorResponse(error, CALL);
  const body = String(sent);
  return { status, headers, body, error: (JSON.parse(body) as { error: Record<string, unknown> }).error };
}

describe('errorResponse', () => {
  it('prints the whole envelope, with null for fields that do not apply', () => {
    expect(present(new RequestError('shutting_down')).error).toEqual({
      code: 503,
      type: 'service_unavailable',
      reason: 'shutting_down',
      message: REASONS.shutting_down.message,
      param: null,
      retryable: true,
      request_id: 'req_1',
      metadata: null,
    });
  });

  it.each(Object.keys(REASONS) as Reason[])('has the table’s status for %s, on the wire and in the body', (reason) => {
    const { status, error } = present(new RequestError(reason));
    const { status: code, retryable } = REASONS[reason];
    expect([status, error]).toMatchObject([code, { code, retryable }]);
  });

  it('never blames a caller for a failure of a provider', () => {
    const upstream = (Object.keys(REASONS) as Reason[]).filter((reason) => reason.startsWith('upstream_'));
    expect(upstream.filter((reason) => present(new RequestError(reason)).status < 500)).toEqual([]);
  });

  it('prints budgets as exact plain decimals', () => {
    const amounts = { limit: 100_000_000_000n, usage: 99_997_200_000_001n, required: 1n };
    const details = { ...amounts, limitReset: null, resetsAtMs: null };
    const { body } = present(new RequestError('organization_credits_exhausted', { details }));
    const metadata = '{"limit":100,"usage":99997.200000001,"required":0.000000001,"limit_reset":null,"resets_at":null}';
    expect(body).toContain(`"metadata":${metadata}`);
  });

  it.each(['key_limit_reached', 'budget_in_flight'] as const)('says when the limit of %s starts over', (reason) => {
    const amounts = { limit: 2_000_000_000n, usage: 1n, required: 5n };
    const details = { ...amounts, limitReset: 'monthly' as const, resetsAtMs: Date.UTC(2026, 11, 1) };
    const { error } = present(new RequestError(reason, { details }));
    expect(error['metadata']).toMatchObject({ limit_reset: 'monthly', resets_at: '2026-12-01T00:00:00Z' });
  });

  it('reports upstream failures in snake_case, with only the agreed fields', () => {
    const agreed = { provider: 'exa', model: 'exa/answer', attempts: 3, phase: 'headers' } as const;
    const details = { ...agreed, upstreamStatus: 500, secret: 'sk-1' };
    const { body, error } = present(new RequestError('upstream_error', { details, cause: new Error('sk-1') }));
    expect(error['metadata']).toEqual({ ...agreed, upstream_status: 500 });
    expect(body).not.toContain('sk-1');
  });

  const models = ['exa/answer'];

  it.each([
    ['method_not_allowed', { allow: ['GET', 'HEAD'] }, { allow: ['GET', 'HEAD'] }],
    ['request_too_large', { maxBodyBytes: 10 }, { max_body_bytes: 10 }],
    ['invalid_field', { issues: [{ path: 'a', message: 'm', input: 'x' }] }, { issues: [{ path: 'a', message: 'm' }] }],
    ['unsupported_option', { options: ['includeDomains'], models }, { options: ['include_domains'], models }],
    [
      'max_cost_exceeded',
      { maxCost: 1_000_000n, cheapest: { model: 'exa/answer', required: 5_000_000n, secret: 1 } },
      { max_cost: 0.001, cheapest: { model: 'exa/answer', required: 0.005 } },
    ],
    ['invalid_parameter', { allowed: ['answer'] }, { allowed: ['answer'] }],
    ['model_not_found', { suggestions: ['exa/answer'] }, { suggestions: ['exa/answer'] }],
    ['model_category_mismatch', { category: 'search' }, { category: 'search' }],
  ] as const)('has metadata in the shape of %s', (reason, details, metadata) => {
    expect(present(new RequestError(reason, { details: details as never })).error['metadata']).toEqual(metadata);
  });

  it.each([
    ['unsupported_option', 'search.publishedAfter', 'search.published_after'],
    ['max_cost_exceeded', 'routing.maxCost', 'routing.max_cost'],
  ] as const)('names the param of %s by its name over HTTP', (reason, param, onTheWire) => {
    expect(present(new RequestError(reason, { param })).error['param']).toBe(onTheWire);
  });

  it.each([
    ['missing_api_key', 'www-authenticate', 'Bearer realm="searchgate"'],
    ['malformed_authorization', 'www-authenticate', 'Bearer realm="searchgate", error="invalid_request"'],
    ['invalid_api_key', 'www-authenticate', 'Bearer realm="searchgate", error="invalid_token"'],
    ['revoked_api_key', 'www-authenticate', 'Bearer realm="searchgate", error="invalid_token"'],
    ['expired_api_key', 'www-authenticate', 'Bearer realm="searchgate", error="invalid_token"'],
    ['organization_suspended', 'www-authenticate', undefined],
    ['unsupported_media_type', 'accept', 'application/json'],
    ['request_too_large', 'connection', 'close'],
    ['request_timeout', 'connection', 'close'],
    ['not_authenticated', 'www-authenticate', 'Bearer realm="searchgate"'],
    ['malformed_json', 'connection', undefined],
  ] as const)('answers %s with the right %s', (reason, header, value) => {
    expect(present(new RequestError(reason)).headers[header]).toBe(value);
  });

  it('sends no Retry-After when the time is unknown', () => {
    expect(present(new RequestError('shutting_down')).headers).not.toHaveProperty('retry-after');
  });

  it('lists the methods of a path in Allow', () => {
    const allowed = (options: object) => present(new RequestError('method_not_allowed', options)).headers['allow'];
    expect([allowed({}), allowed({ details: { allow: ['GET', 'HEAD'] } })]).toEqual(['', 'GET, HEAD']);
  });

  it.each([
    [0, '1'],
    [1, '1'],
    [1_000, '1'],
    [1_001, '2'],
    [59_500, '60'],
    [86_400_000, '60'],
  ])('turns a retry after %d ms into whole seconds within a minute', (retryAfterMs, expected) => {
    expect(present(new RequestError('upstream_rate_limited', { retryAfterMs })).headers['retry-after']).toBe(expected);
  });

  it('never asks to retry a call that cannot succeed', () => {
    const { headers } = present(new RequestError('upstream_auth_failed', { retryAfterMs: 5_000 }));
    expect(headers).not.toHaveProperty('retry-after');
  });

  it('counts bytes, not characters, in content-length', () => {
    const { headers, body } = present(new RequestError('invalid_field', { param: 'é' }));
    expect(headers['content-length']).toBe(String(Buffer.byteLength(body)));
  });
});
