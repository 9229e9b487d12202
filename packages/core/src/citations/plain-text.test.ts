import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeEntities, MAX_SNIPPET_CHARACTERS, plainText, snippetOf, withoutHighlights } from './plain-text.js';

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
  ])('decodes %s', (_what, text, expected) => {
    expect(decodeEntities(text)).toBe(expected);
  });

  it.each(['a & b', '&nothing;', '&amp', '&toString;', '&#0;', '&#xD800;', '&#x110000;', '&#7;', '&;'])(
    'leaves %s alone',
    (text) => {
      expect(decodeEntities(text)).toBe(text);
    },
  );
});

describe('withoutHighlights', () => {
  it('leaves the words and everything that is no highlighting', () => {
    expect(withoutHighlights('The <b>Zephyr</b> <STRONG>Bridge</STRONG>, a <div>, 1 < 2, &lt;b&gt;')).toBe(
      'The Zephyr Bridge, a <div>, 1 < 2, &lt;b&gt;',
    );
  });
});

describe('plainText', () => {
  it('collapses white space and control characters, decoded ones too', () => {
    expect(plainText('  A\tbridge\n\n &nbsp; of\u0000 steel ')).toBe('A bridge of steel');
  });
});

describe('snippetOf', () => {
  const words = 'bridge '.repeat(200);

  it('leaves short texts whole', () => {
    expect(snippetOf('It opened in May 2021.')).toBe('It opened in May 2021.');
    expect(snippetOf('x'.repeat(MAX_SNIPPET_CHARACTERS))).toBe('x'.repeat(MAX_SNIPPET_CHARACTERS));
  });

  it('cuts long texts between words', () => {
    expect(snippetOf(words)).toMatch(/^(?:bridge )+bridge…$/);
    expect(snippetOf(words).length).toBeGreaterThan(MAX_SNIPPET_CHARACTERS - 10);
  });

  it('cuts text without spaces where it is', () => {
    expect(snippetOf('橋'.repeat(1_000))).toBe(`${'橋'.repeat(MAX_SNIPPET_CHARACTERS - 1)}…`);
  });

  it('marks as cut what it has only looked at in part', () => {
    expect(snippetOf(`Bridge${' '.repeat(10_000)}of steel`)).toBe('Bridge…');
  });

  it('is one line of bounded length without halves of characters, for any text', () => {
    fc.assert(
      fc.property(
        fc.string({
          unit: fc.constantFrom('🌉', '橋', 'a', 'word ', '\n', '&amp;', '&#x1F309;', '  '),
          maxLength: 3_000,
          size: 'max',
        }),
        (text) => {
          const snippet = snippetOf(text);
          expect(snippet.length).toBeLessThanOrEqual(MAX_SNIPPET_CHARACTERS);
          expect(snippet).not.toMatch(/\p{Cs}|\n|\s{2}|^\s|\s$/u);
          expect(plainText(text).startsWith(snippet.replace(/…$/, ''))).toBe(true);
        },
      ),
    );
  });
});
