import { describe, expect, it } from 'vitest';
import { classify, defaultReason, type ErrorTable, isTooMuchTogether } from './classify.js';

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

describe('a refusal that only a caller can mend', () => {
  const rejects = (message: string, status = 400) => classify([], status, { codes: [], message }) === 'query_rejected';

  it.each([
    "All domains in include_domains are invalid: ['nhs.uk']. Domains must have a valid suffix (e.g., 'tavily.com').",
    'Invalid domain: nhs',
    'Input id 0 has 12345 tokens, exceeding max 8192 tokens.',
    'Prompt contains 50000 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
    'The input token count (40000) exceeds the maximum number of tokens allowed (32768).',
    'too many tokens: the text has 130000',
    'The document is longer than the context window.',
  ])('is read as such, of whatever vendor: %s', (message) => {
    expect([rejects(message), rejects(message, 422)]).toEqual([true, true]);
    expect([rejects(message, 401), rejects(message, 429), rejects(message, 500)]).toEqual([false, false, false]);
  });

  it.each([
    'max_tokens is too large: 128000. This model supports at most 64000 completion tokens.',
    'max_tokens: 128000 > 64000, which is the maximum allowed number of output tokens',
    'Invalid input: max_output_tokens is too large',
    'Unknown field: effort',
    'API key is invalid',
    'Invalid domain for this API-Key',
    'Too many tokens per minute',
  ])('is not a fault of the gateway’s own: %s', (message) => {
    expect(rejects(message)).toBe(false);
  });

  it.each<[boolean, number, string, string[]?]>([
    [true, 400, 'Too many tokens overall, split into more batches.', ['invalid_request_prompt', '3210']],
    [true, 400, 'Split them.', ['3210']],
    [true, 400, 'Too many tokens in batch. Max is 16384 got 17555'],
    [true, 400, 'Requested 313102 tokens, max 300000 tokens per request'],
    [true, 400, 'The max allowed tokens per submitted batch is 120000. Your batch has 121138 tokens after truncation.'],
    [true, 400, 'Value error, batch size is invalid, it should not be larger than 10.: input.contents'],
    [true, 400, 'invalid request: total number of texts must be at most 96 - received 131'],
    [true, 422, '* BatchEmbedContentsRequest.requests: at most 100 requests can be in one batch'],
    [true, 413, ''],
    [false, 400, 'Input id 0 has 12345 tokens, exceeding max 8192 tokens.'],
    [false, 400, '* BatchEmbedContentsRequest.requests[0].content: empty'],
    [false, 429, 'Too many tokens per request of this minute'],
  ])('tells by %s whether parts may fit: %i %s', (mayFit, status, message, codes = []) => {
    expect(isTooMuchTogether(status, { codes, message })).toBe(mayFit);
    expect(!mayFit || classify([], status, { codes, message }) === 'query_rejected').toBe(true);
  });
});
