import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CheckedText } from '../src/checked-text.js';
import { holds, statementOf } from '../src/facts.js';
import { withoutForeignLinks } from '../src/links.js';
import { passagesOf } from '../src/passages.js';
import { sentenceEnd } from '../src/sentences.js';

/** The sentences of a text that comes in pieces. */
function sentencesOf(pieces: readonly string[]): string[] {
  const found: string[] = [];
  let rest = '';
  let from = 0;
  const take = (isWhole: boolean) => {
    for (;;) {
      const { isEnd, at } = sentenceEnd(rest, from, isWhole);
      from = isEnd ? 0 : at;
      if (!isEnd) return;
      found.push(rest.slice(0, at));
      rest = rest.slice(at);
    }
  };
  for (const piece of pieces) {
    rest += piece;
    take(false);
  }
  take(true);
  return found;
}

const piecesOf = (text: string, cuts: readonly number[]) => {
  const places = [0, ...cuts.map((cut) => cut % (text.length + 1)).toSorted((a, b) => a - b), text.length];
  return places.slice(1).map((to, index) => text.slice(places[index], to));
};
const cutsOf = fc.array(fc.nat(2_000), { maxLength: 30 });

describe('sentences', () => {
  it.each([
    ['It opened in 2021. It is long! Is it? Yes.', 4],
    ['It costs 3.5 million. Fine.', 2],
    ['Dr. Cole and J. Smith, e.g. of Acme Inc. in St. Ives, agree. Fine.', 2],
    ['Am 14. Mai 2021 wurde sie eröffnet. Gut.', 2],
    ['See https://a.example/x.y?z=1. Then go.', 2],
    ['It is (see Fig. 3. It helps) long. Fine.', 2],
    ['He said "It is long." Then he left.', 2],
    ['一座桥。它很长！真的吗？是的。', 4],
    ['पुल लंबा है। यह नया है।', 2],
    ['هل هو طويل؟ نعم.', 2],
    ['1. First point\n2. Second point\n\n- Third', 3],
    ['Use **bold.** Next one.', 2],
    ['It is long.\u{f0001}It is new.\u{f0002}', 2],
    ['Wait... what? he asked. Fine…', 2],
  ])('%s', (text, count) => {
    expect(sentencesOf([text]).filter((each) => /\p{L}/u.test(each))).toHaveLength(count);
  });

  const piece = fc.constantFrom(
    '. ',
    '.',
    '! ',
    '。',
    '\n',
    '```\n',
    '`',
    '[',
    ']',
    '(',
    ')',
    ' ',
    'a',
    'B',
    '3',
    '한',
    'Mr',
    ' "',
    '?" ',
    '\u0301',
    '😀',
  );
  it('are the same however the text is cut, and lose nothing', () => {
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 60 }).map((all) => all.join('')),
        cutsOf,
        (text, cuts) => {
          const whole = sentencesOf([text]);
          expect(whole.join('')).toBe(text);
          expect(sentencesOf(piecesOf(text, cuts))).toEqual(whole);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('have a bounded length', () => {
    for (const text of [
      'aa '.repeat(3_000),
      '字'.repeat(5_000),
      `a${'😀'.repeat(3_000)}`,
      '.'.repeat(5_000),
      '['.repeat(5_000),
    ]) {
      const found = sentencesOf([text]);
      expect(found.join('')).toBe(text);
      expect(found.join('|')).not.toMatch(/\p{Cs}|a\|a/u);
      expect(sentenceEnd(text, 0, false).isEnd).toBe(true);
      expect(Math.max(...found.map(({ length }) => length))).toBeLessThanOrEqual(1_600);
    }
  });

  it('are found in linear time where each character comes alone: in that of a square, this would take minutes', () => {
    for (const unit of ['a. b', '.', ' ', '".', 'Mr. ', '\uf8ff']) {
      const text = unit.repeat(200_000 / unit.length);
      expect(sentencesOf(Array.from(text)).join('')).toBe(text);
    }
  });
});

const SOURCES = [
  {
    url: 'https://a.example/',
    title: 'Bridge',
    passages: ['The bridge opened on 14 May 2021.', 'It cost 412 million euros.'],
  },
  { url: 'https://b.example/', title: 'Design', passages: ['Harlan Cole designed the bridge.'] },
];

/** Checks pieces in which `{n}` is a marker. */
function checked(pieces: readonly string[], options: Partial<ConstructorParameters<typeof CheckedText>[0]> = {}) {
  let live = '';
  const lists: number[] = [];
  const text = new CheckedText({
    sources: SOURCES,
    check: 'words',
    onUnsupported: 'strip',
    live: { citations: ({ length }) => void lists.push(length), text: (part) => void (live += part) },
    ...options,
  });
  for (const piece of pieces) {
    const markers: { start: number; end: number; position: number }[] = [];
    const written = piece.replaceAll(/\{(\d)\}/g, '[$1]');
    for (const { index, 1: position } of piece.matchAll(/\{(\d)\}/g))
      markers.push({ start: index, end: index + 3, position: Number(position) });
    text.push(written, markers);
  }
  text.end({ text: pieces.join('').replaceAll(/[{}]/g, ' ') });
  return { live, lists, ...text.written, citations: text.citations, grounding: text.grounding };
}

describe('checked text', () => {
  it.each([
    [
      'behind and before the full stop, and in the next line',
      'Cole designed it.{2} It opened in May 2021 {1}. {1}\nIt was {2}',
      'Cole designed it.[1] It opened in May 2021 [2]. [2]\nIt was',
    ],
    [
      'by clauses',
      'It opened on 14 May 2021 {1} and was designed by Harlan Cole {2}, {1}.',
      'It opened on 14 May 2021 [1] and was designed by Harlan Cole [2],.',
    ],
    [
      'in lists',
      '1. Opened 14 May 2021 {1}\n2. Cost 412 million euros {1}{2}',
      '1. Opened 14 May 2021 [1]\n2. Cost 412 million euros [1]',
    ],
    [
      'behind words that state nothing',
      'According to {1}, it opened on 14 May 2021 {2}.',
      'According to [1], it opened on 14 May 2021.',
    ],
    ['at the beginning', '{2} says that Harlan Cole designed it.', '[1] says that Harlan Cole designed it.'],
    [
      'with the words behind the last',
      'It opened on 14 May 2021 {1}, says {2}: Harlan Cole designed it.',
      'It opened on 14 May 2021 [1], says [2]: Harlan Cole designed it.',
    ],
    ['between blank lines, and no characters like them', '\nCole {2}.\n\n Cole\u{f0002}.\n', 'Cole [1].\n\n Cole.'],
    ['each once in a run', 'Harlan Cole designed it {2}{2}{2}.', 'Harlan Cole designed it [1].'],
  ])('reads markers %s', (_, given, text) => {
    expect(checked([given]).text).toBe(text);
  });

  it('counts sentences, cites the passage that holds, and hands nothing over behind a refusal', () => {
    const said = 'It cost 412 million euros {1}.\n\nCole {1}. It opened in May 2021 {1}.';
    const { grounding, citations, live } = checked([said], { onUnsupported: 'fail' });
    expect(grounding).toEqual({ sentences: 3, supported: 2, unsupported: 1, removed: 1 });
    expect(citations[0]?.snippet).toBe('It cost 412 million euros.');
    expect(live).toBe('It cost 412 million euros [1].');
    expect(checked(['It {1}{7}.'], { check: 'off', onUnsupported: 'mark' }).text).toBe('It [1].');
  });

  const word = fc.constantFrom(
    'The bridge opened on 14 May 2021',
    'Harlan Cole designed it',
    'It cost 9 euros',
    'Yes',
    '{1}',
    '{2}',
    '{9}',
    '. ',
    '.',
    '\n',
    ' ',
    '```\n',
  );
  const texts = fc.array(word, { maxLength: 25 }).map((all) => all.join(''));
  const policies = fc.constantFrom('strip' as const, 'mark' as const);

  it('is the same however it is streamed, and counts what it does', () => {
    fc.assert(
      fc.property(texts, cutsOf, policies, (given, cuts, onUnsupported) => {
        // A piece never ends inside of a marker.
        const atoms = given.match(/\{\d\}|[^]/g) ?? [];
        const pieces = piecesOf('x'.repeat(atoms.length), cuts).reduce<string[]>(
          (all, { length }) => [
            ...all,
            atoms
              .slice(all.join('').match(/\{\d\}|[^]/g)?.length ?? 0)
              .slice(0, length)
              .join(''),
          ],
          [],
        );
        const whole = checked([given], { onUnsupported });
        expect(checked(pieces, { onUnsupported })).toEqual(whole);
        const { grounding, text, markers = [], citations, live, lists } = whole;
        // Each list of citations has more than the one before.
        expect(lists).toEqual([...new Set(lists)]);
        expect(live).toBe(grounding.supported > 0 ? text : '');
        expect(grounding.supported + grounding.unsupported).toBeLessThanOrEqual(grounding.sentences);
        expect(markers.map(({ start, end }) => text.slice(start, end))).toEqual(
          markers.map(({ position }) => `[${position}]`),
        );
        expect(new Set(markers.map(({ position }) => position)).size).toBe(citations.length);
        // No word is lost.
        const words = (from: string) => from.replaceAll(/[{[][\d?][}\]]/g, '').match(/[A-Za-z\d]+/g);
        expect(words(text)).toEqual(words(given));
      }),
      { numRuns: 300 },
    );
  });
});

it('checks any text in linear time: in that of a square, these would take minutes', () => {
  for (const unit of ['\n', ' {1}', 'Cole {2}', '<a ===']) {
    const text = `Cole {2}. ${unit.repeat(100_000 / unit.length)}`;
    const { grounding } = checked(text.match(/\{\d\}|[^]/g) ?? []);
    expect(grounding.supported).toBeGreaterThan(0);
  }
});

describe('a statement', () => {
  it.each([
    ['1,234 visitors', '1.234 Besucher, visitors', true],
    ['1,234.50 dollars', '1234.5 dollars', true],
    ['3.5 million people', '3,500,000 people', true],
    ['3.5 million people', '3.5 billion people', false],
    ['投资46亿元', '投资4,600,000,000元', true],
    ['٣٢٠ كتاب', '320 كتاب', true],
    ['on 14 May 2021', 'on May 14, 2021', true],
    ['am 14. Mai 2021', 'Mai 2021, am 14.', true],
    ['on 14 May 2021', '14 June 2021', false],
    ['fue inaugurado el 14 de mayo', 'fue inaugurado el 14 de junio', false],
    ['0.375 percent', '375 percent', false],
    ['the order 12345678901234567890', 'the order 12345678901234567891', false],
    ['on 14 May 2021', 'On 14 May. In 2020', false],
    ['on 14 May 2021', 'On 14 May. In 2021', true],
    ['2021年5月14日', '2021 年 5 月 14 日', true],
    ['the 14th floor', 'floor 14', true],
    ['the A380 flies', 'the A320 flies', false],
    ['met Harlan Cole', 'met Harlan Kole', false],
    ["met Cole's bridges", 'met the bridge of Cole', true],
    ['Москва открыла мост', 'в Москве открыли мост', true],
    ['Peter Brandt resigned', 'Paula Brandt resigned', false],
    ['When Brandt resigned', 'Brandt resigned', true],
    ['The bridge is closed', 'The bridge is open', false],
    ['Yes.', 'Yes.', false],
    ['青波大橋は開通した', '青波大橋が開通した', true],
  ])('%s, by %s: %s', (said, source, isHeld) => {
    expect(holds(statementOf(source), statementOf(said))).toBe(isHeld);
  });

  it('of any form is read in linear time: in that of a square, these would take minutes', () => {
    for (const unit of ['1', '1 234', 'a\u0301', '\u0301', '14 May 2021 ', '字', '1.', 'May ', "1'1"]) {
      const text = unit.repeat(200_000 / unit.length);
      holds(statementOf(text), statementOf(text));
    }
  });
});

describe('links', () => {
  const sourceOf = (address: string) => (address.startsWith('https://a.example/') ? 'https://a.example/' : undefined);
  it.each([
    ['[A](https://a.example/) and [b](https://x.example/?q=1 "t")', '[A](https://a.example/) and b'],
    ['![x](https://a.example/) ![y](//x.example/z)', 'x y'],
    ['[![i](https://x.example/i)](https://x.example/)', '[i] (x.example)'],
    [
      'https://a.example/, https://u:p@x.example/?q=1, www.x.example/a and //x.example/b.',
      'https://a.example/, x.example x.example and x.example',
    ],
    ['<img src="//x.example/p"> <a href=https://x.example>go</a> <https://x.example/q>', '   go</a> x.example'],
    ['b](https://x.example/q) [r]: https://x.example/r', 'b] (x.example) [r] : x.example'],
    ['[A](https://a.example/?q=secret), https://a.example/#s.', '[A](https://a.example/), https://a.example/.'],
    ['![x][r]\n[r]: https:&#47;&#47;x.example', '[x][r]\n[r] : https:&#47;&#47;x.example'],
    ['<img', '< img'],
    ['<img alt="<" src=x onerror=f()>', '< img alt="<" src=x onerror=f()>'],
    ['<im<a b=c>g src="/"> <scr<script>ipt>', '< im g src="/"> < scr ipt>'],
    ['<b>1 < 2</b> <br /> <https://a.example/>', '<b>1 < 2</b> <br /> https://a.example/'],
    ['\u{f0001}(https:&#47;&#47;x.example/)', '\u{f0001} (https:&#47;&#47;x.example/)'],
    ['[j](javascript:alert(1)) data:text/html,x', 'j data: text/html,x'],
    [
      'www[.x.example/q](//y.example) [https://x.example/q](https://a.example/)',
      'x.example [x.example](https://a.example/)',
    ],
    [
      'x://x.example/q\u{f0001} [a](x://x.example/\u{f0001}b) <a b=\u{f0001}>',
      'x.example\u{f0001} [a] (x.example\u{f0001}b) < a b=\u{f0001}>',
    ],
    ['and/or 3:2 http is // a comment', 'and/or 3:2 http is // a comment'],
  ])('%s', (given, cleared) => {
    expect(withoutForeignLinks(given, sourceOf)).toBe(cleared);
  });
});

describe('passages', () => {
  it('are cut at the ends of paragraphs and sentences, bounded, without what no reader sees', () => {
    const text = `${'A sentence of a page. '.repeat(60)}\n\n${'Other words. '.repeat(40)}`;
    const passages = passagesOf(text, 25);
    expect(passages.join(' ').replaceAll(/\s+/g, ' ')).toBe(text.trim().replaceAll(/\s+/g, ' '));
    expect(passages.every((passage) => passage.length <= 900 && passage.endsWith('.'))).toBe(true);
    expect(passagesOf('字'.repeat(100_000), 25)).toHaveLength(25);
    expect(passagesOf('a\u200b\u{e0041}\u202eb\t<|im_end|>\u2028c', 3)).toEqual(['ab\t< |im_end| >\nc']);
  });
});
