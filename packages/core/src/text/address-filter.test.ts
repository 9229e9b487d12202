import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addressesIn } from '../../test/addresses-in.js';
import { rulesOf } from '../base/search-options/page-scope.js';
import { AddressFilter, filterAddresses, filterJson } from './address-filter.js';

const allowsOf = (rule: { only: string[] } | { never: string[] }) => rulesOf([rule])?.allows ?? (() => true);
const only = allowsOf({ only: ['example.org', 'xn--mnchen-3ya.example'] });
const never = allowsOf({ never: ['evil.example'] });

const SAME = [
  'No address at all, only a: b // c.',
  'See https://example.org/a?b=c#d, and (https://news.example.org).',
  '[label](https://example.org/x_(y) "title") and ![alt](https://example.org/a.png)',
  'Ask https://example.org... or **https://example.org**',
  'http://EXAMPLE.ORG.:8080/a and https://user@example.org/ and www.example.org/a',
  'https://münchen.example/ and https://xn--mnchen-3ya.example/',
  'A bare evil.example may stay. [1] [2](#part) [3](/a) [x](mailto:a@evil.example)',
  'https://example.org/login?next=https://evil.example/ is a page of example.org',
  'Templates such as https://{host}/ and http://<host>/ name no host.',
  'http: or https: is a scheme; `a // b.c`',
  '[![alt](https://example.org/a.png)](https://example.org/)',
  'https://example.org/a[1][2]',
  '[one](https://example.org)[two](https://example.org/2)',
];

const CHANGED = [
  ['[label](https://evil.example/x)', 'label'],
  ['[label](<https://evil.example/x y>)', 'label'],
  ['[label]( https://evil.example/x "a title" ).', 'label.'],
  ['![alt](https://evil.example/x.png)', 'alt'],
  ['a ![](https://evil.example/x.png) b', 'a evil.example b'],
  ['[![alt](//evil.example/x.png)](https://evil.example/x)', 'alt'],
  ['[https://evil.example/a](https://evil.example/a)', 'evil.example'],
  ['Read (https://evil.example/x), or <https://evil.example/z.>.', 'Read (evil.example), or evil.example.'],
  ['www.evil.example/path?x=1', 'evil.example'],
  ['HTTPS://EVIL.example:8443/x', 'EVIL.example'],
  ['https://example.org@evil.example/x', 'evil.example'],
  ['https://example.org)@evil.example/x', 'example.org)@evil.example/x'],
  ['https://evil.example(@x', 'evil.example(@x'],
  ['www.ftp://evil.example/', 'www. evil.example'],
  ['https://ev%69l.example/x', 'ev%69l.example'],
  ['https:\\\\evil.example\\x', 'evil.example\\x'],
  ['{"url":"https:\\/\\/evil.example\\/x"}', '{"url":"evil.example"}'],
  ['https:/evil.example/x and https:evil.example/x', 'evil.example and evil.example'],
  ['[a](\\\\evil.example/x) [b](/\\evil.example)', 'a b'],
  ['[label][1]\n\n[1]: //evil.example/x', '[label][1]\n\n[1]: evil.example'],
  ['<img src="//evil.example/x.png">', '<img src="evil.example">'],
  ["<a href='https://evil.example/'>x</a>", "<a href='evil.example'>x</a>"],
  ['[1](https://evil.example/x) and [12](https://evil.example/y)', '[1] and [12]'],
  ['http[s](https://evil.example/)://evil.example/', 'http[s]://evil.example/'],
  ['https:https://evil.example/', 'https: evil.example'],
  ['www.https://evil.example/x', 'www. evil.example'],
  ['ftp://evil.example/x', 'evil.example'],
  ['https://example.org,https://evil.example/x', 'https://example.org,evil.example'],
  ['view-source:https://evil.example/x', 'view-source: evil.example'],
  ['[a](https://evil.example/x', '[a](evil.example'],
  ['https://www.www.evil.example/', 'evil.example'],
  ['https://a!b.evil.example/x', 'a'],
  ['https://evil.example./x', 'evil.example'],
  ['看 https://evil.example/x，更多。', '看 evil.example，更多。'],
  ['[a](https&colon;//evil.example) [b](&#x2F;&#47evil.example) [c](&Tab;//evil.example)', 'a b c'],
  ['[a](https://ev&#105;l.example/) [b](https://ev&#173;il.example) [c](https://ev&shy;il.example/)', 'a b c'],
  ['[a](http\\://evil.example) [b](<\t//evil.example>)', 'a b'],
  ['[label]:\n//evil.example', '[label]:\nevil.example'],
  ['<a href=" //evil.example"> **//evil.example**', '<a href=" evil.example"> **evil.example**'],
  ['<a href="/\t/evil.example">', '<a href="evil.example">'],
  ['<a href="https:\n//evil.example">', '<a href="evil.example">'],
  ['https://evil.example@ and https://evil.example.。', 'evil.example and evil.example.。'],
] as const;

/** What browsers, Markdown and other readers take for different hosts. */
const DISPUTED = [
  'https://example.org\\@evil.example/x',
  'https://example.org\\.evil.example/x',
  'https://example.org"@evil.example/x',
  'https://example.org`@evil.example/x',
  'https://example.org<b>@evil.example/x',
];

