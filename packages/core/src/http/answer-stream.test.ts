import { createFakeClock } from '@searchgate/testing';
import { describe, expect, it } from 'vitest';
import type { RequestState } from '../request/handle-request-lifecycle.js';
import { AnswerStream } from './answer-stream.js';
import { eventLoopTick } from './event-loop-tick.js';
import type { BodyWriter, GatewayResponse, StreamedBody } from './gateway-request.js';
import { NATIVE_FORMAT } from './wire-schemas.js';

const HEAD = { id: 'ans_1', model: 'exa/answer', provider: 'exa' };
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** A caller who reads when the test tells it to. */
function caller() {
  const seen = { written: '', taken: 0, ended: 0, destroyed: 0, gone: false };
  const writer: BodyWriter = {
    write: (text) => void (seen.written += text),
    end: () => void (seen.ended += 1),
    destroy: () => void (seen.destroyed += 1),
    get bufferedBytes() {
      return seen.written.length - seen.taken;
    },
    get isClosed() {
      return seen.gone;
    },
  };
  return { seen, writer, take: () => (seen.taken = seen.written.length) };
}

function start(maxBufferedBytes = 1_000, format = NATIVE_FORMAT) {
  const clock = createFakeClock();
  const begun: GatewayResponse[] = [];
  const state = {
    context: { requestId: 'req_1', upstreamMs: 0, askedAtMs: null, rates: null, cache: null, joined: false },
    startMs: 0,
    replay: null,
  } as unknown as RequestState;
  const limits = { keepAliveMs: 15_000, maxBufferedBytes };
  const stream = new AnswerStream({
    begin: (response) => void begun.push(response),
    state,
    format,
    clock,
    turn: eventLoopTick(),
    limits,
  });
  const pipeTo = (writer: BodyWriter) => (begun[0]!.body as StreamedBody).pipeTo(writer);
  return { stream, clock, begun, pipeTo };
}

describe('an answer stream', () => {
  it('begins its response with the first event, once', () => {
    const { stream, begun } = start();
    expect([stream.hasStarted, begun.length]).toEqual([false, 0]);
    stream.start(HEAD);
    stream.delta('Yes.');
    expect([stream.hasStarted, begun.length]).toEqual([true, 1]);
  });

  it('keeps events that come before it has a writer', () => {
    const { stream, pipeTo } = start();
    const { seen, writer } = caller();
    stream.start(HEAD);
    stream.delta('Yes.');
    stream.finish('{}');
    pipeTo(writer);
    expect(seen.written.match(/event: \w+/g)).toEqual(['event: start', 'event: delta', 'event: done']);
    expect(seen.ended).toBe(1);
  });

  it('sends a long answer that comes in one turn to a caller who reads', async () => {
    const { stream, pipeTo } = start();
    const { seen, writer, take } = caller();
    stream.start(HEAD);
    pipeTo(writer);
    take();
    await turn();
    stream.delta('x'.repeat(5_000));
    stream.finish(JSON.stringify({ answer: 'x'.repeat(5_000) }));
    expect(seen).toMatchObject({ ended: 1, destroyed: 0 });
    expect(seen.written.length).toBeGreaterThan(10_000);
  });

  it('disconnects a caller who has left too much unread, buffers nothing more, and lets the call end', async () => {
    const { stream, clock, pipeTo } = start();
    const { seen, writer } = caller();
    stream.start(HEAD);
    pipeTo(writer);
    for (let part = 0; part < 50; part += 1) {
      await turn();
      stream.delta('x'.repeat(100));
    }
    expect(seen).toMatchObject({ ended: 0, destroyed: 1 });
    expect(seen.written.length).toBeLessThan(1_500);
    expect([stream.isAbandoned, clock.pendingTimers]).toEqual([true, 0]);
    expect(stream.finish('{}').status).toBe(200);
    expect(seen).toMatchObject({ ended: 0, destroyed: 1 });
  });

  it('closes a stream that had no writer for too long as soon as it gets one', async () => {
    const { stream, pipeTo } = start();
    const { seen, writer } = caller();
    stream.start(HEAD);
    await turn();
    stream.delta('x'.repeat(2_000));
    await turn();
    stream.delta('too much');
    stream.finish('{}');
    pipeTo(writer);
    expect(seen).toEqual({ written: '', taken: 0, ended: 0, destroyed: 1, gone: false });
  });

  it('writes a comment after each silence, and leaves no timer when it ends', async () => {
    const { stream, clock, pipeTo } = start();
    const { seen, writer, take } = caller();
    stream.start(HEAD);
    pipeTo(writer);
    take();
    await clock.advance(10_000);
    stream.delta('Yes.');
    await clock.advance(14_999);
    expect(seen.written).not.toContain(': keep-alive');
    await clock.advance(1);
    await clock.advance(15_000);
    expect(seen.written.match(/: keep-alive\n\n/g)).toHaveLength(2);
    stream.finish('{}');
    expect(clock.pendingTimers).toBe(0);
  });

  it('writes no comment before its first event, where the start has none', async () => {
    const { stream, clock, pipeTo } = start(1_000, { ...NATIVE_FORMAT, startEvent: () => '' });
    const { seen, writer } = caller();
    await clock.advance(15_000);
    stream.start(HEAD);
    pipeTo(writer);
    expect(seen.written).toBe('');
    stream.finish('{}');
  });

  it('writes nothing more to a caller who has gone', async () => {
    const { stream, clock, pipeTo } = start();
    const { seen, writer } = caller();
    stream.start(HEAD);
    pipeTo(writer);
    const { written } = seen;
    seen.gone = true;
    stream.delta('Yes.');
    await clock.advance(15_000);
    expect(clock.pendingTimers).toBe(0);
    stream.finish('{}');
    expect([seen.written, stream.isAbandoned]).toEqual([written, true]);
  });

  it('sends an error as the response, or as the last event of a stream that has begun', () => {
    const error = { status: 502, headers: {}, body: '{"error":{}}' };
    expect(start().stream.fail(error)).toBeUndefined();
    const { stream, pipeTo } = start();
    const { seen, writer } = caller();
    stream.start(HEAD);
    pipeTo(writer);
    expect(stream.fail(error)?.status).toBe(200);
    expect(seen.written.endsWith('event: error\ndata: {"error":{}}\n\n')).toBe(true);
    expect(seen.ended).toBe(1);
  });
});
