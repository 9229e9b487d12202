import { describe, expect, it } from 'vitest';
import { foldAtEnd, foldStream } from './fold-stream.js';

const response = (text: string) => ({ status: 200, header: () => undefined, text });
const folded = (text: string): { events?: unknown[]; ended?: boolean } =>
  foldStream(
    response(text),
    foldAtEnd((events, ended) => ({ events, ended })),
    ['k1-secret'],
  );
const failing = (more: object) =>
  expect.objectContaining({ name: 'UpstreamError', reason: 'upstream_invalid_response', status: 200, ...more });

describe('foldStream', () => {
  it('hands over the events, and whether the last word was heard', () => {
    expect(folded('data: {"a":1}\n\n: wait\n\ndata: {"a":2}\n\ndata: [DONE]\n\n')).toEqual({
      events: [{ a: 1 }, { a: 2 }],
      ended: true,
    });
    expect(folded('data: {"a":1}\n\n')).toEqual({ events: [{ a: 1 }], ended: false });
    expect(folded('data: {"a":1}\n\ndata: [DONE]')).toEqual({ events: [{ a: 1 }], ended: false });
    expect(folded('data: [DONE]\n\n')).toEqual({ events: [], ended: true });
  });

  it('takes plain JSON for a whole stream', () => {
    expect(folded('{"error":"no stream"}')).toEqual({ events: [{ error: 'no stream' }], ended: true });
  });

  it('knows events that are errors by their name', () => {
    expect(folded('event: error\ndata: {"message":"slow down"}\n\n').events).toEqual([
      { error: { message: 'slow down' } },
    ]);
    expect(folded('event: error\ndata: {"error":"slow down"}\n\n').events).toEqual([{ error: 'slow down' }]);
  });

  it('takes 50,000 events and refuses more', () => {
    const streamOf = (count: number) => 'data: {}\n\n'.repeat(count);
    expect(folded(streamOf(50_000)).events).toHaveLength(50_000);
    expect(() => folded(streamOf(50_001))).toThrow(failing({ phase: 'shape' }));
  });

  it.each([
    ['an event that is no JSON', 'data: {"a":1}\n\ndata: {"a\n\n'],
    ['an event that is no object', 'data: 7\n\n'],
    ['a web page', '<!doctype html>\n\n<h1>Sign in</h1>\n\n'],
    ['nothing', ''],
  ])('refuses %s', (_what, text) => {
    expect(() => folded(text)).toThrow(
      failing({ phase: 'parse', detail: expect.stringContaining('not a JSON object') }),
    );
  });

  it('shows no part of the key that was sent', () => {
    expect(() => folded('data: k1-secret\n\n')).toThrow(failing({ detail: 'not a JSON object: [redacted]' }));
  });

  it('refuses a stream of which events are missing', () => {
    expect(() =>
      foldStream(
        response('data: {}\n\n'),
        foldAtEnd(() => undefined),
        [],
      ),
    ).toThrow(failing({ phase: 'body', detail: 'the stream ended before the answer did' }));
  });
});
