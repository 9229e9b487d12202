import { describe, expect, it } from 'vitest';
import { bracketsIn, fenceEnd, lastCut, signsIn } from './live-cuts.js';

/** The text in front of the cut. */
const before = (text: string, atStart = true) => text.slice(0, lastCut(text, atStart).cut);

describe('lastCut', () => {
  it.each(['word', 'word.', '😀', 'a (b c', 'a ] b', 'a 】 b', 'a "b [c](d) e'])('takes all of %j', (text) => {
    expect([before(text), before(text, false)]).toEqual([text, text]);
  });

  it.each([
    ' ',
    '\n',
    '\\',
    ':',
    ')',
    '~',
    '~~~',
    '`',
    '```',
    '[',
    '[1',
    '[1]',
    '【1',
    '【1】',
    '\ud800',
    '\udbff',
    ' [1] ',
  ])('leaves %j behind a word for what may follow', (end) => {
    expect([before(`word${end}`), before(`word${end}`, false)]).toEqual(['word', 'word']);
  });

  it.each([
    ['brackets', '[[b] c', '] d'],
    ['wide brackets', '【【b】 c', '】 d'],
    ['brackets of the other kind', '[b】 c', '] d'],
    ['wide brackets that others do not close', '【b] c', '】 d'],
    ['a closing bracket before', ']] [b', '] d'],
    ['a wide closing bracket before', '】】 【b', '】 d'],
    ['an address', '[b](c d', ') e'],
    ['an address with parentheses', '[b](c (d) e', ') f'],
    ['a title', '[b](c "d) e" f', ') g'],
    ['a code span', '`b c', '` d'],
    ['a code span of two', '``b` c', '`` d'],
  ])('waits for the end of %s', (_what, open, rest) => {
    expect([before(`a ${open}`), before(`a ${open}${rest}`)]).toEqual(['a', `a ${open}${rest}`]);
    expect([before(`a ${open}`, false), before(`a ${open}${rest}`, false)]).toEqual(['a', `a ${open}${rest}`]);
  });

  it.each(['[b', '【b', '`b', '[b](c'])('knows that nothing of %j is open on the next line', (open) => {
    for (const end of ['\n', '\r', '\r\n']) expect(before(`a ${open}${end}c`)).toBe(`a ${open}${end}c`);
  });

  it.each(['```', '````', '~~~', '```js', '~~~ `', '  ```', '\t```'])('finds the fence of a line %j', (line) => {
    const fence = /[`~]{3,}/.exec(line)?.[0];
    const text = `a\n${line}\nb`;
    expect(lastCut(text, true)).toEqual({ cut: 1, opened: { fence, lineEnd: 2 + line.length } });
    expect(lastCut(text, false)).toEqual({ cut: 1, opened: { fence, lineEnd: 2 + line.length } });
    expect(lastCut(`${line}\nb`, true).opened).toEqual({ fence, lineEnd: line.length });
    expect(lastCut(`${line}\nb`, false).opened).toBeUndefined();
    expect(lastCut(`a\n${line}`, true)).toEqual({ cut: 1 });
  });

  it.each(['``', '~~ b', 'x```', 'b ```', '``` `', '[x] ```'])('finds none on a line %j', (line) => {
    expect(lastCut(`a\n${line}\nb`, true)).toEqual({ cut: 4 + line.length });
  });

  it.each(['[1]', '[1] ', '【b c】', '[[1]](https://a.example/)', '[1]: ', '[1–2, 3;4-^†] '])(
    'cannot know what a fence is behind %j, which may be removed',
    (marker) => {
      expect(lastCut(`a\n${marker}\`\`\`\nb`, true)).toEqual({ cut: 1, opened: 'unclear' });
    },
  );
});

describe('fenceEnd', () => {
  it.each([
    ['\n```\nb', 4],
    ['a\n```\n', 5],
    ['a\n````\nb', 6],
    ['a\n```~\nb', 6],
    ['a\n \t```x\nb', 7],
    ['a\n``\nb\n```\n', 10],
  ])('is behind the fence that closes %j', (text, end) => {
    expect(fenceEnd(text, '```').end).toBe(end);
  });

  it.each([
    ['', 0],
    ['a', 1],
    ['a\n', 1],
    ['a\n  ', 1],
    ['a\n`', 1],
    ['a\nb\n```', 3],
    ['a\n````', 1],
    ['a\nb', 3],
    ['a\nx```\nb', 8],
    ['a\n``\nb', 6],
    ['a\n~~~\nb', 7],
    ['a\n  x', 5],
  ])('is not in %j, which is code up to %d', (text, safe) => {
    expect(fenceEnd(text, '```')).toEqual({ safe });
  });
});

it('counts the signs of markers, links and code, and the brackets among them', () => {
  const text = 'a [b] `c` 【d】 ~~ (e)';
  expect([signsIn(text), bracketsIn(text)]).toEqual([8, 4]);
  expect([signsIn('a (b)'), bracketsIn('a (b)')]).toEqual([0, 0]);
});
