import { describe, expect, it } from 'vitest';
import { isVisible } from '../base/options/characters.js';
import { hasWords } from './has-words.js';

const UNSEEN = [
  '\u200b',
  '\ufeff',
  '\u00ad',
  '\ufe0f',
  '\u3164',
  '\u2800',
  '\u0301',
  '\u2060',
  '\u115f',
  '\u{e0041}',
  '\0',
  '\n',
];
const EMPTY = [
  '&nbsp;', '&#8203;', '&#xa0;', '&zwj;', '&ZeroWidthSpace;', '<!-- words -->', '<!-- words', '<br/>', '<p></p>', '```\n```',
  '~~~js\n\n~~~', '> ', '- ', '# ', '---', '* * *', '[](https://a.example)', '[1]: https://a.example', '[1]', '[1][2]\n[3]', '\\\n',
]; // biome-ignore format: a table

describe('a text has no words', () => {
  it.each(UNSEEN)('of the character %j', (text) => {
    expect([isVisible(text), isVisible(` ${text}${text}`), isVisible(`${text}a`)]).toEqual([false, false, true]);
  });

  it.each([...UNSEEN, ...EMPTY])('in %j, alone or with others that show nothing', (text) => {
    const mixed = [text, `\u200b\n${text}\n`, `&nbsp;${text.startsWith('&') ? text : `\n${text}`}`, `${text}\n[1]`];
    for (const each of mixed) expect([each, hasWords(each)]).toEqual([each, false]);
    expect(hasWords(`${text}\n5`)).toBe(text !== '<!-- words');
  });
});

it.each([
  '5', '-5', '1.', '🌉', '橋', '[2026]', '[1](https://a.example)', '`x`', '```\nx\n```', '# x', '&lt;', '&#65;', 'x&nbsp;', '![](https://a.example/b.png)',
  '<img src="a">', '<b>x</b>', '<3', '[ ]', '\\*', '**x**', '$5', '+1', '> x', '- x', '[x]: a b',
])('a text has words in %j', (text) => expect(hasWords(text)).toBe(true)); // biome-ignore format: a table
