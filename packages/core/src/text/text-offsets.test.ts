import { describe, expect, it } from 'vitest';
import { utf16Offsets } from './text-offsets.js';

describe('utf16Offsets', () => {
  it.each([
    ['one byte', '\u007f', 1],
    ['two bytes', '\u0080', 2],
    ['the last of two bytes', '\u07ff', 2],
    ['the first of three bytes', '\u0800', 3],
    ['the last of three bytes', '\uffff', 3],
    ['the first of four bytes', '\u{10000}', 4],
  ])('counts a character of %s', (_size, character, bytes) => {
    const text = `${character}ab`;
    const { length } = character;
    expect(utf16Offsets(text, [0, bytes, bytes + 1], 'utf8').get(0)).toBe(0);
    expect([...utf16Offsets(text, [bytes, bytes + 1], 'utf8').values()]).toEqual([length, length + 1]);
    expect([...utf16Offsets(text, [length, 99], 'utf16').values()]).toEqual([length, text.length]);
  });

  it.each(['utf8', 'utf16'] as const)('accepts offsets in any order, in %s', (unit) => {
    expect(Object.fromEntries(utf16Offsets('abcdef', [4, 1, 9, 2], unit))).toEqual({ 1: 1, 2: 2, 4: 4, 9: 6 });
  });

  it.each(['utf8', 'utf16'] as const)('moves an offset inside of a character to its end, in %s', (unit) => {
    expect(utf16Offsets('\u{1f30a}a', [1], unit).get(1)).toBe(2);
  });
});
