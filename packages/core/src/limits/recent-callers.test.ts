import { describe, expect, it } from 'vitest';
import { createRecentCallers } from './recent-callers.js';

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
