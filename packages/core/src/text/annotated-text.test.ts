import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { writtenText } from '../../test/written-text.js';
import { type Annotation, annotate, joinCited as joined } from './annotated-text.js';
import { ownMarkers } from './own-markers.js';
import type { OffsetUnit } from './text-offsets.js';

const insertMarkers = (text: string, annotations: readonly Annotation[], unit: OffsetUnit) =>
  writtenText(annotate({ text }, annotations, unit));
const joinCited = (...given: Parameters<typeof joined>) => writtenText(joined(...given));

const behind = (text: string, part: string) => text.indexOf(part) + part.length;

describe('insertMarkers', () => {
  const text = 'Baikal is the deepest lake. It is 1,642 m deep.';

  it('puts markers behind their parts, in any order of annotations', () => {
    const annotations = [
      { endIndex: behind(text, '1,642 m'), positions: [2, 1] },
      { endIndex: behind(text, 'lake.'), positions: [1] },
    ];
    expect(insertMarkers(text, annotations, 'utf16')).toBe('Baikal is the deepest lake.[1] It is 1,642 m[2][1] deep.');
  });

  it('accepts any order of annotations, also next to a row of back-quotes', () => {
    const annotations = [
      { endIndex: 6, positions: [2] },
      { endIndex: 2, positions: [1] },
    ];
    expect(insertMarkers('So ```` it', annotations, 'utf16')).toBe('So[1] ````[2] it');
  });

  it('replaces a marker of another form', () => {
    const linked = 'It is 1,642 m deep. ([a.example](https://a.example/))';
    const annotation = { replaceFrom: 20, endIndex: linked.length, positions: [1] };
    expect(insertMarkers(linked, [annotation], 'utf16')).toBe('It is 1,642 m deep. [1]');
  });

  it('removes a marker without positions', () => {
    const odd = 'It is deep\ue200cite\ue202turn0\ue201.';
    expect(insertMarkers(odd, [{ replaceFrom: 10, endIndex: odd.length - 1, positions: [] }], 'utf16')).toBe(
      'It is deep.',
    );
  });

  it.each<[OffsetUnit, number]>([
    ['utf16', 4],
    ['utf8', 8],
  ])('counts in %s', (unit, endIndex) => {
    expect(insertMarkers('🌉橋\u0301 it is', [{ endIndex, positions: [1] }], unit)).toBe('🌉橋\u0301[1] it is');
  });

  it.each<[OffsetUnit, number[]]>([
    ['utf16', [1]],
    ['utf8', [1, 2, 3]],
  ])('never parts a character when counting in %s', (unit, offsets) => {
    for (const endIndex of offsets) expect(insertMarkers('🌉!', [{ endIndex, positions: [1] }], unit)).toBe('🌉[1]!');
  });

  it.each([
    ['beyond the text at its end', 99, 'It is.[1]'],
    ['nowhere when at zero', 0, 'It is.'],
    ['nowhere when negative', -3, 'It is.'],
    ['nowhere when no whole number', 1.5, 'It is.'],
    ['nowhere when no number', Number.NaN, 'It is.'],
  ])('puts a marker %s', (_where, endIndex, expected) => {
    expect(insertMarkers('It is.', [{ endIndex, positions: [1] }], 'utf16')).toBe(expected);
  });

  it.each([[9], [-1], [2.5], [Number.NaN]])('only inserts if the marker to replace begins at %s', (replaceFrom) => {
    expect(insertMarkers('It is.', [{ replaceFrom, endIndex: 2, positions: [1] }], 'utf16')).toBe('It[1] is.');
  });

  it('writes the positions of a place once', () => {
    const annotations = [[1, 2], [2, 3], [1]].map((positions) => ({ endIndex: 5, positions }));
    expect(insertMarkers('It is.', annotations, 'utf16')).toBe('It is[1][2][3].');
  });

  it('merges overlapping parts', () => {
    const annotations = [
      { replaceFrom: 6, endIndex: 10, positions: [1] },
      { replaceFrom: 9, endIndex: 14, positions: [2] },
      { endIndex: 12, positions: [3] },
    ];
    expect(insertMarkers('It is ((1)(2)).', annotations, 'utf16')).toBe('It is [1][2][3].');
  });

  it('merges adjacent parts', () => {
    const annotations = [
      { replaceFrom: 9, endIndex: 12, positions: [2] },
      { replaceFrom: 6, endIndex: 9, positions: [1] },
    ];
    expect(insertMarkers('It is (1)(2).', annotations, 'utf16')).toBe('It is [1][2].');
  });

  it('puts all markers behind the same fenced code on a separate line', () => {
    const annotations = [5, 6, 14].map((endIndex, index) => ({ endIndex, positions: [index + 1] }));
    expect(insertMarkers('```\nf(x)\n```\n', annotations, 'utf16')).toBe('```\nf(x)\n```\n[1][2][3]');
  });

  it('puts markers behind fenced code on a separate line, also next to a replaced part', () => {
    const fenced = '```\nf(x)\n```';
    const annotations = [
      { endIndex: 6, positions: [1] },
      { replaceFrom: fenced.length + 1, endIndex: fenced.length + 4, positions: [2] },
    ];
    expect(insertMarkers(`${fenced}\n«2» so`, annotations, 'utf16')).toBe(`${fenced}\n[1]\n[2] so`);
  });

  it.each(['So [', 'So \\', 'So', '```\nf(x)\n```'])('does not change %j without positions', (given) => {
    for (const positions of [[], [0]])
      expect(insertMarkers(given, [{ endIndex: given.length, positions }], 'utf16')).toBe(given);
  });

  it('escapes the brackets of numbers and no adjacent brackets', () => {
    expect(insertMarkers('[1][x] [2]【x', [], 'utf16')).toBe('\\[1][x] \\[2]【x');
  });

  it('keeps backslashes before the escaped characters', () => {
    const replaced = (given: string, replaceFrom: number, endIndex: number) =>
      insertMarkers(given, [{ replaceFrom, endIndex, positions: [1] }], 'utf16');
    expect(replaced('So «1»\\[2].', 3, 7)).toBe('So [1]\\[2].');
    expect(replaced('So \\[2].', 3, 4)).toBe('So [1]\\[2].');
    expect(replaced('So \\«1».', 4, 7)).toBe('So \\ [1].');
  });

  it('drops positions of no source', () => {
    expect(insertMarkers('It is.', [{ endIndex: 5, positions: [0, -1, 1.5, Number.NaN, 2] }], 'utf16')).toBe(
      'It is[2].',
    );
  });

  it.each([
    ['white space', 'It is.\n\n- So', 8, 'It is.[1]\n\n- So'],
    ['only white space', '\n It is', 2, 'It is'],
    ['a code span', 'Call `f(x)` so.', 8, 'Call `f(x)`[1] so.'],
    ['a link', 'See [it](https://a.example/b) so.', 20, 'See [it](https://a.example/b)[1] so.'],
    ['fenced code', 'Do:\n```\nf(x)\n```\nso.', 10, 'Do:\n```\nf(x)\n```\n[1]\nso.'],
    ['fenced code that never ends', 'Do:\n```\nf(x)', 10, 'Do:\n```\nf(x)'],
    ['fenced code that another fence does not end', 'Do:\n```\nf(x)\n~~~', 10, 'Do:\n```\nf(x)\n~~~'],
    ['fenced code that a shorter fence does not end', 'Do:\n````\nf\n```', 10, 'Do:\n````\nf\n```'],
    ['a row of back-quotes', 'So `` it is', 4, 'So ``[1] it is'],
    ['a backslash', 'So \\[1]', 4, 'So[1] \\[1]'],
    ['what follows fenced code', 'Do:\n~~~\nf(x)\n~~~\n\nso.', 18, 'Do:\n~~~\nf(x)\n~~~\n[1]\n\nso.'],
    ['an open bracket', 'So [] it', 4, 'So [ [1]] it'],
    ['an address in parentheses', 'So(https://a.example/)', 2, 'So[1] (https://a.example/)'],
    ['a brace', 'So{x}', 2, 'So[1] {x}'],
    ['an argument of LaTeX', 'So \\sqrt[3]{x}', 11, 'So \\sqrt[3]{x}'],
    ['fenced code of tildes', '~~~\nf(x)\n ~~~\nso.', 6, '~~~\nf(x)\n ~~~\n [1]\nso.'],
    ['a fence that is closed with words before it', 'Do:\n```\nf(x) ```', 10, 'Do:\n```\nf(x) ```'],
    ['a row of both', 'So `~~ it is', 4, 'So `[1]~~ it is'],
    ['several backslashes and spaces', 'So \\ \\\\x', 7, 'So[1] \\ \\\\x'],
  ])('finds a place where a marker is read next to %s', (_what, given, endIndex, expected) => {
    expect(insertMarkers(given, [{ endIndex, positions: [1] }], 'utf16')).toBe(expected);
  });

  it('replaces a part with a whole link, but no part that cuts a link', () => {
    const linked = 'So ([it](https://a.example/)).';
    const whole = { replaceFrom: 3, endIndex: linked.length - 1, positions: [1] };
    expect(insertMarkers(linked, [whole], 'utf16')).toBe('So [1].');
    expect(insertMarkers(linked, [{ ...whole, endIndex: 12 }], 'utf16')).toBe('So ([it](https://a.example/)[1]).');
    expect(insertMarkers(linked, [{ ...whole, replaceFrom: 12 }], 'utf16')).toBe('So ([it](https://a.example/))[1].');
  });

  it('keeps a bracketed number escaped whose backslash is before a replaced part', () => {
    const annotation = { replaceFrom: 4, endIndex: 7, positions: [1] };
    expect(insertMarkers('So \\«1»[9]', [annotation], 'utf16')).toBe('So \\ [1]\\[9]');
  });

  it('removes a marker of another form from code', () => {
    const annotation = { replaceFrom: 5, endIndex: 8, positions: [1] };
    expect(insertMarkers('So `x«1»()`.', [annotation], 'utf16')).toBe('So `x()`[1].');
    expect(insertMarkers('```\nx«1»\n```', [annotation], 'utf16')).toBe('```\nx\n```\n[1]');
  });

  it('escapes bracketed numbers, which are words here', () => {
    const given = 'In a[1] or [2, 3] or 【1】 or [[1]], not `a[1]` or \\[1] or [2026]. So';
    const marked = insertMarkers(given, [{ endIndex: given.length, positions: [1] }], 'utf16');
    expect(marked).toBe('In a[1] or [2, 3] or 【1】 or [[1]], not `a[1]` or \\[1] or [2026]. So[1]');
  });

  const plainPieces = 'word| |    |\t|> |- |2. |# |---|<pre>|🌉|橋|\u0301|.|\n|\\|`|```\n|~~~|[|]|(|)|{|!|-'.split('|');
  const markerPieces = '[1] [[2]] 【1†a】 【 】 [^1] [x](https://a.example/) (https://b.example) [9'.split(' ');
  const pieces = fc.constantFrom(...plainPieces, ...markerPieces, '\ud800');
  const anyText = fc.array(pieces, { maxLength: 25 }).map((parts) => parts.join(''));
  const unit = fc.constantFrom<OffsetUnit>('utf16', 'utf8');
  const offset = fc.integer({ min: -2, max: 60 });
  const positions = fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 3 });
  const insertion: fc.Arbitrary<Annotation> = fc.record({ endIndex: offset, positions });

  /** What is left without markers and without what may be put next to them. */
  const bare = (marked: string) => marked.replaceAll(/\[[1-5]\]/g, '').replaceAll(/[\s\\>]/g, '');

  it('keeps the whole text if it only inserts', () => {
    fc.assert(
      fc.property(anyText, fc.array(insertion, { maxLength: 5 }), unit, (given, annotations, counted) => {
        const before = given.replaceAll('【', '[').replaceAll('】', ']');
        const after = insertMarkers(given, annotations, counted).replaceAll('【', '[').replaceAll('】', ']');
        expect(bare(bare(after))).toBe(bare(bare(before)));
      }),
      { numRuns: 300 },
    );
  });

  it('keeps all text outside of replaced parts', () => {
    fc.assert(
      fc.property(anyText, anyText, fc.array(insertion, { maxLength: 3 }), (head, tail, others) => {
        const marker = '\ue200cite\ue201';
        const start = head.length;
        const annotations = [...others, { replaceFrom: start, endIndex: start + marker.length, positions: [1] }];
        const marked = insertMarkers(head + marker + tail, annotations, 'utf16');
        const plain = (written: string) => bare(bare(written.replaceAll('【', '[').replaceAll('】', ']')));
        expect(plain(marked)).toBe(plain(head + tail));
      }),
      { numRuns: 300 },
    );
  });

  it('writes only markers that are read as markers, for any text', () => {
    fc.assert(
      fc.property(anyText, anyText, fc.array(insertion, { maxLength: 4 }), unit, (head, tail, others, counted) => {
        const marker = '\ue200cite\ue201';
        const start = head.length;
        const replacement = { replaceFrom: start, endIndex: start + marker.length, positions: [1] };
        const marked = [
          insertMarkers(head + tail, others, counted),
          insertMarkers(head + marker + tail, [...others, replacement], 'utf16'),
        ];
        for (const written of marked) {
          expect(ownMarkers(written, 999, false).every(({ position }) => position <= 5)).toBe(true);
          expect(/\p{Cs}/u.test(written) && !/\p{Cs}/u.test(head + tail)).toBe(false);
        }
      }),
      {
        numRuns: 300,
        examples: [
          ['', '~~~[2]', [], 'utf16'],
          ['', '\t[9]', [], 'utf16'],
        ],
      },
    );
  });

  const FENCES = ['```', '````', '~~~', '~~~~'];
  const places = ['', 'So\n', 'So\n\n', '> ', '- ', '1. ', '- So\n  ', '---\n'].flatMap((before) =>
    ['', ' ', '   '].flatMap((indent) => FENCES.map((fence) => [before, indent, `${fence}[2]`])),
  );
  const blocks = [
    '    [2]',
    '\t[2]',
    '<pre>[2]',
    '> ~~~\n> [2]',
    '- ~~~\n  [2]',
    '---\n    [2]',
    '#\n    [2]',
    '\n    [2]',
  ];

  it.each([...places, ...blocks.map((block) => ['So\n\n', '', block])])(
    'keeps code behind a replaced part: %j %j %j',
    (before, indent, block) => {
      for (const at of [before.length, before.length + indent.length]) {
        const given = before + indent + block;
        const replaced = { replaceFrom: at, endIndex: at + 3, positions: [1] };
        const written = insertMarkers(`${given.slice(0, at)}«1»${given.slice(at)}`, [replaced], 'utf16');
        expect(ownMarkers(written, 999, false).some(({ position }) => position === 2)).toBe(false);
        expect(written).toContain(block);
        expect(written.includes('[1]') || !before.startsWith('So')).toBe(true);
      }
    },
  );

  it.each([
    ['code behind fenced code', '~~~\nf\n~~~\n    [2]', 5, '~~~\nf\n~~~\n[1]\n\n    [2]'],
    ['fenced code in an item', '- ~~~\n  f\n  ~~~\n\n    So [2]', 9, '- ~~~\n  f\n  ~~~\n  [1]\n\n    So \\[2]'],
    ['a quote without words', '>\n    [2]', 2, '>\n> [1]\n\n    [2]'],
    ['an item without words', '2.\n\n    So', 5, '2.\n   [1]\n\n    So'],
  ])('separates a marker from %s', (_what, given, endIndex, expected) => {
    expect(writtenText(annotate({ text: given }, [{ endIndex, positions: [1] }], 'utf16'), 2)).toBe(expected);
  });

  it('defines no link', () => {
    expect(insertMarkers('So\n«1»: it', [{ replaceFrom: 3, endIndex: 6, positions: [1] }], 'utf16')).toBe(
      'So\n[1] : it',
    );
  });

  it.each([
    ['ends a code span', '`` `X`[1] ``', '`` ``[2]\\[1] ``'],
    ['ends fenced code', '```\n``X`\n[1]', '```\n```\n\\[1]'],
    ['begins fenced code', 'X```\n[1]\n```\n[1]', '```\n[1]\n```\n\\[1]'],
    ['makes a marker', 'In [X1].', 'In \\[1].'],
  ])('reads a text without what is taken out, where that %s', (_what, given, expected) => {
    const at = given.indexOf('X');
    const removed = { replaceFrom: at, endIndex: at + 1, positions: given.startsWith('`` ') ? [2] : [] };
    expect(insertMarkers(given, [removed], 'utf16')).toBe(expected);
  });

  it('changes nothing the second time without annotations', () => {
    fc.assert(
      fc.property(anyText, (given) => {
        const once = insertMarkers(given, [], 'utf16');
        expect(insertMarkers(once, [], 'utf16')).toBe(once);
      }),
    );
  });

  it('takes time linear in the text and the annotations', () => {
    const long = '`a` [1] '.repeat(5_000);
    const annotations = Array.from({ length: 5_000 }, (_, index) => ({ endIndex: 8 * index + 2, positions: [1] }));
    expect(insertMarkers(long, annotations, 'utf8')).toBe('`a`[1] \\[1] '.repeat(5_000).trimEnd());
  });

  it('uses the first 5,000 annotations', () => {
    const long = 'a '.repeat(6_000);
    const annotations = Array.from({ length: 6_000 }, (_, index) => ({ endIndex: 2 * index + 1, positions: [1] }));
    expect(insertMarkers(long, annotations, 'utf16')).toBe(`${'a[1] '.repeat(5_000)}${'a '.repeat(1_000)}`.trimEnd());
  });

  it('writes no position of more than three digits', () => {
    expect(insertMarkers('It is.', [{ endIndex: 5, positions: [1_000, 999] }], 'utf16')).toBe('It is[999].');
  });
});

describe('joinCited', () => {
  it('puts the markers of a piece before the next piece', () => {
    const pieces = [
      { text: 'Baikal is ', positions: [] },
      { text: '1,642 m deep', positions: [2, 1] },
      { text: '.\n', positions: [] },
      { text: 'It is old.\n\n', positions: [1] },
    ];
    expect(joinCited(pieces)).toBe('Baikal is 1,642 m deep[2][1].\nIt is old.[1]');
  });

  it('counts only pieces with sources, of which 5,000 get markers', () => {
    const pieces = [
      ...Array.from({ length: 5_001 }, () => ({ text: 'a ', positions: [] })),
      ...Array.from({ length: 5_001 }, () => ({ text: 'b ', positions: [1] })),
    ];
    expect(joinCited(pieces)).toBe(`${'a '.repeat(5_001)}${'b[1] '.repeat(5_000)}b`);
  });
});
