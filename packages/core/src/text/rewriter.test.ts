import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { positionWithin } from './marker-forms.js';
import { withMarkers } from './marker-writer.js';
import { type Mark, type MarkerForm, type RewriterOptions, rewrite, TextRewriter } from './rewriter.js';

const counted = (count: number, form: MarkerForm = {}) => ({
  ...form,
  positionOf: positionWithin(count),
  count: () => count,
});
const normalized = (text: string, count: number, form?: MarkerForm) => rewrite(text, counted(count, form)).text;
const numbered = (text: string, positions: ReadonlyMap<string, number>) =>
  rewrite(text, { positionOf: (id) => positions.get(id), count: () => 9 }).text;

/** The text when it comes character by character, with a mark. */
function typed(text: string, options: RewriterOptions, mark?: Mark): string {
  const rewriter = new TextRewriter({ ...options, mayGrow: () => true });
  let written = '';
  const push = (part: string, marks?: readonly Mark[]) => {
    rewriter.push(part, marks);
    written += rewriter.take().text;
  };
  for (let at = 0; at <= text.length; at += 1) {
    if (at === mark?.at) push('', [{ ...mark, at: 0 }]);
    push(text.charAt(at));
  }
  return written + rewriter.end().text;
}

const stripped = (text: string, count: number, form?: MarkerForm) =>
  withMarkers(rewrite(text, counted(count, form)), () => 0).text;

/** What a stream of these parts hands over, and the rest. */
function inParts(parts: readonly string[], count: number, form?: MarkerForm) {
  const rewriter = new TextRewriter({ ...counted(count, form), mayGrow: () => true });
  let text = '';
  const markers = [];
  for (const part of parts) {
    rewriter.push(part);
    const taken = rewriter.take();
    for (const { start, end, position } of taken.markers)
      markers.push({ start: start + text.length, end: end + text.length, position });
    text += taken.text;
  }
  const rest = rewriter.end();
  for (const { start, end, position } of rest.markers)
    markers.push({ start: start + text.length, end: end + text.length, position });
  return { handed: text, text: text + rest.text, markers };
}

const BLANKS = ' '.repeat(150);

const pieces = [
  ...`
  ~~~ ~ > # <code> </code> <pre> </pre> 1 2 9 0 12 [ ] [[ ]] [1] [2] [9] [1-3] [^1] 【 】 † 【1】 a word . : , ( )
  (https://e.org/a) ](/x) { 橋 🌉 "`
    .trim()
    .split(/\s+/),
  '`',
  '``',
  '```',
  '> ',
  '- ',
  '1. ',
  '    ',
  '\t',
  '# ',
  '[1, 2]',
  '\n',
  '\n\n',
  '\r\n',
  '\r',
  ' ',
  '\\',
  '\ue200',
  '\ue201',
  '\ue200cite\ue202turn0\ue201',
];
const hostile = fc.array(fc.constantFrom(...pieces), { maxLength: 40 });
/** Many of these texts are ordinary: `rewrite` finds their markers without a rewriter. */
const ordinary = fc.array(
  fc.constantFrom(...'[1] [2] [3] [0] [ ] ( { a . ) 橋'.split(' '), '[1, 2]', ' ', '  ', '\n', '- ', '> '),
  { maxLength: 9 },
);
/** The same text, parted in any places. */
const partedOf = (texts: fc.Arbitrary<string[]>) =>
  fc.tuple(texts, fc.array(fc.nat(60), { maxLength: 12 })).map(([parts, cuts]) => {
    const text = parts.join('');
    const places = [...new Set(cuts.filter((cut) => cut < text.length))].sort((a, b) => a - b);
    return [0, ...places].map((start, index) => text.slice(start, places[index] ?? text.length));
  });
const parted = partedOf(hostile);
const anyForm = fc.constantFrom<MarkerForm>({}, { isGlued: true }, { numbersAreWords: true });

