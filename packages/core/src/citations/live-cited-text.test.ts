import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CitedPiece, joinCited } from './annotated-text.js';
import { createLiveCitedText } from './live-cited-text.js';

/** What comes of these pieces, each of them cut into parts of this length. */
function live(pieces: readonly CitedPiece[], length = Number.POSITIVE_INFINITY): string[] {
  const given: string[] = [];
  const text = createLiveCitedText((part) => given.push(part));
  for (const piece of pieces) {
    for (let at = 0; at < piece.text.length; at += length) text.push(piece.text.slice(at, at + length));
    for (const position of piece.positions) text.cite(position);
  }
  return given;
}

const WORDS = [
  'word',
  ' ',
  '.',
  ', ',
  '\n',
  '\n\n',
  '  ',
  '[1]',
  '[2026]',
  '[1, 2]',
  '[[1]]',
  '【1†source】',
  '[a](https://x.example "t (1)")',
  '[',
  ']',
  '(',
  ')',
  '{',
  '\\',
  '`',
  '``',
  '```',
  '\n```js\n',
  '\n```\n',
  '\n~~~\n',
  '`list[1]`',
  '- ',
  ': ',
  'é',
  '😀',
  '](',
  '\\[1]',
  'a',
  '1',
]; // prettier-ignore
const pieces = fc.array(
  fc.record({
    text: fc.array(fc.constantFrom(...WORDS), { maxLength: 8 }).map((words) => words.join('')),
    positions: fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 3 }),
  }),
  { maxLength: 10 },
);

describe('a cited text that comes in parts', () => {
  it('is marked as a whole one, however it is cut', () => {
    fc.assert(
      fc.property(pieces, fc.integer({ min: 1, max: 12 }), (each, length) => {
        const whole = joinCited(each).trim();
        const given = live(each, length).join('');
        expect(whole.slice(0, given.length)).toBe(given);
      }),
      { numRuns: 5_000 },
    );
  });

  it('is handed over sentence by sentence, each with the markers of the one before', () => {
    const sentences = [
      { text: 'It opened.', positions: [1, 2] },
      { text: ' It is [1] long.', positions: [2] },
      { text: ' It is red.', positions: [] },
    ];
    expect(live(sentences)).toEqual(['It opened.', '[1][2] It is \\[1] long.', '[2] It is red.']);
  });

  it('is handed over behind fenced code, whose citations come behind it', () => {
    const code = [
      { text: 'So:\n\n```js\nx[1]', positions: [1] },
      { text: '\n```', positions: [2] },
      { text: '\nDone.', positions: [] },
    ];
    expect(live(code, 1).join('')).toBe('So:\n\n```js\nx[1]\n```\n[1][2]\nDone.');
  });

  it('holds no markers in front of it', () => {
    expect(
      live([
        { text: ' ', positions: [1] },
        { text: 'It opened.', positions: [] },
      ]),
    ).toEqual(['It opened.']);
  });
});
