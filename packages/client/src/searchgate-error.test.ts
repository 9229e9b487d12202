import { describe, expect, it } from 'vitest';
import { isSearchgateError, SearchgateError } from './searchgate-error.js';

const limited: unknown = new SearchgateError('rate_limited', 'Too fast.', {
  status: 429,
  metadata: { scope: 'key', limit: 60, period_seconds: 60, retry_after: 3 },
  retryable: true,
});

describe('SearchgateError', () => {
  it('types its metadata by its reason, after isSearchgateError or instanceof', () => {
    expect([byGuard(limited), byClass(limited)]).toEqual([3, 3]);
  });

  it('has null for unknown properties', () => {
    const error = new SearchgateError('timeout', 'Late.');
    expect(error).toMatchObject({
      reason: 'timeout',
      status: null,
      metadata: null,
      param: null,
      retryable: false,
      requestId: null,
      retryAfterMs: null,
    });
    expect('cause' in error).toBe(false);
    expect(String(error)).toBe('SearchgateError: Late.');
  });
});

describe('isSearchgateError', () => {
  it('recognizes an error of another copy of the package', () => {
    expect(isSearchgateError({ [Symbol.for('searchgate.client.error')]: true })).toBe(true);
  });

  it.each([null, undefined, 'timeout', new Error('no'), { name: 'SearchgateError' }])(
    'does not recognize %s',
    (value) => {
      expect(isSearchgateError(value)).toBe(false);
    },
  );
});

function byGuard(error: unknown): number | undefined {
  return isSearchgateError(error) && error.reason === 'rate_limited' ? error.metadata.retry_after : undefined;
}

function byClass(error: unknown): number | undefined {
  return error instanceof SearchgateError && error.reason === 'rate_limited' ? error.metadata.retry_after : undefined;
}
