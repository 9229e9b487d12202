import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GatheredBytes, GatheredText } from './gathered-pieces.js';

const chunks = fc.array(fc.uint8Array({ maxLength: 700 }), { maxLength: 20 });

describe('GatheredBytes', () => {
  it('joins the pieces in order, without changing them', () => {
    fc.assert(
      fc.property(chunks, (all) => {
        const copies = all.map((piece) => piece.slice());
        const bytes = new GatheredBytes(20_000);
        for (const piece of all) expect(bytes.add(piece)).toBe(true);
        expect(bytes.take().equals(Buffer.concat(copies))).toBe(true);
        expect(all).toEqual(copies);
      }),
    );
  });

  it('writes nothing behind the first piece, which may be part of a larger buffer', () => {
    const whole = Buffer.from('abcd');
    const bytes = new GatheredBytes(10);
    bytes.add(whole.subarray(0, 2));
    bytes.add(Buffer.from('x'));
    expect([bytes.take().toString(), whole.toString()]).toEqual(['abx', 'abcd']);
  });

  it('returns a body of one piece without a copy', () => {
    const piece = Buffer.from('one');
    const bytes = new GatheredBytes(3);
    bytes.add(piece);
    expect(bytes.take()).toBe(piece);
  });

  it('accepts bytes up to the limit, and no byte more', () => {
    const bytes = new GatheredBytes(600);
    for (let length = 0; length < 600; length += 1) expect(bytes.add(Buffer.from('x'))).toBe(true);
    expect(bytes.add(Buffer.from('x'))).toBe(false);
    expect(bytes.take()).toHaveLength(600);
  });

  it.each([0, 1])('accepts a limited number of pieces of %i bytes', (length) => {
    const bytes = new GatheredBytes(8_000_000);
    const piece = Buffer.alloc(length);
    let taken = 0;
    while (taken < 9_000_000 && bytes.add(piece)) taken += 1;
    expect(taken).toBe(565_536);
  });
});

describe('GatheredText', () => {
  it('joins the pieces in order, each time the text is taken', () => {
    const pieces = fc.array(fc.string({ maxLength: 3 }), { maxLength: 5_000, size: 'max' });
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 3 }), (rounds) => {
        const text = new GatheredText();
        for (const round of rounds) {
          for (const piece of round) text.add(piece);
          expect(text.take()).toBe(round.join(''));
        }
        expect(text.take()).toBe('');
      }),
      { numRuns: 20 },
    );
  });
});
