import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createEventReader, type ServerSentEvent } from './server-sent-events.js';

/** Reads a text in pieces of this length. */
function parse(text: string, length = text.length): ServerSentEvent[] {
  const events: ServerSentEvent[] = [];
  const reader = createEventReader((event) => void events.push(event));
  for (let at = 0; at < text.length; at += length) reader.push(text.slice(at, at + length));
  return events;
}

const message = (data: string) => ({ event: 'message', data });

describe('createEventReader', () => {
  it.each<[string, string, object[]]>([
    ['reads one event after the other', 'data: {"a":1}\n\ndata: [DONE]\n\n', [message('{"a":1}'), message('[DONE]')]],
    ['takes every form of line end', 'data: 1\r\n\r\ndata: 2\r\rdata: 3\n\n', ['1', '2', '3'].map(message)],
    ['takes line ends of several forms in one event', 'data: 1\rdata: 2\r\ndata: 3\n\r\n', [message('1\n2\n3')]],
    ['joins the lines of an event', 'data: one\ndata\ndata: three\n\n', [message('one\n\nthree')]],
    ['drops one space before a value, and no more', 'data:  x\ndata:y\n\n', [message(' x\ny')]],
    [
      'knows the names of events',
      'event: delta\ndata: 1\n\ndata: 2\n\n',
      [{ event: 'delta', data: '1' }, message('2')],
    ],
    ['lets the last name of an event hold', 'event: a\nevent: b\ndata: 1\n\n', [{ event: 'b', data: '1' }]],
    ['forgets the name of an event without data', 'event: ping\n\ndata: 1\n\n', [message('1')]],
    ['keeps an event whose data is empty', 'data:\n\ndata\n\n', [message(''), message('')]],
    ['ignores comments', ': keep-alive\n\n:\ndata: 1\n: more\n\n', [message('1')]],
    ['ignores other fields', 'id: 7\nretry: 10\nfoo: bar\nData: no\n data: no\ndata: 1\n\n', [message('1')]],
    ['ignores a byte order mark at the beginning', '\ufeffdata: 1\n\n', [message('1')]],
    ['takes a second byte order mark for a part of the name', '\ufeff\ufeffdata: 1\n\n', []],
    ['keeps colons in data', 'data: a: b:c\n\n', [message('a: b:c')]],
    ['drops a last event that no empty line ends', 'data: 1\n\ndata: 2\n', [message('1')]],
    ['drops a last line that no line end ends', 'data: 1\n\ndata: 2', [message('1')]],
    ['takes a line end alone for the end of an event', 'data: 1\r\n\r', [message('1')]],
    ['finds no events in nothing', '', []],
    ['finds no events in JSON', '{"error":{"message":"data: 1"}}', []],
    ['finds no events in a web page', '<!doctype html>\n\n<title>Sign in</title>\n\n', []],
  ])('%s', (_fact, text, events) => {
    expect(parse(text)).toEqual(events);
    expect(parse(text, 1)).toEqual(events);
    expect(parse(text, 2)).toEqual(events);
  });

  it('reads the written events, whatever their form and pieces', () => {
    const line = fc.string({ unit: fc.constantFrom('a', ':', ' ', '🌉', '\ufeff', '{', '\u2028') });
    const written = fc.record({
      event: fc.constantFrom('message', 'delta', 'response.completed'),
      lines: fc.array(line, { minLength: 1, maxLength: 4 }),
      comment: fc.option(line),
      end: fc.constantFrom('\n', '\r', '\r\n'),
    });
    fc.assert(
      fc.property(fc.array(written), line, fc.integer({ min: 1, max: 9 }), (events, rest, length) => {
        const text = events.map(({ event, lines, comment, end }) =>
          [
            `event:${event}`,
            ...(comment === null ? [] : [`:${comment}`]),
            ...lines.map((each) => `data: ${each}`),
            '',
            '',
          ].join(end),
        );
        // A CR that ends one event and an LF that begins the next would be one line end; no event begins with LF here.
        const whole = `${text.join('')}data: ${rest}`;
        const read = events.map(({ event, lines }) => ({ event, data: lines.join('\n') }));
        expect(parse(whole)).toEqual(read);
        expect(parse(whole, length)).toEqual(read);
      }),
    );
  });

  it('takes time in proportion to the text', () => {
    const events = parse('data: x\n\n'.repeat(200_000));
    expect(events).toHaveLength(200_000);
  });
});
