import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { normalizeMarkers, renumberMarkers, stripMarkers } from './markers.js';

/** Every `[n]` a reader would take for a marker. */
const numbersIn = (text: string) => [...text.matchAll(/\[(\d{1,3})\]/g)].map((match) => Number(match[1]));

const marker = fc
  .tuple(
    fc.constantFrom('[#]', '[[#]]', '[^#]', '【#】', '【#†source】', '[#, 3]', '[2-#]'),
    fc.integer({ min: 1, max: 12 }),
  )
  .map(([form, number]) => form.replace('#', String(number)));
const word = fc.constantFrom(
  'bridge',
  'naïve',
  '橋',
  'جسر',
  '🌉',
  'in 1932',
  '[2026]',
  '.',
  ',',
  '\n',
  '- ',
  '`a[9]`',
  '[1](https://e.org)',
);
const prose = fc.array(fc.oneof(marker, word), { maxLength: 30 }).map((parts) => parts.join(' '));
const brackets = fc.array(
  fc.constantFrom('[', ']', '[[', ']]', '1', '9', ', ', '-', '^', ' ', 'x', '.', ':', '\n', '【', '】', '†'),
  { maxLength: 40 },
);
const anyText = fc.oneof(
  prose,
  brackets.map((parts) => parts.join('')),
  fc.string({ unit: 'grapheme' }),
);
const count = fc.integer({ min: 0, max: 9 });

