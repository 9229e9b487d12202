import assert from 'node:assert/strict';
import {
  BUDGET_IDLE_DAYS,
  type HoldBudget,
  type HoldRequest,
  type Ledger,
  type LimitReset,
  MAX_NANO_USD,
} from '@searchgate/core/ledger';
import { assertRefused } from '../assert-refused.js';
import type { LedgerSuite } from './ledger-suite.js';
import { assertHeld, assertNoChange, assertOrganization, untimedLog } from './observe.js';
import { adjustmentOf, chargeOf, grantOf, holdOf } from './requests.js';

const DAY_MS = 86_400_000;

/** An enforced budget of all time that is kept. */
function budgetOf(id: string, limit: bigint | null, changes: Partial<HoldBudget> = {}): HoldBudget {
  return { id, limit, limitReset: null, isKept: true, ...changes };
}

const TEAM = budgetOf('team:research', 50n);
const USER = budgetOf('user:ada', 20n, { limitReset: 'daily', isKept: false });

/** Checks a budget of `acme`. Omitted figures are zero. */
async function assertBudget(ledger: Ledger, id: string, expected: { usage?: bigint; held?: bigint }): Promise<void> {
  const { usage = 0n, held = 0n } = expected;
  for (const limitReset of [null, 'daily', 'monthly'] as const) {
    const [totals] = await ledger.budgetTotals('acme', [{ id, limitReset }]);
    const { resetsAtMs, ...figures } = totals ?? { resetsAtMs: null };
    assert.deepEqual(figures, { usage, held, windowUsage: usage }, `${limitReset} totals of ${id}`);
    assert.equal(resetsAtMs === null, limitReset === null);
  }
}

/** Budgets: a call needs room in all of its budgets, and counts in each. The random histories compare their entries, windows and sums. */
export function registerBudgets(suite: LedgerSuite): void {
  suite.describe('budgets', () => {
    registerCounting(suite);
    registerBudgetRefusals(suite);
    registerBudgetUsage(suite);
    registerIdleBudgets(suite);
  });
}

function registerCounting({ funded, testWith }: LedgerSuite): void {
  funded(1_000n, 'holds and charges in every budget of the call', async ({ ledger }) => {
    await assertHeld(ledger, holdOf({ budgets: [USER, TEAM] }));
    for (const { id } of [USER, TEAM]) await assertBudget(ledger, id, { held: 10n });
    await ledger.settle('hold-1', chargeOf());
    for (const { id } of [USER, TEAM]) await assertBudget(ledger, id, { usage: 7n });
    await assertOrganization(ledger, { credits: 1_000n, usage: 7n });
    await assertBudget(ledger, 'team:other', {});
  });

  funded(1_000n, 'charges late where the counter of a budget was forgotten meanwhile', async ({ ledger, now }) => {
    await ledger.hold(holdOf({ holdId: 'late', budgets: [USER, TEAM], expiresAtMs: now() }));
    await ledger.expireHolds(now());
    await ledger.settle('late', chargeOf());
    for (const { id } of [USER, TEAM]) await assertBudget(ledger, id, { usage: 7n });
  });

  funded(1_000n, 'counts corrections in the budgets they name, once', async ({ ledger }) => {
    const corrected = adjustmentOf({ budgets: ['team:research', 'a'], amount: -3n });
    for (const applied of [true, false]) assert.deepEqual({ ...(await ledger.adjust(corrected)) }, { applied });
    await assertRefused('duplicate_adjustment', () => ledger.adjust({ ...corrected, budgets: ['a'] }));
    for (const id of ['team:research', 'a']) await assertBudget(ledger, id, { usage: -3n });
  });

  testWith('connect', 'never lets holds of several processes exceed a budget', async ({ connect }, ledger) => {
    await ledger.grant(grantOf({ amount: MAX_NANO_USD }));
    const second = await connect();
    const held = Array.from({ length: 200 }, (_, index) =>
      (index % 2 === 0 ? ledger : second).hold(
        holdOf({
          holdId: `hold-${index}`,
          keyId: `key-${index % 7}`,
          budgets: [budgetOf(`of-${index % 5}`, null), TEAM],
        }),
      ),
    );
    const results = await Promise.all(held);
    assert.equal(results.filter(({ status }) => status === 'held').length, 5);
    await assertBudget(ledger, TEAM.id, { held: 50n });
  });
}

