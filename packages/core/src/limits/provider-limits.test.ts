import { createFakeClock } from '@searchgate/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ProviderLimits } from '../provider-kit/provider.js';
import {
  createProviderLimit,
  createProviderLimits,
  createProviderSlots,
  createRecentCallers,
  type Slot,
} from './provider-limits.js';

const QUEUE = { total: 4, perGroup: 2 };
const CONNECTIONS = 1_000;

function start(limits: ProviderLimits, { queue = QUEUE, connections = CONNECTIONS, clock = createFakeClock() } = {}) {
  const own = { ...limits, maxQueueMs: limits.maxQueueMs ?? 1_000 };
  const limit = createProviderLimit({ limits: own, connections, queue, clock });
  /** What has come of each wait so far. */
  const ended: string[] = [];
  const wait = (name: string, organizationId = 'acme', more: { longestMs?: number; isGone?: () => boolean } = {}) =>
    limit.wait({ organizationId, longestMs: 60_000, isGone: () => false, ...more }).then((slot) => {
      ended.push(slot === null ? `${name} gave up` : name);
      return slot;
    });
  return { clock, limit, ended, wait };
}

describe('the limit of a provider', () => {
  it('lets in as many as may be under way, and another one for each that has ended', () => {
    const { limit } = start({ maxConcurrent: 2 });
    const [first, second] = [limit.enter('acme'), limit.enter('acme')];
    expect([first, second, limit.enter('acme')]).toEqual([expect.anything(), expect.anything(), null]);
    first?.free();
    first?.free();
    expect([limit.enter('acme'), limit.enter('acme')]).toEqual([expect.anything(), null]);
  });

  it('lets in as many as may begin in a period, however soon they end', async () => {
    const { limit, clock } = start({ rateLimit: { requests: 2, periodMs: 500 } });
    limit.enter('acme')?.free();
    await clock.advance(200);
    limit.enter('acme')?.free();
    expect([limit.enter('acme'), limit.refusal('acme').retryAfterMs]).toEqual([null, 300]);
    await clock.advance(300);
    expect(limit.enter('acme')).not.toBeNull();
    expect(limit.enter('acme')).toBeNull();
  });

  it('serves those who wait in turn, before those who come later', async () => {
    const { limit, clock, ended, wait } = start({ maxConcurrent: 1 });
    const first = limit.enter('acme');
    const [next] = [wait('a1'), wait('a2'), wait('g1', 'globex')];
    first?.free();
    expect(limit.enter('acme')).toBeNull();
    await clock.advance(0);
    expect(ended).toEqual(['a1']);
    (await next)?.free();
    await clock.advance(0);
    expect(ended).toEqual(['a1', 'g1']);
  });

  it.each([20, 400])('lets who waits for the next %d ms in when they begin, without a timer left', async (periodMs) => {
    const { limit, clock, ended, wait } = start({ rateLimit: { requests: 1, periodMs } });
    limit.enter('acme');
    void wait('a1');
    void wait('a2');
    expect(clock.pendingTimers).toBe(1);
    await clock.advance(periodMs - 1);
    expect(ended).toEqual([]);
    await clock.advance(1);
    expect(ended).toEqual(['a1']);
    await clock.advance(periodMs);
    expect(ended).toEqual(['a1', 'a2']);
    expect(clock.pendingTimers).toBe(0);
  });

  it('serves a call that waits before a new call, also when the timer is late', async () => {
    const clock = { ...createFakeClock(), schedule: () => () => undefined };
    const { limit, ended, wait } = start({ rateLimit: { requests: 1, periodMs: 400 } }, { clock });
    limit.enter('acme');
    void wait('a1');
    await clock.advance(400);
    expect(limit.enter('globex')).toBeNull();
    await clock.advance(0);
    expect(ended).toEqual(['a1']);
  });

  it('is all for one organization once no other has asked for five minutes', async () => {
    const { limit, clock } = start({ maxConcurrent: 4 });
    limit.enter('globex')?.free();
    const enter = () => limit.enter('acme') !== null;
    expect([enter(), enter(), enter(), enter()]).toEqual([true, true, true, false]);
    await clock.advance(300_001);
    expect([enter(), enter()]).toEqual([true, false]);
  });

  it.each<[string, string, ProviderLimits, number]>([
    ["the provider's concurrency", 'upstream_rate_limited', { maxConcurrent: 1 }, 1_000],
    ["the provider's rate", 'upstream_rate_limited', { rateLimit: { requests: 1, periodMs: 500 } }, 1_000],
    ['our connections', 'connection_wait_exceeded', {}, 1],
    ['our connections, below a limit of the provider', 'connection_wait_exceeded', { maxConcurrent: 9 }, 1],
  ])('names the cause of a refusal: %s', (_cause, reason, limits, connections) => {
    const { limit } = start(limits, { connections });
    limit.enter('acme');
    expect([limit.enter('acme'), limit.refusal('acme').reason]).toEqual([null, reason]);
  });

  it('ends a wait after maxQueueMs, or when the call has no more time', async () => {
    const { limit, clock, ended, wait } = start({ maxConcurrent: 1, maxQueueMs: 700 });
    limit.enter('acme');
    void wait('a1');
    void wait('g1', 'globex', { longestMs: 120 });
    await clock.advance(119);
    expect(ended).toEqual([]);
    await clock.advance(1);
    expect(ended).toEqual(['g1 gave up']);
    await clock.advance(580);
    expect(ended).toEqual(['g1 gave up', 'a1 gave up']);
    expect([limit.refusal('acme').retryAfterMs, clock.pendingTimers]).toEqual([1_000, 0]);
  });

  it('ends the wait of a caller who has gone away, and gives it no slot', async () => {
    const { limit, clock, ended, wait } = start({ maxConcurrent: 1 });
    const first = limit.enter('acme');
    const caller = { gone: false };
    void wait('a1', 'acme', { isGone: () => caller.gone });
    void wait('a2');
    caller.gone = true;
    first?.free();
    await clock.advance(0);
    expect(ended).toEqual(['a1 gave up', 'a2']);

    void wait('a3', 'acme', { isGone: () => caller.gone });
    await clock.advance(50);
    expect(ended.at(-1)).toBe('a3 gave up');
  });

  it.each<[string, ProviderLimits]>([
    ['who has no time to wait', { maxConcurrent: 1, maxQueueMs: 0 }],
    ['whose turn can only come too late', { rateLimit: { requests: 1, periodMs: 1_001 } }],
    ['whose turn comes as the wait ends', { rateLimit: { requests: 1, periodMs: 1_000 } }],
  ])('keeps no one waiting %s', async (_name, limits) => {
    const { limit, clock, ended, wait } = start(limits);
    limit.enter('acme');
    void wait('a1');
    await clock.advance(0);
    expect(ended).toEqual(['a1 gave up']);
    expect(clock.pendingTimers).toBe(0);
  });

  it('keeps a bounded number of calls waiting, of one organization fewer', async () => {
    const { limit, clock, ended, wait } = start({ maxConcurrent: 1 });
    limit.enter('acme');
    const organizations = ['acme', 'acme', 'acme', 'globex', 'globex', 'initech'];
    organizations.forEach((organization, index) => void wait(`${organization} ${index}`, organization));
    await clock.advance(0);
    expect(ended).toEqual(['acme 2 gave up', 'initech 5 gave up']);
  });

  it('ends all waits at once when told to', async () => {
    const { limit, clock, ended, wait } = start({ maxConcurrent: 1 });
    limit.enter('acme');
    void wait('a1');
    limit.endWaits();
    await clock.advance(0);
    expect([ended, clock.pendingTimers]).toEqual([['a1 gave up'], 0]);
  });

  it('is kept through any history, and every wait ends in time', async () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant('ask' as const), organization: fc.constantFrom('acme', 'globex', 'initech') }),
      fc.record({ kind: fc.constant('free' as const), which: fc.nat(10) }),
      fc.record({ kind: fc.constant('pass' as const), ms: fc.nat(300) }),
    );
    const limits = fc.record({
      maxConcurrent: fc.integer({ min: 1, max: 3 }),
      requests: fc.integer({ min: 1, max: 4 }),
    });
    await fc.assert(
      fc.asyncProperty(limits, fc.array(step, { maxLength: 40 }), async ({ maxConcurrent, requests }, steps) => {
        const { limit, clock } = start(
          { maxConcurrent, rateLimit: { requests, periodMs: 250 } },
          { queue: { total: 6, perGroup: 3 } },
        );
        const taken: Slot[] = [];
        const beganAtMs: number[] = [];
        let waiting = 0;
        const begin = (slot: Slot | null) => {
          if (slot === null) return;
          beganAtMs.push(clock.monotonic());
          taken.push(slot);
          expect(taken.length).toBeLessThanOrEqual(maxConcurrent);
          expect(beganAtMs.filter((atMs) => atMs > clock.monotonic() - 250).length).toBeLessThanOrEqual(requests);
        };
        for (const now of steps) {
          if (now.kind === 'pass') await clock.advance(now.ms);
          else if (now.kind === 'free') taken.splice(now.which % (taken.length + 1), 1)[0]?.free();
          else {
            const { organization: organizationId } = now;
            const slot = limit.enter(organizationId);
            begin(slot);
            if (slot !== null) continue;
            waiting += 1;
            void limit.wait({ organizationId, longestMs: 2_000, isGone: () => false }).then((given) => {
              waiting -= 1;
              begin(given);
            });
          }
        }
        await clock.advance(1_000);
        expect([waiting, clock.pendingTimers]).toEqual([0, 0]);
        for (const slot of taken.splice(0)) slot.free();
        await clock.advance(250);
        const slots = Array.from({ length: 5 }, () => limit.enter('acme')).filter((slot) => slot !== null);
        expect(slots).toHaveLength(Math.min(maxConcurrent, requests));
      }),
      { numRuns: 60 },
    );
  });
});

