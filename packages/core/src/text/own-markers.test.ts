import { describe, expect, it } from 'vitest';
import { ownMarkers } from './own-markers.js';

const written = (text: string, count = 9, isGlued = false) =>
  ownMarkers(text, count, isGlued).map(({ start, end, position }) => [text.slice(start, end), start, position]);

describe('ownMarkers', () => {
  it('finds every marker with its place', () => {
    expect(written('It opened [1] in May [3][12].', 12)).toEqual([
      ['[1]', 10, 1],
      ['[3]', 21, 3],
      ['[12]', 24, 12],
    ]);
  });

  it('counts UTF-16 code units', () => {
    expect(written('🌉 [1]')).toEqual([['[1]', 3, 1]]);
  });

  it('ignores numbers of no citation', () => {
    expect(written('[0] [2026] [4] [1, 2]', 3)).toEqual([]);
  });

  it('ignores code and links', () => {
    expect(written('`a[1]` and [1](https://example.org) and\n```\nb[1]\n```\n')).toEqual([]);
  });

  it('ignores an index, unless markers follow words without a space', () => {
    expect(written('list[1], a[2][3] and so.[4][5]')).toEqual([
      ['[4]', 24, 4],
      ['[5]', 27, 5],
    ]);
    expect(written('so[1][2]', 9, true).length).toBe(2);
  });

  it('finds a marker of the last citation, and no higher marker', () => {
    expect(written('[9] [10] [1]', 9)).toEqual([
      ['[9]', 0, 9],
      ['[1]', 9, 1],
    ]);
    expect(written('[01] [999]', 999)).toEqual([['[999]', 5, 999]]);
  });

  it('finds no marker without citations', () => {
    expect(written('It opened [1].', 0)).toEqual([]);
  });
});
