import { describe, expect, it } from 'vitest';
import { isNestedTooDeep } from './json-depth.js';

const padding = 'x'.repeat(60_000);
const nested = (depth: number) => `${'['.repeat(depth)}"${padding}"${']'.repeat(depth)}`;

describe('isNestedTooDeep', () => {
  it.each([
    ['64 levels', nested(64), false],
    ['65 levels', nested(65), true],
    ['65 objects', `${'{"a":'.repeat(65)}"${padding}"`, true],
    ['many lists beside each other', `[${'[],'.repeat(30_000)}[]]`, false],
    ['brackets within a string', JSON.stringify({ text: '['.repeat(60_000) }), false],
    ['brackets behind an escaped quotation mark', JSON.stringify({ text: `"${'{'.repeat(60_000)}` }), false],
    ['brackets behind an escaped backslash', `{"text":"\\\\","list":${'['.repeat(60_000)}`, true],
    ['a string without an end', `["${'['.repeat(60_000)}`, false],
    ['a short text', '['.repeat(1_000), false],
  ])('tells %s', (_, text, expected) => {
    expect(isNestedTooDeep(text)).toBe(expected);
  });
});
