import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createIdSource } from './ids.js';

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const MOST_MS = 2 ** 48 - 1;
const times = fc.integer({ min: 0, max: MOST_MS });

const timeOf = (id: string) =>
  id
    .slice(0, 10)
    .split('')
    .reduce((sum, digit) => sum * 32 + CROCKFORD.indexOf(digit), 0);

describe('createIdSource', () => {
  it('makes 26 characters that begin with the time', () => {
    const newId = createIdSource();
    fc.assert(
      fc.property(times, (nowMs) => {
        const id = newId(nowMs);
        expect(id).toMatch(/^[0-9A-HJKMNP-TV-Z]{26}$/);
        expect(timeOf(id)).toBe(nowMs);
      }),
    );
  });

  it('makes ids that sort by time', () => {
    const newId = createIdSource();
    fc.assert(
      fc.property(times, times, (a, b) => {
        fc.pre(a !== b);
        expect(newId(a) < newId(b)).toBe(a < b);
      }),
    );
  });

  it('never repeats itself, across many draws of random bytes and between sources', () => {
    const sources = [createIdSource(), createIdSource()];
    const ids = Array.from({ length: 5_000 }, (_, index) => sources[index % 2]?.(1_700_000_000_000));
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('uses every character of the alphabet', () => {
    const newId = createIdSource();
    const random = Array.from({ length: 1_000 }, () => newId(0).slice(10)).join('');
    expect([...new Set(random)].sort().join('')).toBe(CROCKFORD);
  });
});