describe('a rewritten text', () => {
  it.each([
    ['has the own form', 'In 2021 [1][2] it opened [3].', 'In 2021 [1][2] it opened [3].'],
    ['splits groups', 'So [1, 2] and [1;3].', 'So [1][2] and [1][3].'],
    ['expands ranges whose ends are known', 'So [1-3] or [2–3].', 'So [1][2][3] or [2][3].'],
    ['unwraps double brackets', 'So [[1]] and [[1, 2]].', 'So [1] and [1][2].'],
    ['replaces a double-bracketed link', 'So [[1]](https://e.org/a_(b)).', 'So [1].'],
    ['rewrites footnotes and their definitions', 'So [^1].\n[^1]: a note', 'So [1].\n[1]: a note'],
    ['rewrites wide brackets', 'So 【1】【2†source】.', 'So [1][2].'],
    ['says a repeated number of a run once', 'So [1][1][1, 2].', 'So [1][2].'],
    ['repeats a number behind a space', 'So [1] [1].', 'So [1] [1].'],
    ['ends with a backslash', 'So [1] \\', 'So [1] \\'],
    ['unwinds brackets of any depth', `So ${'['.repeat(20)}1${']'.repeat(20)}.`, 'So [1].'],
    ['takes a wide marker with all it holds', 'So 【1†a [2] `b` [c](/d)】.', 'So [1].'],
    ['leaves the brackets around several', 'So [[1][2]].', 'So [[1][2]].'],
    ['reads what follows escaped characters', 'So \\`[1]` and \\\\`[1]`.', 'So \\`[1]` and \\\\`[1]`.'],
  ])('%s', (_fact, text, expected) => {
    expect(normalized(text, 3)).toBe(expected);
  });

  it.each([
    ['numbers of no source', 'So [9], [0], [4], [99], [2026], [1234, 5] and [9][8].'],
    ['markers of other forms for no source', 'So [[9]], [^9], 【9】, 【9†source】, [[9]](https://e.org) and [9]: a.'],
    ['lists with a number of no source', 'So [2, 9], [1-9], [0-3], [3-1], [1-2-3] and [0, 1].'],
    ['an index in prose', 'So print(arr[0], arr[1], m[1][2], f(x)[1], d{}[2], a_[1], ä[1]).'],
    ['code spans', 'Use `list[1]` or ``a[1]`b`` here.'],
    ['code spans over two lines', 'Use `list\n[1]` here.'],
    ['fenced code', 'Try:\n```js\nlist[1] = [2];\n\n[1]\n```\ndone'],
    ['fenced code that never ends', 'Try:\n~~~\n[1]'],
    ['fenced code in an item of a list', '- Try:\n  ```\n  [1]\n\n  [1]\n  ```'],
    ['fenced code in an item of an item', '1. a\n   - b\n\n     ~~~ x\n     [1]\n     ~~~'],
    ['fenced code in a quote', '> Try:\n> ```\n> [1]\n> ```\n> done'],
    ['fenced code in an item in a quote', '> - Try:\n>   ```\n>   [1]\n>   ```'],
    ['fenced code behind a bullet', '- ```\n  [1]\n  ```'],
    ['four-space code', 'Try:\n\n    [1]\n\n    a [2]\n\ndone'],
    ['code behind a tab', 'Try:\n\n\t[1]'],
    ['four-space code in an item', '- a\n\n      [1]'],
    ['four-space code in a quote', '> a\n>\n>     [1]'],
    ['HTML code', 'Call <code>[1]</code> or <CODE class="x">[1]\n[2]</CODE> or <pre>[1]</pre>.'],
    ['an HTML block', 'Try:\n<pre>\n[1]\n\n[2]\n</pre>\ndone'],
    ['an HTML block that never ends', '<pre lang="a">\n\n[1]'],
    ['Markdown links', 'See [1](https://e.org/9), [1](</a b>), [a [1]](#top "x") and ![1](www.e.org/i.png).'],
    ['escaped brackets', 'So \\[1] it is, \\【1】 too.'],
    ['LaTeX arguments', 'So \\sqrt[3]{x}.'],
    ['brackets with words', 'So [sic] [1a] [ 1 ] [] [x] [1 2] [,1] [^^1] 【1 a】 【†1】.'],
    ['what never closes', 'So [1 and 【1 and `[ and <code>'],
  ])('leaves %s alone', (_what, text) => {
    for (const parts of [[text], text.split('')]) {
      const { text: written, markers } = inParts(parts, 3);
      expect(written).toBe(text);
      expect(withMarkers({ text: written, markers }, () => 0).text).toBe(text);
    }
  });

  it.each([
    ['a back-quote that nothing closes in its paragraph', 'So ` a [1].\n\n[2] ` b', 'So ` a.\n\n` b'],
    ['a back-quote in an item', '- So ` [1]\n- b ` [2]', '- So `\n- b `'],
    ['a row of back-quotes of another length', '`` ` [1] ```', '`` ` ```'],
    ['four spaces within a paragraph', 'So\n    [1] it is', 'So\n    it is'],
    ['an item that goes on', '1. a\n\n   [1] b', '1. a\n\n   b'],
    ['a tag that nothing closes', 'So <code> [1].\n\nAnd </code>', 'So <code>.\n\nAnd </code>'],
    ['a tag in a line', 'So <pre [1].', 'So <pre.'],
    ['tildes and back-quotes that are no fence', '``` a `b` [1]\n~~ [1]', '``` a `b`\n~~'],
    ['what follows a quote of code', '> ```\n> [1]\n[1] so', '> ```\n> [1]\nso'],
    ['what follows the end of a fence', '````\n[1]\n```\n`````\n[1] so', '````\n[1]\n```\n`````\nso'],
    ['a heading', '# So [1]\n\n    [1]', '# So\n\n    [1]'],
    ['a line of an index', 'word[1] [1]', 'word[1]'],
  ])('has markers in %s', (_what, text, expected) => {
    expect(stripped(text, 3)).toBe(expected);
  });

  it('has markers behind words if the provider writes them without a space, and behind letters of scripts without capitals', () => {
    expect(stripped('Paris[1][2], 2021[1], (a)[2] and arr[0].', 2, { isGlued: true })).toBe(
      'Paris, 2021, (a) and arr[0].',
    );
    expect(stripped('は2021年に開通した[1][2]。', 2)).toBe('は2021年に開通した。');
    expect(stripped('So.[1][2] And “so”[1], **so**[2].', 2)).toBe('So. And “so”, **so**.');
    expect(stripped('So[^1] and so【1】 and so[[1]](https://e.org).', 1)).toBe('So and so and so.');
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
    ['as the head of the only source', '[9]: https://b.org', 'https://b.org'],
    ['next to an artefact, as the head of a source', 'Sources\n[9]\ue200cite\ue201: a', 'Sources\na'],
    ['behind a backslash', 'So \\ [9].', 'So \\.'],
    ['behind much white space', `It${BLANKS}[9]${BLANKS}[8]${BLANKS}[9].`, 'It.'],
    ['at the start of a line, behind much', `It${BLANKS}\n${BLANKS}[9] is`, `It${BLANKS}\n${BLANKS}is`],
    ['before much', `[9] It${BLANKS}${BLANKS}${BLANKS}is`, `It${BLANKS}${BLANKS}${BLANKS}is`],
    ['between a bracket and a word', 'So [a]【9】b (c)', 'So [a]b (c)'],
    ['at the end', 'It opened [9]', 'It opened'],
    ['before a parenthesis that is no address', 'It opened [9](see below)', 'It opened (see below)'],
    ['in Chinese', '大桥于五月通车 [9]。', '大桥于五月通车。'],
    ['between back-quotes', 'So ``[9]` it is', 'So `` ` it is'],
    ['between tildes', 'So\n~~[9]~\n[8]', 'So\n~~ ~'],
    ['between a bracket and an address', 'So [a]【9】(https://e.org)', 'So [a] (https://e.org)'],
  ])('is tidied where a source that is no citation was cited: %s', (_where, text, expected) => {
    const positions = new Map([
      ['1', 1],
      ['8', 0],
      ['9', 0],
    ]);
    expect(numbered(text, positions)).toBe(expected);
    expect(typed(text, { positionOf: (id) => positions.get(id), count: () => 9 })).toBe(expected);
  });

  it.each('.,;:!?…)]}»”’。，、；：！？）」』】\n '.split(''))(
    'leaves no space of a removed marker before %j',
    (after) => {
      expect(stripped(`So \t[1]${after}x`, 3)).toBe(`So${after}x`);
    },
  );

  it.each('(https://e.org/(a)b) (HTTPS:x) (a1+-.b:c) (www.e.org) (WWW.e.org) (/a) (#a) (<https:a>)'.split(' '))(
    'leaves a link to %s alone',
    (address) => {
      expect(normalized(`So [1]${address} [1, 2]`, 3)).toBe(`So [1]${address} [1][2]`);
      expect(normalized(`So [a]${address} [1, 2]`, 3)).toBe(`So [a]${address} [1][2]`);
    },
  );

  it.each(['(1)', '(ww.a)', '(a b:)', '(.a:)', '()', '(<a)'])('does not read %j as an address', (words) => {
    expect(stripped(`So [1]${words}`, 3)).toBe(`So ${words}`);
  });

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
    expect(normalized(`So [[1]]${behind}.`, 3)).toBe(`So [1]${left}.`);
  });

  it.each([
    ['[1 , 2;2 – 3]', '[1][2][3]'],
    ['[1 , 2;3 – 1]', '[1 , 2;3 – 1]'],
    ['[^1, 2]', '[1][2]'],
    ['[1,]', '[1,]'],
    ['[1,,2]', '[1,,2]'],
    ['\\[^1, 2]', '\\[^1, 2]'],
    ['【1, 2】', '[1][2]'],
    ['【1†】', '[1]'],
    ['【1\n†a】', '【1\n†a】'],
    ['【【1】', '【[1]'],
    ['【1】】', '[1]】'],
    ['1†a】', '1†a】'],
    ['[[1]', '[[1]'],
    ['[1]]', '[1]]'],
    ['\\[[1, 2]]', '\\[[1][2]]'],
  ])('reads %s as %s', (text, expected) => {
    expect(normalized(`So ${text}`, 3)).toBe(`So ${expected}`);
  });

  it('has the numbers of the gateway', () => {
    const positions = new Map([
      ['7', 1],
      ['8', 2],
      ['0', 3],
    ]);
    expect(numbered('So [7][8, 7], [[0]] and [9].', positions)).toBe('So [1][2], [3] and \\[9].');
    // A reader would take it for one of the gateway.
    expect(numbered('So [1], [7][2], a[1] and [10].', positions)).toBe('So \\[1], [1]\\[2], a[1] and [10].');
    expect(
      numbered(
        'So [1][2][3] and [1-3].',
        new Map([
          ['1', 1],
          ['2', 1],
          ['3', 2],
        ]),
      ),
    ).toBe('So [1][2] and [1][2].');
    const many = new Map(Array.from({ length: 1_000 }, (_, index) => [String(index), index + 1]));
    expect(numbered('So [998] and [999].', many)).toBe('So [999] and.');
  });

  it('looks up to 2,000 characters ahead for the end of a token', () => {
    const list = (length: number) => `[${'1,'.repeat((length - 2) / 2)}22]`;
    expect(normalized(`So ${list(1_900)}`, 30)).toBe('So [1][22]');
    expect(normalized(`So ${list(2_102)}`, 30)).toBe(`So ${list(2_102)}`);
    const span = (length: number) => `\`${'a '.repeat(length / 2)}[1]\``;
    expect(stripped(span(1_900), 1)).toBe(span(1_900));
    expect(stripped(span(2_100), 1)).toBe(span(2_100).replace('[1]', ''));
  });

  it('writes only the first number of lists and ranges after 5,000 numbers', () => {
    const markers = normalized('a [1-999] '.repeat(7), 999)
      .split(' ')
      .filter((part) => part !== 'a' && part !== '');
    expect(markers.map((run) => run.split('][').length)).toEqual([999, 999, 999, 999, 999, 11, 1]);
  });

  it('is written again with other numbers, without markers of no number', () => {
    const other = (position: number) => [2, 0, 1][position - 1] ?? 0;
    expect(withMarkers(rewrite('So [1] [2] [3].', counted(3)), other).text).toBe('So [2] [1].');
    expect(withMarkers({ text: 'So \\', markers: [] }, other).text).toBe('So \\');
  });

  it('stops scanning after 20,000 lines, brackets and similar characters', () => {
    // The beginning of the line is the first.
    expect(stripped(`${'[a] '.repeat(19_999)}[1]`, 1)).toBe(`${'[a] '.repeat(19_999)}[1]`);
    expect(stripped(`${'[a] '.repeat(19_998)}[1]`, 1)).toBe('[a] '.repeat(19_998).trimEnd());
    expect(rewrite('[1] '.repeat(20_001), counted(1)).markers).toHaveLength(19_999);
  });

  it('has no artefacts of models, nor two spaces in their place', () => {
    const artefact = '\ue200cite\ue202turn0search1\ue201';
    expect(normalized(`${artefact} So ${artefact} it ${artefact}, is ${artefact}${artefact}.\n${artefact}`, 0)).toBe(
      'So it, is.',
    );
    // The text around is read as if there were no artefact.
    expect(normalized(`${artefact}: a\n${artefact}: b \`${artefact}\`c\``, 0)).toBe(': a\n: b ``c`');
    expect(normalized(`So\ue200${'x'.repeat(999)}\ue201`, 0)).toBe('So');
    expect(normalized(`So \ue200 and \ue200${'x'.repeat(1_000)}\ue201 \ue201`, 0)).toContain('x'.repeat(1_000));
  });
});

