import { describe, expect, it } from 'vitest';
import { reduceAtEnd } from '../../test/reduce-at-end.js';
import type { StreamEnd } from './completeness.js';
import { type CreateReducer, readStream } from './reduce-stream.js';

function read(text: string, reduce: CreateReducer): { events?: unknown[]; asked?: StreamEnd } {
  const stream = readStream(reduce(undefined), { secrets: ['k1-secret'] });
  stream.push(text);
  return stream.end().json;
}
/** Gives the events, and how the stream stood when it was asked. */
const seen: CreateReducer = () => {
  const events: unknown[] = [];
  let asked: StreamEnd | undefined;
  return {
    push: (event) => void events.push(event),
    isWhole(end) {
      asked = end;
      return true;
    },
    end: () => ({ events, asked }),
  };
};
const reduced = (text: string) => read(text, seen);
const failing = (more: object) =>
  expect.objectContaining({ name: 'UpstreamError', reason: 'upstream_invalid_response', status: 200, ...more });

describe('a stream that is read', () => {
  it('hands over the events, and how the stream ended', () => {
    expect(reduced('data: {"a":1}\n\n: wait\n\ndata: {"a":2}\n\ndata: [DONE]\n\n')).toEqual({
      events: [{ a: 1 }, { a: 2 }],
      asked: 'done',
    });
    expect(reduced('data: {"a":1}\n\n')).toEqual({ events: [{ a: 1 }], asked: 'closed' });
    expect(reduced('data: {"a":1}\n\ndata: [DONE]')).toEqual({ events: [{ a: 1 }], asked: 'closed' });
    expect(reduced('data: [DONE]\n\n')).toEqual({ events: [], asked: 'done' });
  });

  it.each([
    ['data: [DONE]\n\n', 'ending'],
    ['data: {"type":"response.completed"}\n\n', 'ending'],
    ['data: {"type":"response.incomplete"}\n\n: wait\n\n', 'ending'],
    ['event: message_stop\ndata: {"type":"message_stop"}\n\n', 'ending'],
    ['data: [DONE]', true],
    ['data: [DONE]\n\ndata: {"usage":{}}\n\n', true],
    ['data: {"type":"response.output_text.done"}\n\n', true],
    ['data: {"type":"response.failed","error":{}}\n\n', false],
  ])('tells whether more is wanted after %j: %j', (text, wanted) => {
    const { push } = readStream(seen(undefined), { secrets: [] });
    expect(push(text)).toBe(wanted);
  });

  it('is whole when the reducer has the evidence, and no error has come', () => {
    const reduce = reduceAtEnd(
      (events, end) => end === 'done' || (end === 'cut' && events.length > 1),
      () => ({}),
    );
    const wholeAfter = (text: string) => {
      const stream = readStream(reduce(undefined), { secrets: [] });
      stream.push(text);
      return stream.isWhole();
    };
    expect(wholeAfter('')).toBe(false);
    expect(wholeAfter('data: {}\n\n')).toBe(false);
    expect(wholeAfter('data: {}\n\ndata: {}\n\n')).toBe(true);
    expect(wholeAfter('data: [DONE]\n\n')).toBe(true);
    expect(wholeAfter('data: {}\n\ndata: {"error":"no"}\n\n')).toBe(false);
    expect(wholeAfter('{"no":"stream"}')).toBe(false);
  });

  it('ignores events without data, except errors', () => {
    const text = 'data:\n\nevent: ping\ndata: \n\ndata: {"a":1}\n\ndata: [DONE]\n\ndata:\n\n';
    expect(reduced(text)).toEqual({ events: [{ a: 1 }], asked: 'done' });
    expect(() => reduced('event: error\ndata:\n\ndata: {"a":1}\n\n')).toThrow(failing({ phase: 'parse' }));
  });

  it('treats plain JSON as a whole stream, whose evidence is in the reply', () => {
    expect(reduced('{"answer":"Yes."}')).toEqual({ events: [{ answer: 'Yes.' }] });
  });

  it('recognizes error events by their name', () => {
    expect(reduced('event: error\ndata: {"message":"slow down"}\n\n').events).toEqual([
      { error: { message: 'slow down' } },
    ]);
    expect(reduced('event: error\ndata: {"error":"slow down"}\n\n').events).toEqual([{ error: 'slow down' }]);
  });

  it.each([{ type: 'error' }, { type: 'conversation.response.error', error: null }])(
    'recognizes error events by their type: %j',
    (event) => {
      expect(reduced(`data: ${JSON.stringify(event)}\n\n`).events).toEqual([{ error: event }]);
    },
  );

  it('takes 50,000 events and refuses more', () => {
    const streamOf = (count: number) => 'data: {}\n\n'.repeat(count);
    expect(reduced(streamOf(50_000)).events).toHaveLength(50_000);
    expect(() => reduced(streamOf(50_001))).toThrow(failing({ phase: 'shape' }));
  });

  it('refuses a stream of more than 1,000,000 values, or an event of more than 100,000', () => {
    const event = (count: number) => `data: {"list":[${'"",'.repeat(count)}""]}\n\n`;
    expect(reduced(event(90_000).repeat(10)).events).toHaveLength(10);
    expect(() => reduced(event(90_000).repeat(12))).toThrow(failing({ phase: 'shape' }));
    expect(() => reduced(event(100_000))).toThrow(failing({ phase: 'parse' }));
  });

  it.each([
    ['an event that is no JSON', 'data: {"a":1}\n\ndata: {"a\n\n'],
    ['an event that is no object', 'data: 7\n\n'],
    ['a web page', '<!doctype html>\n\n<h1>Sign in</h1>\n\n'],
    ['nothing', ''],
  ])('refuses %s', (_what, text) => {
    expect(() => reduced(text)).toThrow(
      failing({ phase: 'parse', detail: expect.stringContaining('not a JSON object') }),
    );
  });

  it('shows no part of the key that was sent', () => {
    expect(() => reduced('data: k1-secret\n\n')).toThrow(
      failing({ detail: 'not a JSON object of reasonable size: [redacted]' }),
    );
  });

  it('refuses a stream with missing events', () => {
    expect(() =>
      read(
        'data: {}\n\ndata: [DONE]\n\n',
        reduceAtEnd(
          () => false,
          () => ({}),
        ),
      ),
    ).toThrow(failing({ phase: 'body', detail: 'the stream ended before the answer did' }));
  });
});

