import { describe, expect, it } from 'vitest';
import { countJson, parseVendorJson } from './json-counts.js';

const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
/** Too long to be parsed without being counted. */
const padded = (json: string) => `[${json},"${'x'.repeat(50_000)}"]`;
const list = (count: number, element: (at: number) => string) =>
  `[${Array.from({ length: count }, (_, at) => element(at)).join()}]`;

describe('countJson', () => {
  it.each<[string, string, number[]]>([
    ['an object', '{"a":{"b":[1,"c",null]},"d":{}}', [3, 3, 8, 7]],
    ['a string that ends in backslashes', `["${'\\\\'.repeat(99)}",{}]`, [2, 0, 3, 3]],
    ['a byte order mark and blanks', '\ufeff [ "é" , 2 ]\n', [1, 0, 2, 2]],
    ['a string without an end', `["${'[,'.repeat(1_000)}`, [1, 0, 2, 1]],
    ['a string that ends in half an escape', `["${'x'.repeat(200)}\\`, [1, 0, 2, 1]],
  ])('counts %s', (_what, text, [depth, keys, parts, values]) => {
    expect(countJson(text)).toEqual({ depth, keys, parts, values });
  });
});

describe('parseVendorJson', () => {
  it('parses a text whose parts are within the limits', () => {
    expect(parseVendorJson(padded(deep(63)))).toBeDefined();
    expect(parseVendorJson(padded(list(99_000, () => '""')))).toBeDefined();
    expect(parseVendorJson(list(200_000, () => '0.5'))).toHaveLength(200_000);
  });

  it.each([
    ['deep', padded(deep(64))],
    ['empty lists', list(100_001, () => '[]')],
    ['empty objects', list(100_001, () => '{}')],
    ['keys', list(1, () => `{${list(100_001, () => '"k":0').slice(1, -1)}}`)],
    ['strings', list(100_001, (at) => `"${at}"`)],
  ])('refuses a text of too many: %s', (_what, text) => {
    expect(parseVendorJson(text)).toBeUndefined();
  });
});
