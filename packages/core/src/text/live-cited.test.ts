import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CitedPiece, joinCited } from './annotated-text.js';
import { createLiveCited } from './live-cited.js';
import { normalizeMarkers } from './markers.js';

/** What comes of these pieces, in parts of so many characters. */
function live(pieces: readonly CitedPiece[], length = 1_000): string[] {
  const given: string[] = [];
  const cited = createLiveCited((part) => given.push(part));
  for (const { text, positions } of pieces) {
    for (const part of text.match(new RegExp(`[^]{1,${length}}`, 'g')) ?? []) cited.text(part);
    if (positions.length > 0) cited.cite(positions);
  }
  return given;
}

const said = (text: string, ...positions: number[]): CitedPiece => ({ text, positions });

const TEXTS = [
  'It opened in 2021',
  'word',
  '.',
  ' ',
  ', ',
  '\n',
  '\n\n',
  '- ',
  '(',
  ')',
  '{',
  '[',
  ']',
  '[1]',
  '[1, 2]',
  '[[2]](https://x.example/a)',
  '[a](https://x.example "t (1)")',
  '](',
  '\\',
  '\\[1]',
  '`',
  '``',
  '`list[1]`',
  '```',
  '```js\nlist[1]\n',
  '\n```\n',
  '\n~~~\n',
  ':',
  '【1†source】',
  '😀',
  '',
]; // prettier-ignore
const pieces = fc.array(
  fc.record({
    text: fc.array(fc.constantFrom(...TEXTS), { maxLength: 4 }).map((texts) => texts.join('')),
    positions: fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 2 }),
  }),
  { maxLength: 12 },
);

describe('a cited text that comes in parts', () => {
  it('stops where a text has more code than is looked for in a whole one', () => {
    const isGiven = (codes: number) => {
      const given = ['`a` x '.repeat(codes), 'word.'].map((text) => ({ text, positions: [] }));
      return live(given, 40_000).join('').endsWith('word.');
    };
    expect([isGiven(5_000), isGiven(5_001)]).toEqual([true, false]);
  });

  it('is the beginning of the whole one, however it is cut', () => {
    fc.assert(
      fc.property(pieces, fc.integer({ min: 1, max: 12 }), (all, length) => {
        const given = live(all, length).join('');
        expect(joinCited(all).trim().slice(0, given.length)).toBe(given);
      }),
      { numRuns: 3_000 },
    );
  });

  it('has its markers as soon as the text goes on', () => {
    const given = live([
      { text: 'It opened in 2021 ', positions: [1, 2] },
      { text: 'and is', positions: [] },
      { text: ' busy', positions: [2] },
      { text: ', see [1].', positions: [] },
    ]);
    expect(given).toEqual(['It opened in 2021', '[1][2] and is', ' busy', '[2], see \\[1].']);
    expect(normalizeMarkers(given.join(''), 2)).toBe(given.join(''));
  });

  it('goes on behind a marker in brackets, code spans and quotes', () => {
    const given = live([
      { text: 'Called `open', positions: [1] },
      { text: 'ed` (in 2021)', positions: [2] },
      { text: ' then', positions: [] },
    ]);
    expect(given).toEqual(['Called', ' `opened`[1] (in 2021', ')[2] then']);
  });

  it('holds the rest back where a marker belongs behind fenced code', () => {
    const given = live([
      { text: 'So:\n```\nlist[1]\n```', positions: [1] },
      { text: '\nDone', positions: [] },
    ]);
    expect(given.join('')).toBe('So:\n```\nlist[1]');
  });

  it.each<[string, CitedPiece[], string]>([
    ['in the line of a fence', [said('A\n```j', 1), said('s\ncode\n```\nDone')], 'A'],
    ['at the end of that line', [said('A\n```js', 1), said('\ncode\n```\nDone')], 'A\n```js'],
    ['in a fence', [said('A\n`', 1), said('``js\ncode\n```\nDone')], 'A'],
    ['in code', [said('So:\n```\na', 1), said('b\n```\nDone')], 'So:\n```\na'],
    ['in the lines behind code', [said('So:\n```\na\n```\n \n', 1), said(' Done')], 'So:\n```\na\n```'],
    ['behind a backslash there', [said('So:\n```\na\n```\n\\', 1), said('Done')], 'So:\n```\na\n```'],
  ])('holds the rest back where a marker belongs %s', (_where, all, expected) => {
    expect(live(all).join('')).toBe(expected);
  });

  it.each<[string, CitedPiece[], string[]]>([
    ['in front of a fence', [said('A\n', 1), said('```\na\n```\nDone')], ['A', '[1]\n```\na\n```\nDone']],
    ['in a word behind code', [said('```\na\n```\nD', 1), said('one')], ['```\na\n```\nD', '[1]one']],
    ['twice at one place', [said('It is', 1, 2), said('', 2, 3), said('.')], ['It is', '[1][2][3].']],
    ['behind white space', [said(' It', 1), said(' is  ', 2), said('  so')], ['It', '[1] is', '[2]    so']],
    ['nowhere yet', [said('It is', 1)], ['It is']],
  ])('goes on where a marker belongs %s', (_where, all, expected) => {
    expect(live(all)).toEqual(expected);
  });

  it('holds the rest back where a marker belongs behind a fence, and only then code begins', () => {
    const all = [said('', 1), said('```', 1), said('\n\n```js\nlist[1]\n')];
    expect(live(all, 1)).toEqual(['```']);
  });

  it('goes on behind 5,000 citations, which a whole text shows', () => {
    const all = Array.from({ length: 5_000 }, () => ({ text: ' word', positions: [1] }));
    const given = live([...all, { text: ' and so on', positions: [] }]).join('');
    expect(given).toBe(`${'word[1] '.repeat(5_000)}and so on`);
  });

  it('holds the rest back behind 5,000 citations, of which a whole text shows no more', () => {
    const all = Array.from({ length: 5_200 }, () => ({ text: ' word', positions: [1] }));
    const given = live(all).join('');
    expect(joinCited(all).trim().startsWith(given)).toBe(true);
    expect(given.split('[1]').length).toBeGreaterThan(4_990);
  });
});
