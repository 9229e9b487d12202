import { describe, expect, it } from 'vitest';
import type { CallableModel } from '../catalog/catalog.js';
import { buildRoutes, type ConfiguredRoutes } from './build-routes.js';
import { longestRouteMs } from './longest-route.js';

/** Models with these deadlines, each named by its place. */
function longest(deadlines: readonly number[], configured: Partial<ConfiguredRoutes> = {}): number {
  const all = new Map(
    deadlines.map((timeoutMs, index) => {
      const slug = `exa/${index}`;
      return [slug, { model: { slug }, category: 'answer', provider: 'exa', timeoutMs } as unknown as CallableModel];
    }),
  );
  const models = {
    find: (slug: string) => all.get(slug),
    runnable: () => all.values(),
    categoryOf: () => undefined,
    suggest: () => [],
  };
  return longestRouteMs(
    buildRoutes(models, {
      aliases: {},
      fallbacks: {},
      groups: {},
      fallbackOn: ['error'],
      hedging: { maxShare: 0.1, hedges: {} },
      paths: new Map(),
      ...configured,
    }),
  );
}

describe('the longest a call may take', () => {
  it('is the time of a model and of the four slowest fallbacks that a caller may ask for', () => {
    expect(longest([1, 10, 100])).toBe(111);
    expect(longest([1, 2, 4, 8, 16, 32, 64])).toBe(64 + 32 + 16 + 8 + 4);
    expect(longest([])).toBe(0);
  });

  it('includes longer chains of the operator', () => {
    const chain = ['exa/1', 'exa/2', 'exa/3', 'exa/4', 'exa/5'];
    expect(longest([1, 1, 1, 1, 1, 1], { fallbacks: { 'exa/0': chain } })).toBe(6);
  });

  it('includes groups, with the fallbacks that a caller may add', () => {
    const groups = { auto: { models: ['exa/0', 'exa/1'], sort: 'listed' as const, fallbackOn: ['error'] as const } };
    expect(longest([1, 1, 1, 1, 1, 1, 1], { groups })).toBe(6);
  });
});
