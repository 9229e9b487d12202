import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Block, createBlockReader } from './blocks.js';

/** All blocks of a text that comes in the given pieces. */
function readAll(pieces: readonly string[]): Block[] {
  const reader = createBlockReader();
  const blocks = pieces.flatMap((piece) => reader.read(piece));
  return [...blocks, ...reader.open()].map(({ kind, texts, first }) => ({
    kind,
    texts,
    ...(first === undefined ? {} : { first }),
  }));
}

describe('createBlockReader', () => {
  it.each<[string, string, Block[]]>([
    ['a paragraph of two lines', 'a\n  b', [{ kind: 'paragraph', texts: ['a\nb'] }]],
    [
      'paragraphs',
      'a\r\n\r\nb\n\n\nc',
      [
        { kind: 'paragraph', texts: ['a'] },
        { kind: 'paragraph', texts: ['b'] },
        { kind: 'paragraph', texts: ['c'] },
      ],
    ],
    [
      'a heading and what follows',
      '## a\nb',
      [
        { kind: 'heading', texts: ['a'] },
        { kind: 'paragraph', texts: ['b'] },
      ],
    ],
    ['a list, with a line that goes on', '- a\n  more\n* b', [{ kind: 'bullets', texts: ['a\nmore', 'b'] }]],
    ['numbers that begin later', '3. a\n4. b', [{ kind: 'numbers', texts: ['a', 'b'], first: 3 }]],
    [
      'code with blank lines',
      'a\n```ts\n# x\n\n- y\n```\nb',
      [
        { kind: 'paragraph', texts: ['a'] },
        { kind: 'code', texts: ['# x', '', '- y'] },
        { kind: 'paragraph', texts: ['b'] },
      ],
    ],
    ['code that is not closed', '```\nx', [{ kind: 'code', texts: ['x'] }]],
    ['nothing', '\n \n', []],
  ])('reads %s', (_what, source, blocks) => {
    expect(readAll([source])).toEqual(blocks);
  });

  it('reads the same however the text is cut', () => {
    const line = fc.constantFrom('a', '', '- b', '2. c', '# d', '```', '  e', '\n');
    fc.assert(
      fc.property(fc.array(line, { maxLength: 20 }), fc.array(fc.nat(60), { maxLength: 8 }), (lines, places) => {
        const source = lines.join('\n');
        const ends = [...places.filter((place) => place < source.length), source.length].sort((a, b) => a - b);
        const pieces = ends.map((end, index) => source.slice(ends[index - 1] ?? 0, end));
        expect(readAll(pieces)).toEqual(readAll([source]));
      }),
    );
  });

  it.each(['x', 'x\n', '- x\n', '```\nx\n'])('never lets the open block grow long: %j again and again', (piece) => {
    const reader = createBlockReader();
    let longest = 0;
    for (let count = 0; count < 10_000; count += 1) {
      reader.read(piece);
      longest = Math.max(longest, ...reader.open().map(({ texts }) => texts.join('\n').length));
    }
    expect(longest).toBeGreaterThan(0);
    expect(longest).toBeLessThan(17_000);
  });
});
