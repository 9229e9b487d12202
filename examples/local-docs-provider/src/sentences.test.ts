import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { excerptOf, sentencesOf } from './sentences.js';

const mentions = (word: string) => (sentence: string) => (sentence.includes(word) ? 1 : 0);

describe('excerptOf', () => {
  it('gives a text that fits as it is', () => {
    expect(excerptOf('One. Two.', { maxChars: 100, weightOf: () => 0 })).toBe('One. Two.');
  });

  it('takes whole sentences around the weightiest one', () => {
    const text = 'Alpha is first. Beta is second. Gamma is third. Delta is fourth. Epsilon is fifth.';
    expect(excerptOf(text, { maxChars: 55, weightOf: mentions('Gamma') })).toBe(
      'Beta is second. Gamma is third. Delta is fourth.',
    );
  });

  it('keeps list items on lines of their own', () => {
    const text = `Things:\n- a door\n- a window\n${'x'.repeat(100)}`;
    expect(excerptOf(text, { maxChars: 60, weightOf: mentions('door') })).toBe('Things:\n- a door\n- a window');
  });

  it('does not break at abbreviations', () => {
    expect(sentencesOf('Costs, e.g. for transport, are low. `bodyTimeout` is set. (See below.)')).toEqual([
      'Costs, e.g. for transport, are low.',
      '`bodyTimeout` is set.',
      '(See below.)',
    ]);
  });

  it('never exceeds its limit by more than the one sentence it must keep, and invents nothing', () => {
    const sentence = fc.stringMatching(/^[A-Z][a-z ]{0,30}[.!?]$/);
    fc.assert(
      fc.property(
        fc.array(sentence, { minLength: 1, maxLength: 12 }),
        fc.integer({ min: 1, max: 200 }),
        (sentences, maxChars) => {
          const text = sentences.join(' ');
          const excerpt = excerptOf(text, { maxChars, weightOf: (candidate) => candidate.length });
          expect(text).toContain(excerpt);
          expect(excerpt.length <= maxChars || sentences.includes(excerpt)).toBe(true);
        },
      ),
    );
  });
});
