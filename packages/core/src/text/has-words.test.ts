import { describe, expect, it } from 'vitest';
import { isVisible } from '../base/options/characters.js';
import { hasWords } from './has-words.js';

const UNSEEN = Array.from('\u200b\ufeff\u00ad\ufe0f\u3164\u2800\u0301\u2060\u115f\u{e0041}\0\n');
const EMPTY_LINES =
  '<!-- words --> ¦ <!-- words ¦ ```\n``` ¦ ~~~js\n\n~~~ ¦ * * * ¦ [1]: https://a.example ¦ [1][2]\n[3] ¦ \\\n ¦ **[1]** ¦ - [1]\n## ~~[2]~~';
const EMPTY = '&nbsp; &#8203; &#xa0; &zwj; &ZeroWidthSpace; <br/> <p></p> > - # --- [](https://a.example) [1]';
const WORDS =
  '5 -5 1. 🌉 橋 [2026] [1](https://a.example) `x` &lt; &#65; x&nbsp; ![](b.png) <b>x</b> <3 \\* **x** $5 +1 <img> <https://a.example> <a@b.example> **[1](x)**';

describe('a text has no words', () => {
  it.each(UNSEEN)('of the character %j', (text) => {
    expect([isVisible(text), isVisible(` ${text}${text}`), isVisible(`${text}a`)]).toEqual([false, false, true]);
  });

  it.each([...UNSEEN, ...EMPTY.split(' '), ...EMPTY_LINES.split(' ¦ ')])('in %j, alone or with others', (text) => {
    const mixed = [text, `\u200b\n${text}\n`, `&nbsp;\n${text}`, `${text}\n[1]`];
    for (const each of mixed) expect([each, hasWords(each)]).toEqual([each, false]);
    expect(hasWords(`${text}\n5`)).toBe(text !== '<!-- words');
  });
});

it.each([...WORDS.split(' '), '```\nx\n```', '# x', '> x', '- x', '[ ]', '[x]: a b'])(
  'a text has words in %j',
  (text) => {
    expect(hasWords(text)).toBe(true);
  },
);
