import { describe, expect, it } from 'vitest';
import type { LimitReset } from '../base/time/limit-window.js';
import { readKeySpending } from './read-key-spending.js';

/** The spending of a key with this limit that has spent 9, of which 5 in the current window. */
async function spending(limit: bigint | null, limitReset: LimitReset | null) {
  const asked: unknown[] = [];
  const keyTotals = (...input: unknown[]) => {
    asked.push(input);
    // The window by the ledger's clock, which may differ from the gateway's.
    const resetsAtMs = limitReset === null || limit === null ? null : Date.UTC(2026, 10, 22);
    return Promise.resolve({ usage: 9n, held: 0n, windowUsage: 5n, resetsAtMs });
  };
  const logger = { warn: () => undefined, error: () => undefined };
  const read = await readKeySpending({ ledger: { keyTotals }, logger }, { id: 'key', limit, limitReset });
  return { asked, read };
}

describe('the spending of a key', () => {
  it.each([
    [8n, 3n],
    [5n, 0n],
    [4n, 0n],
  ])('of a limit of %d leaves %d', async (limit, remaining) => {
    const { asked, read } = await spending(limit, 'daily');
    expect(read).toEqual({ usage: 9n, remaining, limitReset: 'daily', resetsAt: '2026-11-22T00:00:00Z' });
    expect(asked).toEqual([['key', 'daily']]);
  });

  it('leaves the rest of a limit that never resets', async () => {
    expect((await spending(8n, null)).read).toEqual({ usage: 9n, remaining: 3n, limitReset: null, resetsAt: null });
  });

  it('never resets without a limit, whatever the key’s `limitReset` is', async () => {
    const { asked, read } = await spending(null, 'daily');
    expect(read).toEqual({ usage: 9n, remaining: null, limitReset: null, resetsAt: null });
    expect(asked).toEqual([['key', null]]);
  });
});
