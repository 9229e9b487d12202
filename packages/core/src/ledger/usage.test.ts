import * as fastCheck from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dateOfDay, dayOf, firstDayOf, monthOfDay } from '../base/time/clock.js';
import type { LedgerEntry } from './ledger-entry.js';
import { type Span, splitDays, usageDimensionsOf } from './usage.js';

const DAY_MS = 86_400_000;
const BASE = { id: 'hold-1', organizationId: 'acme', keyId: 'key-1', amount: 5n, atMs: 3 * DAY_MS };
const SERVED = { model: 'exa/answer', provider: 'exa', costSource: 'flat', late: false } as const;

const GRANT: LedgerEntry = { ...BASE, kind: 'grant', keyId: null, note: '' };
const ADJUSTMENT: LedgerEntry = { ...BASE, kind: 'adjustment', amount: -5n, note: '' };
const CHARGE = { ...BASE, kind: 'charge', ...SERVED } as const;
const LOSS: LedgerEntry = { ...BASE, kind: 'loss', model: 'a/b', provider: 'a', reason: 'failed', tag: 'team-a' };
const EXPIRED: LedgerEntry = { ...BASE, kind: 'expired', model: 'exa/answer' };

describe('usageDimensionsOf', () => {
  it.each<[LedgerEntry, object | undefined]>([
    [GRANT, { organizationId: 'acme', keyId: '', model: '', tag: '', budgets: '', day: 3 }],
    [
      { ...ADJUSTMENT, keyId: null },
      { organizationId: 'acme', keyId: '', model: '', tag: '', budgets: '', day: 3 },
    ],
    [ADJUSTMENT, { organizationId: 'acme', keyId: 'key-1', model: '', tag: '', budgets: '', day: 3 }],
    [CHARGE, { organizationId: 'acme', keyId: 'key-1', model: 'exa/answer', tag: '', budgets: '', day: 3 }],
    [LOSS, { organizationId: 'acme', keyId: 'key-1', model: 'a/b', tag: 'team-a', budgets: '', day: 3 }],
    [EXPIRED, undefined],
  ])('has an empty text for what an entry has not: %o', (entry, dimensions) => {
    expect(usageDimensionsOf(entry)).toEqual(dimensions);
  });
});

describe('days and months', () => {
  it('begin at midnight UTC', () => {
    expect([dayOf(0), dayOf(DAY_MS - 1), dayOf(DAY_MS)]).toEqual([0, 0, 1]);
    expect(dateOfDay(dayOf(Date.parse('2028-02-29T23:59:59.999Z')))).toBe('2028-02-29');
    expect([monthOfDay(0), monthOfDay(30), monthOfDay(31)]).toEqual([0, 0, 1]);
    expect(dateOfDay(firstDayOf(monthOfDay(dayOf(Date.parse('2028-03-17T12:00:00Z')))))).toBe('2028-03-01');
  });
});

function daysIn({ from, to }: Span): number[] {
  return Array.from({ length: to - from }, (_, index) => from + index);
}

describe('splitDays', () => {
  const day = fastCheck.integer({ min: 0, max: 30_000 });

  it('returns each day of a range once, in whole months and in at most two spans of less than a month', () => {
    const ranges = fastCheck.property(day, fastCheck.integer({ min: -40, max: 900 }), (fromDay, length) => {
      const toDay = Math.max(0, fromDay + length);
      const { months, days } = splitDays(fromDay, toDay);
      const ofMonths = daysIn(months).flatMap((month) =>
        daysIn({ from: firstDayOf(month), to: firstDayOf(month + 1) }),
      );
      const given = [...ofMonths, ...days.flatMap(daysIn)].sort((a, b) => a - b);
      expect(given).toEqual(daysIn({ from: fromDay, to: Math.max(fromDay, toDay) }));
      expect(days.length).toBeLessThanOrEqual(2);
      // Of one month without its first or last day, or of two that are neighbors.
      for (const { from, to } of days) expect(to - from).toBeLessThanOrEqual(60);
    });
    fastCheck.assert(ranges, { numRuns: 500 });
  });

  it('returns all days from a day on, or up to a day, if the other end is open', () => {
    const openRanges = fastCheck.property(day, (bound) => {
      const from = splitDays(bound, undefined);
      const to = splitDays(undefined, bound);
      const month = monthOfDay(bound);
      expect(to).toEqual({ months: { from: 0, to: month }, days: spanOf(firstDayOf(month), bound) });
      const next = bound === firstDayOf(month) ? month : month + 1;
      expect(from.months.from).toBe(next);
      expect(from.months.to).toBeGreaterThan(monthOfDay(2_932_896));
      expect(from.days).toEqual(spanOf(bound, firstDayOf(next)));
    });
    fastCheck.assert(openRanges);
    expect(splitDays(undefined, undefined).days).toEqual([]);
  });
});

function spanOf(from: number, to: number): Span[] {
  return from < to ? [{ from, to }] : [];
}
