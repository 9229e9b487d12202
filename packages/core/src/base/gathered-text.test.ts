import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GatheredText } from './gathered-text.js';

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
