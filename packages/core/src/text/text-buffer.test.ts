import { describe, expect, it } from 'vitest';
import { TextBuffer } from './text-buffer.js';

const LONG = 'a [b] 橋 🌉 \ud800 and so on';

describe('TextBuffer', () => {
  it.each([0, 1, 16, 17, 1_000])('is all that was added, with room for %d at first', (capacity) => {
    const buffer = new TextBuffer(capacity);
    let text = '';
    for (const part of [LONG, 'x', '', LONG.slice(0, 16), LONG.slice(0, 17), '🌉', LONG.repeat(50)]) {
      buffer.append(part);
      text += part;
      expect([buffer.toString(), buffer.length]).toEqual([text, text.length]);
    }
  });

  it.each([2, 12, 18, 19, 22])('takes the part of a text from 2 to %d', (end) => {
    const buffer = new TextBuffer(0);
    buffer.append('so ');
    buffer.append(LONG, 2, end);
    expect(buffer.toString()).toBe(`so ${LONG.slice(2, end)}`);
  });

  it('takes a text from a place to its end', () => {
    const buffer = new TextBuffer(0);
    buffer.append(LONG, 3);
    expect(buffer.toString()).toBe(LONG.slice(3));
  });

  it.each([0, 16])('grows by single code units, with room for %d at first', (capacity) => {
    const buffer = new TextBuffer(capacity);
    for (let index = 0; index < 100; index += 1) buffer.appendCode(97 + (index % 26));
    expect(buffer.toString()).toBe('abcdefghijklmnopqrstuvwxyz'.repeat(4).slice(0, 100));
  });

  it('can be read anywhere, and has no character outside', () => {
    const buffer = new TextBuffer(100);
    buffer.append(LONG);
    for (const [start, end] of [
      [0, 3],
      [4, 20],
      [4, 21],
      [7, 7],
    ] as const)
      expect(buffer.slice(start, end)).toBe(LONG.slice(start, end));
    const places = [-1, 0, LONG.length - 1, LONG.length];
    expect(places.map((place) => buffer.charCodeAt(place))).toEqual(places.map((place) => LONG.charCodeAt(place)));
  });

  it('takes its end back, and no more than there is', () => {
    const buffer = new TextBuffer(0);
    buffer.append(LONG);
    buffer.truncate(LONG.length + 5);
    expect(buffer.toString()).toBe(LONG);
    buffer.truncate(5);
    expect([buffer.toString(), buffer.charCodeAt(5)]).toEqual([LONG.slice(0, 5), Number.NaN]);
  });
});
