import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  boundText,
  dayOf,
  decodeEntities,
  headingOf,
  MAX_EXCERPT_CHARACTERS,
  pageTitle,
  plainText,
  snippetOf,
  webAddress,
  withoutHighlights,
} from './page-fields.js';

describe('decodeEntities', () => {
  it.each([
    ['named ones', 'AT&amp;T &lt;b&gt; &quot;x&quot; &hellip; &mdash;', 'AT&T <b> "x" … —'],
    [
      'letters of Western Europe, where case matters',
      'Br&uuml;cke &Uuml;ber &szlig; &yuml; &Agrave; &times;',
      'Brücke Über ß ÿ À ×',
    ],
    ['decimal and hexadecimal ones', '&#39;&#x27;&#X1F309;', "''🌉"],
    ['the last there is', '&#x10ffff;', '\u{10ffff}'],
    ['once only', '&amp;lt;', '&lt;'],
    ['the longest', 'a&#1114111;b&#0000065;c', 'a\u{10ffff}bAc'],
    ['those next to what is none', '&&amp;&x &lt;;', '&&&x <;'],
    ['the first of a kind of characters', '&#32;&#xA0;&#xE000;', ' \u00a0\ue000'],
    ['the last of a kind of characters', '&#x7e;&#xD7FF;', '~\ud7ff'],
    ['all of ISO 8859-1, from the first to the last', '&nbsp;&iexcl;&yuml;', '\u00a0¡ÿ'],
    [
      'names of the rest',
      '&apos;&ndash;&lsquo;&rsquo;&sbquo;&ldquo;&rdquo;&bdquo;&bull;&trade;&euro;&rarr;&gt;',
      "'–‘’‚“”„•™€→>",
    ],
  ])('decodes %s', (_what, text, expected) => {
    expect(decodeEntities(text)).toBe(expected);
  });

  it.each([
    ...`
      &nothing; &amp &toString; &#0; &#xD800; &#xDFFF; &#x110000; &#7; &#31; &#127; &#159; xamp; &; &#; &#x; &#xg;
      &#6x; &#00000065; &#x0000041;`
      .trim()
      .split(/\s+/),
    'a & b',
    '&amp amp;',
    '&a\u0000mp;',
  ])('leaves %s alone', (text) => {
    expect(decodeEntities(text)).toBe(text);
  });
});

describe('withoutHighlights', () => {
  it('keeps the words and all other tags', () => {
    expect(withoutHighlights('The <b>Zephyr</b> <STRONG>Bridge</STRONG>, a <div>, 1 < 2, &lt;b&gt;')).toBe(
      'The Zephyr Bridge, a <div>, 1 < 2, &lt;b&gt;',
    );
  });
});

describe('plainText', () => {
  it('collapses white space and control characters, decoded ones too', () => {
    expect(plainText('  A\tbridge\n\n &nbsp; of\u0000 steel ')).toBe('A bridge of steel');
    for (const apart of ['  ', '\t', '\u007f', '\u0080', '\u009f', '\u2028', '\u001f'])
      expect(plainText(`A${apart}bridge`)).toBe('A bridge');
    for (const around of [' ', '\n', '\u0000']) expect(plainText(`${around}A bridge${around}`)).toBe('A bridge');
  });
});

