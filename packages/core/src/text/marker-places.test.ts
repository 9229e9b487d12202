import { describe, expect, it } from 'vitest';
import { createMarkerPlaces } from './marker-places.js';
import { markerTokens } from './marker-tokens.js';

/** Where markers go that belong at these places of a text. */
function placesOf(text: string, offsets: readonly number[]) {
  const places = createMarkerPlaces(text, markerTokens(text));
  return offsets.map((offset) => places.insertionAt(offset)?.at);
}

describe('the places of markers', () => {
  it('are behind a visible character, however many ask for the white space behind it', () => {
    expect(placesOf('ab \t\n  c \\ d', [1, 2, 3, 4, 6, 7, 8, 9, 10, 11])).toEqual([1, 2, 2, 2, 2, 2, 8, 8, 8, 8]);
  });

  it('are nowhere in front of the first character', () => {
    expect(placesOf(' \\a', [0, 1, 2, 3])).toEqual([undefined, undefined, undefined, 3]);
    expect(placesOf('  \\ a', [3])).toEqual([undefined]);
  });

  it('are behind a row of back-quotes or of tildes', () => {
    expect(placesOf('a ``` b ~~ c', [2, 3, 4, 5, 8, 9, 10, 12])).toEqual([1, 5, 5, 5, 7, 10, 10, 12]);
    expect(placesOf('`', [1])).toEqual([1]);
    expect(placesOf('aa  bb `~ cc', [1, 5, 8])).toEqual([1, 5, 8]);
  });

  it('are behind code and links, and at their ends', () => {
    const text = '`a` b [c](/d) e [1] f';
    expect(placesOf(text, [1, 3, 5, 7, 9, 13, 15, 17, 18])).toEqual([3, 3, 5, 13, 13, 13, 15, 17, 18]);
  });

  it.each([
    ['```\na\n```', 9],
    ['```\na\n  ```\n', 11],
    ['~~~\na\n\t~~~~ \n', 11],
    ['```\na', undefined],
    ['```\na ```', undefined],
    ['~~~\na\n~~', undefined],
    ['```', undefined],
    ['```\na\n~~~', undefined],
    ['````\na\n```', undefined],
    ['```\na\n~~~ b', undefined],
    ['~~~\na\n```\n~~~', 13],
    ['````\na\n`````\n', 12],
  ])('are behind the fenced code %j where it ends', (text, at) => {
    const places = createMarkerPlaces(text, markerTokens(text));
    const expected = at === undefined ? undefined : { at, onNewLine: true };
    expect([places.insertionAt(2), places.insertionAt(3)]).toEqual([expected, expected]);
  });

  it('may be asked for what is there', () => {
    const text = '`a` \\\\b [1] [c](/d)';
    const { tokenAround, beforeEscapes } = createMarkerPlaces(text, markerTokens(text));
    expect([0, 1, 3, 4, 10, 12, 13, 19].map((offset) => tokenAround(offset)?.kind)).toEqual([
      undefined,
      'code',
      'code',
      undefined,
      undefined,
      undefined,
      'link',
      'link',
    ]);
    expect([3, 4, 5, 6, 7].map(beforeEscapes)).toEqual([3, 4, 4, 4, 7]);
  });
});
