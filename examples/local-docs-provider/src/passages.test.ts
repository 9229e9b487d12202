import { describe, expect, it } from 'vitest';
import { passagesOf } from './passages.js';

const document = (markdown: string) => ({ source: 'shop', url: 'https://example.org/docs/shop.md', markdown });

describe('passagesOf', () => {
  it('puts the paragraphs and the example of a section together, under its title and address', () => {
    const [passage, ...others] = passagesOf(
      document('# Shop\n\n## Opening hours\n\nWe open at nine.\n\nWe close at five.\n\n```js\nopen()\n```'),
    );
    expect(others).toEqual([]);
    expect(passage).toMatchObject({
      title: 'shop › Opening hours',
      url: 'https://example.org/docs/shop.md#opening-hours',
      text: 'We open at nine.\nWe close at five.',
      code: '```js\nopen()\n```',
    });
  });

  it('makes every definition a passage, under the definition it is nested in', () => {
    const passages = passagesOf(
      document(
        '## Options\n\n* **door** - How to get in.\n  * **lock** - Keeps others out.\n* **window** - To look in.',
      ),
    );
    expect(passages.map(({ name, title }) => [name, title])).toEqual([
      ['door', 'shop › Options'],
      ['lock', 'shop › Options › door'],
      ['window', 'shop › Options'],
    ]);
  });

  it('keeps short list items together and splits long text', () => {
    const long = 'A sentence that goes on for quite a while so that it fills its paragraph. '.repeat(6);
    const passages = passagesOf(document(`Intro:\n- one\n- two\n\n${long}\n\n${long}`));
    expect(passages.map(({ text }) => text.slice(0, 20))).toEqual(['Intro:\n- one\n- two\nA', 'A sentence that goes']);
  });

  it('gives "for example:" the code that follows behind the next heading', () => {
    const [passage] = passagesOf(document('## Middleware\n\nFor example:\n\n### Async\n\n```js\nawait next()\n```'));
    expect(passage?.code).toBe('```js\nawait next()\n```');
  });

  it('leaves out listings too long to be examples', () => {
    const program = Array.from({ length: 80 }, (_, line) => `line(${line})`).join('\n');
    expect(passagesOf(document(`Text.\n\n\`\`\`js\n${program}\n\`\`\``))).toMatchObject([
      { text: 'Text.', code: null },
    ]);
  });

  it('keeps apart what stands before the first heading, which has no address of its own', () => {
    expect(passagesOf(document('Before.\n\n# Shop\n\nAfter.')).map(({ url }) => url)).toEqual([
      'https://example.org/docs/shop.md',
      'https://example.org/docs/shop.md#shop',
    ]);
  });
});
