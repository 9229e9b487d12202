import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isIdentity, isNormal } from './is-normal.js';
import { positionsOf, positionWithin } from './marker-numbers.js';
import { rewriteMarkers } from './rewrite-markers.js';

describe('isNormal', () => {
  it.each([
    ['', 0],
    ['no brackets', 0],
    ['[1]', 1],
    ['So [1] and [3].', 3],
    ['So [1][2][3].', 3],
    ['So [1] or [1].', 1],
    ['So [2][1] or [2][1].', 2],
    ['[10] [99] [100] [999]', 999],
    ['a ] alone [1]', 1],
  ])('is what needs no walk: %j of %d citations', (text, count) => {
    expect(isNormal(text, count)).toBe(true);
  });

  it.each([
    ['[1]', 0],
    ['[4]', 3],
    ['[1][1]', 3],
    ['So [1][2][1].', 3],
    ['So [2][1] or [3][1][3].', 3],
    ['[0]', 3],
    ['[01]', 3],
    ['[]', 3],
    ['[a]', 3],
    ['[1a]', 3],
    ['[1', 3],
    ['[1][', 3],
    ['[1, 2]', 3],
    ['[[1]]', 3],
    ['[^1]', 3],
    ['[1000]', 9_999],
    ['【1】', 3],
  ])('is not what may have to be rewritten: %j of %d citations', (text, count) => {
    expect(isNormal(text, count)).toBe(false);
  });

  it('is only what a walk leaves as it is, for any text', () => {
    const pieces = fc.constantFrom(
      '[1]',
      '[2]',
      '[7]',
      '[12]',
      '[',
      ']',
      ' ',
      'a',
      '`',
      '(/a)',
      '{',
      '\\',
      '\n',
      '[0]',
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 12 }), fc.integer({ min: 0, max: 12 }), (parts, count) => {
        const text = parts.join('');
        const walked = rewriteMarkers(text, (numbers, most) => positionsOf(numbers, positionWithin(count), most));
        expect(isNormal(text, count) ? walked : text).toBe(text);
      }),
    );
  });
});

it.each<[[string, number][], boolean]>([
  [[], true],
  [[['1', 1]], true],
  [
    [
      ['1', 1],
      ['2', 2],
      ['3', 3],
    ],
    true,
  ],
  [[['0', 1]], false],
  [[['1', 2]], false],
  [[['01', 1]], false],
  [
    [
      ['1', 1],
      ['3', 2],
    ],
    false,
  ],
  [
    [
      ['1', 1],
      ['2', 1],
    ],
    false,
  ],
])('knows whether each number is its own position: %j', (positions, expected) => {
  expect(isIdentity(new Map(positions))).toBe(expected);
});