const ONLY = [
  ['https://127.0.0.1/x, http://[::1]/x', '127.0.0.1, [::1]'],
  ['https://2130706433/', '2130706433'],
  ['https://example.org.evil.net/ https://notexample.org', 'example.org.evil.net notexample.org'],
  ['https://example.org。evil.net/', 'example.org。evil.net'],
  ['https://example.org!.evil.net/', 'example.org'],
  ['https://other.example', 'other.example'],
] as const;

function inParts(text: string, size: number, allows: (url: string) => boolean): string {
  const filter = new AddressFilter(allows);
  let out = '';
  for (let at = 0; at < text.length; at += size) out += filter.push(text.slice(at, at + size));
  return out + filter.push('', true);
}

describe('filterAddresses', () => {
  it.each(SAME)('leaves %j', (text) => {
    expect(filterAddresses(text, only)).toBe(text);
    expect(inParts(text, 1, only)).toBe(text);
  });

  it.each([...CHANGED, ...ONLY])('makes of %j %j', (text, expected) => {
    expect(filterAddresses(text, only)).toBe(expected);
    for (const size of [1, 2, 3, 5, 8, 13]) expect(inParts(text, size, only)).toBe(expected);
  });

  it.each(CHANGED.filter(([text]) => text !== 'www.https://evil.example/x'))(
    'makes the same of %j where its host alone is forbidden',
    (text, expected) => {
      expect(filterAddresses(text, never)).toBe(expected);
    },
  );
});

const word = fc.constantFrom(
  'a',
  'https',
  ':',
  '//',
  '/',
  '\\',
  '.',
  'www',
  'www.',
  'evil.example',
  'example.org',
  '@',
  '(',
  ')',
);
const sign = fc.constantFrom(
  '[',
  ']',
  '](',
  '!',
  '<',
  '>',
  ' ',
  '\n',
  '"',
  "'",
  '=',
  ']: ',
  '?u=',
  ',',
  '**',
  '1',
  '`',
  '\u3002',
  '%',
  '{',
  '&#58;',
  '&sol;',
  '&#46',
  '\\.',
  '\\@',
  '&shy;',
);
const form = fc.constantFrom(
  '[a](',
  'https://',
  '[b](//',
  'www.',
  'http:/',
  '<https://',
  '![](https:\\\\',
  'ftp://',
  'https://u@',
);
const text = fc.array(fc.oneof(word, sign, form), { maxLength: 24 }).map((parts) => parts.join(''));
const rules = fc.constantFrom(only, never);

describe('filterAddresses', () => {
  it.each(DISPUTED)('makes no address of %j', (disputed) => {
    for (const given of [disputed, `[a](${disputed})`]) {
      expect(filterAddresses(given, only)).not.toMatch(/https:/);
      expect(inParts(given, 1, only)).toBe(filterAddresses(given, only));
    }
  });

  it('leaves references to signs that are no part of an address', () => {
    const prose = 'https://example.org&quot; &lt;b&gt; &#60;script&#62; &amp;colon; &copy;';
    expect(filterAddresses(prose, only)).toBe(prose);
  });
});

describe('any text', () => {
  it('is the same in parts, and names no address outside', () => {
    const property = fc.property(
      text,
      rules,
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }),
      (given, allows, sizes) => {
        const filtered = filterAddresses(given, allows);
        const filter = new AddressFilter(allows);
        let [joined, at] = ['', 0];
        for (let turn = 0; at < given.length; turn += 1) {
          const size = sizes[turn % sizes.length] ?? 1;
          joined += filter.push(given.slice(at, at + size));
          at += size;
        }
        expect(joined + filter.push('', true)).toBe(filtered);
        expect(addressesIn(filtered).filter((url) => !allows(url))).toEqual([]);
        const isPlain = addressesIn(given).length === 0 && !/[\\/]{2}|https?:|www\.|&/.test(given);
        expect(isPlain ? filtered : given).toBe(given);
      },
    );
    fc.assert(property, { numRuns: 2_000 });
  });

  it.each([
    '[',
    '](',
    '[](',
    'https://',
    'a',
    '!',
    '<',
    '[a](https://evil.example/',
    'https:',
    '&#',
    '&#0',
    '//',
    'https:\n',
    'https://a"',
    '\\',
  ])('of many %j takes linear time', (part) => {
    const many = part.repeat(200_000 / part.length);
    expect(filterAddresses(`${many} https://evil.example/`, only).length).toBeLessThanOrEqual(many.length * 2);
  });
});

describe('filterJson', () => {
  it('changes texts alone', () => {
    const json =
      '{"a": 1.0, "b": ["https:\\u002f\\u002fevil.example/\\"x", "c\\n"], "https://evil.example/": 12345678901234567890}';
    expect(filterJson(json, only)).toBe(
      '{"a": 1.0, "b": ["evil.example\\"x", "c\\n"], "evil.example": 12345678901234567890}',
    );
  });

  it.each(['', '\\', '\\u0', '/\\'])('changes a text whose end %j is cut off', (end) => {
    expect(filterJson(`{"a": "b", "c": "https:\\u002f\\u002fevil.example${end}`, only)).toMatch(
      /^{"a": "b", "c": "evil\.example/,
    );
  });
});
