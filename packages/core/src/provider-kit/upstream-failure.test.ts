import { describe, expect, it } from 'vitest';
import { isUpstreamError, type UpstreamError } from '../base/errors/upstream-error.js';
import type { UpstreamResponse } from '../upstream/upstream-client.js';
import {
  MAX_ERROR_LENGTH,
  parseJsonObject,
  readProviderError,
  reportedError,
  reportsFailure,
  upstreamFailure,
} from './upstream-failure.js';

function reply(status: number, text: string, headers: Record<string, string> = {}): UpstreamResponse {
  return { status, text, header: (name) => headers[name] };
}

function thrownBy(work: () => unknown): UpstreamError {
  try {
    work();
  } catch (error) {
    if (isUpstreamError(error)) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

describe('readProviderError', () => {
  it.each([
    ['{"requestId":"r","error":"No such key","tag":"INVALID_API_KEY"}', ['INVALID_API_KEY'], 'No such key'],
    ['{"error":"Bad Request","message":"query is empty","statusCode":400}', [], 'query is empty'],
    ['{"error":{"type":"NOT_FOUND","code":"E1","message":"gone"},"requestId":"r"}', ['E1', 'NOT_FOUND'], 'gone'],
    ['{"data":null,"error":[{"code":101,"msg":"no credit","ref":null},{"code":0}]}', ['101'], 'no credit'],
    ['{"type":"E","errors":[{"code":"C","detail":"no plan"}],"time":7}', ['E', 'C'], 'no plan'],
    ['{"error":{"message":"slow down","type":"rate","code":429}}', ['429', 'rate'], 'slow down'],
    ['{"error":{"code":403,"status":"PERMISSION_DENIED","message":"no"}}', ['403', 'PERMISSION_DENIED'], 'no'],
    ['{"detail":"Not authenticated"}', [], 'Not authenticated'],
    ['{"detail":[{"loc":["body"],"msg":"field required","type":"missing"}]}', ['missing'], 'field required'],
    ['{"detail":{"error":"over the plan limit"}}', [], 'over the plan limit'],
    ['{"detail":{"error":{"code":"X","message":"deep"}}}', ['X'], 'deep'],
    ['{"message":"plain"}', [], 'plain'],
    ['{"object":"error","message":{"detail":"no key"},"code":"1"}', ['1'], 'no key'],
    ['{"message":{"detail":[{"type":"missing","msg":"no input"}]}}', ['missing'], 'no input'],
    [
      '{"error":{"type":"rate","message":"stop","details":{"error_code":"spent"}},"type":"error"}',
      ['error', 'rate', 'spent'],
      'stop',
    ],
    [
      '{"error":{"code":429,"message":"quota","details":[{"reason":"R"},null,{"violations":[{"quotaId":"PerDay"},7]}]}}',
      ['429', 'R', 'PerDay'],
      'quota',
    ],
    ['{}', [], ''],
    ['[]', [], ''],
    ['null', [], ''],
    ['"text"', [], ''],
    ['<html>', [], ''],
    ['', [], ''],
    ['{"error":null,"message":5,"code":{}}', [], ''],
  ])('reads %s', (text, codes, message) => {
    expect(readProviderError(text)).toEqual({ codes, message });
  });

  it('reads nothing from an error longer than any provider sends', () => {
    const text = JSON.stringify({ error: { message: 'too long', code: 'long' } });
    expect(readProviderError(text.padEnd(MAX_ERROR_LENGTH))).toEqual({ codes: ['long'], message: 'too long' });
    expect(readProviderError(text.padEnd(MAX_ERROR_LENGTH + 1))).toEqual({ codes: [], message: '' });
  });
});

describe('upstreamFailure', () => {
  it('takes the reason from the table, else from the status', () => {
    const table = [{ status: 401, code: 'NO_MORE_CREDITS', reason: 'upstream_quota_exhausted' }] as const;
    const error = upstreamFailure(reply(401, '{"error":"empty","tag":"NO_MORE_CREDITS"}'), { table });
    expect(error).toMatchObject({ reason: 'upstream_quota_exhausted', phase: 'headers', status: 401, cost: null });
    expect(error.detail).toBe('NO_MORE_CREDITS empty');
    expect(upstreamFailure(reply(503, ''), { table })).toMatchObject({
      reason: 'upstream_error',
      status: 503,
      detail: '',
    });
  });

  it('reads an error inside a success as a reply of the wrong shape', () => {
    const error = upstreamFailure(reply(200, '{"error":{"message":"overloaded"}}'));
    expect(error).toMatchObject({
      reason: 'upstream_invalid_response',
      phase: 'shape',
      status: 200,
      detail: 'overloaded',
    });
  });

  it('lets the adapter decide reason, phase, cost and detail', () => {
    const options = { reason: 'query_rejected', phase: 'parse', cost: 5n, detail: 'max_output_tokens' } as const;
    expect(upstreamFailure(reply(200, '{}'), options)).toMatchObject(options);
  });

  it('carries the wait the provider asked for', () => {
    expect(upstreamFailure(reply(429, '', { 'retry-after': '3' })).retryAfterMs).toBe(3_000);
    const date = { 'retry-after': 'Thu, 01 Jan 1970 00:00:05 GMT' };
    expect(upstreamFailure(reply(429, '', date), { nowMs: 1_000 }).retryAfterMs).toBe(4_000);
  });

  it.each<[unknown, number | null]>([
    ['28s', 28_000],
    ['1.5s', 1_500],
    ['0s', 0],
    ['86400s', 3_600_000],
    ['28', null],
    ['-1s', null],
    ['soon', null],
    [28, null],
  ])('reads the wait %j from the body when no header has it', (retryDelay, expected) => {
    const text = JSON.stringify({ error: { details: [{ '@type': 'x' }, { retryDelay }] } });
    expect(upstreamFailure(reply(429, text)).retryAfterMs).toBe(expected);
    expect(upstreamFailure(reply(429, text, { 'retry-after': '3' })).retryAfterMs).toBe(3_000);
  });

  it('shows the text of a body without a known envelope, and never the key', () => {
    const secrets = ['my own key 42'];
    expect(upstreamFailure(reply(500, '<h1>Bad\n gateway</h1>')).detail).toBe('<h1>Bad gateway</h1>');
    const echo = upstreamFailure(reply(401, '{"error":"unknown: my own key 42"}'), { secrets });
    expect(echo.detail).toBe('unknown: [redacted]');
    expect(upstreamFailure(reply(401, ''), { secrets, detail: 'my own key 42' }).detail).toBe('[redacted]');
  });
});

describe('parseJsonObject', () => {
  it('returns an object', () => {
    expect(parseJsonObject(reply(200, '{"answer":"x"}'))).toEqual({ answer: 'x' });
  });

  it.each(['', '{"answer":', '<html>', '[1]', 'null', '"x"', '5'])('refuses %j', (text) => {
    const error = thrownBy(() => parseJsonObject(reply(201, text)));
    expect(error).toMatchObject({ reason: 'upstream_invalid_response', phase: 'parse', status: 201 });
  });

  it('shows the beginning of a refused body, without the secrets', () => {
    const error = thrownBy(() => parseJsonObject(reply(200, '<p>key hush-hush'), ['hush-hush']));
    expect(error.detail).toBe('not a JSON object of reasonable size: <p>key [redacted]');
  });
});

const ERROR = { message: 'It failed.' };

describe('reportedError', () => {
  it.each([
    { error: 'It failed.' },
    { error: ERROR },
    { error: [ERROR] },
    { error: true },
    { error: null, errors: [ERROR] },
    { choices: [{ error: ERROR }] },
    { choices: [{ index: 1 }, { index: 0, error: ERROR }] },
  ])('finds an error in %j', (body) => {
    expect(reportedError(body)).toBeDefined();
  });

  it.each([
    ...[undefined, null, '', {}, [], false, 0, { code: null, message: null }].map((error) => ({
      error,
      errors: error,
      choices: [{ error }],
    })),
    { choices: [{}, { index: 1, error: ERROR }] },
    { choices: 7 },
    [ERROR],
  ])('finds no error in %j', (body) => {
    expect(reportedError(body)).toBeUndefined();
  });
});

describe('reportsFailure', () => {
  it.each([
    ...['error', 'ErrorResponse'].flatMap((name) => [{ object: name }, { type: name }]),
    ...['failed', 'running', 'in_progress', 'queued', 'incomplete', 'not_finished', 500, false].map((status) => ({
      status,
    })),
    { success: false },
    { error: ERROR },
  ])('is true for %j', (json) => {
    expect(reportsFailure(json)).toBe(true);
  });

  it.each([
    ...['completed', 'SUCCESS', 'ok', '', 200, null, true, {}].map((status) => ({ status })),
    { object: 'chat.completion', type: 'message', success: true, error: null },
    {},
  ])('is false for %j', (json) => {
    expect(reportsFailure(json)).toBe(false);
  });
});
