import { setImmediate as nextTurn } from 'node:timers/promises';
import { createFakeClock } from '@searchgate/testing';
import { describe, expect, it } from 'vitest';
import { createEventStream, type EventListener, type GatewayEvent } from '../base/events/events.js';
import type { IdempotencyStore } from '../ledger/idempotency-store.js';
import { memoryIdempotency } from '../ledger/memory-idempotency.js';
import { exhaustedAlert, organizationAlerts } from './alert.js';
import { createAlertPublisher } from './alert-publisher.js';

const DAY_MS = 86_400_000;
const clock = createFakeClock();

/** The alert of an organization that has less than $10 left of these credits. */
function alertOf(credits: bigint, organizationId = 'acme') {
  const totals = { credits, usage: credits - 5n, held: 0n };
  const budget = { thresholds: [], creditsLow: 10n, leastPrice: () => 0n };
  const [alert] = organizationAlerts(budget, organizationId, { totals, atMs: clock.now() });
  if (alert === undefined) throw new Error('no alert');
  return alert;
}

/** A process with one listener. */
function startProcess(store: IdempotencyStore, listener: EventListener = () => undefined) {
  const logged: string[] = [];
  const log = (_fields: unknown, message: string) => void logged.push(message);
  const logger = { warn: log, error: log };
  const events = createEventStream(logger);
  const heard: GatewayEvent[] = [];
  events.subscribe((event) => {
    heard.push(event);
    return listener(event);
  });
  const publisher = createAlertPublisher({ store, clock, events, logger, newId: () => `${Math.random()}` });
  return { publisher, heard, logged };
}

const hanging = () => new Promise<void>(() => undefined);

