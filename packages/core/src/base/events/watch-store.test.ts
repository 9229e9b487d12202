import { createFakeClock } from '@searchgate/testing';
import { describe, expect, it } from 'vitest';
import { LedgerError } from '../errors/ledger-error.js';
import type { GatewayEvent } from './events.js';
import { type StoreWatch, watchStore } from './watch-store.js';

const START = Date.UTC(2026, 10, 2);
const GONE = new Error('connect ECONNREFUSED');

function start() {
  const clock = createFakeClock(START);
  const lines: [string, Record<string, unknown>][] = [];
  const log = (fields: Record<string, unknown>, message: string) => void lines.push([message, fields]);
  const events: GatewayEvent[] = [];
  const engine = { isUp: true, probes: 0 };
  const probe = async () => {
    engine.probes += 1;
    watch.ended(engine.isUp ? null : GONE);
    if (!engine.isUp) throw GONE;
  };
  const watch: StoreWatch = watchStore('ledger', probe, {
    clock,
    logger: { warn: log, error: log },
    events: { emit: (event) => void events.push(event) },
    all: [],
  });
  return { clock, lines, events, engine, watch };
}

describe('the watch of a store', () => {
  it('tells once when a store goes down, and once, with the duration, when it is back', async () => {
    const { clock, lines, events, engine, watch } = start();
    engine.isUp = false;
    for (let failure = 0; failure < 100; failure += 1) watch.ended(GONE);
    await clock.advance(0);
    expect(watch.status).toEqual({ id: 'ledger', downSinceMs: START });
    await clock.advance(78_500);
    engine.isUp = true;
    await clock.advance(1_500);
    expect(watch.status.downSinceMs).toBe(null);
    expect(lines).toEqual([
      ['the ledger is down', { error: GONE, sinceMs: START }],
      ['the ledger is back', { sinceMs: START, downMs: 80_000 }],
    ]);
    expect(events).toEqual([
      { type: 'store_down', atMs: START, store: 'ledger', sinceMs: START, error: GONE.message },
      { type: 'store_recovered', atMs: START + 80_000, store: 'ledger', sinceMs: START, downMs: 80_000 },
    ]);
    expect([engine.probes, clock.pendingTimers]).toEqual([17, 0]);
  });

  it.each<[string, Error, boolean]>([
    ['a failure that the next probe does not have', GONE, true],
    ['a refusal of the ledger', new LedgerError('unknown_hold', 'no such hold'), false],
  ])('takes %s for no outage', async (_what, error, isUp) => {
    const { clock, lines, engine, watch } = start();
    engine.isUp = isUp;
    watch.ended(error);
    await clock.advance(5_000);
    expect([lines, watch.status.downSinceMs, clock.pendingTimers]).toEqual([[], null, 0]);
  });

  it('takes a ledger that times out, or that fails in part, for one that is down until a probe succeeds', async () => {
    const { clock, lines, engine, watch } = start();
    engine.isUp = false;
    watch.ended(new LedgerError('ledger_timeout', 'late'));
    await clock.advance(0);
    for (let call = 0; call < 100; call += 1) {
      watch.ended(null);
      watch.ended(GONE);
    }
    expect(lines.map(([message]) => message)).toEqual(['the ledger is down']);
    engine.isUp = true;
    await clock.advance(5_000);
    expect(lines.map(([message]) => message)).toEqual(['the ledger is down', 'the ledger is back']);
    expect(clock.pendingTimers).toBe(0);
  });

  it('takes a write of a call that fails for an outage of ten seconds, although probes succeed', async () => {
    const { clock, lines, engine, watch } = start();
    watch.wrote(GONE);
    expect(watch.status.downSinceMs).toBe(START);
    watch.wrote(new LedgerError('invalid_amount', 'a refusal'));
    await clock.advance(9_999);
    expect(watch.status.downSinceMs).toBe(START);
    await clock.advance(1);
    expect([watch.status.downSinceMs, engine.probes, clock.pendingTimers]).toEqual([null, 2, 0]);
    expect(lines.map(([message]) => message)).toEqual(['the ledger is down', 'the ledger is back']);
  });

  it('ends such an outage at the next probe when another write succeeds', async () => {
    const { clock, engine, watch } = start();
    watch.wrote(GONE);
    watch.wrote(null);
    await clock.advance(4_999);
    expect(watch.status.downSinceMs).toBe(START);
    await clock.advance(1);
    expect([watch.status.downSinceMs, engine.probes]).toEqual([null, 1]);
  });

  it('probes when it is asked to, at most once in five seconds, and finds what no call has met', async () => {
    const { clock, engine, watch } = start();
    await Promise.all(Array.from({ length: 1_000 }, () => watch.check()));
    await clock.advance(4_999);
    await watch.check();
    expect(engine.probes).toBe(1);
    engine.isUp = false;
    await clock.advance(1);
    await Promise.all(Array.from({ length: 1_000 }, () => watch.check()));
    expect([engine.probes, watch.status.downSinceMs]).toEqual([2, START + 5_000]);
    watch.stop();
  });

  it('probes no more when it is stopped', async () => {
    const { clock, engine, watch } = start();
    engine.isUp = false;
    watch.ended(GONE);
    await clock.advance(0);
    watch.stop();
    await clock.advance(60_000);
    expect([engine.probes, clock.pendingTimers]).toEqual([1, 0]);
  });
});
