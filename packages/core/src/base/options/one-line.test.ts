import fc from 'fast-check';
import { expect, it } from 'vitest';
import { oneLine } from './one-line.js';

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
