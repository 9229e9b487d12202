import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createCostHistory, RECORDS_PER_UPDATE } from './cost-history.js';

function historyOf(costs: readonly bigint[]) {
  const history = createCostHistory();
  for (const cost of costs) history.record(cost);
  return history;
}

const sequence = (count: number, first = 1) => Array.from({ length: count }, (_, index) => BigInt(first + index));

describe('createCostHistory', () => {
  it('has no percentile before the first record', () => {
    expect(createCostHistory().percentile99()).toBeUndefined();
  });

  it('returns the highest of a few costs at once', () => {
    const history = historyOf([5n]);
    expect(history.percentile99()).toBe(5n);
    history.record(9n);
    history.record(7n);
    expect(history.percentile99()).toBe(9n);
  });

  it('leaves out the highest hundredth of many costs', () => {
    expect(historyOf(sequence(256)).percentile99()).toBe(254n);
  });

  it('forgets all but the latest 256', () => {
    const history = historyOf([...sequence(256, 1_000), ...Array.from({ length: 256 }, () => 3n)]);
    expect(history.percentile99()).toBe(3n);
  });

  it('does not let one outlier move the quote permanently', () => {
    const history = historyOf([...Array.from({ length: 255 }, () => 3n), 1_000_000n]);
    expect(history.percentile99()).toBe(3n);
  });

  it('updates the percentile only once per several records', () => {
    const history = historyOf(Array.from({ length: 2 * RECORDS_PER_UPDATE }, () => 3n));
    expect(history.percentile99()).toBe(3n);
    for (const cost of Array.from({ length: RECORDS_PER_UPDATE - 1 }, () => 8n)) history.record(cost);
    expect(history.percentile99()).toBe(3n);
    history.record(8n);
    expect(history.percentile99()).toBe(8n);
  });

  it('always returns a recorded cost that at most a hundredth of the remembered costs exceed', () => {
    const whole = fc.integer({ min: 1, max: 32 }).chain((updates) => {
      const length = updates * RECORDS_PER_UPDATE;
      return fc.array(fc.bigInt({ min: 0n, max: 10n ** 13n }), { minLength: length, maxLength: length });
    });
    fc.assert(
      fc.property(whole, (costs) => {
        const percentile = historyOf(costs).percentile99();
        const remembered = costs.slice(-256);
        expect(remembered).toContain(percentile);
        expect(remembered.filter((cost) => percentile !== undefined && cost > percentile).length).toBeLessThanOrEqual(
          remembered.length / 100,
        );
      }),
      { numRuns: 50 },
    );
  });
});
