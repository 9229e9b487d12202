import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createFairPlaces } from './fair-slots.js';

const LATELY_MS = 300_000;

function start(connections: number, maxConcurrent?: number) {
  const time = { ms: 0 };
  const places = createFairPlaces({ connections, maxConcurrent, monotonic: () => time.ms });
  /** Takes as many as there are for an organization. @returns how many it holds. */
  const fill = (organizationId: string) => {
    places.asked(organizationId);
    while (places.hasRoomFor(organizationId)) places.take(organizationId);
    return places.heldBy(organizationId);
  };
  return { places, fill, time };
}

describe('places at a provider', () => {
  it.each([
    [256, [192, 48, 12]],
    [8, [6, 2, 0]],
    [4, [3, 1, 0]],
    [1, [1, 0, 0]],
  ])('of %d connections are taken by organizations that want all, one after another: %j', (connections, taken) => {
    const { fill } = start(connections);
    expect(['acme', 'globex', 'initech'].map(fill)).toEqual(taken);
  });

  it('come out even once places are given back', () => {
    const { places, fill } = start(256);
    fill('acme');
    for (let round = 0; round < 400; round += 1) {
      places.free('acme');
      fill('globex');
      fill('acme');
    }
    const [acme, globex] = [places.heldBy('acme'), places.heldBy('globex')];
    expect(Math.abs(acme - globex)).toBeLessThanOrEqual(3);
    expect(places.hasRoomFor('initech')).toBe(true);
  });

  it('of a limited provider are all for one organization while no other asks', () => {
    const { places, fill, time } = start(256, 20);
    places.asked('globex');
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
        const { places } = start(connections, maxConcurrent);
        const most = Math.min(connections, maxConcurrent ?? connections);
        let all = 0;
        for (const { organization, frees } of steps) {
          places.asked(organization);
          if (frees && places.heldBy(organization) > 0) {
            places.free(organization);
            all -= 1;
          } else if (!frees && places.hasRoomFor(organization)) {
            places.take(organization);
            all += 1;
          }
          expect(all).toBeLessThanOrEqual(most);
          expect(places.heldBy(organization)).toBeLessThanOrEqual(Math.ceil(connections * 0.75));
          expect(places.hasRoomFor('newcomer')).toBe(all < most);
        }
      }),
    );
  });
});
