import { describe, expect, it } from 'vitest';
import { positionsOf, positionWithin } from './marker-forms.js';

describe('positionWithin', () => {
  it('knows the numbers from 1 to the count, of three digits at most, as they are written', () => {
    const asked = ['0', '1', '3', '4', '01', '999', '1000'];
    expect(asked.map(positionWithin(3))).toEqual([undefined, 1, 3, undefined, undefined, undefined, undefined]);
    expect(asked.map(positionWithin(1_000)).slice(-2)).toEqual([999, undefined]);
  });
});

describe('positionsOf', () => {
  const known = new Map([
    ['1', 4],
    ['2', 0],
    ['3', 6],
    ['0', 9],
  ]);
  const read = (numbers: string, most = 99) => positionsOf(numbers, (number) => known.get(number), most);

  it.each([
    ['1', [4]],
    ['2', []],
    ['0', [9]],
    ['1, 3', [4, 6]],
    ['1;3', [4, 6]],
    ['3,1,2', [6, 4]],
    ['1-3', [4, 6]],
    ['1 – 3', [4, 6]],
    ['3, 1-3', [6, 4, 6]],
    ['1-1', [4]],
    ['0-1', [9, 4]],
  ])('of %s are %j', (numbers, positions) => {
    expect(read(numbers)).toEqual(positions);
  });

  it.each(['8', '3,1,8', '00', '01', '1, 00', '1-8', '8-9', '3-1', '1-2-3', '1-3, 00'])(
    'has none for %s, which is no marker',
    (numbers) => {
      expect(read(numbers)).toBeUndefined();
    },
  );

  it('are the first positions up to the maximum', () => {
    expect([read('1, 3', 1), read('1-3', 1), read('0-3', 2)]).toEqual([[4], [4], [9, 4]]);
    expect(positionsOf('1-999', positionWithin(999), 3)).toEqual([1, 2, 3]);
  });
});
