import { LedgerError } from '@searchgate/core/ledger';
import { describe, expect, it } from 'vitest';
import { isTransient } from './is-transient.js';

const withCode = (code: string) => Object.assign(new Error('failed'), { code });

describe('isTransient', () => {
  it.each(
    `
  08006 08P01 25006 25P03 40001 40003 40P01 53300 55P03 57P01 57P02 57P03 57P05 ECONNRESET ECONNREFUSED EPIPE`
      .trim()
      .split(/\s+/),
  )('holds for %s', (code) => {
    expect(isTransient(withCode(code))).toBe(true);
  });

  it.each(['Connection terminated unexpectedly', 'timeout exceeded when trying to connect'])(
    'holds for "%s"',
    (message) => {
      expect(isTransient(new Error(message))).toBe(true);
    },
  );

  it.each(['22003', '23505', '42P01', '42501', '28P01', '57014', '53100', 'XX000'])('does not hold for %s', (code) => {
    expect(isTransient(withCode(code))).toBe(false);
  });

  it('does not hold for what is no failure of the engine', () => {
    const errors = [
      new TypeError('x is not a function'),
      new LedgerError('schema_mismatch', 'newer'),
      'text',
      undefined,
    ];
    expect(errors.filter(isTransient)).toEqual([]);
  });
});