describe('snippetOf', () => {
  const words = 'bridge '.repeat(200);

  it('leaves short texts whole', () => {
    for (const text of ['It opened in May 2021.', 'So says AT&T']) expect(snippetOf(text)).toBe(text);
    expect(snippetOf(`${' '.repeat(2_396)}AT&T`)).toBe('AT&T');
    expect(snippetOf('x'.repeat(MAX_EXCERPT_CHARACTERS))).toBe('x'.repeat(MAX_EXCERPT_CHARACTERS));
  });

  it('cuts long texts between words', () => {
    expect(snippetOf(words)).toMatch(/^(?:bridge )+bridge…$/);
    expect(snippetOf(words).length).toBeGreaterThan(MAX_EXCERPT_CHARACTERS - 10);
  });

  it('cuts between words if that loses less than a fifth, else within a word', () => {
    const cut = (spaceAt: number) => snippetOf(`${'a'.repeat(spaceAt)} ${'b'.repeat(400)}`);
    expect(cut(241)).toBe(`${'a'.repeat(241)}…`);
    expect(cut(239)).toBe(`${'a'.repeat(239)} ${'b'.repeat(59)}…`);
    expect(cut(298)).toBe(`${'a'.repeat(298)}…`);
    expect(cut(299)).toBe(`${'a'.repeat(299)}…`);
    expect(cut(300)).toBe(`${'a'.repeat(299)}…`);
  });

  it('cuts neither an emoji nor an entity in two', () => {
    expect(snippetOf(`${'a'.repeat(298)}🌉🌉`)).toBe(`${'a'.repeat(298)}🌉🌉`);
    expect(snippetOf(`${'a'.repeat(298)}🌉🌉🌉`)).toBe(`${'a'.repeat(298)}🌉…`);
    expect(snippetOf(`A${' '.repeat(2_398)}🌉`)).toBe('A…');
    const behindSpaces = `A${' '.repeat(2_395)}&amp; B`;
    expect(snippetOf(behindSpaces)).toBe('A…');
    expect(snippetOf(`A${' '.repeat(2_394)}&amp; `)).toBe('A &…');
  });

  it('keeps a text of the maximum length', () => {
    const longest = `${'a'.repeat(290)} ${'b'.repeat(9)}`;
    expect(snippetOf(longest)).toBe(longest);
    expect(snippetOf(`${longest}c`)).toBe(`${'a'.repeat(290)}…`);
    const spaced = `a${' '.repeat(2_398)}b`;
    expect(snippetOf(spaced)).toBe('a b');
    expect(snippetOf(`${spaced} c`)).toBe('a b…');
  });

  it('cuts text without spaces within a word', () => {
    expect(snippetOf('橋'.repeat(1_000))).toBe(`${'橋'.repeat(MAX_EXCERPT_CHARACTERS - 1)}…`);
  });

  it('marks a text as cut if only a part was read', () => {
    expect(snippetOf(`Bridge${' '.repeat(10_000)}of steel`)).toBe('Bridge…');
  });

  it('is a single line of bounded length without halves of characters, for any text', () => {
    fc.assert(
      fc.property(
        fc.string({
          unit: fc.constantFrom('🌉', '橋', 'a', 'word ', '\n', '&amp;', '&#x1F309;', '  '),
          maxLength: 3_000,
          size: 'max',
        }),
        (text) => {
          const snippet = snippetOf(text);
          expect(Array.from(snippet).length).toBeLessThanOrEqual(MAX_EXCERPT_CHARACTERS);
          expect(snippet).not.toMatch(/\p{Cs}|\n|\s{2}|^\s|\s$/u);
          expect(plainText(text).startsWith(snippet.replace(/…$/, ''))).toBe(true);
        },
      ),
    );
  });
});

describe('dayOf', () => {
  it.each([
    ['2026-11-02', '2026-11-02'],
    ['2026-11-02T23:30:00-05:00', '2026-11-02'],
    ['2026-11-02 10:00:00', '2026-11-02'],
    ['2026-11-02'.padEnd(64), '2026-11-02'],
    ['2026-11-02'.padEnd(65), null],
    ['Nov 2, 2026', '2026-11-02'],
    ['November 2 2026', '2026-11-02'],
    ['2 November 2026', '2026-11-02'],
    ['02 Nov. 2026', '2026-11-02'],
    ['Mon, 02 Nov 2026 10:00:00 GMT', '2026-11-02'],
    ['Mon Nov 02 2026 10:00:00 GMT+0100 (CET)', '2026-11-02'],
    ['Monday, November 2, 2026 at 10:00 a.m. EST', '2026-11-02'],
    ['2026-11-02 10:00:00.5 +0000 UTC', '2026-11-02'],
    ['2026-11-02T10', '2026-11-02'],
    ...`2026; 2026-11; 2025-2026; Nov 2026; 2026-11-02 - 2026-11-05; 2026-11-02/2026-11-05; 2026-11-02 to 2026-11-05; 2026-11-02, 2026-11-05
      2026-11-02T10:00Z/2026-11-05T10:00Z; 2026-11-02 10:00 - 2026-11-05 12:00; 2026-11-02..05; from 2026-11-02; 2026-11-02 2026; Nov 2 - Nov 5, 2026
      Nov 2, 2026 - Nov 5, 2026; Nov 2–5, 2026; 2 - 5 November 2026; 2 Nov 2026 – 5 Nov 2026; November 2, 2026 until November 5; Nov - 5 Dec 2026
      until Nov 5, 2026; 0000-01-01; 0001-01-01; 1900-01-01; 1970-01-01; 1970-01-01T00:00:00Z; Jan 1, 1970; Thu, 01 Jan 1970 00:00:00 GMT
      1969-12-31T19:00:00-05:00; 0000-00-00 00:00:00`
      .split(/[;\n] */)
      .map((date): [string, null] => [date, null]),
    ['1970-01-02', '1970-01-02'],
    [`2026-11-02T10:00${'a'.repeat(47)}`, '2026-11-02'],
    [`2026-11-02T10:00${'a'.repeat(47)}1`, null],
    ['2026-02-30', null],
    ['02/11/2026', null],
    ['3 days ago', null],
    ['Smarch 2, 2026', null],
    ['Mayor 1, 2020', null],
    ['1 marginal 2020', null],
    ['Sept 9, 2026', '2026-09-09'],
    ['1677-01-01', null],
    ['9999-01-01', null],
    ['', null],
    ['x'.repeat(100_000), null],
    [20261102, null],
    [null, null],
    [undefined, null],
  ])('of %j is %j', (value, day) => {
    expect(dayOf(value)).toBe(day);
  });

  it('knows the days that the calendar has, as Date does', () => {
    const two = (number: number) => String(number).padStart(2, '0');
    for (const year of [1900, 1999, 2000, 2023, 2024, 2100])
      for (let month = 0; month <= 13; month += 1)
        for (let date = 0; date <= 32; date += 1) {
          const day = `${year}-${two(month)}-${two(date)}`;
          const time = Date.parse(`${day}T00:00:00Z`);
          const exists = !Number.isNaN(time) && new Date(time).toISOString().startsWith(day);
          expect([day, dayOf(day)]).toEqual([day, exists && day !== '1900-01-01' ? day : null]);
        }
  });
});