describe('normalizeMarkers', () => {
  it.each([
    ['leaves the own form alone', 'In 2021 [1][2] it opened [3].', 'In 2021 [1][2] it opened [3].'],
    ['splits groups', 'So [1, 2] and [1;3].', 'So [1][2] and [1][3].'],
    ['expands ranges whose ends are known', 'So [1-3] or [2–3].', 'So [1][2][3] or [2][3].'],
    ['unwraps double brackets', 'So [[1]] and [[1, 2]].', 'So [1] and [1][2].'],
    ['replaces a double-bracketed link', 'So [[1]](https://e.org/a_(b)).', 'So [1].'],
    ['rewrites footnotes and their definitions', 'So [^1].\n[^1]: a note', 'So [1].\n[1]: a note'],
    ['rewrites wide brackets', 'So 【1】【2†source】.', 'So [1][2].'],
    ['says a repeated number of a run once', 'So [1][1][1, 2].', 'So [1][2].'],
    ['drops unknown members of a group', 'So [2, 7].', 'So [2].'],
    ['unwinds nested brackets', 'So [[[[1]]]] and [[9]8].', 'So [1] and.'],
    [
      'unwinds brackets around all that is left of several',
      'So [[1][9]], [1][[1][9]] and [[[9]]].',
      'So [1], [1] and.',
    ],
    ['unwinds brackets of any depth', `So ${'['.repeat(500)}9${']9'.repeat(499)}].`, 'So.'],
    ['takes a wide marker with all it holds', 'So 【1†a [2] `b` [c](/d)】.', 'So [1].'],
    ['joins a wide marker with the one before it, whatever it holds', 'So [1]【1†a [3]】【2】.', 'So [1][2].'],
    ['unwinds brackets around what a wide marker leaves', 'So [[1]【9†a [3]】].', 'So [1].'],
    ['forgets what a wide marker held', 'So 【9†a [2]】xxxxxxxx[2].', 'So xxxxxxxx[2].'],
    ['leaves the brackets around several', 'So [[1][2]].', 'So [[1][2]].'],
  ])('%s', (_fact, text, expected) => {
    expect(normalizeMarkers(text, 3)).toBe(expected);
  });

  it.each([
    ['code spans', 'Use `list[9]` or ``a[9]`b`` here.'],
    ['fenced code', 'Try:\n```js\nlist[9] = [8];\n```\ndone'],
    ['fenced code that never ends', 'Try:\n~~~\nlist[9]'],
    ['an indented fence in a list', '- Try:\n  ```\n  list[9]\n  ```\n'],
    ['Markdown links', 'See [9](https://e.org/9), [9](</a b>), [a [9]](#top "x") and ![9](www.e.org/i.png).'],
    ['escaped brackets', 'So \\[9] it is.'],
    ['a wide bracket that is escaped', 'So \\【9】 it is.'],
    ['LaTeX arguments', 'So \\sqrt[9]{x}.'],
    ['years and other long numbers', 'In [2026], [1234, 5].'],
    ['intervals from zero', 'In [0, 1] and a[0] and [00].'],
    ['ranges with an unknown end, backward ranges and dates', '[0-9] [1-9] [3-1] [1-2-3]'],
    ['brackets with words', 'So [sic] [1a] [ 1 ] [] [x].'],
  ])('leaves %s alone', (_what, text) => {
    expect(normalizeMarkers(text, 3)).toBe(text);
  });

  it.each([
    ['before punctuation', 'opened in May [9].', 'opened in May.'],
    ['between words', 'opened [9] in May', 'opened in May'],
    ['glued to the next word', 'opened [9]in May', 'opened in May'],
    ['before code', 'call [9]`f()`', 'call `f()`'],
    ['next to a known one', 'opened [9] [1] [9].', 'opened [1].'],
    ['at the start', '[9] [8] It opened.', 'It opened.'],
    ['at the start of a list item', '- [9] It opened.', '- It opened.'],
    [
      'as the head of a source list',
      'Sources\n[1]: https://a.org\n[9]: https://b.org',
      'Sources\n[1]: https://a.org\nhttps://b.org',
    ],
    ['at the end', 'It opened [9]', 'It opened'],
    ['before a parenthesis that is no address', 'It opened [9](see below)', 'It opened (see below)'],
    ['in Chinese', '大桥于五月通车 [9]。', '大桥于五月通车。'],
  ])('tidies the space of a marker removed %s', (_where, text, expected) => {
    expect(normalizeMarkers(text, 3)).toBe(expected);
  });

  it.each([
    ['back-quotes', 'So ``[9]` it is', 'So `` ` it is'],
    ['tildes', 'So\n~~[9]~\n[8]', 'So\n~~ ~\n'],
    ['a bracket and an address', 'So [a]【9】(https://e.org)', 'So [a] (https://e.org)'],
  ])('joins no %s where a marker is gone', (_what, text, expected) => {
    expect(normalizeMarkers(text, 3)).toBe(expected);
  });

  it.each([
    '(https://e.org/(a)b)',
    '(HTTPS:x)',
    '(a1+-.b:c)',
    '(www.e.org)',
    '(WWW.e.org)',
    '(/a)',
    '(#a)',
    '(<https:a>)',
  ])('leaves a link to %s alone', (address) => {
    expect(normalizeMarkers(`So [9]${address} [1, 2]`, 3)).toBe(`So [9]${address} [1][2]`);
    expect(normalizeMarkers(`So [a]${address} [1, 2]`, 3)).toBe(`So [a]${address} [1][2]`);
  });

  it.each(['(1)', '(ww.a)', '(a b:)', '(.a:)', '()', '(<a)', ' (https://e.org)'])(
    'takes no %j for an address',
    (words) => {
      expect(normalizeMarkers(`So [9]${words}`, 3)).toBe(`So${words.startsWith(' ') ? '' : ' '}${words}`);
    },
  );

  it.each([
    ['(https://e.org/a)', ''],
    ['(https://e.org/(a)b(c))', ''],
    ['(https://e.org  "a (b) c")', ''],
    ['(https://e.org/a b)', '(https://e.org/a b)'],
    ['(https://e.org/((a)))', '(https://e.org/((a)))'],
    ['(https://e.org/(a)', '(https://e.org/(a)'],
    ['(https://e.org/(a b))', '(https://e.org/(a b))'],
    ['(https://e.org/a "b)', '(https://e.org/a "b)'],
    ['(https://e.org/a "b" c)', '(https://e.org/a "b" c)'],
    ['(https://e.org/a "b\nc")', '(https://e.org/a "b\nc")'],
    ['(words)', '(words)'],
  ])('takes of %s behind double brackets what is an address', (behind, left) => {
    expect(normalizeMarkers(`So [[1]]${behind}.`, 3)).toBe(`So [1]${left === '' ? '' : left}.`);
  });

  it.each([
    ['[1 , 2;2 – 3]', '[1][2][3]'],
    ['[1 , 2;3 – 1]', '[1 , 2;3 – 1]'],
    ['[^1, 2]', '[1][2]'],
    ['[^^1]', '[^^1]'],
    ['[,1]', '[,1]'],
    ['[1,]', '[1,]'],
    ['[1 2]', '[1 2]'],
    ['[1,,2]', '[1,,2]'],
    ['\\[^1, 2]', '\\[^1, 2]'],
    ['【1, 2】', '[1][2]'],
    ['【1†】', '[1]'],
    ['【1 a】', '【1 a】'],
    ['【†1】', '【†1】'],
    ['【1\n†a】', '【1\n†a】'],
    ['【【1】', '【[1]'],
    ['【1】】', '[1]】'],
    ['1†a】', '1†a】'],
    ['[[1]', '[[1]'],
    ['[1]]', '[1]]'],
    ['\\[[1, 2]]', '\\[[1][2]]'],
  ])('reads %s as %s', (text, expected) => {
    expect(normalizeMarkers(`So ${text}`, 3)).toBe(`So ${expected}`);
  });

  it('reads a list of 5,000 characters, and none that is longer', () => {
    const list = (length: number) => `[${'1,'.repeat((length - 2) / 2)}22]`;
    expect(normalizeMarkers(`So ${list(5_000)}`, 30)).toBe('So [1][22]');
    expect(normalizeMarkers(`So ${list(5_002)}`, 30)).toBe(`So ${list(5_002)}`);
  });

  it('says each number of a long run once', () => {
    const once = Array.from({ length: 12 }, (_, index) => `[${index + 1}]`).join('');
    expect(normalizeMarkers(`So ${once}${once}[7, 13].`, 13)).toBe(`So ${once}[13].`);
  });

  it('takes brackets off a marker that follows another, and says it again behind a word', () => {
    expect(normalizeMarkers('So [1, 2][[1]] and [[[2]][9]].', 3)).toBe('So [1][2] and [2].');
    expect(normalizeMarkers('So [1] or [1][2]x[2, 1].', 3)).toBe('So [1] or [1][2]x[2][1].');
  });

  it.each([
    ['``` a `b` [9]', '``` a `b`'],
    ['`` ` [9] ``', '`` ` [9] ``'],
    ['`a` [9] `b`', '`a` `b`'],
    ['`a\n[9]`', '`a\n`'],
    ['``` `a [9]` ```', '``` `a [9]` ```'],
    ['x ```\n[9]\n```', 'x ```\n\n```'],
    ['\t~~~\n[9]\n ~~~~\n[9] a', '\t~~~\n[9]\n ~~~~\na'],
    ['```\n[9]\n``\n[9]', '```\n[9]\n``\n[9]'],
    ['~~~ ~~~\n[9]', '~~~ ~~~\n[9]'],
    ['```\n[9]\n```` `[9]`', '```\n[9]\n```` `[9]`'],
    ['a\r```\n[9]\n```', 'a\r```\n[9]\n```'],
    ['[a\n](https://e.org/[9])', '[a\n](https://e.org/)'],
    ['[a 【b】 c](https://e.org/[9])', '[a 【b】 c](https://e.org/[9])'],
    ['\\[a](https://e.org/[9])', '\\[a](https://e.org/)'],
    ['[a [b](https://e.org/[9])', '[a [b](https://e.org/[9])'],
  ])('knows what of %j is code or a link', (text, expected) => {
    expect(normalizeMarkers(text, 3)).toBe(expected);
  });

  it.each([
    '.',
    ',',
    ';',
    ':',
    '!',
    '?',
    '…',
    ')',
    ']',
    '}',
    '»',
    '”',
    '’',
    '。',
    '，',
    '、',
    '；',
    '：',
    '！',
    '？',
    '）',
    '」',
    '』',
    '】',
    '\n',
    ' ',
  ])('leaves no space of a removed marker before %j', (after) => {
    expect(normalizeMarkers(`So \t[9]${after}x`, 3)).toBe(`So${after}x`);
  });

  it('says of lists and ranges the first number only, once they have given 5,000', () => {
    const text = 'a [1-999] '.repeat(7);
    const markers = normalizeMarkers(text, 999)
      .split(' ')
      .filter((part) => part !== 'a' && part !== '');
    expect(markers.map((run) => run.split('][').length)).toEqual([999, 999, 999, 999, 999, 11, 1]);
  });

  it('removes every marker when there is no citation', () => {
    expect(normalizeMarkers('It opened [1][2].', 0)).toBe('It opened.');
  });

  it.each([']†^[99', 'cut off [1', '[', 'a [1] b [22'])('leaves a bracket that never closes as it is: %s', (text) => {
    expect(normalizeMarkers(text, 9)).toBe(text);
  });

  it('never points outside of the citations, for any text', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          prose.map((text) => text.replaceAll(/`[^`]*`|\[1\]\(.*?\)/g, '')),
          brackets.map((parts) => parts.join('')),
        ),
        count,
        (text, limit) => {
          expect(numbersIn(normalizeMarkers(text, limit)).filter((number) => number > limit)).toEqual([]);
        },
      ),
    );
  });

  it('changes nothing the second time', () => {
    fc.assert(
      fc.property(anyText, count, (text, limit) => {
        const once = normalizeMarkers(text, limit);
        expect(normalizeMarkers(once, limit)).toBe(once);
      }),
    );
  });

  it('loses only markers, white space and the colon of a removed definition', () => {
    const letters = (text: string) =>
      text.replaceAll(/\[\^?\d[\d, –-]*\]|\[\[\d[\d, –-]*\]\]|【\d+(?:†source)?】|[\s:]/g, '');
    fc.assert(
      fc.property(prose, count, (text, limit) => {
        expect(letters(normalizeMarkers(text, limit))).toBe(letters(text));
      }),
    );
  });

  it.each([
    ['open brackets', '['.repeat(200_000)],
    ['half markers', '[1 '.repeat(100_000)],
    ['half links', '[a](http:'.repeat(50_000)],
    ['back quotes', '`` ` '.repeat(100_000)],
    ['fences', '```\n'.repeat(100_000)],
    ['deep nesting', `${'['.repeat(50_000)}${'9]'.repeat(50_000)}`],
    ['tildes', `See [x]. x ${'~'.repeat(100_000)}`],
    ['runs of back-quotes', `See [x]. x ${'`'.repeat(100_000)}`],
    ['lines', 'word. [2]\n'.repeat(100_000)],
    ['a list', `[${'1,'.repeat(100_000)}1]`],
  ])('takes time linear in a hostile text of %s', (_what, text) => {
    expect(normalizeMarkers(`${text} [1]`, 1).length).toBeLessThanOrEqual(text.length + 4);
  });
});

describe('renumberMarkers', () => {
  it('maps the provider’s numbers to positions', () => {
    const positions = new Map([
      ['7', 1],
      ['8', 2],
      ['0', 3],
    ]);
    expect(renumberMarkers('So [7][8, 9], [[0]] and [1].', positions)).toBe('So [1][2], [3] and.');
  });

  it('lets two numbers of one source meet in one marker', () => {
    const positions = new Map([
      ['1', 1],
      ['2', 1],
      ['3', 2],
    ]);
    expect(renumberMarkers('So [1][2][3] and [1-3].', positions)).toBe('So [1][2] and [1][2].');
  });

  it('removes a range of unknown numbers that would be read as one of ours', () => {
    const positions = new Map(['7', '8', '9'].map((number, index) => [number, index + 1]));
    expect(renumberMarkers('So [7-9], [1-3] and [0-9].', positions)).toBe('So [1][2][3], and [0-9].');
  });

  it('removes the markers of positions that have more than three digits', () => {
    const positions = new Map(Array.from({ length: 1_000 }, (_, index) => [String(index), index + 1]));
    expect(renumberMarkers('So [998] and [999].', positions)).toBe('So [999] and.');
  });

  it('removes all markers when nothing is known', () => {
    expect(renumberMarkers('So [1] [2].', new Map())).toBe('So.');
  });

  it('is normalizeMarkers when every number is its own position', () => {
    fc.assert(
      fc.property(anyText, count, (text, limit) => {
        const identity = new Map(Array.from({ length: limit }, (_, index) => [String(index + 1), index + 1]));
        expect(renumberMarkers(text, identity)).toBe(normalizeMarkers(text, limit));
      }),
    );
  });

  it('swaps numbers without mixing them up', () => {
    const swap = new Map([
      ['1', 2],
      ['2', 1],
    ]);
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('[1]' as const, '[2]' as const, 'word' as const), { maxLength: 20 }),
        (parts) => {
          const expected = parts.map((part) => ({ '[1]': '[2]', '[2]': '[1]', word: 'word' })[part]).join(' ');
          expect(renumberMarkers(parts.join(' '), swap)).toBe(expected);
        },
      ),
    );
  });
});

describe('stripMarkers', () => {
  it('removes the markers of the citations and leaves other brackets', () => {
    expect(stripMarkers('So [1][2] it is [3], in [2026] `a[1]` [7] [0, 1].', 3)).toBe(
      'So it is, in [2026] `a[1]` [7] [0, 1].',
    );
  });

  it('keeps a definition’s text', () => {
    expect(stripMarkers('So [1].\n\n[1]: https://e.org', 1)).toBe('So.\n\nhttps://e.org');
  });

  it('leaves no marker of a normalized text', () => {
    fc.assert(
      fc.property(
        prose.map((text) => text.replaceAll(/`[^`]*`|\[1\]\(.*?\)/g, '')),
        count,
        (text, limit) => {
          expect(numbersIn(stripMarkers(normalizeMarkers(text, limit), limit))).toEqual([]);
        },
      ),
    );
  });

  it('changes nothing the second time', () => {
    fc.assert(
      fc.property(anyText, count, (text, limit) => {
        const once = stripMarkers(text, limit);
        expect(stripMarkers(once, limit)).toBe(once);
      }),
    );
  });
});
