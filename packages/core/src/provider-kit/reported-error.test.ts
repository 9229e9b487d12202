import { describe, expect, it } from 'vitest';
import { reportedError, reportsFailure } from './reported-error.js';

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
