import fc from 'fast-check';
import { expect, it } from 'vitest';
import { countJson, type JsonCounts } from './json-counts.js';

/** Strings full of what means something outside of strings, some long enough to be searched. */
const text = fc.oneof(
  fc.string({ unit: fc.constantFrom('"', '\\', '[', '{', ']', ',', ':', 'é', '🌉', '\n', 'x') }),
  fc.nat({ max: 200 }).map((length) => `${'x'.repeat(length)}\\"[${'\\'.repeat(length % 7)}`),
);
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 6 },
    fc.oneof(text, fc.double(), fc.boolean(), fc.constant(null)),
    fc.array(tie('value')),
    fc.dictionary(text, tie('value')),
  ),
}));

type Found = { -readonly [Name in keyof JsonCounts]: number };

function reference(given: unknown, depth = 1, found: Found = { depth: 0, keys: 0, parts: 0, values: 0 }): Found {
  if (typeof given === 'string') found.parts += 1;
  if (typeof given !== 'object' || given === null) return found;
  const children: unknown[] = Object.values(given);
  const names = Array.isArray(given) ? 0 : children.length;
  found.depth = Math.max(found.depth, depth);
  found.keys += names;
  found.parts += names + 1;
  found.values += Math.max(1, children.length);
  for (const child of children) reference(child, depth + 1, found);
  return found;
}

it('counts what a parser finds, in any JSON', () => {
  fc.assert(
    fc.property(value, fc.constantFrom(0, 2), (given, indent) => {
      const json = JSON.stringify(given, null, indent);
      expect(countJson(json)).toEqual(reference(JSON.parse(json)));
    }),
    { numRuns: 500 },
  );
});

it('counts no less in a text that goes on, so that a broken text cannot hide what is parsed of it', () => {
  fc.assert(
    fc.property(value, text, (given, more) => {
      const json = JSON.stringify(given);
      const [before, after] = [countJson(json), countJson(json + more)];
      for (const [name, count] of Object.entries(before))
        expect(after[name as keyof JsonCounts]).toBeGreaterThanOrEqual(count);
    }),
  );
});
