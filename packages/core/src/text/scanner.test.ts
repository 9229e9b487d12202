import { describe, expect, it } from 'vitest';
import { tokensOf } from './scanner.js';

/** All but text, each with its kind before it. */
const found = (text: string) =>
  tokensOf(text).flatMap(({ kind, text: written }) => (kind === 'text' ? [] : [`${kind}:${written}`]));

describe('the tokens of a text', () => {
  it.each([
    ['So `a` [1] and [b](/c) or 【2†d】.', ['code:`a`', 'marker:[1]', 'link:[b](/c)', 'marker:【2†d】']],
    ['[[1]](https://e.org/a "b") [[2]]', ['marker:[[1]](https://e.org/a "b")', 'marker:[[2]]']],
    ['[a [b](/c)](/d) ![e](/f)', ['link:[a [b](/c)](/d)', 'link:[e](/f)']],
    ['a\n~~~ b\nc\n~~~\nd', ['fence:~~~ b\n', 'fence:c\n', 'fence:~~~']],
    ['> ```\n> a\nb', ['fence:> ```\n', 'fence:> a\n']],
    ['- ```\n  a\n ```` \nb', ['fence:- ```\n', 'fence:  a\n', 'fence: ```` ']],
    ['a\n\n    b\n\n\tc\nd', ['code:    b\n', 'code:\tc\n']],
    ['- a\n\n    b\n\n      c', ['code:      c']],
    ['-     a\n\n  b', ['code:-     a\n']],
    ['***\n    a', ['code:    a']],
    ['1. a\n2. b\n   - c\n\n         d', ['code:         d']],
    ['a\n2. b\n\n       c', ['code:       c']],
    ['<pre>a</pre> b <code>c</code>', ['code:<pre>a</pre>', 'code:<code>c</code>']],
    ['a\r\n\r\n    b\r\n```\r\nc\r\n```\r\n', ['code:    b\r\n', 'fence:```\r\n', 'fence:c\r\n', 'fence:```']],
    ['a\r```\rb', ['fence:```\r', 'fence:b']],
  ])('of %j', (text, tokens) => {
    expect(found(text)).toEqual(tokens);
  });

  it('are the whole text, each with its offsets', () => {
    const text = 'So `a`\n\n    b\n> ~~~\n> [1]\n\n[2] <pre>';
    const tokens = tokensOf(text);
    expect(tokens.map((token) => token.text).join('')).toBe(text);
    for (const token of tokens) expect(text.slice(token.start, token.end)).toBe(token.text);
  });
});