describe('the limits of all providers', () => {
  function startAll() {
    const clock = createFakeClock();
    const limits = createProviderLimits({
      providers: [{ id: 'limited' }, { id: 'free' }],
      limits: new Map([['limited', { maxConcurrent: 1, maxQueueMs: 300 }]]),
      connections: 1,
      maxConnectionWaitMs: 200,
      cooldownMs: 30_000,
      emit: () => undefined,
      slots: { total: 20, perOrganization: 8 },
      clock,
    });
    const ended: string[] = [];
    const wait = (provider: string, organizationId = 'acme') =>
      void limits
        .of(provider)
        .wait({ organizationId, longestMs: 60_000, isGone: () => false })
        .then((slot) => {
          ended.push(`${provider} ${slot === null ? 'gave up' : 'began'} ${clock.now() - startedMs}`);
        });
    const startedMs = clock.now();
    for (const provider of ['limited', 'free']) expect(limits.of(provider).enter('acme')).not.toBeNull();
    return { limits, clock, ended, wait };
  }

  it('keeps a call waiting as long as the provider says, or as a connection may take', async () => {
    const { limits, clock, ended, wait } = startAll();
    for (const provider of ['limited', 'free']) wait(provider);
    await clock.advance(1_000);
    expect(ended).toEqual(['free gave up 200', 'limited gave up 300']);
    expect(limits.of('free').refusal('acme').reason).toBe('connection_wait_exceeded');
  });

  it.each([
    ['limited', 2, 1],
    ['free', 5, 2],
  ])(
    'lets calls for a provider that is %s wait in %d of 20 slots, and those of an organization in %d of 8',
    async (provider, total, own) => {
      const { clock, ended, wait } = startAll();
      for (let call = 0; call < 9; call += 1) wait(provider, 'acme');
      await clock.advance(0);
      expect(ended).toHaveLength(9 - own);
      for (let call = 0; call < 9; call += 1) wait(provider, `other ${call}`);
      await clock.advance(0);
      expect(ended).toHaveLength(18 - total);
    },
  );

  it('end every wait once closed, and each later wait at once', async () => {
    const { limits, clock, ended, wait } = startAll();
    for (const provider of ['limited', 'free']) wait(provider);
    await clock.advance(0);
    expect([limits.isClosed(), ended]).toEqual([false, []]);
    limits.close();
    wait('free');
    await clock.advance(0);
    expect([limits.isClosed(), ended.length, clock.pendingTimers]).toEqual([true, 3, 0]);
  });
});

