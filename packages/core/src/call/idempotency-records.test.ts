import { createFakeClock } from '@searchgate/testing';
import { describe, expect, it } from 'vitest';
import { LedgerError } from '../base/errors/ledger-error.js';
import { createEventStream, type GatewayEvent } from '../base/events/events.js';
import type { ClaimRequest, IdempotencyStore } from '../ledger/idempotency-store.js';
import { memoryIdempotency } from '../ledger/memory-idempotency.js';
import { createIdempotencyRecords } from './idempotency-records.js';

const KEEP_MS = 3_600_000;
const RESPONSE = { status: 200, body: '{"answer":"In May 2021."}' };

function start(failures: Error[] = []) {
  const logged: unknown[] = [];
  const logger = { warn: () => undefined, error: (fields: unknown) => logged.push(fields) };
  const clock = createFakeClock();
  const sound = memoryIdempotency();
  const seen: GatewayEvent[] = [];
  const events = createEventStream(logger);
  events.subscribe((event) => void seen.push(event));
  const failing = <A extends unknown[], R>(operation: (...args: A) => Promise<R>) => {
    return (...args: A): Promise<R> => {
      const failure = failures.shift();
      return failure === undefined ? operation(...args) : Promise.reject(failure);
    };
  };
  const store: IdempotencyStore = { ...sound, complete: failing(sound.complete), free: failing(sound.free) };
  const claims = createIdempotencyRecords({ store, keepMs: KEEP_MS, clock, events, logger });
  /** Of another process on the same store. */
  const others = createIdempotencyRecords({
    store: sound,
    keepMs: KEEP_MS,
    clock,
    events: createEventStream(logger),
    logger,
  });
  const requestOf = (changes: Partial<ClaimRequest> = {}): ClaimRequest => ({
    keyId: 'key-1',
    idempotencyKey: 'order-17',
    claimId: 'claim-1',
    fingerprint: 'a'.repeat(64),
    nowMs: clock.now(),
    expiresAtMs: clock.now() + 60_000,
    ...changes,
  });
  const emitted = () => (events.flush(), seen);
  return { clock, sound, claims, others, requestOf, emitted, logger, logged };
}

