import { type EntryQuery, systemClock } from '@searchgate/core/ledger';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { chargeOf, grantOf, holdOf } from '../../test/requests.js';
import { createStorage, type Storage } from '../../test/storage.js';
import type { SqliteLedger } from '../index.js';

let storage: Storage;
let ledger: SqliteLedger;
let nowMs: number;

beforeEach(async () => {
  nowMs = 1_000;
  storage = createStorage();
  ledger = await storage.connect({ clock: { ...systemClock, now: () => nowMs } });
});
afterEach(() => storage.dispose());

async function grantAt(...atMs: number[]): Promise<void> {
  for (const [index, time] of atMs.entries()) {
    nowMs = time;
    await ledger.grant(grantOf({ grantId: `grant-${index}`, organizationId: index % 2 === 0 ? 'even' : 'odd' }));
  }
}

async function timesOf(query: EntryQuery): Promise<number[]> {
  return (await ledger.entries(query)).entries.map(({ atMs }) => atMs);
}

describe('a log whose clock was set back', () => {
  const WRITTEN = [10, 20, 90, 30, 15, 40, 95, 100, 20];

  it('stays in the order it was written', async () => {
    await grantAt(...WRITTEN);
    expect(await timesOf({})).toEqual(WRITTEN);
  });

  it('finds every entry of a range of times', async () => {
    await grantAt(...WRITTEN);
    for (const fromMs of [0, 10, 15, 16, 20, 30, 91, 100, 101]) {
      for (const toMs of [0, 10, 16, 20, 21, 31, 90, 96, 101, 200]) {
        expect(await timesOf({ fromMs, toMs })).toEqual(WRITTEN.filter((atMs) => atMs >= fromMs && atMs < toMs));
      }
    }
    const even = WRITTEN.filter((_, index) => index % 2 === 0);
    expect(await timesOf({ organizationId: 'even', fromMs: 20 })).toEqual(even.filter((atMs) => atMs >= 20));
  });

  it('walks such a range in pages', async () => {
    await grantAt(...WRITTEN);
    const walked: number[] = [];
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await ledger.entries({ fromMs: 15, toMs: 95, limit: 2, ...(cursor !== undefined && { cursor }) });
      walked.push(...page.entries.map(({ atMs }) => atMs));
      cursor = page.nextCursor;
    }
    expect(walked).toEqual(WRITTEN.filter((atMs) => atMs >= 15 && atMs < 95));
  });
});

describe('limits while the clock is set back', () => {
  it('counts on in the latest window seen', async () => {
    nowMs = Date.UTC(2026, 5, 15, 12);
    await ledger.grant(grantOf({ amount: 1_000n }));
    await ledger.hold(holdOf());
    await ledger.settle('hold-1', chargeOf());
    nowMs = Date.UTC(2026, 5, 14, 12);
    expect(await ledger.keyTotals('key-1', 'daily')).toMatchObject({ windowUsage: 7n });
    const refused = await ledger.hold(holdOf({ holdId: 'hold-2', keyLimit: 10n, keyLimitReset: 'daily' }));
    expect(refused).toMatchObject({ status: 'refused', usage: 7n, resetsAtMs: Date.UTC(2026, 5, 16) });
    await ledger.hold(holdOf({ holdId: 'hold-3' }));
    await ledger.settle('hold-3', chargeOf({ cost: 5n }));
    expect(await ledger.keyTotals('key-1', 'daily')).toMatchObject({ windowUsage: 12n });
    expect((await ledger.audit()).differences).toEqual([]);
  });
});
