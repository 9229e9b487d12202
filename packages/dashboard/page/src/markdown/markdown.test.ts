import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSplitter } from './answer-text.js';
import { readBlocks, type Shown } from './markdown.js';

const source = (number: number) =>
  ['https://example.org/one', 'javascript:alert(1)', 'https://example.org/three'][number - 1];
const read = (markdown: string) => readBlocks(markdown).map(({ show }) => html(show(source)));

/** As HTML without escaping, so that a test sees which text became an element. */
function html({ tag, children, url, source: number, start }: Shown): string {
  const attributes = [url, number, start].filter((value) => value !== undefined).map((value) => ` ${value}`);
  const inside = children.map((child) => (typeof child === 'string' ? child.replaceAll('<', '‹') : html(child)));
  return `<${tag}${attributes.join('')}>${inside.join('')}</${tag}>`;
}

describe('readBlocks', () => {
  it.each<[string, string[]]>([
    ['a\nb\n\nc', ['<p>a\nb</p>', '<p>c</p>']],
    ['## a\nb', ['<p><strong>a</strong></p>', '<p>b</p>']],
    ['- a\n- b', ['<ul><li>a</li><li>b</li></ul>']],
    ['3. a\n4. b\n   - c', ['<ol 3><li>a</li><li>b<ul><li>c</li></ul></li></ol>']],
    ['```ts\n# x\n\n- [1]', ['<pre><code># x\n\n- [1]</code></pre>']],
    [
      '| a | b |\n| - | - |\n| 1 | *2* |',
      ['<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td><em>2</em></td></tr></table>'],
    ],
    [
      '> **a `b`** ~~c~~\n\n---',
      ['<blockquote><p><strong>a <code>b</code></strong> <del>c</del></p></blockquote>', '<hr></hr>'],
    ],
    ['x [a *b*](https://example.org/x).', ['<p>x <a https://example.org/x>a <em>b</em></a>.</p>']],
    [
      'open [1][3]. `[1]`',
      ['<p>open <a https://example.org/one 1>[1]</a><a https://example.org/three 3>[3]</a>. <code>[1]</code></p>'],
    ],
    [
      '**[1]** and - [3]',
      ['<p><strong><a https://example.org/one 1>[1]</a></strong> and - <a https://example.org/three 3>[3]</a></p>'],
    ],
    ['no source [9], a bad one [2], [1234]', ['<p>no source [9], a bad one [2], [1234]</p>']],
    [
      '[1](https://example.org/x) [[1]](https://example.org/x)',
      ['<p><a https://example.org/x>1</a> <a https://example.org/x>[1]</a></p>'],
    ],
    [
      'a [1]\n\n[1]: https://evil.example',
      ['<p>a <a https://example.org/one 1>[1]</a></p>', '<p>[1]: https://evil.example</p>'],
    ],
  ])('shows %j', (markdown, blocks) => {
    expect(read(markdown)).toEqual(blocks);
  });

  it.each([
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    'a <b onclick="x">b</b> <!-- c -->',
    '<svg/onload=alert(1)>',
    '[x](javascript:alert(1))',
    '[x](JaVaScRiPt&colon;alert(1))',
    '[x](data:text/html,x)',
    '[x](//example.org)',
    '![x](https://example.org/pixel.png)',
    '<javascript:alert(1)>',
    'someone@example.org',
  ])('keeps %s as text', (markdown) => {
    expect(read(markdown)).toEqual([`<p>${markdown.replaceAll('<', '‹')}</p>`]);
  });

  // Exponential time or a stack overflow would fail here.
  it.each([
    '[',
    '**',
    '`',
    '[a',
    '[a](http://',
    '**a',
    '*a_',
    '`**',
    '> ',
    '1. ',
    '- ',
    '<a ',
    '| a ',
    '<!--',
    '[1]',
    '- a\n',
    '*a_'.repeat(60) + '\n\n',
  ])('reads %j for a hundred thousand characters', (piece) => {
    const markdown = piece.repeat(100_000 / piece.length);
    expect(readBlocks(markdown).map(({ show }) => show(source)).length).toBeGreaterThan(0);
  });

  it('reads a list as deeply nested as a hundred thousand characters allow', () => {
    const markdown = Array.from({ length: 300 }, (_, depth) => `${'  '.repeat(depth)}- a\n`).join('');
    expect(read(markdown)).toHaveLength(1);
  });
});

describe('createSplitter', () => {
  it('shows the same blocks wherever the text is cut, and never changes complete blocks', () => {
    const line = fc.constantFrom(
      'a',
      '',
      '- b',
      '2. c',
      '# d',
      '```',
      '  e',
      '> f',
      '| g | h |',
      '| - | - |',
      '[1] **i**',
      '<p>',
      '---',
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 20 }), fc.array(fc.nat(60), { maxLength: 8 }), (lines, places) => {
        const markdown = lines.join('\n');
        const ends = [...places.filter((place) => place < markdown.length), markdown.length].sort((a, b) => a - b);
        const splitter = createSplitter();
        const pieces = ends.map((end, index) => splitter.add(markdown.slice(ends[index - 1] ?? 0, end), false));
        const blocks = [...pieces.flatMap((piece) => piece?.complete ?? []), ...(pieces.at(-1)?.open ?? [])];
        expect(blocks.map(({ show }) => html(show(source)))).toEqual(read(markdown));
      }),
    );
  });

  it('parses a long block again only after a growth of a sixteenth, and at the end', () => {
    const splitter = createSplitter();
    let reads = 0;
    for (let count = 0; count < 100_000; count += 10) if (splitter.add('x'.repeat(10), false) !== undefined) reads += 1;
    expect(reads).toBeLessThan(1_000);
    expect(splitter.add('', true)?.open[0]?.raw).toHaveLength(100_000);
  });
});
