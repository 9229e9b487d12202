import * as fastCheck from 'fast-check';
import { expect, it } from 'vitest';
import { dateOfDay, firstDayOf } from '../base/time/clock.js';
import type { LedgerEntry } from './ledger-entry.js';
import { createMemoryUsage, type MemoryUsage, type RecentUsage } from './memory-usage.js';
import {
  addEntry,
  MAX_TAGGED_ROWS,
  type MutableSums,
  noUsage,
  USAGE_GROUPS,
  type UsageQuery,
  usageDimensionsOf,
} from './usage.js';

const DAY_MS = 86_400_000;
/** 2026-11-01. */
const FIRST = firstDayOf(56 * 12 + 10);

function chargeOn(
  day: number,
  changes: { readonly keyId?: string; readonly model?: string; readonly tag?: string } = {},
): LedgerEntry {
  const owner = { id: 'hold-1', organizationId: 'acme', keyId: 'key-1', amount: 1n, atMs: day * DAY_MS };
  return { kind: 'charge', ...owner, model: 'a/b', provider: 'a', costSource: 'flat', late: false, ...changes };
}

function charges(usage: MemoryUsage, query: UsageQuery): Record<string, number> {
  const rows = usage.read({ ...query, limit: 10_000 });
  return Object.fromEntries(rows.map((row) => [`${row.group}`, row.charges]));
}

it('merges the oldest days into the first day of their month beyond its bound', () => {
  const usage = createMemoryUsage(3);
  for (let day = 0; day < 5; day += 1) usage.add(chargeOn(FIRST + day));
  expect(charges(usage, { by: 'key' })).toEqual({ 'key-1': 5 });
  expect(charges(usage, { by: 'key', fromDay: FIRST + 1 })).toEqual({ 'key-1': 2 });
  expect(charges(usage, { by: 'day' })).toEqual({ '2026-11-01': 3, '2026-11-04': 1, '2026-11-05': 1 });
});

it('keeps the first day of each month, however many other days there are', () => {
  const usage = createMemoryUsage(2);
  for (let day = 0; day < 70; day += 1) usage.add(chargeOn(FIRST + day));
  const byDay = { '2026-11-01': 30, '2026-12-01': 31, '2027-01-01': 8, '2027-01-09': 1 };
  expect(charges(usage, { by: 'day' })).toEqual(byDay);
});

it('counts on a forgotten day after the clock was set back', () => {
  const usage = createMemoryUsage(3);
  const key: RecentUsage = { recent: undefined };
  usage.add(chargeOn(FIRST + 1), key);
  for (let day = 2; day < 6; day += 1) usage.add(chargeOn(FIRST + day));
  const second = { by: 'key', fromDay: FIRST + 1, toDay: FIRST + 2 } as const;
  expect(charges(usage, second)).toEqual({});
  usage.add(chargeOn(FIRST + 1), key);
  expect(charges(usage, second)).toEqual({ 'key-1': 1 });
  expect(charges(usage, { by: 'key', fromDay: FIRST + 2 })).toEqual({ 'key-1': 3 });
});

it('keeps its bound of tags on a day that the clock returns to', () => {
  const usage = createMemoryUsage();
  for (let index = 0; index < MAX_TAGGED_ROWS; index += 1) usage.add(chargeOn(FIRST, { tag: `tag-${index}` }));
  usage.add(chargeOn(FIRST + 1, { tag: 'later' }));
  usage.add(chargeOn(FIRST, { tag: 'more' }));
  expect(Object.keys(charges(usage, { by: 'tag', toDay: FIRST + 1 }))).toHaveLength(MAX_TAGGED_ROWS + 1);
  expect(charges(usage, { by: 'tag', toDay: FIRST + 1 })).toMatchObject({ null: 1 });
});

it('never forgets the day of the added entry', () => {
  const usage = createMemoryUsage(3);
  for (let key = 0; key < 5; key += 1) usage.add(chargeOn(FIRST, { keyId: `key-${key}` }));
  expect(Object.keys(charges(usage, { by: 'key', fromDay: FIRST, toDay: FIRST + 1 }))).toHaveLength(5);
});

interface Query extends UsageQuery {
  readonly fromDay: number;
  readonly toDay: number;
}

