import { describe, expect, it } from 'vitest';
import type { UpstreamReason } from '../base/errors/reasons.js';
import { UpstreamError } from '../base/errors/upstream-error.js';
import { retryDelayMs } from './retry-policy.js';

const policy = { baseDelayMs: 100, maxDelayMs: 1_000, random: () => 0.5 };
const failure = (reason: UpstreamReason, retryAfterMs: number | null = null): UpstreamError =>
  new UpstreamError(reason, { phase: 'headers', retryAfterMs });

describe('retryDelayMs', () => {
  it.each(['upstream_rate_limited', 'upstream_error', 'upstream_unreachable'] as const)(
    'retries after %s',
    (reason) => {
      expect(retryDelayMs(failure(reason), 0, policy)).toBe(50);
    },
  );

  it.each([
    'upstream_timeout',
    'upstream_invalid_response',
    'upstream_auth_failed',
    'upstream_quota_exhausted',
    'upstream_rejected',
    'query_rejected',
    'no_answer_found',
  ] as const)('does not retry after %s', (reason) => {
    expect(retryDelayMs(failure(reason), 0, policy)).toBeNull();
  });

  it('doubles the bound of the pause for each retry, up to the longest pause', () => {
    expect([0, 1, 2, 3, 4, 10].map((retries) => retryDelayMs(failure('upstream_error'), retries, policy))).toEqual([
      50, 100, 200, 400, 500, 500,
    ]);
  });

  it('waits at least as long as the provider asked for', () => {
    expect(retryDelayMs(failure('upstream_rate_limited', 800), 0, policy)).toBe(800);
    expect(retryDelayMs(failure('upstream_rate_limited', 1_000), 0, policy)).toBe(1_000);
  });

  it('does not retry a provider that asks for a longer pause than allowed', () => {
    expect(retryDelayMs(failure('upstream_rate_limited', 1_001), 0, policy)).toBeNull();
  });
});