function registerBudgetRefusals({ funded, test }: LedgerSuite): void {
  const cases: Readonly<Record<string, readonly [request: Partial<HoldRequest>, refused: object]>> = {
    'the first budget without room': [
      { budgets: [budgetOf('roomy', 100n), budgetOf('b', 12n), budgetOf('a', 12n)] },
      { by: 'budget', budget: 'b', limit: 12n, usage: 0n, held: 0n, required: 13n, fitsWithoutHolds: false },
    ],
    'the limit of the key before a budget': [
      { keyLimit: 12n, budgets: [budgetOf('a', 12n)] },
      { by: 'key_limit', limit: 12n, usage: 0n, held: 0n, required: 13n, fitsWithoutHolds: false },
    ],
    'a budget before the credits': [
      { amount: 101n, budgets: [budgetOf('a', 12n)] },
      { by: 'budget', budget: 'a', limit: 12n, usage: 0n, held: 0n, required: 101n, fitsWithoutHolds: false },
    ],
  };
  for (const [name, [request, refused]] of Object.entries(cases)) {
    funded(100n, `refuses by ${name}`, async ({ ledger }) => {
      await assertNoChange(ledger, async () => {
        const result = await ledger.hold(holdOf({ amount: 13n, ...request }));
        assert.deepEqual({ ...result }, { status: 'refused', resetsAtMs: null, ...refused });
      });
    });
  }

  funded(100n, 'calls a budget busy that only holds make too small, and holds what fits', async ({ ledger }) => {
    await ledger.hold(holdOf({ budgets: [TEAM], amount: 45n }));
    const busy = await ledger.hold(holdOf({ holdId: 'busy', budgets: [TEAM] }));
    const figures = { limit: 50n, usage: 0n, held: 45n, required: 10n, resetsAtMs: null };
    assert.deepEqual(
      { ...busy },
      { status: 'refused', by: 'budget', budget: TEAM.id, ...figures, fitsWithoutHolds: true },
    );
    await assertHeld(ledger, holdOf({ holdId: 'less', budgets: [TEAM], acceptableAmounts: [6n, 5n] }), 5n);
  });

  test('refuses malformed budgets', async ({ ledger }) => {
    const five = ['a', 'b', 'c', 'd', 'e'].map((id) => budgetOf(id, 1n));
    for (const budgets of [five, [TEAM, TEAM], [budgetOf('a', 1n, { limitReset: 'hourly' as LimitReset })]])
      await assertRefused('invalid_argument', () => ledger.hold(holdOf({ budgets })));
    for (const id of ['', 'a b', 'x'.repeat(10_000)])
      await assertRefused('invalid_id', () => ledger.hold(holdOf({ budgets: [budgetOf(id, 1n)] })));
    await assertRefused('invalid_amount', () => ledger.hold(holdOf({ budgets: [budgetOf('a', -1n)] })));
    await assertRefused('invalid_argument', () => ledger.adjust(adjustmentOf({ budgets: ['a', 'a'] })));
    assert.deepEqual(await untimedLog(ledger), []);
  });
}

function registerBudgetUsage({ funded }: LedgerSuite): void {
  funded(1_000n, 'sums usage by budget: of the organization, a key, and one budget', async ({ ledger }) => {
    const calls = [
      ['key-1', [TEAM, USER]],
      ['key-2', [TEAM]],
      ['key-1', []],
    ] as const;
    for (const [index, [keyId, budgets]] of calls.entries()) {
      await ledger.hold(holdOf({ holdId: `call-${index}`, keyId, budgets }));
      await ledger.settle(`call-${index}`, chargeOf());
    }
    const read = async (query: { keyId?: string; budget?: string; by?: 'key'; after?: string; limit?: number }) =>
      (await ledger.usage({ by: 'budget', ...query })).map(({ group, charges, charged }) => [group, charges, charged]);
    const [team, user, none] = [
      [TEAM.id, 2, 14n],
      [USER.id, 1, 7n],
      [null, 1, 7n],
    ];
    assert.deepEqual(await read({}), [team, user, none]);
    assert.deepEqual(await read({ limit: 1 }), [team]);
    assert.deepEqual(await read({ after: TEAM.id }), [user, none]);
    assert.deepEqual(await read({ keyId: 'key-2' }), [[TEAM.id, 1, 7n]]);
    assert.deepEqual(await read({ by: 'key', budget: TEAM.id }), [
      ['key-1', 1, 7n],
      ['key-2', 1, 7n],
    ]);
  });
}

function registerIdleBudgets({ testWith, supports }: LedgerSuite): void {
  testWith('advance', 'forgets idle counters that are not kept, and no others', async (under, ledger) => {
    const { advance, removal } = under;
    await ledger.grant(grantOf({ amount: 1_000n }));
    const endless = budgetOf('endless', 20n, { isKept: false });
    await ledger.hold(holdOf({ budgets: [USER, TEAM, endless] }));
    await ledger.settle('hold-1', chargeOf());
    await ledger.hold(holdOf({ holdId: 'open', budgets: [budgetOf('open', null, { ...USER, id: 'open' })] }));
    await advance((BUDGET_IDLE_DAYS + 1) * DAY_MS);
    await ledger.expireHolds(0);
    const usages = (await ledger.budgetTotals('acme', [USER, TEAM, endless])).map(({ usage }) => usage);
    assert.deepEqual(usages, [0n, 7n, 7n]);
    await assertBudget(ledger, 'open', { held: 10n });
    const assertSound = async () => {
      if (supports.removal === true) assert.deepEqual((await removal?.audit())?.differences, []);
    };
    await ledger.hold(holdOf({ holdId: 'again', budgets: [USER, TEAM] }));
    await assertSound();
    await ledger.settle('again', chargeOf());
    await assertSound();
  });
}
