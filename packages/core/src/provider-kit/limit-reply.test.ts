import { describe, expect, it } from 'vitest';
import { limitReply } from './limit-reply.js';

const bound = (reply: object) => [limitReply(reply, JSON.stringify(reply).length), reply] as const;

describe('limitReply', () => {
  it('cuts each list to its first 5,000 elements, at any depth', () => {
    const list = Array.from({ length: 5_001 }, (_, index) => index);
    expect(bound({ a: [{ b: list }], c: 'text' })).toEqual([true, { a: [{ b: list.slice(0, 5_000) }], c: 'text' }]);
  });

  it('refuses a reply of more than 100,000 values', () => {
    const rows = Array.from({ length: 40 }, () => Array.from({ length: 2_600 }, () => 0));
    expect(bound({ rows })[0]).toBe(false);
    expect(bound({ rows: rows.slice(1, 30) })[0]).toBe(true);
  });

  it('refuses a reply of more than 64 levels', () => {
    const deep = (levels: number): object => JSON.parse('{"a":'.repeat(levels) + '0' + '}'.repeat(levels)) as object;
    const padding = 'x'.repeat(10_000);
    expect(bound({ ...deep(60), padding })[0]).toBe(true);
    expect(bound({ ...deep(70), padding })[0]).toBe(false);
  });
});