describe('a stream while it is read', () => {
  const begin = () => readStream(seen(undefined), { secrets: [] });

  it.each([
    ['event: error', { message: 'slow down' }],
    ['id: 1', { type: 'error', message: 'slow down' }],
    ['id: 1', { error: 'slow down' }],
    ['id: 1', { error: { message: 'slow down' }, choices: [] }],
    ['id: 1', { type: 'response.failed', response: { status: 'failed', error: { code: 'server_error' } } }],
    ['id: 1', { type: 'response.failed', response: { status: 'failed' } }],
  ])('has ended with an error, whatever follows: %s %j', (line, event) => {
    const stream = begin();
    expect(stream.push('data: {"a":1}\n\n')).toBe(true);
    expect(stream.push(`${line}\ndata: ${JSON.stringify(event)}\n\ndata: {"b":2}\n\n`)).toBe(false);
    expect(stream.push('data: no JSON\n\ndata: [DONE]\n\n')).toBe(false);
    expect(stream.end().json).toMatchObject({ events: [{ a: 1 }, expect.anything()], asked: 'cut' });
  });

  it.each([
    { error: null },
    { response: { status: 'in_progress', error: null } },
    { response: 'failed' },
    { type: 'response.web_search_call.failed' },
  ])('goes on without an error: %j', (event) => {
    const stream = begin();
    expect(stream.push(`data: ${JSON.stringify(event)}\n\n`)).toBe(true);
    expect(stream.end().json).toMatchObject({ events: [event] });
  });
});
