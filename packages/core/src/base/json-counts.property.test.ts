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

function reference(given: unknown): JsonCounts {
  const none = { depth: 0, keys: 0, texts: 0, containers: 0, values: 0 };
  if (typeof given !== 'object' || given === null) return { ...none, texts: typeof given === 'string' ? 1 : 0 };
  const children = Object.values(given).map(reference);
  const names = Array.isArray(given) ? 0 : children.length;
  const own = { depth: 0, keys: names, texts: names, containers: 1, values: Math.max(1, children.length) };
  return [...children].reduce(
    (sum, child) => ({
      depth: Math.max(sum.depth, child.depth + 1),
      keys: sum.keys + child.keys,
      texts: sum.texts + child.texts,
      containers: sum.containers + child.containers,
      values: sum.values + child.values,
    }),
    { ...own, depth: 1 },
  );
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
