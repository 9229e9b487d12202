import { describe, expect, it } from 'vitest';
import { createStatements } from './statements.js';

const withCode = (code: string) => Object.assign(new Error('failed'), { code });

describe('createStatements', () => {
  it('gives a text always the same name, and two texts two names', () => {
    const statements = createStatements(true);
    const [first, again, other] = ['SELECT 1', 'SELECT 1', 'SELECT 2'].map((text) => statements.of(text).name);
    expect(first).toMatch(/^searchgate_[0-9a-f]{24}$/);
    expect(again).toBe(first);
    expect(other).not.toBe(first);
  });

  it.each(['26000', '42P05'])('gives no names after %s, which it says of every statement under way', (code) => {
    const statements = createStatements(true);
    expect([1, 2].map(() => statements.giveUpNames(withCode(code)))).toEqual([true, true]);
    expect(statements.of('SELECT 1')).toEqual({ text: 'SELECT 1' });
  });

  it('goes on with names after any other error', () => {
    const statements = createStatements(true);
    expect([withCode('42P01'), new Error('lost'), undefined].map(statements.giveUpNames)).toEqual([
      false,
      false,
      false,
    ]);
    expect(statements.of('SELECT 1')).toHaveProperty('name');
  });

  it('gives none from the beginning where the host says so', () => {
    const statements = createStatements(false);
    expect(statements.of('SELECT 1')).toEqual({ text: 'SELECT 1' });
    expect(statements.giveUpNames(withCode('26000'))).toBe(false);
  });
});