const LATELY_MS = 300_000;

function startSlots(connections: number, maxConcurrent?: number) {
  const time = { ms: 0 };
  const slots = createProviderSlots({ connections, maxConcurrent, monotonic: () => time.ms });
  /** Takes as many as there are for an organization. @returns how many it holds. */
  const fill = (organizationId: string) => {
    slots.asked(organizationId);
    while (slots.hasRoomFor(organizationId)) slots.take(organizationId);
    return slots.heldBy(organizationId);
  };
  return { slots, fill, time };
}

describe('slots at a provider', () => {
  it.each([
    [256, [192, 48, 12]],
    [8, [6, 2, 0]],
    [4, [3, 1, 0]],
    [1, [1, 0, 0]],
  ])('of %d connections are taken by organizations that want all, one after another: %j', (connections, taken) => {
    const { fill } = startSlots(connections);
    expect(['acme', 'globex', 'initech'].map(fill)).toEqual(taken);
  });

  it('come out even once slots are given back', () => {
    const { slots, fill } = startSlots(256);
    fill('acme');
    for (let round = 0; round < 400; round += 1) {
      slots.free('acme');
      fill('globex');
      fill('acme');
    }
    const [acme, globex] = [slots.heldBy('acme'), slots.heldBy('globex')];
    expect(Math.abs(acme - globex)).toBeLessThanOrEqual(3);
    expect(slots.hasRoomFor('initech')).toBe(true);
  });

  it('of a limited provider are all for one organization while no other asks', () => {
    const { slots, fill, time } = startSlots(256, 20);
    slots.asked('globex');
    expect(fill('acme')).toBe(15);
    time.ms += LATELY_MS + 1;
    expect(fill('acme')).toBe(20);
  });

  it('are found by an organization that holds none as long as one is free, through any history', () => {
    const step = fc.record({ organization: fc.constantFrom('a', 'b', 'c', 'd'), frees: fc.boolean() });
    const sizes = fc.record({
      connections: fc.integer({ min: 1, max: 12 }),
      maxConcurrent: fc.option(fc.integer({ min: 1, max: 16 }), { nil: undefined }),
    });
    fc.assert(
      fc.property(sizes, fc.array(step, { maxLength: 60 }), ({ connections, maxConcurrent }, steps) => {
        const { slots } = startSlots(connections, maxConcurrent);
        const most = Math.min(connections, maxConcurrent ?? connections);
        let all = 0;
        for (const { organization, frees } of steps) {
          slots.asked(organization);
          if (frees && slots.heldBy(organization) > 0) {
            slots.free(organization);
            all -= 1;
          } else if (!frees && slots.hasRoomFor(organization)) {
            slots.take(organization);
            all += 1;
          }
          expect(all).toBeLessThanOrEqual(most);
          expect(slots.heldBy(organization)).toBeLessThanOrEqual(Math.ceil(connections * 0.75));
          expect(slots.hasRoomFor('newcomer')).toBe(all < most);
        }
      }),
    );
  });
});

describe('recent callers', () => {
  it('knows whether an organization is the only one that has called lately', () => {
    const callers = createRecentCallers(100);
    expect(callers.isAlone('acme', 0)).toBe(true);
    callers.called('acme', 0);
    callers.called('acme', 10);
    expect([callers.isAlone('acme', 10), callers.isAlone('globex', 10)]).toEqual([true, false]);
    callers.called('globex', 20);
    callers.called('acme', 30);
    expect([callers.isAlone('acme', 120), callers.isAlone('globex', 120)]).toEqual([false, false]);
    expect([callers.isAlone('acme', 121), callers.isAlone('globex', 121)]).toEqual([true, false]);
    expect(callers.isAlone('globex', 131)).toBe(true);
  });
});
