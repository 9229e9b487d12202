import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isStorable, oneLine, WellFormedParts, wellFormed } from './characters.js';

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

it('is JSON of the same value, in a single line for every reader', () => {
  // Where Python's `str.splitlines` ends a line.
  const ends = Array.from('\n\v\f\r\u001c\u001d\u001e\u0085\u2028\u2029');
  const hostile = fc.string({ unit: fc.constantFrom('a', '"', '\\', ...ends) });
  fc.assert(
    fc.property(hostile, (text) => {
      const json = oneLine(JSON.stringify({ text }));
      expect(ends.filter((end) => json.includes(end))).toEqual([]);
      expect(JSON.parse(json)).toEqual({ text });
    }),
  );
});
