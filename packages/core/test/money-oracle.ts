import type { FakeClock } from '@searchgate/testing';
import { limitWindowAt } from '../src/base/time/limit-window.js';
import { type Ledger, parseUsd } from '../src/index.js';
import type { BudgetMode, HoldRequest, LimitReset } from '../src/ledger/index.js';

/** What bounds the keys of a test. Amounts are decimal USD, `credits` nanodollars. */
export interface Bounds {
  readonly keys: readonly {
    readonly id: string;
    readonly organizationId: string;
    readonly limit: string | null;
    readonly budgets: readonly string[];
  }[];
  readonly budgets: readonly {
    readonly organizationId: string;
    readonly id: string;
    readonly limit: string;
    readonly limitReset?: LimitReset | undefined;
    readonly mode?: BudgetMode | undefined;
  }[];
  readonly credits: Readonly<Record<string, bigint>>;
}

/** A bound of a key. */
interface Bound {
  readonly by: 'key_limit' | 'budget' | 'organization_credits';
  readonly budget?: string | undefined;
  readonly limit: bigint;
  readonly limitReset: LimitReset | null;
}

/** What a call holds, or was charged. */
interface Spent {
  readonly keyId: string;
  readonly amount: bigint;
  readonly atMs: number;
}

/** All that refuses calls of a key, in the order in which a refusal names it: budgets that only warn do not. */
export function boundsOf({ keys, budgets, credits }: Bounds, keyId: string): readonly Bound[] {
  const key = keys.find(({ id }) => id === keyId)!;
  const shared = key.budgets.map((id) => {
    const set = budgets.find((each) => each.id === id && each.organizationId === key.organizationId)!;
    const { limitReset = null, mode = 'enforce', limit } = set;
    return { by: 'budget' as const, budget: id, limit: parseUsd(limit), limitReset, mode };
  });
  return [
    ...(key.limit === null ? [] : [{ by: 'key_limit' as const, limit: parseUsd(key.limit), limitReset: null }]),
    ...shared.filter(({ mode }) => mode === 'enforce'),
    { by: 'organization_credits', limit: credits[key.organizationId]!, limitReset: null },
  ];
}

/** Whether the money of a key counts in a bound of another key. */
export function countsIn({ keys }: Bounds, spender: string, { by, budget }: Bound, ofKey: string): boolean {
  if (by === 'key_limit' || spender === ofKey) return spender === ofKey;
  const [one, other] = [spender, ofKey].map((id) => keys.find((key) => key.id === id)!);
  if (one!.organizationId !== other!.organizationId) return false;
  return budget === undefined || one!.budgets.includes(budget);
}

const isEqual = (one: object, other: object) =>
  Object.entries(one).every(([name, value]) => value === Reflect.get(other, name));

/**
 * A ledger whose holds are compared with a model of its money: a hold is refused exactly when one of its bounds has no room at that moment, by the first of
 * them, and else holds the largest amount that all have room for. For a ledger that decides in the order in which it is called.
 */
export function checkedHolds(ledger: Ledger, clock: FakeClock, bounds: Bounds) {
  const held = new Map<string, Spent>();
  const charged: Spent[] = [];
  const mistakes: unknown[] = [];
  const refusals = new Set<string>();

  function decide({ keyId, amount, acceptableAmounts = [] }: HoldRequest) {
    const sum = (all: Iterable<Spent>, bound: Bound, fromMs: number) =>
      [...all].reduce((total, each) => {
        const counts = each.atMs >= fromMs && countsIn(bounds, each.keyId, bound, keyId);
        return counts ? total + each.amount : total;
      }, 0n);
    const read = boundsOf(bounds, keyId).map((bound) => {
      const { limitReset } = bound;
      const fromMs = limitReset === null ? 0 : limitWindowAt(limitReset, clock.now()).startsAtMs;
      const unused = bound.limit - sum(charged, bound, fromMs);
      return { ...bound, unused, left: unused - sum(held.values(), bound, 0) };
    });
    const fitting = [amount, ...acceptableAmounts].find((each) => read.every(({ left }) => each <= left));
    if (fitting !== undefined) return { status: 'held', amount: fitting } as const;
    const required = acceptableAmounts.at(-1) ?? amount;
    const { by, budget, limit, unused } = read.find(({ left }) => required > left)!;
    const fitsWithoutHolds = read.every((each) => required <= each.unused);
    return { status: 'refused', by, budget, limit, usage: limit - unused, required, fitsWithoutHolds } as const;
  }

  const checked: Ledger = {
    ...ledger,
    async hold(request) {
      const expected = decide(request);
      const { holdId, keyId } = request;
      if (expected.status === 'held') held.set(holdId, { keyId, amount: expected.amount, atMs: clock.now() });
      else refusals.add(expected.by);
      const result = await ledger.hold(request);
      if (!isEqual(expected, result)) mistakes.push({ request, expected, result });
      return result;
    },
    settle(holdId, charge) {
      const hold = held.get(holdId);
      if (hold !== undefined) charged.push({ ...hold, amount: charge.cost, atMs: clock.now() });
      held.delete(holdId);
      return ledger.settle(holdId, charge);
    },
    release(holdId, release) {
      held.delete(holdId);
      return ledger.release(holdId, release);
    },
  };
  return { ledger: checked, mistakes, refusals };
}
