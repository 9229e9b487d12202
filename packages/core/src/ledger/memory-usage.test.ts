import { expect, it } from 'vitest';
import { dateOfDay, firstDayOf } from '../time/days.js';
import type { LedgerEntry } from './ledger-entry.js';
import { createMemoryUsage, type MemoryUsage } from './memory-usage.js';
import { MAX_TAGGED_ROWS, type UsageQuery } from './usage.js';

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

it('forgets the sums of the oldest days where there are too many, and keeps those of months and of organizations', () => {
  const usage = createMemoryUsage(3);
  for (let day = 0; day < 5; day += 1) usage.add(chargeOn(FIRST + day));
  const dates = [0, 1, 2, 3, 4].map((day) => dateOfDay(FIRST + day));
  expect(charges(usage, { by: 'key' })).toEqual({ 'key-1': 5 });
  expect(charges(usage, { by: 'key', fromDay: FIRST + 1 })).toEqual({ 'key-1': 3 });
  expect(Object.keys(charges(usage, { by: 'day' }))).toEqual(dates);
  expect(Object.keys(charges(usage, { by: 'day', keyId: 'key-1' }))).toEqual(dates.slice(2));
});

it('counts on a day that it had forgotten, where the clock is set back', () => {
  const usage = createMemoryUsage(3);
  usage.add(chargeOn(FIRST, { keyId: 'key-2' }));
  for (let day = 1; day < 4; day += 1) usage.add(chargeOn(FIRST + day));
  const first = { by: 'key', fromDay: FIRST, toDay: FIRST + 1 } as const;
  expect(charges(usage, first)).toEqual({});
  usage.add(chargeOn(FIRST, { keyId: 'key-2' }));
  expect(charges(usage, first)).toEqual({ 'key-2': 1 });
});

it('keeps to its bound of tags on a day that the clock comes back to', () => {
  const usage = createMemoryUsage();
  for (let index = 0; index < MAX_TAGGED_ROWS; index += 1) usage.add(chargeOn(FIRST, { tag: `tag-${index}` }));
  usage.add(chargeOn(FIRST + 1, { tag: 'later' }));
  usage.add(chargeOn(FIRST, { tag: 'more' }));
  expect(Object.keys(charges(usage, { by: 'tag', toDay: FIRST + 1 }))).toHaveLength(MAX_TAGGED_ROWS + 1);
  expect(charges(usage, { by: 'tag', toDay: FIRST + 1 })).toMatchObject({ null: 1 });
});

it('never forgets the day it is adding to', () => {
  const usage = createMemoryUsage(3);
  for (let key = 0; key < 5; key += 1) usage.add(chargeOn(FIRST, { keyId: `key-${key}` }));
  expect(Object.keys(charges(usage, { by: 'key', fromDay: FIRST, toDay: FIRST + 1 }))).toHaveLength(5);
});

it('counts what comes after so many models and tags of a key on a day without its tag', () => {
  const usage = createMemoryUsage();
  const fill = (day: number, keyId: string) => {
    for (let index = 0; index < MAX_TAGGED_ROWS; index += 1) usage.add(chargeOn(day, { keyId, tag: `tag-${index}` }));
  };
  fill(FIRST, 'key-1');
  usage.add(chargeOn(FIRST, { tag: 'more' }));
  usage.add(chargeOn(FIRST, { tag: 'tag-0' }));
  usage.add(chargeOn(FIRST, { model: 'c/d', tag: 'tag-0' }));
  const ofKey = { by: 'tag', keyId: 'key-1' } as const;
  for (const range of [{}, { fromDay: FIRST, toDay: FIRST + 1 }]) {
    const found = charges(usage, { ...ofKey, ...range });
    expect(Object.keys(found)).toHaveLength(MAX_TAGGED_ROWS + 1);
    expect(found).toMatchObject({ 'tag-0': 2, 'tag-1': 1, null: 2 });
  }
  expect(charges(usage, { by: 'model' })).toEqual({ 'a/b': MAX_TAGGED_ROWS + 2, 'c/d': 1 });
  usage.add(chargeOn(FIRST, { keyId: 'key-2', tag: 'more' }));
  usage.add(chargeOn(FIRST + 1, { tag: 'more' }));
  expect(charges(usage, { by: 'tag' })).toMatchObject({ more: 2 });
});

it('adds nothing for what was only held', () => {
  const usage = createMemoryUsage();
  const owner = { id: 'x.expired', organizationId: 'acme', keyId: 'key-1', amount: 1n, atMs: 0 };
  usage.add({ kind: 'expired', ...owner, model: 'a/b' });
  expect(charges(usage, { by: 'organization' })).toEqual({});
});