/** The same from the entries themselves. */
function sumsOf(entries: readonly LedgerEntry[], query: Query): Record<string, object> {
  const groups: Record<string, MutableSums> = {};
  for (const entry of entries) {
    const of = usageDimensionsOf(entry);
    if (of === undefined || of.day < query.fromDay || of.day >= query.toDay) continue;
    if (query.organizationId !== undefined && of.organizationId !== query.organizationId) continue;
    if (query.keyId !== undefined && of.keyId !== query.keyId) continue;
    const { organizationId: organization, keyId: key, model, tag } = of;
    const group = { organization, key, budget: of.budgets, model, tag, day: dateOfDay(of.day) }[query.by] || 'null';
    groups[group] ??= noUsage();
    addEntry(groups[group], entry);
  }
  return groups;
}

function rowsOf(usage: MemoryUsage, query: UsageQuery): Record<string, object> {
  const rows = usage.read({ ...query, limit: 10_000 });
  return Object.fromEntries(rows.map(({ group, ...sums }) => [`${group}`, sums]));
}

function recentOf(keys: Record<string, RecentUsage>, { keyId }: LedgerEntry): RecentUsage {
  return (keys[`${keyId}`] ??= { recent: undefined });
}

const oneOfTwo = fastCheck.integer({ min: 0, max: 1 });

/** What comes on any day: most on the latest one so far or a later one, some where the clock was set back. */
const history = fastCheck
  .array(
    fastCheck.record({
      step: fastCheck.oneof(
        { weight: 6, arbitrary: fastCheck.integer({ min: 0, max: 20 }) },
        fastCheck.integer({ min: -70, max: -1 }),
      ),
      kind: fastCheck.constantFrom('charge', 'loss', 'grant', 'adjustment'),
      amount: fastCheck.bigInt({ min: 0n, max: 99n }),
      organization: oneOfTwo,
      key: oneOfTwo,
      model: oneOfTwo,
      tag: oneOfTwo,
    }),
    { minLength: 1, maxLength: 60, size: 'max' },
  )
  .map((steps) => {
    let day = FIRST;
    return steps.map(({ step, kind, amount, organization, key, model, tag }): LedgerEntry => {
      day += step;
      const base = { id: 'x', organizationId: `organization-${organization}`, amount, atMs: day * DAY_MS };
      const of = { keyId: `key-${key}`, model: `a/${model}`, provider: 'a', ...(tag > 0 && { tag: `tag-${tag}` }) };
      if (kind === 'grant') return { kind, ...base, keyId: null, note: '' };
      if (kind === 'adjustment') return { kind, ...base, keyId: key === 0 ? null : of.keyId, note: '' };
      if (kind === 'loss') return { kind, ...base, ...of, reason: 'failed' };
      const costSource = model === 0 ? 'cached' : 'flat';
      return { kind: 'charge', ...base, ...of, costSource, upstreamCost: amount + 1n, late: false };
    });
  });

const owner = fastCheck.record({
  by: fastCheck.constantFrom(...USAGE_GROUPS),
  organizationId: fastCheck.constantFrom(undefined, 'organization-0', 'organization-1'),
  keyId: fastCheck.constantFrom(undefined, 'key-0', 'key-1'),
});

it('equals the sums of the entries for any days, however often the clock was set back', () => {
  const day = fastCheck.integer({ min: FIRST - 100, max: FIRST + 300 });
  const property = fastCheck.property(history, owner, day, day, (entries, of, fromDay, toDay) => {
    const usage = createMemoryUsage();
    const keys: Record<string, RecentUsage> = {};
    for (const entry of entries) usage.add(entry, recentOf(keys, entry));
    const query = { ...of, fromDay, toDay };
    expect(rowsOf(usage, query)).toEqual(sumsOf(entries, query));
  });
  fastCheck.assert(property, { numRuns: 200 });
});

it('equals the sums of the entries of whole months after it has forgotten days', () => {
  const month = fastCheck.integer({ min: 56 * 12 + 6, max: 56 * 12 + 20 });
  const most = fastCheck.integer({ min: 0, max: 5 });
  const property = fastCheck.property(history, owner, month, month, most, (entries, of, from, to, maxSums) => {
    const usage = createMemoryUsage(maxSums);
    const keys: Record<string, RecentUsage> = {};
    for (const entry of entries) usage.add(entry, recentOf(keys, entry));
    const by = of.by === 'day' ? 'key' : of.by;
    const query = { ...of, by, fromDay: firstDayOf(from), toDay: firstDayOf(to) };
    expect(rowsOf(usage, query)).toEqual(sumsOf(entries, query));
  });
  fastCheck.assert(property, { numRuns: 200 });
});
