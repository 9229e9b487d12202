import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { composeAnswer } from './compose-answer.js';
import { limitReply, looseList, optional } from './reply-fields.js';

const reply = z.compile(z.object({ pages: optional.addresses }));

describe('a list of addresses', () => {
  it('keeps the place of an invalid entry, so that markers point where they did', () => {
    const { pages } = reply.parse({ pages: ['https://a.example/', null, 'https://b.example/', { url: 'c' }] });
    expect(composeAnswer({ text: 'One [1], two [2], three [3].', sources: pages, cost: {} })).toMatchObject({
      text: 'One [1], two, three [2].',
      citations: [{ url: 'https://a.example/' }, { url: 'https://b.example/' }],
    });
  });

  it.each([[undefined], [null], ['https://a.example/'], [{}]])('is empty instead of %j', (pages) => {
    expect(reply.parse({ pages })).toEqual({ pages: [] });
  });

  it('may be absent', () => {
    expect(reply.parse({})).toEqual({ pages: [] });
  });
});

describe('a list of objects', () => {
  it('does not compile as a list of texts or numbers, whose entries would all be lost', () => {
    // @ts-expect-error -- optional.addresses or optional.texts is meant
    const texts = optional.list(optional.text);
    // @ts-expect-error -- the same
    const strings = looseList(z.string().catch(''));
    expect([texts.parse(['a']), strings.parse(['a'])]).toEqual([[null], ['']]);
  });
});

const bound = (given: object) => [limitReply(given, JSON.stringify(given).length), given] as const;

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
