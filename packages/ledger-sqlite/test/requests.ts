import type { Charge, Grant, HoldBudget, HoldRequest } from '@searchgate/core/ledger';

/** 100 nanodollars for `acme`, unless changed. */
export function grantOf(changes: Partial<Grant> = {}): Grant {
  return { grantId: 'grant-1', organizationId: 'acme', amount: 100n, note: 'a purchase', ...changes };
}

/** 10 nanodollars for `key-1` of `acme` without a limit, unless changed. */
export function holdOf(changes: Partial<HoldRequest> = {}): HoldRequest {
  return {
    holdId: 'hold-1',
    organizationId: 'acme',
    keyId: 'key-1',
    keyLimit: null,
    amount: 10n,
    expiresAtMs: Date.UTC(2100, 0, 1),
    model: 'exa/answer',
    ...changes,
  };
}

/** `team:research`, 50 nanodollars of all time, kept, unless changed. */
export function budgetOf(changes: Partial<HoldBudget> = {}): HoldBudget {
  return { id: 'team:research', limit: 50n, limitReset: null, isKept: true, ...changes };
}

/** 7 nanodollars, reported, unless changed. */
export function chargeOf(changes: Partial<Charge> = {}): Charge {
  return { cost: 7n, model: 'exa/answer', provider: 'exa', costSource: 'reported', ...changes };
}

/** `count` things made from their numbers. */
export function times<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}
