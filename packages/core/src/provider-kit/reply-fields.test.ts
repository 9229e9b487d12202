import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { composeAnswer } from './compose-answer.js';
import { looseList, optional } from './reply-fields.js';

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
