import { describe, expect, it } from 'vitest';
import type { BudgetOfKey } from '../auth/budget.js';
import type { LimitReset } from '../base/time/limit-window.js';
import { memoryLedger } from '../ledger/memory-ledger.js';
import { readKeySpending } from './read-key-spending.js';

const logger = { warn: () => undefined, error: () => undefined };
const ORGANIZATION = { credits: 100n, usage: 9n, held: 0n };

/** The spending of a key with this limit that has spent 9, of which 5 in the current window. */
async function spending(limit: bigint | null, limitReset: LimitReset | null) {
  const asked: unknown[] = [];
  const ledger = {
    ...memoryLedger(),
    organizationTotals: () => Promise.resolve(ORGANIZATION),
    keyTotals(...input: unknown[]) {
      asked.push(input);
      // The window by the ledger's clock, which may differ from the gateway's.
      const resetsAtMs = limitReset === null || limit === null ? null : Date.UTC(2026, 10, 22);
      return Promise.resolve({ usage: 9n, held: 0n, windowUsage: 5n, resetsAtMs });
    },
    budgetTotals: () => Promise.reject(new Error('not asked for')),
  };
  const key = { id: 'key', organizationId: 'acme', limit, limitReset };
  const { budgets, boundBy, ...read } = await readKeySpending({ ledger, logger }, key);
  expect({ budgets, boundBy }).toEqual({ budgets: [], boundBy: limit === null ? 'organization_credits' : 'key_limit' });
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

interface Given {
  readonly limit?: bigint;
  readonly team?: bigint | null;
  readonly user?: bigint;
  readonly mode?: 'enforce' | 'warn';
  readonly credits?: bigint;
  readonly operatorPays?: true;
  readonly spent?: bigint;
}

describe('what bounds a key', () => {
  it.each<[string | null, Given]>([
    ['key_limit', { limit: 10n, team: 10n, credits: 10n }],
    ['budget:team', { limit: 11n, team: 10n, credits: 10n }],
    ['budget:team', { team: 10n, user: 10n }],
    ['budget:user', { team: 12n, user: 10n, credits: 10n }],
    ['organization_credits', { limit: 11n, team: 11n, credits: 10n }],
    ['organization_credits', { team: null, user: 100n }],
    ['organization_credits', { team: 1n, mode: 'warn' }],
    ['budget:user', { team: null, user: 1_000n, credits: 0n, operatorPays: true }],
    [null, { team: 1n, mode: 'warn', operatorPays: true }],
    // Nothing is left of either, but more is missing of the budget.
    ['budget:team', { limit: 3n, team: 2n, spent: 4n }],
  ])('is %s of %o', async (boundBy, { team = null, user = null, mode = 'enforce', spent = 0n, ...given }) => {
    const { limit = null, credits = 50n, operatorPays } = given;
    const ledger = memoryLedger();
    await ledger.grant({ grantId: 'first', organizationId: 'acme', amount: credits, note: '' });
    const of = { organizationId: 'acme', keyId: 'key', budgets: ['team', 'user'] };
    await ledger.adjust({ adjustmentId: 'spent', ...of, amount: spent, note: '' });
    const budgets: readonly BudgetOfKey[] = [
      { id: 'team', limit: team, limitReset: null, mode },
      { id: 'user', limit: user, limitReset: null, mode },
    ];
    const key = { id: 'key', organizationId: 'acme', limit, limitReset: null, budgets, operatorPays };
    const read = await readKeySpending({ ledger, logger }, key);
    const left = (most: bigint | null) => most && (most > spent ? most - spent : 0n);
    expect(read.boundBy).toBe(boundBy);
    expect(read.budgets).toEqual([
      { ...budgets[0], usage: spent, remaining: left(team), resetsAt: null },
      { ...budgets[1], usage: spent, remaining: left(user), resetsAt: null },
    ]);
  });
});
