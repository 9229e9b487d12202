import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { citedSentences } from './cited-sentences.js';
import { MAX_SNIPPET_CHARACTERS } from './plain-text.js';

const sentences = (text: string) => Object.fromEntries(citedSentences(text));

describe('citedSentences', () => {
  it.each<[string, string, Record<string, string>]>([
    ['a marker behind a sentence', 'Baikal is 1,642.5 m deep. [1]', { 1: 'Baikal is 1,642.5 m deep.' }],
    ['a marker before the full stop', 'It is old. It is deep [1].', { 1: 'It is old. It is deep' }],
    ['one sentence after the other', 'It is old.[1] It is deep! [2]', { 1: 'It is old.', 2: 'It is deep!' }],
    [
      'all sentences since the last marker',
      'A.[1] It is old. It is deep. [2]',
      { 1: 'A.', 2: 'It is old. It is deep.' },
    ],
    ['two markers in one sentence', 'It is old [1] and deep [2].', { 1: 'It is old', 2: 'It is old and deep' }],
    ['markers of one place', 'It is deep [2][1], [3].', { 1: 'It is deep', 2: 'It is deep', 3: 'It is deep' }],
    ['the first place of a number', 'It is deep.[1] It is old.[1]', { 1: 'It is deep.' }],
    ['the line alone', 'Baikal\n- It is **deep** [1]\n- It is `old` [2]', { 1: 'It is deep', 2: 'It is old' }],
    ['a line of markers', 'It is deep.\n\n[1]\n', { 1: 'It is deep.' }],
    ['a heading', '## Depth [1]', { 1: 'Depth' }],
    ['a list with numbers', '1. It is deep ([1])', { 1: 'It is deep' }],
    ['a row of a table', '| depth | 1,642 m [1] | old [2] |', { 1: 'depth | 1,642 m', 2: 'depth | 1,642 m | old' }],
    ['links', 'See [the lake](https://a.example/)[1]', { 1: 'See the lake' }],
    ['escaped brackets and entities', 'a\\[1] &amp; b [2]', { 2: 'a[1] & b' }],
    ['other scripts', '贝加尔湖很深。[1]它很古老。[2]', { 1: '贝加尔湖很深。', 2: '它很古老。' }],
    [
      'the signs that end the sentence before',
      '很深[1]。很古老[2]！It is old[3]! Is it deep[4]?',
      { 1: '很深', 2: '很古老', 3: 'It is old', 4: 'Is it deep' },
    ],
    ['nothing before a marker', '[1] It is deep.', {}],
    ['no markers', 'It is deep.', {}],
    ['no code', '`a[1]`', {}],
  ])('knows %s', (_what, text, expected) => {
    expect(sentences(text)).toEqual(expected);
  });

  it('keeps the last sentences of a long paragraph', () => {
    const text = `${'It is a lake of Asia. '.repeat(100)}It is deep. [1]`;
    expect(sentences(text)[1]).toMatch(/^(?:It is a lake of Asia\. ){13}It is deep\.$/);
  });

  it('keeps the last sentence whole, however long', () => {
    const long = `It ${'is '.repeat(200)}deep.`;
    expect(sentences(`It is old. ${long} [1]`)[1]).toBe(long);
  });

  it('tells lines of plain text of bounded length for markers there are, for any text', () => {
    const pieces = [
      'word ',
      'It is deep. ',
      '**',
      '`',
      '[1]',
      '[2]',
      '[[3]]',
      '\n',
      '- ',
      '|',
      '(',
      ')',
      '橋',
      '🌉',
      '\\',
      '[x](https://a.example/)',
    ];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 200 }), (parts) => {
        for (const [number, sentence] of citedSentences(parts.join(''))) {
          expect('123').toContain(number);
          expect(sentence).toMatch(/[\p{L}\p{N}]/u);
          expect(sentence).not.toMatch(/\n|^\s|\s$/);
          expect(sentence.length).toBeLessThanOrEqual(4 * MAX_SNIPPET_CHARACTERS);
        }
      }),
    );
  });

  it('takes no more time for a line of many markers', () => {
    expect(citedSentences('It is deep [1]. '.repeat(20_000)).size).toBe(1);
  });
});
