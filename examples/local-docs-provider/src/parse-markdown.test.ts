import { describe, expect, it } from 'vitest';
import { inlineText } from './inline-text.js';
import { parseMarkdown } from './parse-markdown.js';

describe('inlineText', () => {
  it.each([
    ['See the [guide](https://example.org/a_(b)) and [API][api].', 'See the guide) and API.'],
    ['**bold**, *slanted* and __more__ of _it_', 'bold, slanted and more of it'],
    ['keeps `code with **stars**` and snake_case_names', 'keeps `code with **stars**` and snake_case_names'],
    ['[![badge](https://example.org/b.svg)](https://example.org) text <br/>&amp; <b>more</b>', 'text & more'],
    ['an escaped \\*star\\* and \\[bracket\\]', 'an escaped *star* and [bracket]'],
    ['as shown [1] and in `list[1]`', 'as shown (1) and in `list[1]`'],
    ['<!-- hidden --> shown', 'shown'],
  ])('turns %j into plain text', (markdown, text) => {
    expect(inlineText(markdown)).toBe(text);
  });
});

describe('parseMarkdown', () => {
  it('gives every section its path of headings and the fragment GitHub uses', () => {
    const sections = parseMarkdown(
      '# Client\n\nOne.\n\n## `new Client(url[, options])`\n\nTwo.\n\n### Docs & More\n\nThree.\n\n## Last\n\nFour.',
    );
    expect(sections.map(({ headings, anchor }) => [headings.join(' > '), anchor])).toEqual([
      ['Client', 'client'],
      ['Client > new Client(url[, options])', 'new-clienturl-options'],
      ['Client > new Client(url[, options]) > Docs & More', 'docs--more'],
      ['Client > Last', 'last'],
    ]);
  });

  it('numbers the fragments of repeated headings', () => {
    const sections = parseMarkdown('## Example\na\n## Example\nb\n## Example\nc');
    expect(sections.map(({ anchor }) => anchor)).toEqual(['example', 'example-1', 'example-2']);
  });

  it('reads underlined headings, block quotes, tables and nested lists', () => {
    const markdown =
      'Title\n=====\n\n> Quoted\n> text.\n\n| Name | Use |\n| --- | --- |\n| `a` | first |\n\n* outer\n  * inner\n    goes on';
    const [section] = parseMarkdown(markdown);
    expect(section?.headings).toEqual(['Title']);
    expect(section?.blocks.map(({ kind, text, indent }) => [kind, text, indent])).toEqual([
      ['prose', 'Quoted text.', 0],
      ['item', '`a` — first', 0],
      ['item', 'outer', 0],
      ['item', 'inner goes on', 2],
    ]);
  });

  it('keeps code as it is, also inside lists and with markup in it, and does not look for headings there', () => {
    const [section] = parseMarkdown('- item:\n\n  ```js\n  # not a heading\n    indented()\n  ```\n\nAfter.');
    expect(section?.blocks.map(({ kind, text }) => [kind, text])).toEqual([
      ['item', 'item:'],
      ['code', '```js\n# not a heading\n  indented()\n```'],
      ['prose', 'After.'],
    ]);
  });

  it('ends code that is never closed with the document', () => {
    expect(parseMarkdown('```\nopen').at(0)?.blocks).toMatchObject([{ kind: 'code', text: '```\nopen' }]);
  });

  it('knows what a list item defines', () => {
    const [section] = parseMarkdown(
      '* **bodyTimeout** `number` - A limit.\n* `max` - Most.\n* **Error handling** is prose.\n* plain',
    );
    expect(section?.blocks.map(({ name, text }) => [name, text])).toEqual([
      ['bodyTimeout', '`bodyTimeout` `number` - A limit.'],
      ['max', '`max` - Most.'],
      [null, 'Error handling is prose.'],
      [null, 'plain'],
    ]);
  });

  it('drops tables of contents, page layout and link definitions', () => {
    const markdown =
      '<p align="center">\n  <img src="x.png">\n</p>\n\n- [Install](#install)\n- [pino() => logger](#export)\n\nText.\n\n[ref]: https://example.org';
    expect(parseMarkdown(markdown).flatMap(({ blocks }) => blocks.map(({ text }) => text))).toEqual(['Text.']);
  });
});
