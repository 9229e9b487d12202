import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isStorable, WellFormedParts, wellFormed } from './characters.js';

const anyText = fc
  .array(fc.constantFrom('\ud83c', '\udf09', '\0', 'a', '🌉', '\ufffd', '橋'), { maxLength: 20 })
  .map((parts) => parts.join(''));

describe('a well-formed text', () => {
  it('has U+FFFD for halves of pairs and for NUL, without other changes', () => {
    expect(wellFormed('a\0b\ud83c c \udf09🌉')).toBe('a\ufffdb\ufffd c \ufffd🌉');
    fc.assert(fc.property(anyText, (text) => isStorable(wellFormed(text)) && wellFormed(text).length === text.length));
  });

  it('is the same in parts, without a half at its end', () => {
    fc.assert(
      fc.property(fc.array(anyText), (pieces) => {
        const parts = new WellFormedParts();
        const joined = pieces.map((piece) => parts.push(piece)).join('');
        const whole = pieces.join('');
        expect(joined).toBe(wellFormed(whole.replace(/[\ud800-\udbff]$/, '')));
      }),
    );
  });
});