describe('claims', () => {
  it('take a name once, report that its call is in flight, and then replay its response', async () => {
    const { claims, requestOf, emitted } = start();
    const first = requestOf();
    const second = requestOf({ claimId: 'claim-2' });
    expect(await claims.take(first)).toBeNull();
    await expect(claims.take(second)).rejects.toMatchObject({ reason: 'idempotency_in_progress', retryAfterMs: 1_000 });
    await claims.complete(first, RESPONSE, 'req');
    expect(await claims.take(second)).toEqual(RESPONSE);
    expect(emitted()).toEqual([]);
  });

  it('refuse another question under the same name', async () => {
    const { claims, requestOf } = start();
    await claims.take(requestOf());
    const other = requestOf({ claimId: 'claim-2', fingerprint: 'b'.repeat(64) });
    await expect(claims.take(other)).rejects.toMatchObject({ reason: 'idempotency_key_reused' });
  });

  it('keep a response as long as configured, counted from its end', async () => {
    const { claims, requestOf, clock } = start();
    const first = requestOf();
    await claims.take(first);
    await clock.advance(30_000);
    await claims.complete(first, RESPONSE, 'req');
    await clock.advance(KEEP_MS - 1);
    expect(await claims.take(requestOf({ claimId: 'claim-2' }))).toEqual(RESPONSE);
    await clock.advance(1);
    expect(await claims.take(requestOf({ claimId: 'claim-3' }))).toBeNull();
  });

  it.each(['complete', 'free'] as const)('%s in the background when the store fails', async (operation) => {
    const { claims, others, requestOf, clock, emitted } = start([
      new Error('down'),
      new LedgerError('ledger_timeout', 'slow'),
    ]);
    const first = requestOf();
    await claims.take(first);
    await (operation === 'free' ? claims.free(first, 'req') : claims.complete(first, RESPONSE, 'req'));
    await expect(others.take(requestOf({ claimId: 'claim-2' }))).rejects.toMatchObject({ status: 409 });
    await clock.advance(1_000);
    await clock.advance(2_000);
    expect(await others.take(requestOf({ claimId: 'claim-2' }))).toEqual(operation === 'free' ? null : RESPONSE);
    expect(emitted()).toMatchObject([
      { type: 'idempotency_failed', operation, requestId: 'req', attempt: 1, final: false, error: 'down' },
      { type: 'idempotency_failed', operation, requestId: 'req', attempt: 2, final: false, error: 'slow' },
      { type: 'idempotency_recovered', requestId: 'req', attempts: 3 },
    ]);
  });

  it('complete remaining claims when they close, and report failures', async () => {
    const down = new Error('down');
    const { claims, requestOf, emitted, clock } = start([down, down, down]);
    const one = requestOf();
    const two = requestOf({ idempotencyKey: 'order-18' });
    for (const request of [one, two]) {
      await claims.take(request);
      await claims.complete(request, RESPONSE, request.idempotencyKey);
    }
    await claims.close();
    await clock.advance(KEEP_MS / 2);
    expect(emitted().slice(2)).toMatchObject([
      { type: 'idempotency_failed', requestId: 'order-17', final: true },
      { type: 'idempotency_recovered', requestId: 'order-18' },
    ]);
    expect(await claims.take(requestOf({ idempotencyKey: 'order-18', claimId: 'claim-2' }))).toEqual(RESPONSE);
    expect(clock.pendingTimers).toBe(0);
  });

  it('give up at once, and report it, when another call has completed the name first', async () => {
    const { claims, others, requestOf, emitted, clock } = start();
    const first = requestOf();
    await claims.take(first);
    await clock.advance(60_000);
    const second = requestOf({ claimId: 'claim-2' });
    expect(await others.take(second)).toBeNull();
    await others.complete(second, RESPONSE, 'req-2');
    await claims.complete(first, { status: 200, body: 'too late' }, 'req');
    expect(emitted()).toMatchObject([{ type: 'idempotency_failed', operation: 'complete', final: true, attempt: 1 }]);
    expect(clock.pendingTimers).toBe(0);
    expect(await claims.take(requestOf({ claimId: 'claim-3' }))).toEqual(RESPONSE);
  });

  const downFor = (times: number) => Array.from({ length: times }, () => new Error('down'));

  it('answer repeated calls from this process while the store fails for longer than the claim lasts, and keep the response afterwards', async () => {
    const { claims, others, requestOf, clock, emitted } = start(downFor(20));
    const first = requestOf();
    await claims.take(first);
    await claims.complete(first, RESPONSE, 'req');
    await clock.advance(90_000);
    expect(await claims.take(requestOf({ claimId: 'claim-2' }))).toEqual(RESPONSE);
    const other = requestOf({ claimId: 'claim-3', fingerprint: 'b'.repeat(64) });
    await expect(claims.take(other)).rejects.toMatchObject({ reason: 'idempotency_key_reused' });
    await clock.advance(300_000);
    expect(emitted().at(-1)).toMatchObject({ type: 'idempotency_recovered', attempts: 21 });
    expect(await others.take(requestOf({ claimId: 'claim-4' }))).toEqual(RESPONSE);
    expect(clock.pendingTimers).toBe(0);
  });

  it('keep the first response when another process has made the call again', async () => {
    const { claims, others, requestOf, clock } = start([new Error('down')]);
    const first = requestOf({ expiresAtMs: 0 });
    await claims.take(first);
    await claims.complete(first, RESPONSE, 'req');
    const second = requestOf({ claimId: 'claim-2' });
    expect(await others.take(second)).toBeNull();
    await clock.advance(1_000);
    // The response of the second call is kept, so no third call is necessary.
    await others.free(second, 'req-2');
    expect(await others.take(requestOf({ claimId: 'claim-3' }))).toEqual(RESPONSE);
  });

  it('stop retrying when a response may no longer be replayed', async () => {
    const { claims, requestOf, clock, emitted } = start(downFor(1_000));
    await claims.take(requestOf());
    await claims.complete(requestOf(), RESPONSE, 'req');
    await clock.advance(KEEP_MS);
    expect(await claims.take(requestOf({ claimId: 'claim-2' }))).toBeNull();
    await clock.advance(10_000);
    expect(emitted().at(-1)).toMatchObject({ type: 'idempotency_failed', final: true });
    expect(clock.pendingTimers).toBe(0);
  });

  it('keep a limited size of responses in memory while the store fails', async () => {
    const { claims, requestOf, emitted } = start(downFor(20));
    const response = { status: 200, body: 'x'.repeat(8 * 1_024 * 1_024) };
    for (let each = 0; each < 6; each += 1) {
      const request = requestOf({ idempotencyKey: `order-${each}` });
      await claims.take(request);
      await claims.complete(request, response, `${each}`);
    }
    const given = emitted().flatMap((event) => ('final' in event && event.final ? [event] : []));
    expect(given).toMatchObject([{ requestId: '4' }, { requestId: '5' }]);
  });

  it('report nothing when another call has taken a name before it was freed', async () => {
    const { claims, requestOf, emitted, clock } = start();
    const first = requestOf();
    await claims.take(first);
    await clock.advance(60_000);
    await claims.take(requestOf({ claimId: 'claim-2' }));
    await claims.free(first, 'req');
    await expect(claims.take(requestOf({ claimId: 'claim-3' }))).rejects.toMatchObject({
      reason: 'idempotency_in_progress',
    });
    expect(emitted()).toEqual([]);
  });

  it('log and emit a claim that could not be ended', async () => {
    const { claims, requestOf, emitted, logged } = start(['not an error' as never]);
    await claims.take(requestOf());
    await claims.free(requestOf(), 'req');
    expect(logged).toEqual([{ error: 'not an error', requestId: 'req', operation: 'free', final: false }]);
    expect(emitted()).toMatchObject([{ requestId: 'req', operation: 'free', attempt: 1, error: 'unknown error' }]);
  });

  it('make a failing store a 503, and log why', async () => {
    const { clock, sound, requestOf, logger, logged } = start();
    const down = new Error('down');
    const store = { ...sound, claim: () => Promise.reject(down) };
    const claims = createIdempotencyRecords({
      store,
      keepMs: KEEP_MS,
      clock,
      events: createEventStream(logger),
      logger,
    });
    await expect(claims.take(requestOf())).rejects.toMatchObject({ reason: 'ledger_unavailable', retryAfterMs: 1_000 });
    expect(logged).toEqual([{ error: down }]);
  });
});
