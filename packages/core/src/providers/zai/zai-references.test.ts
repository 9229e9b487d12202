import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createReferenceReader, withMarkers } from './zai-references.js';

const WORDS = [
  ...`
  word ； [ ] 【 】 ( ) （ ） ref ref_ ref_1 ref_12 _ re r 1 来源： [ref_1] xref_1 ref_1234 [a](https://x.example/)
  https://x.example/ref_1/`
    .trim()
    .split(/\s+/),
  ' ',
  ', ',
  '\n',
  '(see ref_3)',
  '[来源：ref_1, ref_2]',
];
const texts = fc.array(fc.constantFrom(...WORDS), { maxLength: 40 }).map((words) => words.join(''));

function live(parts: readonly string[]): string[] {
  const given: string[] = [];
  const reader = createReferenceReader((part) => given.push(part));
  for (const part of parts) reader.push(part);
  return given;
}

describe('references in a text that comes in parts', () => {
  it('are read as in the whole text, for any cut', () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 12 }), (text, length) => {
        const given = live(text.match(new RegExp(`[^]{1,${length}}`, 'gu')) ?? []).join('');
        expect(withMarkers(text).slice(0, given.length)).toBe(given);
        expect(text.length - given.length).toBeLessThan(900);
      }),
      { numRuns: 5_000 },
    );
  });

  it('are held back alone, and words go', () => {
    expect(live(['It opened', ' [re', 'f_1', ', ref_2]. ', 'See ref_', '3 (or not', ', as some people say)'])).toEqual([
      'It opened',
      ' ',
      '【1, 2】. ',
      'See ',
      '【3】 ',
      '(or not, as some people say)',
    ]);
  });

  it('are held back no longer than a reference can be', () => {
    const long = `(see ${'ref_100, , '.repeat(40)}`;
    expect(live(long.split('')).join('').length).toBeGreaterThan(40);
  });

  it('stay words after the first 5,000', () => {
    const text = '[ref_1] '.repeat(5_010);
    expect(live([text]).join('')).toBe(withMarkers(text));
  });
});
