import { describe, expect, it } from 'vitest';
import type { Database } from '../engine/database.js';
import { batchedOperations, directOperations } from './postgres-money.js';

const OWNER = { organizationId: 'acme', keyId: 'key-1' };
const HELD = { ...OWNER, holdId: 'h', keyLimit: null, amount: 9n, expiresAtMs: 7, model: 'exa/answer' };
const CHARGE = { cost: 7n, model: 'exa/answer', provider: 'exa', costSource: 'flat' } as const;
const RATE = { requests: 10, periodMs: 60_000 };
const RATE_TEXT = '{"requests":10,"period_ms":60000}';

describe('operations of one organization', () => {
  /** Batchers that give these answers, and by which routes they were asked. */
  function moneyOf(...answers: object[]) {
    const routes: unknown[] = [];
    const submit = async (route: string, { operation }: Record<string, unknown>) => {
      routes.push([operation, route]);
      return answers.shift() ?? {};
    };
    return { money: batchedOperations({ submit }), routes };
  }

  it('take its batcher', async () => {
    const { money, routes } = moneyOf();
    await money.grant({ grantId: 'g', organizationId: 'acme', amount: 1n, note: '' });
    await money.adjust({ adjustmentId: 'a', organizationId: 'globex', amount: 1n, note: '' });
    await money.admit(OWNER);
    expect(routes).toEqual([
      ['grant', 'acme'],
      ['adjust', 'globex'],
      ['admit', 'acme'],
    ]);
  });

  it('end a hold in the batcher that held it', async () => {
    const { money, routes } = moneyOf({ amount: '9' }, { status: 'settled' }, { amount: '9' }, { status: 'released' });
    await money.hold(HELD);
    await money.settle('h', CHARGE);
    await money.hold({ ...HELD, holdId: 'other', organizationId: 'globex' });
    await money.release('other', { reason: 'failed' });
    expect(routes).toEqual([
      ['hold', 'acme'],
      ['settle', 'acme'],
      ['hold', 'globex'],
      ['release', 'globex'],
    ]);
  });

  it('forget where a hold was once it has ended or was refused', async () => {
    const { money, routes } = moneyOf({ amount: '9' }, {}, {}, { by: 'key_rate' }, {});
    await money.hold(HELD);
    await money.release('h', { reason: 'failed' });
    await money.release('h', { reason: 'failed' });
    await money.hold(HELD);
    await money.settle('h', CHARGE);
    expect(routes).toEqual([
      ['hold', 'acme'],
      ['release', 'acme'],
      ['release', 'h'],
      ['hold', 'acme'],
      ['settle', 'h'],
    ]);
  });
});

describe('operations of the whole ledger', () => {
  /** A database that gives this answer, and what it was asked. */
  function moneyOf(answer: unknown) {
    const asked: unknown[] = [];
    const database = {
      givenNow: () => 12,
      read: async (name: string, values: () => readonly unknown[]) => {
        asked.push([name, ...values()]);
        return answer;
      },
      write: async (name: string, argument: unknown) => {
        asked.push([name, argument]);
        return undefined;
      },
    } as unknown as Database;
    return { money: directOperations(database, { endedHoldRetentionMs: 500 }), asked };
  }

  it.each<[string, unknown, object, object, unknown[]]>([
    ['no limits', undefined, {}, { key: null, organization: null }, [undefined, undefined]],
    [
      'limits that were never used',
      undefined,
      { keyRateLimit: RATE, organizationRateLimit: RATE },
      { key: 0, organization: 0 },
      [RATE_TEXT, RATE_TEXT],
    ],
    [
      'limits of which one was used',
      { key: 3 },
      { keyRateLimit: RATE, organizationRateLimit: RATE },
      { key: 3, organization: 0 },
      [RATE_TEXT, RATE_TEXT],
    ],
    [
      'a limit of the key',
      { key: 3, organization: 4 },
      { keyRateLimit: RATE, organizationRateLimit: null },
      { key: 3, organization: null },
      [null, RATE_TEXT],
    ],
    [
      'a limit of the organization',
      { key: 3, organization: 4 },
      { organizationRateLimit: RATE },
      { key: null, organization: 4 },
      [RATE_TEXT, undefined],
    ],
  ])('say what is used of %s', async (_what, answer, limits, expected, sent) => {
    const { money, asked } = moneyOf(answer);
    expect(await money.ratesUsed({ ...OWNER, ...limits })).toEqual(expected);
    expect(asked).toEqual([['rates_used', 'acme', 'key-1', ...sent, 12]]);
  });

  const DAY_MS = 86_400_000;
  it.each<[unknown, object, object]>([
    [undefined, { credits: 0n, usage: 0n, held: 0n }, { usage: 0n, held: 0n, windowUsage: 0n, resetsAtMs: DAY_MS }],
    [{}, { credits: 0n, usage: 0n, held: 0n }, { usage: 0n, held: 0n, windowUsage: 0n, resetsAtMs: DAY_MS }],
    [
      { credits: '4', usage: '3', held: '2', windowUsage: '1', nowMs: DAY_MS },
      { credits: 4n, usage: 3n, held: 2n },
      { usage: 3n, held: 2n, windowUsage: 1n, resetsAtMs: 2 * DAY_MS },
    ],
  ])('give the totals of a row, and zeros without one', async (answer, ofOrganization, ofKey) => {
    const { money, asked } = moneyOf(answer);
    expect(await money.organizationTotals('acme')).toEqual(ofOrganization);
    expect(await money.keyTotals('key-1', 'daily')).toEqual(ofKey);
    expect(asked).toEqual([
      ['organization_totals', 'acme'],
      ['key_totals', 'key-1', 'daily', 12],
    ]);
  });

  it('end holds that are due, then forget what is old', async () => {
    const { money, asked } = moneyOf(undefined);
    expect(await money.expireHolds(5)).toBe(0);
    expect(asked).toEqual([
      ['expire_due_holds', { dueMs: 5, most: 200 }],
      ['forget_ended_holds', { keepMs: 500, most: 1_000 }],
      ['forget_claims', { most: 1_000 }],
      ['forget_counters', { most: 1_000 }],
    ]);
  });

  it('find a hold by its id, or none', async () => {
    expect(await moneyOf(undefined).money.findHold('h')).toBeUndefined();
    const { money, asked } = moneyOf({ ...OWNER, status: 'settled', cost: '7' });
    expect(await money.findHold('h')).toEqual({ ...OWNER, holdId: 'h', status: 'settled', cost: 7n });
    expect(asked).toEqual([['find_hold', 'h']]);
  });
});
