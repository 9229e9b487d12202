import { describe, expect, it } from 'vitest';
import { classify, defaultReason, type ErrorTable } from './classify.js';

const TABLE: ErrorTable = [
  { status: 403, code: 'MODERATION', reason: 'query_rejected' },
  { status: [401, 403], code: /quota|credit/i, reason: 'upstream_quota_exhausted' },
  { status: 429, message: /monthly limit/, reason: 'upstream_quota_exhausted' },
  { status: 501, reason: 'query_rejected' },
];

describe('defaultReason', () => {
  it.each([
    [200, 'upstream_invalid_response'],
    [204, 'upstream_invalid_response'],
    [301, 'upstream_rejected'],
    [304, 'upstream_rejected'],
    [400, 'upstream_rejected'],
    [401, 'upstream_auth_failed'],
    [402, 'upstream_quota_exhausted'],
    [403, 'upstream_auth_failed'],
    [404, 'upstream_rejected'],
    [408, 'upstream_error'],
    [409, 'upstream_error'],
    [422, 'upstream_rejected'],
    [429, 'upstream_rate_limited'],
    [500, 'upstream_error'],
    [529, 'upstream_error'],
  ])('reads %i as %s', (status, reason) => {
    expect(defaultReason(status)).toBe(reason);
  });
});

describe('classify', () => {
  const info = (codes: string[], message = '') => ({ codes, message });

  it('follows the common meaning where the table has no row', () => {
    expect(classify(TABLE, 500)).toBe('upstream_error');
    expect(classify(TABLE, 403, info(['FORBIDDEN']))).toBe('upstream_auth_failed');
  });

  it('matches a status alone', () => {
    expect(classify(TABLE, 501)).toBe('query_rejected');
  });

  it('matches a code as a whole word in any case, among several', () => {
    expect(classify(TABLE, 403, info(['error', 'moderation']))).toBe('query_rejected');
    expect(classify(TABLE, 403, info(['MODERATION_OFF']))).toBe('upstream_auth_failed');
    expect(classify(TABLE, 400, info(['MODERATION']))).toBe('upstream_rejected');
  });

  it('matches a code by pattern, for any of several statuses', () => {
    expect(classify(TABLE, 401, info(['insufficient_quota']))).toBe('upstream_quota_exhausted');
    expect(classify(TABLE, 403, info(['no_credit']))).toBe('upstream_quota_exhausted');
  });

  it('matches a code with any status when the row has no status', () => {
    const table: ErrorTable = [{ code: '101', reason: 'upstream_quota_exhausted' }];
    expect([200, 400, 503].map((status) => classify(table, status, info(['101'])))).toEqual(
      Array(3).fill('upstream_quota_exhausted'),
    );
    expect(classify(table, 200, info(['102']))).toBe('upstream_invalid_response');
  });

  it('matches the message', () => {
    expect(classify(TABLE, 429, info([], 'You hit your monthly limit.'))).toBe('upstream_quota_exhausted');
    expect(classify(TABLE, 429, info([], 'Slow down.'))).toBe('upstream_rate_limited');
  });
});
