import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { insertMarkers } from './annotated-text.js';
import { citationLinks } from './citation-links.js';

const A = 'https://a.example/x_(y)';
const B = 'https://www.b.example/?q=1#z';
const positionOf = (url: string) => [A, B].indexOf(url) + 1 || undefined;
const withMarkers = (text: string) => insertMarkers(text, citationLinks(text, positionOf), 'utf16');

describe('citationLinks', () => {
  it.each([
    ['a link alone in parentheses', `It is deep. ([Lake facts](${A}))`, 'It is deep. [1]'],
    ['one that has a title', `It is deep ([a.example](${A} "Lake facts")).`, 'It is deep [1].'],
    ['several in parentheses', `It is deep ([a](${A}), [b](${B}); [a](${A})).`, 'It is deep [1][2].'],
    ['one that shows its site', `It is deep [a.example](${A}) [WWW.b.example](${B}).`, 'It is deep [1] [2].'],
    ['one that shows a number', `It is deep [7](${A})[^8](${B}) or [](${A}).`, 'It is deep [1][2] or [1].'],
    ['one in double brackets', `It is deep.[[7]](${A})[[8]](${B})`, 'It is deep.[1][2]'],
    ['one in angle brackets', `It is deep ([a](<${B}>)).`, 'It is deep [2].'],
    ['an empty label', `It is deep [](${A}).`, 'It is deep [1].'],
  ])('replaces %s', (_what, text, expected) => {
    expect(withMarkers(text)).toBe(expected);
  });

  it.each([
    ['words', `See [the lake [in Asia]](${A}).`, `See [the lake [in Asia]](${A})[1].`],
    ['a year', `In [2026](${A}).`, `In [2026](${A})[1].`],
    ['words among others in parentheses', `It is deep (see [facts](${A})).`, `It is deep (see [facts](${A})[1]).`],
    ['the site of another page', `See [c.example](${A}).`, `See [c.example](${A})[1].`],
  ])('keeps a link that shows %s', (_what, text, expected) => {
    expect(withMarkers(text)).toBe(expected);
  });

  it.each([
    ['links to other pages', 'See [a](https://c.example/) or ([1](https://a.example/x)).'],
    ['links in code', `Write \`[a](${A})\`.`],
    ['addresses without a link', `See ${A}.`],
  ])('leaves %s alone', (_what, text) => {
    expect(citationLinks(text, positionOf)).toEqual([]);
  });

  it('replaces only the known ones of several in parentheses', () => {
    expect(withMarkers(`Deep ([a.example](${A}), [c](https://c.example/)).`)).toBe(
      'Deep ([1], [c](https://c.example/)).',
    );
  });

  it('points to the sources of its links and nowhere else, for any text', () => {
    const pieces = fc.constantFrom(
      'word ',
      '(',
      ')',
      '[',
      ']',
      '[[1]]',
      ', ',
      '`',
      `[a](${A})`,
      `[b.example](${B})`,
      `(${A})`,
      '\n',
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 20 }), (parts) => {
        const text = parts.join('');
        for (const { endIndex, replaceFrom = endIndex, positions } of citationLinks(text, positionOf)) {
          expect(replaceFrom).toBeLessThanOrEqual(endIndex);
          expect(endIndex).toBeLessThanOrEqual(text.length);
          expect(positions.length).toBeGreaterThan(0);
          const replaced = text.slice(replaceFrom, endIndex);
          const strangers = positions.filter((position) => !replaced.includes([A, B][position - 1]!));
          expect(replaced === '' ? [] : strangers).toEqual([]);
        }
      }),
    );
  });
});
