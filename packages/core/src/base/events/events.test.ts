import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createEventStream, eventToJson, type GatewayEvent } from './events.js';
import type { Logger } from './logger.js';

const eventOf = (count: number): GatewayEvent => ({ type: 'holds_expired', atMs: 1_000, count });

/** A stream, what its logger got, and what one listener got. */
function listen() {
  const logged: [Record<string, unknown>, string][] = [];
  const logger: Logger = { warn: () => undefined, error: (fields, message) => logged.push([fields, message]) };
  const stream = createEventStream(logger);
  const heard: GatewayEvent[] = [];
  const stop = stream.subscribe((event) => void heard.push(event));
  return { stream, logged, heard, stop };
}

describe('createEventStream', () => {
  it('delivers events in order, after the current work', async () => {
    const { stream, heard } = listen();
    stream.emit(eventOf(1));
    stream.emit(eventOf(2));
    await Promise.resolve();
    expect(heard).toEqual([]);
    await nextTurn();
    expect(heard).toEqual([eventOf(1), eventOf(2)]);
    stream.emit(eventOf(3));
    await nextTurn();
    expect(heard).toEqual([eventOf(1), eventOf(2), eventOf(3)]);
  });

  it('delivers queued events at once when flushed, and no event twice', async () => {
    const { stream, heard } = listen();
    stream.emit(eventOf(1));
    stream.flush();
    expect(heard).toEqual([eventOf(1)]);
    await nextTurn();
    expect(heard).toEqual([eventOf(1)]);
  });

  it('keeps no events for later listeners', async () => {
    const stream = createEventStream({ warn: () => undefined, error: () => undefined });
    stream.emit(eventOf(1));
    const heard: GatewayEvent[] = [];
    stream.subscribe((event) => void heard.push(event));
    stream.emit(eventOf(2));
    await nextTurn();
    expect(heard).toEqual([eventOf(2)]);
  });

  it('delivers no event to a removed listener', () => {
    const { stream, heard, stop } = listen();
    stream.emit(eventOf(1));
    stream.flush();
    stop();
    stream.emit(eventOf(2));
    stream.flush();
    expect(heard).toEqual([eventOf(1)]);
  });

  it('isolates a listener that throws or rejects, and keeps it', async () => {
    const { stream, logged, heard } = listen();
    const errors = [new Error('thrown'), new Error('rejected')] as const;
    stream.subscribe(() => {
      throw errors[0];
    });
    stream.subscribe(() => Promise.reject(errors[1]));
    const alsoHeard: GatewayEvent[] = [];
    stream.subscribe((event) => void alsoHeard.push(event));
    stream.emit(eventOf(1));
    stream.emit(eventOf(2));
    await nextTurn();
    expect([heard.length, alsoHeard.length]).toEqual([2, 2]);
    expect(logged.map(([fields]) => fields['error'])).toEqual([errors[0], errors[0], errors[1], errors[1]]);
    expect(logged[0]).toEqual([{ error: errors[0], event: 'holds_expired' }, 'an event listener failed']);
  });

  it('drops events beyond 10,000, reports their number, and recovers', () => {
    const { stream, heard } = listen();
    for (let count = 0; count < 10_003; count += 1) stream.emit(eventOf(count));
    stream.flush();
    expect(heard.length).toBe(10_001);
    expect(heard[9_999]).toEqual(eventOf(9_999));
    expect(heard[10_000]).toMatchObject({ type: 'events_dropped', count: 3, byType: { holds_expired: 3 } });
    stream.emit(eventOf(1));
    stream.flush();
    expect(heard.slice(10_001)).toEqual([eventOf(1)]);
  });
});

describe('events of requests', () => {
  const limited = {
    type: 'provider_slot_refused',
    atMs: 1_000,
    requestId: 'req_1',
    organizationId: 'acme',
    provider: 'exa',
    model: 'exa/answer',
    reason: 'connection_wait_exceeded',
    outcome: 'given_up',
    waitedMs: 1,
  } as const;

  it('leave room for other events, however many there are', () => {
    const { stream, heard } = listen();
    for (let count = 0; count < 20_000; count += 1) stream.emit(limited);
    stream.emit(eventOf(1));
    stream.flush();
    expect(heard.slice(9_000)).toMatchObject([
      eventOf(1),
      { type: 'events_dropped', count: 11_000, byType: { provider_slot_refused: 11_000 } },
    ]);
  });

  it('that a listener has lost are counted, except events_dropped', async () => {
    const { stream, heard } = listen();
    stream.subscribe(() => Promise.resolve(false));
    stream.emit(limited);
    stream.emit(limited);
    for (let turn = 0; turn < 5; turn += 1) await nextTurn();
    expect(heard.slice(2)).toMatchObject([{ type: 'events_dropped', count: 2, byType: { provider_slot_refused: 2 } }]);
    expect(await stream.deliver(eventOf(1))).toBe(false);
  });
});

describe('eventToJson', () => {
  it('prints amounts as decimal strings of nanodollars', () => {
    const event: GatewayEvent = {
      type: 'cost_unknown',
      atMs: 1_000,
      requestId: 'req_1',
      organizationId: 'acme',
      model: 'exa/answer',
      charged: 9_007_199_254_740_993n,
    };
    expect(JSON.parse(eventToJson(event))).toEqual({ ...event, charged: '9007199254740993' });
  });
});
