import { expect, it } from 'vitest';
import { markerTokens } from './marker-tokens.js';
import { MAX_BRACKETS, MAX_TOKENS } from './reply-limits.js';

const read = (text: string) => markerTokens(text).map(({ kind, start, end }) => [kind, text.slice(start, end)]);

it.each<[string, string[][]]>([
  [
    'a `b` [c](/d)',
    [
      ['code', '`b`'],
      ['link', '[c](/d)'],
    ],
  ],
  [
    '~~~\na\n~~~\n[1]',
    [
      ['fence', '~~~\na\n~~~'],
      ['markers', '[1]'],
    ],
  ],
  [
    'a [1][2] [3]',
    [
      ['markers', '[1][2]'],
      ['markers', '[3]'],
    ],
  ],
  [
    '`a`[1]',
    [
      ['code', '`a`'],
      ['markers', '[1]'],
    ],
  ],
  ['【1†a `b` [c](/d) [2]】[3]', [['markers', '【1†a `b` [c](/d) [2]】[3]']]],
  ['[1][[2]]', [['markers', '[1][[2]]']]],
  ['[[1]](https://a.example/) b', [['markers', '[[1]](https://a.example/)']]],
  ['``` `a` [b] ~~ c] 】', [['code', '`a`']]],
])('reads the tokens of %j', (text, tokens) => {
  expect(read(text)).toEqual(tokens);
});

it('reads no more tokens, and no more brackets, than their limits', () => {
  expect(markerTokens('`a` '.repeat(MAX_TOKENS + 5))).toHaveLength(MAX_TOKENS);
  const brackets = '[ '.repeat(MAX_BRACKETS - 2);
  expect(markerTokens(`${brackets}[1] [2]`)).toHaveLength(1);
});