describe('createAlertPublisher', () => {
  it('emits an alert once across processes, for as long as it is kept', async () => {
    const store = memoryIdempotency();
    const alert = alertOf(1_000n);
    const processes = [startProcess(store), startProcess(store)];
    for (const { publisher } of processes) {
      await publisher.publish(alert);
      await publisher.idle();
    }
    for (const { publisher } of processes) expect(await publisher.publish(alert)).toBe(true);
    expect(processes.flatMap(({ heard }) => heard)).toMatchObject([alert.event]);

    await clock.advance(366 * DAY_MS);
    const later = startProcess(store);
    await later.publisher.publish(alert);
    expect(later.heard).toMatchObject([alert.event]);
  });

  it('emits another alert, with another id, for another amount of credits', async () => {
    const { publisher, heard } = startProcess(memoryIdempotency());
    await publisher.publish(alertOf(1_000n));
    await publisher.publish(alertOf(2_000n));
    expect(new Set(heard.map((event) => 'alertId' in event && event.alertId)).size).toBe(2);
  });

  it('gives an alert one id in all processes of a store, and another id in another store', async () => {
    const stores = [memoryIdempotency(), memoryIdempotency()];
    const [first, second, elsewhere] = [stores[0]!, stores[0]!, stores[1]!].map((store) => startProcess(store));
    await first!.publisher.publish(alertOf(1_000n));
    await elsewhere!.publisher.publish(alertOf(1_000n));
    await first!.publisher.idle();
    await clock.advance(365 * DAY_MS);
    await second!.publisher.publish(alertOf(2_000n));
    await first!.publisher.publish(alertOf(3_000n));
    await elsewhere!.publisher.publish(alertOf(2_000n));
    const idsOf = ({ heard }: { heard: GatewayEvent[] }) =>
      heard.flatMap((event) => ('alertId' in event ? [event.alertId] : []));
    expect(new Set([first!, second!, elsewhere!].flatMap(idsOf)).size).toBe(5);
    const repeated = startProcess(stores[0]!, () => Promise.resolve(false));
    await repeated.publisher.publish(alertOf(4_000n));
    await repeated.publisher.idle();
    await repeated.publisher.publish(alertOf(4_000n));
    await clock.advance(30_000);
    await second!.publisher.publish(alertOf(4_000n));
    expect(new Set([...idsOf(repeated), idsOf(second!).at(-1)]).size).toBe(1);
  });

  it('keeps its claim for as long as a listener works on the alert, then completes it', async () => {
    const store = memoryIdempotency();
    const alert = alertOf(1_000n);
    let end = (): void => undefined;
    const slow = startProcess(store, () => new Promise((resolve) => (end = resolve)));
    const other = startProcess(store);
    expect(await slow.publisher.publish(alert)).toBe(true);
    for (let minute = 0; minute < 10; minute += 1) {
      await clock.advance(60_000);
      expect(await other.publisher.publish(alert)).toBe(false);
    }
    end();
    await slow.publisher.idle();
    expect(await other.publisher.publish(alert)).toBe(true);
    expect([slow.heard.length, other.heard.length]).toEqual([1, 0]);
  });

  it('never counts an alert as delivered while a listener works on it, however long', async () => {
    const store = memoryIdempotency();
    const { publisher } = startProcess(store, hanging);
    await publisher.publish(alertOf(1_000n));
    for (let minute = 0; minute < 120; minute += 1) await clock.advance(60_000);
    const other = startProcess(store);
    expect(await other.publisher.publish(alertOf(1_000n))).toBe(false);
    publisher.stop();
    await publisher.idle();
    expect(clock.pendingTimers).toBe(0);
    await clock.advance(30_000);
    expect(await other.publisher.publish(alertOf(1_000n))).toBe(true);
    expect(other.heard).toHaveLength(1);
  });

  it('emits an alert again that a listener has lost', async () => {
    const replies: (false | undefined)[] = [false, undefined];
    const { publisher, heard } = startProcess(memoryIdempotency(), () => Promise.resolve(replies.shift()));
    await publisher.publish(alertOf(1_000n));
    await publisher.idle();
    expect(await publisher.publish(alertOf(1_000n))).toBe(false);
    await clock.advance(30_000);
    for (let count = 0; count < 2; count += 1) {
      expect(await publisher.publish(alertOf(1_000n))).toBe(true);
      await publisher.idle();
    }
    expect(heard.filter(({ type }) => type === 'credits_low')).toMatchObject(
      [alertOf(1_000n).event, alertOf(1_000n).event].map((event) => ({ ...event, atMs: expect.any(Number) as number })),
    );
  });

  it('leaves the alert of a process that died to another process, under the same id', async () => {
    const store = memoryIdempotency();
    const alert = alertOf(1_000n);
    const ended = startProcess(store, hanging);
    const other = startProcess(store);
    await ended.publisher.publish(alert);
    ended.publisher.stop();
    await ended.publisher.idle();
    await clock.advance(29_999);
    expect(await other.publisher.publish(alert)).toBe(false);
    await clock.advance(1);
    expect(await other.publisher.publish(alert)).toBe(true);
    await other.publisher.idle();
    expect(other.heard).toEqual(ended.heard);
    expect(clock.pendingTimers).toBe(0);
  });

  it('counts an alert as delivered when a listener fails, which is logged', async () => {
    const store = memoryIdempotency();
    const failing = startProcess(store, () => Promise.reject(new Error('from a listener')));
    await failing.publisher.publish(alertOf(1_000n));
    await failing.publisher.idle();
    expect(failing.logged).toEqual(['an event listener failed']);
    expect(await startProcess(store).publisher.publish(alertOf(1_000n))).toBe(true);
  });

  it('claims nothing while 1,000 alerts wait for their listeners', async () => {
    const store = memoryIdempotency();
    const { publisher, heard } = startProcess(store, hanging);
    for (let credits = 0; credits < 1_000; credits += 1)
      await publisher.publish(alertOf(BigInt(credits), `organization-${credits % 4}`));
    expect(await publisher.publish(alertOf(5_000n))).toBe(false);
    expect(heard).toHaveLength(1_000);
    expect(await startProcess(store).publisher.publish(alertOf(5_000n))).toBe(true);
    publisher.stop();
  });

  it('lets no organization take more than a quarter of the waiting alerts, even at once', async () => {
    const { publisher, heard } = startProcess(memoryIdempotency(), hanging);
    const published = await Promise.all(
      Array.from({ length: 300 }, (_, credits) => publisher.publish(alertOf(BigInt(credits)))),
    );
    expect(published.filter(Boolean)).toHaveLength(250);
    expect(await publisher.publish(alertOf(1n, 'globex'))).toBe(true);
    expect(heard).toHaveLength(251);
    // Alerts of one type leave room for those of another.
    const budget = {
      status: 'refused',
      by: 'organization_credits',
      limit: 9n,
      usage: 8n,
      held: 0n,
      required: 2n,
    } as const;
    const refusal = { ...budget, resetsAtMs: null, fitsWithoutHolds: false };
    const exhausted = exhaustedAlert({ id: 'key', organizationId: 'acme' }, refusal, clock.now());
    expect(await publisher.publish(exhausted)).toBe(true);
    expect(heard.at(-1)).toMatchObject({ type: 'budget_exhausted', organizationId: 'acme', wanted: 2n, rest: 1n });
    publisher.stop();
    await publisher.idle();
  });

  it('rejects when the store cannot claim, and only logs when it cannot complete', async () => {
    const store = memoryIdempotency();
    const down = () => Promise.reject(new Error('down'));
    const unclaimed = startProcess({ ...store, claim: down });
    await expect(unclaimed.publisher.publish(alertOf(1_000n))).rejects.toThrow('down');
    expect(unclaimed.heard).toEqual([]);
    const complete: typeof store.complete = (claim, ...rest) =>
      claim.idempotencyKey === 'store id' ? store.complete(claim, ...rest) : down();
    const incomplete = startProcess({ ...store, complete });
    await incomplete.publisher.publish(alertOf(1_000n));
    await incomplete.publisher.idle();
    await nextTurn();
    expect(incomplete.logged).toEqual(['the idempotency store failed: an alert may be repeated']);
  });
});