describe('a text that comes in parts', () => {
  it.each([
    ['any', parted],
    ['an ordinary', partedOf(ordinary)],
  ])('is the same as in a single part, for %s text and any division', (_kind, texts) => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 0, max: 3 }), anyForm, (parts, count, form) => {
        const whole = rewrite(parts.join(''), counted(count, form));
        const { text, markers } = inParts(parts, count, form);
        expect({ text, markers }).toEqual(whole);
      }),
      { numRuns: 3_000 },
    );
  });

  it('passes unchanged without markers', () => {
    const without = hostile
      .map((parts) => parts.join('').replaceAll(/[\ue200-\ue201]/g, ''))
      .filter((text) => text === text.trim());
    fc.assert(
      fc.property(without, fc.array(fc.nat(60)), anyForm, (text, cuts, form) => {
        const places = [...new Set(cuts)].sort((a, b) => a - b);
        const parts = [0, ...places].map((start, index) => text.slice(start, places[index] ?? text.length));
        expect(inParts(parts, 0, form).text).toBe(text);
        // No source is known yet, and numbers are positions.
        const rewriter = new TextRewriter({ ...counted(0, form), mayGrow: () => 'counted' });
        rewriter.push(text);
        expect(text.startsWith(rewriter.take().text)).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  it('points only to citations', () => {
    fc.assert(
      fc.property(hostile, fc.integer({ min: 0, max: 3 }), fc.boolean(), (parts, count, isGlued) => {
        const once = rewrite(parts.join(''), counted(count, { isGlued }));
        for (const { start, end, position } of once.markers) {
          expect(once.text.slice(start, end)).toBe(`[${position}]`);
          expect(position).toBeLessThanOrEqual(count);
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it('comes at once, except text whose meaning may change', () => {
    const rewriter = new TextRewriter({ ...counted(2), mayGrow: () => true });
    const steps = [
      ['It is', 'It is'],
      [' [', ''],
      ['1', ''],
      [']', ''],
      ['.', ' [1].'],
      [' Use `x', ' Use'],
      ['[1]` ', ' `x[1]`'],
      ['or\n', ' or'],
      ['```js\nlist', '\n```js\nlist'],
      ['[1]\n``', '[1]'],
      ['`\nso', '\n```\nso'],
    ];
    for (const [part = '', expected] of steps) {
      rewriter.push(part);
      expect(rewriter.take().text).toBe(expected);
    }
  });

  it('passes a number of a source that may follow, if numbers are positions', () => {
    let count = 1;
    const rewriter = new TextRewriter({
      positionOf: (id) => positionWithin(count)(id),
      count: () => count,
      mayGrow: () => 'counted',
    });
    rewriter.push('So [1], [2], [99], [0] and');
    expect(rewriter.take()).toEqual({
      text: 'So [1], [2], [99], [0] and',
      markers: [
        { start: 3, end: 6, position: 1 },
        { start: 8, end: 11, position: 2 },
        { start: 13, end: 17, position: 99 },
      ],
    });
    // What it would be depends on whether there is such a source.
    rewriter.push(' [[2]] so');
    expect(rewriter.take().text).toBe('');
    count = 2;
    expect(rewriter.take().text).toBe(' [2] so');
    rewriter.push(' [3][3] so');
    expect(rewriter.take().text).toBe(' [3]');
  });

  it('waits for the source of a number, but not forever', () => {
    const positions = new Map([['7', 1]]);
    const rewriter = new TextRewriter({
      positionOf: (id) => positions.get(id),
      count: () => positions.size,
      mayGrow: () => true,
    });
    rewriter.push('So [7] and [8] or');
    expect(rewriter.take().text).toBe('So [1] and');
    positions.set('8', 2);
    expect(rewriter.take().text).toBe(' [2] or');
    rewriter.push(` [9] ${'x '.repeat(60_000)}`);
    positions.set('9', 3);
    rewriter.push('so');
    expect(rewriter.take().text).toBe('');
  });

  it.each([
    ['open brackets', '['.repeat(200_000)],
    ['half markers', '[1 '.repeat(100_000)],
    ['half links', '[a](http:'.repeat(50_000)],
    ['back quotes', '`` ` '.repeat(100_000)],
    ['fences', '```\n'.repeat(100_000)],
    ['tags', '<code>'.repeat(100_000)],
    ['quotes', '> '.repeat(100_000)],
    ['items', '- '.repeat(100_000)],
    ['back quotes and a long row', `${'` '.repeat(50_000)}${'`'.repeat(100_000)}`],
    ['lines', 'word. [2]\n'.repeat(100_000)],
    ['a list', `[${'1,'.repeat(100_000)}1]`],
    ['artefacts', '\ue200'.repeat(100_000)],
  ])('takes time linear in a hostile text of %s', (_what, text) => {
    expect(normalized(`${text} [1]`, 1).length).toBeLessThanOrEqual(text.length + 4);
  });
});

describe('an annotated text', () => {
  const WORDS = { ...counted(3), numbersAreWords: true };
  const cite = (text: string, at: number, more: Partial<Mark> = {}) =>
    rewrite(text, WORDS, [{ at, ids: [1], ...more }]).text;

  it.each([
    ['a word', 'It is.', 5, 'It is[1].'],
    ['white space', 'It is.\n\n- So', 8, 'It is.[1]\n\n- So'],
    ['only white space', '\n It is', 2, 'It is'],
    ['a code span', 'Call `f(x)` so.', 8, 'Call `f(x)`[1] so.'],
    ['a link', 'See [it](https://a.example/b) so.', 20, 'See [it](https://a.example/b)[1] so.'],
    ['fenced code', 'Do:\n```\nf(x)\n```\nso.', 10, 'Do:\n```\nf(x)\n```\n[1]\nso.'],
    ['fenced code that never ends', 'Do:\n```\nf(x)', 10, 'Do:\n```\nf(x)'],
    ['fenced code that another fence does not end', 'Do:\n```\nf(x)\n~~~', 10, 'Do:\n```\nf(x)\n~~~'],
    ['a row of back-quotes', 'So `` it is', 4, 'So ``[1] it is'],
    ['a backslash', 'So \\[1]', 4, 'So[1] \\[1]'],
    ['what follows fenced code', 'Do:\n~~~\nf(x)\n~~~\n\nso.', 18, 'Do:\n~~~\nf(x)\n~~~\n[1]\n\nso.'],
    ['an open bracket', 'So [] it', 4, 'So [ [1]] it'],
    ['a closed bracket', 'So [a] it', 6, 'So [a][1] it'],
    ['an address in parentheses', 'So(https://a.example/)', 2, 'So[1] (https://a.example/)'],
    ['a brace', 'So{x}', 2, 'So[1] {x}'],
    ['an argument of LaTeX', 'So \\sqrt[3]{x}', 11, 'So \\sqrt[3]{x}'],
    ['several backslashes and spaces', 'So \\ \\\\x', 7, 'So[1] \\ \\\\x'],
    ['the end', 'It is.  ', 8, 'It is.[1]'],
  ])('has a marker that is read as one next to %s', (_what, text, at, expected) => {
    expect(cite(text, at)).toBe(expected);
    expect(typed(text, WORDS, { at, ids: [1] })).toBe(expected);
  });

  it.each([
    ['before the marker', 'It is[^2].', 5, [1], 'It is[1][2].'],
    ['behind the marker, once', 'It is [1].', 9, [1, 2], 'It is [1][2].'],
    ['nowhere if the marker has them all', 'It is [1](so)', 9, [1], 'It is [1](so)'],
  ])('has the positions of a mark %s', (_where, text, at, ids, expected) => {
    expect(rewrite(text, counted(3), [{ at, ids }]).text).toBe(expected);
  });

  it('writes the positions of a place once, and drops positions of no source', () => {
    const marks = [[1, 2], [2, 3], [1]].map((ids) => ({ at: 5, ids }));
    expect(rewrite('It is.', WORDS, marks).text).toBe('It is[1][2][3].');
    expect(rewrite('It is.', WORDS, [{ at: 5, ids: [0, 9, 1_000] }]).text).toBe('It is.');
  });

  it('escapes numbers that are words but would be read as markers', () => {
    expect(cite('In a[1] or [2] or [[1]], not `a[1]` or \\[1] or [9] or [2026]. So', 66)).toBe(
      'In a[1] or \\[2] or [[1]], not `a[1]` or \\[1] or [9] or [2026]. So[1]',
    );
  });

  it('has a marker in place of a removed part', () => {
    expect(cite('So  it is', 3, { isReplacement: true })).toBe('So [1] it is');
    expect(cite('So  it is', 3, { isReplacement: true, ids: [9] })).toBe('So it is');
    expect(cite('So `x()`.', 5, { isReplacement: true })).toBe('So `x()`[1].');
  });

  it('is the same with marks that come with the text, for any division', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(parted, fc.integer({ min: 1, max: 4 }), fc.boolean()), { maxLength: 6 }),
        (cited) => {
          const marks: Mark[] = [];
          let text = '';
          for (const [parts, id, isReplacement] of cited) {
            text += parts.join('');
            marks.push({ at: text.length, ids: [id], isReplacement });
          }
          const whole = rewrite(text, WORDS, marks);
          const rewriter = new TextRewriter({ ...WORDS, mayGrow: () => true });
          let streamed = '';
          for (const [parts, id, isReplacement] of cited) {
            for (const part of parts) {
              rewriter.push(part);
              streamed += rewriter.take().text;
            }
            rewriter.push('', [{ at: 0, ids: [id], isReplacement }]);
            streamed += rewriter.take().text;
          }
          expect(streamed + rewriter.end().text).toBe(whole.text);
        },
      ),
      { numRuns: 2_000 },
    );
  });
});
