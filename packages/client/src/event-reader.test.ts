import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createEventReader, type ServerSentEvent } from './event-reader.js';

function readAll(pieces: readonly string[], maxCharacters = 1_000): ServerSentEvent[] {
  const read = createEventReader(maxCharacters);
  return pieces.flatMap((piece) => read(piece));
}

describe('createEventReader', () => {
  it.each([
    ['LF', 'event: a\ndata: 1\n\n', [{ name: 'a', data: '1' }]],
    ['CRLF', 'event: a\r\ndata: 1\r\n\r\n', [{ name: 'a', data: '1' }]],
    ['CR', 'event: a\rdata: 1\r\r', [{ name: 'a', data: '1' }]],
    ['comments', ': hello\n\n:\ndata: 1\n: there\n\n', [{ name: '', data: '1' }]],
    ['data in several lines', 'data: 1\ndata:2\ndata\ndata:  3\n\n', [{ name: '', data: '1\n2\n\n 3' }]],
    ['an event without data', 'event: a\n\ndata: 1\n\n', [{ name: '', data: '1' }]],
    ['other fields', 'id: 7\nretry: 9\ndatum: 1\ndata: 1\n\n', [{ name: '', data: '1' }]],
    ['colons in a value', 'data: a: b\n\n', [{ name: '', data: 'a: b' }]],
    ['separators that end no line', 'data: a\u2028b\u0085c\n\n', [{ name: '', data: 'a\u2028b\u0085c' }]],
    ['an event that does not end', 'data: 1\n\ndata: 2\n', [{ name: '', data: '1' }]],
  ])('reads %s', (_what, text, events) => {
    expect(readAll([text])).toEqual(events);
  });

  it('reads the same events wherever the stream is cut', () => {
    const part = fc.constantFrom('event: a', 'data: 1', 'data:', ': x', '\n', '\r', '\r\n', '\n\n', '\r\n\r\n', 'x');
    fc.assert(
      fc.property(fc.array(part, { maxLength: 30 }), fc.array(fc.nat(100), { maxLength: 20 }), (parts, places) => {
        const text = parts.join('');
        const ends = [...places.filter((place) => place < text.length), text.length].sort((a, b) => a - b);
        const pieces = ends.map((end, index) => text.slice(ends[index - 1] ?? 0, end));
        expect(readAll(pieces)).toEqual(readAll([text]));
      }),
    );
  });

  it('reads an event that comes character by character', () => {
    const data = 'x0'.repeat(400);
    expect(readAll(`data: ${data}\n\ndata: 1\n\n`.split(''))).toEqual([
      { name: '', data },
      { name: '', data: '1' },
    ]);
  });

  it.each([
    ['one line', ['data: ', 'x'.repeat(600), 'x'.repeat(600)]],
    ['many lines', Array<string>(251).fill('data\n')],
    ['a comment', [':', 'x'.repeat(1_001)]],
  ])('refuses an event that is too long in %s', (_where, pieces) => {
    expect(() => readAll(pieces)).toThrow(RangeError);
  });

  it('reads any number of short events and comments', () => {
    expect(readAll(Array<string>(500).fill(': keep-alive\n\ndata: 1234\n\n'))).toHaveLength(500);
  });
});
