import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createHedgeBudget } from './hedge-budget.js';

describe('the share of hedged calls', () => {
  it('permits the first hedge after enough calls', () => {
    const budget = createHedgeBudget(0.1);
    for (let call = 1; call < 10; call += 1) budget.began('exa/answer');
    expect(budget.hasRoom('exa/answer')).toBe(false);
    budget.began('exa/answer');
    expect([budget.hasRoom('exa/answer'), budget.hasRoom('you/answer')]).toEqual([true, false]);
    budget.hedged('exa/answer');
    expect(budget.hasRoom('exa/answer')).toBe(false);
  });

  it('is never exceeded, by all calls and by the latest thousand, and is used up', () => {
    const greedy = fc.array(fc.record({ calls: fc.integer({ min: 1, max: 400 }), tries: fc.nat(60) }), {
      maxLength: 12,
    });
    fc.assert(
      fc.property(greedy, fc.constantFrom(0.01, 0.1, 0.5), (bursts, maxShare) => {
        const budget = createHedgeBudget(maxShare);
        const hedgedAtCall: number[] = [];
        let calls = 0;
        for (const burst of bursts) {
          for (let call = 0; call < burst.calls; call += 1, calls += 1) budget.began('exa/answer');
          for (let attempt = 0; attempt < burst.tries; attempt += 1) {
            const latest = hedgedAtCall.filter((atCall) => atCall > calls - 1_000).length;
            const isAllowed = latest + 1 <= maxShare * Math.min(calls, 1_000);
            expect(budget.hasRoom('exa/answer')).toBe(isAllowed);
            if (!isAllowed) break;
            budget.hedged('exa/answer');
            hedgedAtCall.push(calls);
          }
          expect(hedgedAtCall.length).toBeLessThanOrEqual(maxShare * calls);
        }
      }),
      { numRuns: 40 },
    );
  });
});
