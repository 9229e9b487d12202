import * as fastCheck from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LIMIT_RESETS, type LimitReset, limitWindowAt } from './limit-window.js';

function windowAt(reset: LimitReset, moment: string): [string, string] {
  const { startsAtMs, resetsAtMs } = limitWindowAt(reset, Date.parse(moment));
  return [new Date(startsAtMs).toISOString(), new Date(resetsAtMs).toISOString()];
}

describe('limitWindowAt', () => {
  it('begins a day at midnight UTC', () => {
    const day = ['2026-11-21T00:00:00.000Z', '2026-11-22T00:00:00.000Z'];
    expect(windowAt('daily', '2026-11-21T00:00:00.000Z')).toEqual(day);
    expect(windowAt('daily', '2026-11-21T23:59:59.999Z')).toEqual(day);
  });

  it('begins a week on Monday', () => {
    const week = ['2026-11-16T00:00:00.000Z', '2026-11-23T00:00:00.000Z'];
    expect(windowAt('weekly', '2026-11-16T00:00:00.000Z')).toEqual(week);
    expect(windowAt('weekly', '2026-11-22T23:59:59.999Z')).toEqual(week);
  });

  it('knows how long months are', () => {
    expect(windowAt('monthly', '2028-02-29T12:00:00Z')).toEqual([
      '2028-02-01T00:00:00.000Z',
      '2028-03-01T00:00:00.000Z',
    ]);
    expect(windowAt('monthly', '2026-12-31T23:59:59.999Z')).toEqual([
      '2026-12-01T00:00:00.000Z',
      '2027-01-01T00:00:00.000Z',
    ]);
  });

  it.each(LIMIT_RESETS)('puts every time into exactly one %s window', (reset) => {
    const moments = fastCheck.integer({ min: 0, max: Date.UTC(2200, 0) });
    fastCheck.assert(
      fastCheck.property(moments, (atMs) => {
        const { startsAtMs, resetsAtMs } = limitWindowAt(reset, atMs);
        expect(startsAtMs).toBeLessThanOrEqual(atMs);
        expect(resetsAtMs).toBeGreaterThan(atMs);
        expect(limitWindowAt(reset, startsAtMs).resetsAtMs).toBe(resetsAtMs);
        expect(limitWindowAt(reset, resetsAtMs).startsAtMs).toBe(resetsAtMs);
      }),
    );
  });
});
