import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { editsBetween, nearField } from './near-field.js';

const FIELDS = ['tag', 'query', 'stream', 'include_citations'];
const words = fc.string({ unit: fc.constantFrom('a', 'b', '_', '\u{1F600}'), maxLength: 8 });

/** One edit of a text: a letter put in, taken out, replaced, or swapped with the next one. */
const edits = fc.record({
  kind: fc.constantFrom('insert', 'remove', 'replace', 'swap'),
  place: fc.nat(),
  letter: fc.constantFrom('z', 'x', '7'),
});
type Edit = typeof edits extends fc.Arbitrary<infer E> ? E : never;

function edited(text: string, { kind, place, letter }: Edit): string {
  const at = place % text.length;
  const [before, here, after] = [text.slice(0, at), text.charAt(at), text.slice(at + 1)];
  if (kind === 'insert') return before + letter + here + after;
  if (kind === 'remove') return before + after;
  if (kind === 'replace') return before + letter + after;
  return before + after.slice(0, 1) + here + after.slice(1);
}

describe('the distance of two names', () => {
  it.each([
    ['', '', 0],
    ['', 'ab', 2],
    ['stream', 'steam', 1],
    ['search', 'serach', 1],
    ['search', 'saerhc', 2],
    // Optimal string alignment: a pair that is swapped is not touched again.
    ['ca', 'abc', 3],
  ])('%s and %s: %i', (one, other, count) => {
    expect(editsBetween(one, other)).toBe(count);
  });

  it('is 0 only for equal names, symmetric, and at most the length of the longer name', () => {
    fc.assert(
      fc.property(words, words, (one, other) => {
        const count = editsBetween(one, other);
        expect(count).toBe(editsBetween(other, one));
        expect(count === 0).toBe(one === other);
        expect(count).toBeLessThanOrEqual(Math.max(one.length, other.length));
        expect(count).toBeGreaterThanOrEqual(Math.abs(one.length - other.length));
      }),
    );
  });

  it('is at most the number of edits', () => {
    fc.assert(
      fc.property(fc.constantFrom('query', 'include_citations'), edits, (text, edit) => {
        expect(editsBetween(text, edited(text, edit))).toBeLessThanOrEqual(1);
      }),
    );
  });
});

describe('the field that a misspelled name means', () => {
  it.each([
    ['tga', undefined],
    ['tags', undefined],
    ['qury', 'query'],
    ['qurey', 'query'],
    ['qry', undefined],
    ['steam', 'stream'],
    ['straem', 'stream'],
    ['team', undefined],
    ['includeCitations', 'include_citations'],
    ['include_citation', 'include_citations'],
    ['include_sources', undefined],
    ['', undefined],
    ['q'.repeat(100_000), undefined],
  ])('%s: %s', (name, field) => {
    expect(nearField(name, FIELDS)).toBe(field);
  });

  it('is one edit away from five letters on, and two edits from eight letters on', () => {
    fc.assert(
      fc.property(edits, edits, (one, two) => {
        expect(nearField(edited('query', one), ['query'])).toBe('query');
        expect(nearField(edited('fresh', one) + edited('ness', two), ['freshness'])).toBe('freshness');
      }),
    );
  });

  it('is the nearest field', () => {
    expect(nearField('published_afte', ['published_before', 'published_afters', 'published_after'])).toBe(
      'published_after',
    );
  });
});
