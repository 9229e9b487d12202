import { describe, expect, it } from 'vitest';
import { createFairQueue, createSemaphore } from './fair-shares.js';

const OVERLOADED = expect.objectContaining({ reason: 'overloaded', status: 503, retryAfterMs: 1_000 }) as Error;

describe('slots', () => {
  it('are taken up to their number, and again when others are given back', () => {
    const slots = createSemaphore({ total: 2, perOrganization: 2 });
    slots.take('acme');
    slots.take('globex');
    expect(() => slots.take('initech')).toThrow(OVERLOADED);
    slots.free('acme');
    expect(() => slots.take('initech')).not.toThrow();
  });

  it('are taken by one organization up to its share, which leaves the rest to others', () => {
    const slots = createSemaphore({ total: 4, perOrganization: 1 });
    slots.take('acme');
    expect(() => slots.take('acme')).toThrow(OVERLOADED);
    expect(() => slots.take('globex')).not.toThrow();
    slots.free('acme');
    expect(() => slots.take('acme')).not.toThrow();
  });

  it('are given back one by one', () => {
    const slots = createSemaphore({ total: 4, perOrganization: 2 });
    slots.take('acme');
    slots.take('acme');
    slots.free('acme');
    expect(() => slots.take('acme')).not.toThrow();
    expect(() => slots.take('acme')).toThrow(OVERLOADED);
  });

  it('that were refused are not counted', () => {
    const slots = createSemaphore({ total: 3, perOrganization: 1 });
    slots.take('acme');
    for (let refused = 0; refused < 5; refused += 1) expect(() => slots.take('acme')).toThrow(OVERLOADED);
    slots.take('globex');
    expect(() => slots.take('initech')).not.toThrow();
  });

  it('remember nothing of organizations that hold none', () => {
    const slots = createSemaphore({ total: 2, perOrganization: 1 });
    for (let round = 0; round < 3; round += 1) {
      for (let each = 0; each < 1_000; each += 1) {
        slots.take(`organization-${each}`);
        slots.free(`organization-${each}`);
      }
    }
    slots.take('acme');
    expect(() => slots.take('globex')).not.toThrow();
  });
});

const waiter = (organizationId: string, name: string) => ({ organizationId, name });

/** A queue with these waiters, in the order they came. */
function queueOf(waiters: readonly ReturnType<typeof waiter>[], limits = { total: 10, perGroup: 5 }) {
  const queue = createFairQueue<ReturnType<typeof waiter>>(limits);
  const joined = waiters.map((each) => queue.add(each.organizationId, each));
  const rest = () => Array.from({ length: queue.length }, () => queue.next()?.name);
  return { queue, joined, rest };
}

describe('a fair queue', () => {
  it('lets organizations take turns, and the calls of each in the order they came', () => {
    const acme = ['a1', 'a2', 'a3'].map((name) => waiter('acme', name));
    const { rest, queue } = queueOf([...acme, waiter('globex', 'g1'), waiter('initech', 'i1'), waiter('globex', 'g2')]);
    expect(rest()).toEqual(['a1', 'g1', 'i1', 'a2', 'g2', 'a3']);
    expect(queue.next()).toBeUndefined();
  });

  it('serves the organization first that uses least, and none that gets no more', () => {
    const { queue } = queueOf([waiter('acme', 'a1'), waiter('globex', 'g1'), waiter('initech', 'i1')]);
    const used: Record<string, number> = { acme: Number.POSITIVE_INFINITY, globex: 2, initech: 1 };
    const next = () => queue.next((organizationId) => used[organizationId] ?? 0)?.name;
    expect([next(), next(), next()]).toEqual(['i1', 'g1', undefined]);
    expect(queue.length).toBe(1);
  });

  it('is bounded, and so is the part of each organization', () => {
    const all = [waiter('acme', 'a1'), waiter('acme', 'a2'), waiter('acme', 'a3'), waiter('globex', 'g1')];
    const { joined, rest } = queueOf([...all, waiter('initech', 'i1')], { total: 3, perGroup: 2 });
    expect(joined).toEqual([true, true, false, true, false]);
    expect(rest()).toEqual(['a1', 'g1', 'a2']);
  });

  it('forgets who leaves, once, and keeps the turns of the others', () => {
    const [first, second, other] = [waiter('acme', 'a1'), waiter('acme', 'a2'), waiter('globex', 'g1')];
    const { queue, rest } = queueOf([first, second, other]);
    queue.remove('acme', first);
    queue.remove('acme', first);
    expect([queue.length, [...queue].map(({ name }) => name)]).toEqual([2, ['a2', 'g1']]);
    expect(rest()).toEqual(['a2', 'g1']);
    expect(queue.add('acme', first)).toBe(true);
  });
});
