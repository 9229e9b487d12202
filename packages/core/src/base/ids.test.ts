import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createIdSource, timeOfId } from './ids.js';

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const MOST_MS = 2 ** 48 - 1;
const times = fc.integer({ min: 0, max: MOST_MS });

describe('createIdSource', () => {
  it('makes 26 characters that begin with the time', () => {
    const newId = createIdSource();
    fc.assert(
      fc.property(times, (nowMs) => {
        const id = newId(nowMs);
        expect(id).toMatch(/^[0-9A-HJKMNP-TV-Z]{26}$/);
        expect(timeOfId(`ans_${id}`)).toBe(nowMs);
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

  it('never repeats an id, across many draws of random bytes and between sources', () => {
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

it.each([
  '',
  'ans_1',
  'ans_01M7YFX2222TA0797FDHDYZR0',
  'ans_01M7YFX2222TA0797FDHDYZR0CX',
  'ans_01m7yfx2222ta0797fdhdyzr0c',
])('an id of another form such as "%s" tells no time', (id) => {
  expect(timeOfId(id)).toBeUndefined();
});
