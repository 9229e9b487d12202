import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { writtenText } from '../../test/written-text.js';
import type { CitedPiece } from './annotated-text.js';
import { joinSegments as annotated } from './cited-segments.js';

const joinSegments = (...given: Parameters<typeof annotated>) => writtenText(annotated(...given));

const said = (text: string, ...positions: number[]): CitedPiece => ({ text, positions });

describe('joinSegments', () => {
  it('joins the pieces of one segment without a space, each with its markers', () => {
    expect(joinSegments([[said('It is '), said('open', 1, 2), said('.')]])).toBe('It is open[1][2].');
  });

  it('drops the text before a search, but not the cited text between two searches', () => {
    const announced = [said('Let me look that up.')];
    const found = [said('It opened in May.', 1)];
    const more = [said('I check the traffic, too.')];
    expect(joinSegments([announced, found, more, [said('It is busy.', 2)]])).toBe(
      'It opened in May.[1]\n\nIt is busy.[2]',
    );
  });

  it('keeps the last words, cited or not, even when empty segments follow', () => {
    expect(joinSegments([[said('Searching.')], [said('Nothing was found.')], [], [said(' \n')]])).toBe(
      'Nothing was found.',
    );
    expect(joinSegments([[said('One.')], [said('Two.')], [said('Three.')]])).toBe('Three.');
    expect(joinSegments([[said('Yes.', 1)], [said('That is all.')]])).toBe('Yes.[1]\n\nThat is all.');
  });

  it('is empty without text', () => {
    expect(joinSegments([])).toBe('');
    expect(joinSegments([[], [said('')]])).toBe('');
  });

  it('loses no cited word', () => {
    const piece = fc.record({
      text: fc.stringMatching(/^[a-z ]{1,8}$/),
      positions: fc.uniqueArray(fc.integer({ min: 1, max: 9 }), { maxLength: 2 }),
    });
    fc.assert(
      fc.property(fc.array(fc.array(piece, { maxLength: 4 }), { maxLength: 4 }), (segments) => {
        const joined = joinSegments(segments).replaceAll(/\[\d\]|\s/g, '');
        for (const pieces of segments.filter((each) => each.some(({ positions }) => positions.length > 0))) {
          const words = pieces.map(({ text }) => text).join('');
          expect(joined).toContain(words.replaceAll(/\s/g, ''));
        }
      }),
    );
  });
});
