import assert from 'node:assert/strict';
import type { Ledger } from '@searchgate/core/ledger';
import {
  accountOf,
  budgetIn,
  createLedgerModel,
  expectedOf,
  type LedgerModel,
  organizationOf,
} from './ledger-model.js';
import type { LedgerSuite } from './ledger-suite.js';
import { assertKey, assertOrganization, sortedById, untimedLog } from './observe.js';
import { adjustmentOf, chargeOf, FAR_AHEAD_MS, grantOf, holdOf, RELEASE, TWO_LOSSES } from './requests.js';
import { type Step, take } from './steps.js';

/** How many steps a run of a property stands for: every step of every state takes 12,761, so a dozen runs are enough. */
const STEPS_PER_RUN = 1_100;

/** The steps of a small world: one organization, two keys, one budget, three holds. The world of each walk has ids of its own. */
function stepsOf(walk: number): readonly Step[] {
  const organizationId = `org-${walk}`;
  const [keyId, otherKey, budget] = [`key-${walk}`, `other-${walk}`, `budget-${walk}`];
  const [a, b, c] = [`a-${walk}`, `b-${walk}`, `c-${walk}`];
  const budgets = [{ id: budget, limit: 4n, limitReset: null, isKept: true }];
  const own = { organizationId, keyId, keyLimit: 6n, expiresAtMs: FAR_AHEAD_MS + walk };
  return [
    { operation: 'grant', grant: grantOf({ organizationId, amount: 5n }) },
    { operation: 'hold', request: holdOf({ ...own, holdId: a, amount: 3n, acceptableAmounts: [2n] }) },
    { operation: 'hold', request: holdOf({ ...own, holdId: b, amount: 2n, budgets }) },
    { operation: 'hold', request: holdOf({ ...own, keyId: otherKey, keyLimit: null, holdId: c, amount: 2n, budgets }) },
    { operation: 'settle', holdId: a, charge: chargeOf({ cost: 2n }) },
    { operation: 'settle', holdId: a, charge: chargeOf({ cost: 5n, losses: TWO_LOSSES }) },
    { operation: 'settle', holdId: b, charge: chargeOf({ cost: 2n }) },
    { operation: 'settle', holdId: c, charge: chargeOf({ cost: 0n }) },
    { operation: 'release', holdId: a, release: { ...RELEASE, losses: TWO_LOSSES } },
    { operation: 'release', holdId: b, release: RELEASE },
    { operation: 'adjust', adjustment: adjustmentOf({ organizationId, keyId, amount: 2n, budgets: [budget] }) },
    { operation: 'expire', nowMs: FAR_AHEAD_MS + walk },
  ];
}

/** For each state of the model, the numbers of those that its steps lead to. The first is the beginning. */
type States = readonly (readonly number[])[];

const createModel = () => createLedgerModel(() => 0);

/** All that decides about the further answers of a model. */
function nameOf({ organizations, accounts, holds, applied }: LedgerModel): string {
  const ofHolds = [...holds.keys()].sort().map((id) => holds.get(id));
  const state = [...organizations, ...accounts, ...ofHolds, ...[...applied.keys()].sort()];
  return JSON.stringify(state, (_, value: unknown) => (typeof value === 'bigint' ? `${value}` : value));
}

/** Every state that any steps lead to. @throws AssertionError for a state in which money is wrong. */
function explore(): States {
  const numbers = new Map<string, number>();
  const ways: (readonly Step[])[] = [];
  const numberOf = (way: readonly Step[]) => {
    const model = createModel();
    for (const step of way) expectedOf(model, step);
    const name = nameOf(model);
    const known = numbers.get(name) ?? ways.length;
    if (known === ways.length) {
      assertMoney(model);
      numbers.set(name, known);
      ways.push(way);
    }
    return known;
  };
  numberOf([]);
  const states: number[][] = [];
  // The list grows meanwhile.
  for (const way of ways) states.push(stepsOf(0).map((step) => numberOf([...way, step])));
  return states;
}

