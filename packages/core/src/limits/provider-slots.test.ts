import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createProviderSlots, createRecentCallers } from './provider-limits.js';

const LATELY_MS = 300_000;

function start(connections: number, maxConcurrent?: number) {
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
    const { fill } = start(connections);
    expect(['acme', 'globex', 'initech'].map(fill)).toEqual(taken);
  });

  it('come out even once slots are given back', () => {
    const { slots, fill } = start(256);
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
    const { slots, fill, time } = start(256, 20);
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
        const { slots } = start(connections, maxConcurrent);
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
