import { describe, expect, it } from 'vitest';
import { createFairQueue } from './fair-queue.js';

const waiter = (organizationId: string, name: string) => ({ organizationId, name });

/** A line in which these stand, in the order they came. */
function lineOf(waiters: readonly ReturnType<typeof waiter>[], bounds = { total: 10, perOrganization: 5 }) {
  const line = createFairQueue<ReturnType<typeof waiter>>(bounds);
  const joined = waiters.map((each) => line.join(each));
  const rest = () => Array.from({ length: line.length }, () => line.next()?.name);
  return { line, joined, rest };
}

describe('a waiting line', () => {
  it('lets organizations take turns, and the calls of each in the order they came', () => {
    const acme = ['a1', 'a2', 'a3'].map((name) => waiter('acme', name));
    const { rest, line } = lineOf([...acme, waiter('globex', 'g1'), waiter('initech', 'i1'), waiter('globex', 'g2')]);
    expect(rest()).toEqual(['a1', 'g1', 'i1', 'a2', 'g2', 'a3']);
    expect(line.next()).toBeUndefined();
  });

  it('serves the organization first that uses least, and none that gets no more', () => {
    const { line } = lineOf([waiter('acme', 'a1'), waiter('globex', 'g1'), waiter('initech', 'i1')]);
    const used: Record<string, number> = { acme: Number.POSITIVE_INFINITY, globex: 2, initech: 1 };
    const next = () => line.next((organizationId) => used[organizationId] ?? 0)?.name;
    expect([next(), next(), next()]).toEqual(['i1', 'g1', undefined]);
    expect(line.length).toBe(1);
  });

  it('is bounded, and so is the part of each organization', () => {
    const all = [waiter('acme', 'a1'), waiter('acme', 'a2'), waiter('acme', 'a3'), waiter('globex', 'g1')];
    const { joined, rest } = lineOf([...all, waiter('initech', 'i1')], { total: 3, perOrganization: 2 });
    expect(joined).toEqual([true, true, false, true, false]);
    expect(rest()).toEqual(['a1', 'g1', 'a2']);
  });

  it('forgets who leaves, once, and keeps the turns of the others', () => {
    const [first, second, other] = [waiter('acme', 'a1'), waiter('acme', 'a2'), waiter('globex', 'g1')];
    const { line, rest } = lineOf([first, second, other]);
    line.leave(first);
    line.leave(first);
    expect([line.length, [...line].map(({ name }) => name)]).toEqual([2, ['a2', 'g1']]);
    expect(rest()).toEqual(['a2', 'g1']);
    expect(line.join(first)).toBe(true);
  });
});