/** What is held is held by open holds; a hold is charged once at most, and no charge is lost. */
function assertMoney({ holds, organizations, accounts, log }: LedgerModel): void {
  const open = [...holds.values()].filter(({ ending }) => ending === undefined);
  const charges = log.flat().filter(({ kind }) => kind === 'charge');
  const sum = (amounts: readonly bigint[]) => amounts.reduce((total, amount) => total + amount, 0n);
  assert.equal(new Set(charges.map(({ id }) => id)).size, charges.length, 'a hold was charged twice');
  const settled = [...holds.values()].filter(({ ending }) => ending?.status === 'settled');
  assert.deepEqual(charges.map(({ id }) => id).sort(), settled.map(({ holdId }) => holdId).sort());
  for (const { held, usage } of organizations.values()) {
    assert.equal(held, sum(open.map(({ amount }) => amount)));
    const used = log.flat().filter(({ kind }) => kind === 'charge' || kind === 'adjustment');
    assert.equal(usage, sum(used.map(({ amount }) => amount)));
  }
  for (const { held } of accounts.values()) assert.ok(held >= 0n);
}

let explored: States | undefined;

/** For each state, its steps that were not taken. */
type Untaken = readonly Set<number>[];

/** The shortest way to a step that was not taken; empty where none is left ahead. */
function wayAhead(states: States, untaken: Untaken, from: number): readonly number[] {
  const before: ({ readonly state: number; readonly step: number } | undefined)[] = [];
  const ahead = [from];
  // The list grows meanwhile.
  for (const state of ahead) {
    const [last] = untaken[state] ?? [];
    if (last !== undefined) {
      const way = [last];
      for (let at = before[state]; at !== undefined; at = at.state === from ? undefined : before[at.state])
        way.push(at.step);
      return way.reverse();
    }
    for (const [step, next] of (states[state] ?? []).entries()) {
      if (next === from || before[next] !== undefined) continue;
      before[next] = { state, step };
      ahead.push(next);
    }
  }
  return [];
}

/** Takes steps in a world of its own until none is left ahead that was not taken. @returns its model, its steps, and how many were taken. */
async function takeWalk(
  ledgers: readonly Ledger[],
  { states, untaken }: { states: States; untaken: Untaken },
  walk: number,
) {
  const model = createModel();
  const steps = stepsOf(walk);
  const told: string[] = [];
  let state = 0;
  for (let way = wayAhead(states, untaken, state); way.length > 0; way = wayAhead(states, untaken, state))
    for (const at of way) {
      const step = steps[at] as Step;
      const ledger = ledgers[told.length % ledgers.length] as Ledger;
      told.push(`${step.operation} ${at}`);
      assert.deepEqual(await take(ledger, step), expectedOf(model, step), told.join(', '));
      untaken[state]?.delete(at);
      state = states[state]?.[at] ?? 0;
    }
  return { model, steps, taken: told.length };
}

/** Compares the totals and the log that a walk has left with those of the model. */
async function assertEnd(ledger: Ledger, model: LedgerModel, walk: number): Promise<void> {
  const [organizationId, budget] = [`org-${walk}`, `budget-${walk}`];
  await assertOrganization(ledger, organizationOf(model, organizationId), organizationId);
  for (const key of [`key-${walk}`, `other-${walk}`]) await assertKey(ledger, accountOf(model, key), key);
  const [totals] = await ledger.budgetTotals(organizationId, [{ id: budget, limitReset: null }]);
  const { usage, held } = accountOf(model, budgetIn(organizationId, budget));
  assert.deepEqual({ ...totals }, { usage, held, windowUsage: usage, resetsAtMs: null }, `totals of ${budget}`);
  const log = await untimedLog(ledger, { organizationId });
  assert.deepEqual(sortedById(log), sortedById(model.log.flat()), `log of ${organizationId}`);
}

/**
 * Every history of a small world, as far as it matters: each step in each state of the model, in walks that go on while a step is ahead that was not taken.
 * So also each step again, late, or after its end, as it comes when an answer was lost.
 */
export function registerEveryHistory(suite: LedgerSuite): void {
  suite.describe('every history of a small world', () => {
    suite.property('answers each step in each state as the contract does', async ({ runs, withLedger }) => {
      explored ??= explore();
      const states = explored;
      await withLedger(async (under) => {
        const ledgers = [under.ledger];
        if (suite.supports.connections === true && under.connect !== undefined) ledgers.push(await under.connect());
        const untaken = states.map((next) => new Set(next.keys()));
        let left = runs * STEPS_PER_RUN;
        for (let walk = 1; left > 0 && wayAhead(states, untaken, 0).length > 0; walk += 1) {
          const { model, steps, taken } = await takeWalk(ledgers, { states, untaken }, walk);
          left -= taken;
          const last = steps.at(-1) as Step;
          assert.deepEqual(await take(under.ledger, last), expectedOf(model, last));
          await assertEnd(under.ledger, model, walk);
        }
      });
    });
  });
}
