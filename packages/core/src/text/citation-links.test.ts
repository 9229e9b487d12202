import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { writtenText } from '../../test/written-text.js';
import { annotate } from './annotated-text.js';
import { citationLinks, isSeparator, linksIn, mayGoOn } from './citation-links.js';
import { tokensOf } from './scanner.js';

const A = 'https://a.example/x_(y)';
const B = 'https://www.b.example/?q=1#z';
const positionOf = (url: string) => [A, B].indexOf(url) + 1 || undefined;
const withMarkers = (text: string) => writtenText(annotate({ text }, citationLinks(text, positionOf), 'utf16'));

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
    ['one at the beginning', `[a.example](${A}) says so.`, '[1] says so.'],
    ['a group at the beginning', `[a.example](${A}), [2](${B}) and [words](${A}).`, `[1], [2] and [words](${A})[1].`],
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

  it('replaces only the known links of several in parentheses', () => {
    expect(withMarkers(`Deep ([a.example](${A}), [c](https://c.example/)).`)).toBe(
      'Deep ([1], [c](https://c.example/)).',
    );
  });

  it.each([
    [' www.A.example ', '[1]'],
    ['^123', '[1]'],
    ['x.a.example', '[x.a.example](https://a.example/x_(y))[1]'],
    ['example', '[1]'],
    ['a.www.example', '[a.www.example](https://a.example/x_(y))[1]'],
    ['[12x]', '[[12x]](https://a.example/x_(y))[1]'],
    ['x12', '[x12](https://a.example/x_(y))[1]'],
  ])('takes a link that shows %j for a marker where that is its site or a number', (label, expected) => {
    expect(withMarkers(`Deep [${label}](${A}).`)).toBe(`Deep ${expected}.`);
  });

  it.each(['', ' ', ',', ', ', ';', '; ', ' and ', ', and '])('takes links with %j between for a group', (between) => {
    expect(isSeparator(between)).toBe(true);
    expect(withMarkers(`Deep ([a](${A})${between}[b](${B})).`)).toBe('Deep [1][2].');
    const following = `${between}[`;
    for (let length = 0; length <= following.length; length += 1)
      expect(mayGoOn(following.slice(0, length))).toBe(true);
  });

  it.each(['.', 'x', ' or ', ',  ', ' , ', 'and'])('separates links with %j between them', (between) => {
    expect(isSeparator(between)).toBe(false);
    expect(withMarkers(`([a](${A})${between}[b](${B}))`)).toBe(`([a](${A})[1]${between}[b](${B})[2])`);
    expect(mayGoOn(`${between}[`)).toBe(false);
  });

  it('returns the first 5,000 links that cite a source', () => {
    const links = citationLinks(`[c](https://c.example/) ${`[a](${A}) `.repeat(5_001)}`, positionOf);
    expect(links).toHaveLength(5_000);
  });

  it('knows each link of a text, with its label and its address', () => {
    const text = `A [b [c]](${A} "t"), [[1]](<${B}>)[[2]](${A} "t") or [d](<>) \`[e](${A})\` [3] \`[[4]](${A})\`.`;
    const links = linksIn(tokensOf(text)).map(({ start, end, ...link }) => [text.slice(start, end), link]);
    expect(links).toEqual([
      [`[b [c]](${A} "t")`, { label: 'b [c]', url: A }],
      [`[[1]](<${B}>)`, { label: '[1]', url: B }],
      [`[[2]](${A} "t")`, { label: '[2]', url: A }],
    ]);
  });

  it.each([
    [`[[12]](https://c.example/x_(yz))`, '[12]', 'https://c.example/x_(yz)'],
    [`[12](<https://c.example/x_(yz)> "t")`, '12', 'https://c.example/x_(yz)'],
    [`[12](https://c.example/x_(yz))`, '12', 'https://c.example/x_(yz)'],
    [`[a>b](https://c.example/)`, 'a>b', 'https://c.example/'],
  ])('reads label and address of %s', (text, label, url) => {
    expect(linksIn(tokensOf(text))).toEqual([{ start: 0, end: text.length, label, url }]);
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