describe('webAddress', () => {
  it.each([
    ['https://Example.org', 'https://example.org/'],
    ['http://example.org/a b', 'http://example.org/a%20b'],
    ['ftp://example.org/', undefined],
    ['javascript:alert(1)', undefined],
    ['//example.org', undefined],
    ['https://', undefined],
    ...[
      'https:///a.org',
      'http://[bad',
      'https://a b.org/',
      'https://u:p@a.org/',
      'https://u@a.org/',
      'data:text/html,x',
    ].map((address): [string, undefined] => [address, undefined]),
    ['file:///etc/passwd', undefined],
    [' https://a.org/b ', 'https://a.org/b'],
    [`https://example.org/${'a'.repeat(2_028)}`, `https://example.org/${'a'.repeat(2_028)}`],
    [`https://example.org/${'a'.repeat(2_029)}`, undefined],
    [`https://example.org/${'ü'.repeat(1_000)}`, undefined],
    [7, undefined],
    [null, undefined],
  ])('of %j is %j', (value, address) => {
    expect(webAddress(value)).toBe(address);
  });
});

it('a page without a title is called by its host', () => {
  expect(pageTitle(' \n', 'https://www.example.org/a')).toBe('www.example.org');
  expect(pageTitle(undefined, 'https://example.org/')).toBe('example.org');
  expect(pageTitle('Tom &amp;\n Jerry', 'https://example.org/')).toBe('Tom & Jerry');
});

describe('headingOf', () => {
  it.each([
    ['# A\n# B', 'A'],
    ['## B\r\n```sh\r\n# comment\r\n```\r\n# A\r\nText', 'A'],
    ['~~~\n# comment\n```\n# comment\n~~~\n# A', 'A'],
    ['  ````md\n```\n# comment\n```\n  ````\n# A', 'A'],
    ['```inline``` code\n<pre>\n# comment\n</pre>\n# A', 'A'],
    ['<!--\n# comment\n-->\n<style>\n# a{}\n</style>\n# A', 'A'],
    ['```\n# comment', undefined],
    ['#hashtag\n    # code', undefined],
    ['`'.repeat(200_000), undefined],
  ])('of %j is %j', (markdown, heading) => {
    expect(headingOf(markdown)).toBe(heading);
  });
});

it('texts are cut between characters', () => {
  expect(boundText('a🌉b', 1)).toBe('a');
  expect(boundText('a🌉b', 2)).toBe('a🌉');
  expect(boundText('a🌉b', 3)).toBe('a🌉b');
  expect(boundText(' a\ud800 ', 10)).toBe('a\ufffd');
  expect(boundText(null, 10)).toBe('');
  expect(boundText(`\n\n\n${'a'.repeat(10)}`, 10)).toBe('a'.repeat(10));
});
