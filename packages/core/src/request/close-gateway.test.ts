import { describe, expect, it } from 'vitest';
import type { CallableModel } from '../catalog/catalog.js';
import { buildRoutes } from '../routing/build-routes.js';
import { type Closable, closeOnce } from './close-gateway.js';

const DAY_MS = 86_400_000;

/** Routes to one model with this deadline. */
function routesTo(timeoutMs: number) {
  const model = {
    model: { slug: 'exa/answer' },
    category: 'answer',
    provider: 'exa',
    timeoutMs,
  } as unknown as CallableModel;
  const models = { find: () => model, runnable: () => [model], categoryOf: () => undefined, suggest: () => [] };
  const hedging = { maxShare: 0.1, hedges: {} };
  return buildRoutes(models, {
    aliases: {},
    fallbacks: {},
    groups: {},
    fallbackOn: ['error'],
    hedging,
    paths: new Map(),
  });
}

/** A gateway of one model, which writes down how it is closed. Its ledger takes 300 ms at most, and bodies 2,000. */
function start({ timeoutMs = 10_000, drainTimeoutMs }: { timeoutMs?: number; drainTimeoutMs?: number } = {}) {
  const steps: string[] = [];
  const step = (name: string) => () => void steps.push(name);
  const closing = (name: string) => ({ close: async () => step(name)() });
  const parts = {
    config: { bodyTimeoutMs: 2_000, ledgerTimeoutMs: 300, drainTimeoutMs },
    routes: routesTo(timeoutMs),
    limits: closing('limits'),
    admission: { drain: async (withinMs: number) => step(`drain ${withinMs}`)(), stop: step('stop') },
    stopSweeping: step('sweeping'),
    deadlines: { endAll: step('deadlines') },
    settler: closing('settler'),
    indeterminateHolds: closing('unsure holds'),
    claims: closing('claims'),
    pools: closing('pools'),
    alerts: closing('alerts'),
    events: { flush: step('events') },
    watches: { all: [] },
    stopLogging: async () => step('request log')(),
  };
  return { steps, close: closeOnce(parts as unknown as Closable) };
}

describe('closing a gateway', () => {
  it('ends calls in flight before it closes the parts they need, and flushes the events and the log of requests last', async () => {
    const { steps, close } = start({ drainTimeoutMs: 1_000 });
    await close();
    const ended = ['limits', 'drain 1000', 'stop', 'sweeping', 'deadlines', 'drain 300'];
    expect(steps).toEqual([
      ...ended,
      'settler',
      'unsure holds',
      'claims',
      'pools',
      'alerts',
      'events',
      'request log',
      'events',
    ]);
  });

  it('happens once, however often it is called', async () => {
    const { steps, close } = start({ drainTimeoutMs: 0 });
    expect(close()).toBe(close());
    await close();
    expect(steps.filter((step) => step === 'settler')).toHaveLength(1);
  });

  it.each([
    ['10 s at a model, 2 s for a body, 6 times 300 ms of the ledger', 10_000, 13_800],
    ['a day at most', 2 * DAY_MS, DAY_MS],
  ])('waits by default as long as a call can take: %s', async (_what, timeoutMs, withinMs) => {
    const { steps, close } = start({ timeoutMs });
    await close();
    expect(steps).toContain(`drain ${withinMs}`);
  });
});
