import { createFakeClock } from '@searchgate/testing';
import { describe, expect, it } from 'vitest';
import { keepLatencies } from './keep-latencies.js';
import { createLatencies } from './latencies.js';
import type { LatencySnapshot } from './latency-snapshot.js';
import type { LatencyStore } from './latency-store.js';

const SECOND = 1_000;
const TIMEOUT_MS = 5 * SECOND;
const never = () => new Promise<never>(() => undefined);

/** A store in memory, of which one method may be another. */
function storeOf({ kept = null, ...broken }: Partial<LatencyStore> & { readonly kept?: unknown } = {}) {
  const saved: LatencySnapshot[] = [];
  const store: LatencyStore = {
    load: () => Promise.resolve(kept as LatencySnapshot | null),
    save: (snapshot) => {
      saved.push(snapshot);
      return Promise.resolve();
    },
    ...broken,
  };
  return { store, saved };
}

function start(latencyStore?: LatencyStore) {
  const clock = createFakeClock();
  const warnings: string[] = [];
  const logger = {
    warn: ({ error }: Record<string, unknown>, message: string) =>
      warnings.push(error === undefined ? message : `${message}: ${(error as Error).message}`),
    error: () => undefined,
  };
  const latencies = createLatencies({ clock, random: () => 0.5 });
  const kept = keepLatencies(latencies, { latencyStore, ledgerTimeoutMs: TIMEOUT_MS, clock, logger });
  return { clock, latencies, kept, warnings };
}

/** What a process has kept that took 900 ms for the one, 300 ms for the other, just before the clock starts. */
function learned(): LatencySnapshot {
  const takenAtMs = createFakeClock().now() - SECOND;
  return { models: { 'a/a': [{ durationMs: 900, takenAtMs }], 'b/b': [{ durationMs: 300, takenAtMs }] } };
}

describe('what latency routing has learned', () => {
  it('is there again after a restart', async () => {
    const { clock, latencies } = start(storeOf({ kept: learned() }).store);
    await clock.advance(0);
    const about = { slugOf: (slug: string) => slug, isUsable: () => true };
    expect(latencies.sort(['a/a', 'b/b'], about)).toEqual(['b/b', 'a/a']);
    expect(latencies.medianMs('a/a')).toBe(900);
  });

  it('is saved every thirty seconds where there is something new', async () => {
    const { store, saved } = storeOf();
    const { clock, latencies } = start(store);
    await clock.advance(100 * SECOND);
    expect(saved).toEqual([]);
    latencies.record('a/a', 900);
    await clock.advance(100 * SECOND);
    expect(saved).toHaveLength(1);
    latencies.record('a/a', 800);
    await clock.advance(30 * SECOND);
    expect(saved.map(({ models }) => models['a/a']?.length)).toEqual([1, 2]);
  });

  it('is saved when the gateway closes, and no more after that', async () => {
    const { store, saved } = storeOf();
    const { clock, latencies, kept } = start(store);
    await clock.advance(0);
    latencies.record('a/a', 900);
    await kept.close();
    latencies.record('a/a', 900);
    await clock.advance(100 * SECOND);
    expect(saved).toHaveLength(1);
  });

  it('is not replaced before it has been read', async () => {
    let found: (snapshot: LatencySnapshot) => void = () => undefined;
    const { store, saved } = storeOf({ load: () => new Promise((resolve) => (found = resolve)) });
    const { latencies, kept } = start(store);
    latencies.record('b/b', 300);
    const closed = kept.close();
    found({ models: { 'a/a': learned().models['a/a'] ?? [] } });
    await closed;
    expect(saved.map(({ models }) => Object.keys(models).sort())).toEqual([['a/a', 'b/b']]);
  });

  it('is saved by the next turn where one turn fails', async () => {
    let turns = 0;
    const save = () => ((turns += 1) === 1 ? Promise.reject(new Error('the disk is full')) : Promise.resolve());
    const { clock, latencies, warnings } = start(storeOf({ save }).store);
    latencies.record('a/a', 900);
    await clock.advance(100 * SECOND);
    expect(turns).toBe(2);
    expect(warnings).toEqual(['the latency store failed: the disk is full']);
  });

  it.each([
    ['is no snapshot', { kept: { models: 7 } }, 'what the latency store has is no snapshot and is ignored'],
    ['cannot be read', { load: () => Promise.reject(new Error('no file')) }, 'the latency store failed: no file'],
    [
      'throws instead of rejecting',
      {
        load: () => {
          throw new Error('no disk');
        },
      },
      'the latency store failed: no disk',
    ],
    ['never comes', { load: never }, 'the latency store failed: the latency store did not answer within 5000 ms'],
  ])('is learned again, and saved, where what was kept %s', async (_what, broken, warning) => {
    const { store, saved } = storeOf(broken);
    const { clock, latencies, warnings } = start(store);
    latencies.record('a/a', 900);
    await clock.advance(TIMEOUT_MS + 30 * SECOND);
    expect(warnings).toEqual([warning]);
    expect(saved).toHaveLength(1);
  });

  it('does not hold up closing for longer than one limit where a save hangs', async () => {
    const { clock, latencies, kept, warnings } = start(storeOf({ save: never }).store);
    latencies.record('a/a', 900);
    await clock.advance(30 * SECOND);
    const closed = kept.close();
    await clock.advance(TIMEOUT_MS);
    await closed;
    expect(warnings).not.toEqual([]);
  });

  it('is not kept where there is no store', async () => {
    const { clock, kept } = start();
    await kept.close();
    expect(clock.pendingTimers).toBe(0);
  });
});
