import { describe, expect, it } from 'vitest';
import { isBug, messageOf } from './problems.js';

describe('isBug', () => {
  it.each<[string, unknown, boolean]>([
    ['a refused connection', Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }), false],
    ['an address the runtime refuses', Object.assign(new TypeError('Invalid URL'), { code: 'ERR_INVALID_URL' }), false],
    ['a driver’s error without a code', new Error('WRONGPASS invalid username-password pair'), false],
    ['a property of nothing', new TypeError("Cannot read properties of undefined (reading 'x')"), true],
    ['a thrown text', 'text', true],
  ])('judges %s', (_, error, expected) => {
    expect(isBug(error)).toBe(expected);
  });
});

describe('messageOf', () => {
  it('is one line', () => {
    expect(messageOf(new Error('first\n  second'))).toBe('first second');
  });

  it('shows no secret of an address', () => {
    const error = new Error('connect ECONNREFUSED to redis://:hunter2@cache:6379/0?password=hunter2');
    expect(messageOf(error)).toBe('connect ECONNREFUSED to redis://***@cache:6379/0?***');
  });

  it('shows the error of the first of several addresses', () => {
    const errors = [new Error('connect ECONNREFUSED ::1:5432'), new Error('connect ECONNREFUSED 127.0.0.1:5432')];
    expect(messageOf(new AggregateError(errors))).toBe('connect ECONNREFUSED ::1:5432');
  });
});
