import type { Charge, Grant, HoldBudget, HoldRequest, LoggedRequest } from '@searchgate/core/ledger';

/** The present, for a ledger on a clock that stands still. */
export const NOW_MS = Date.UTC(2026, 10, 22, 12);

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

/** A call of `busy`. */
export function loggedOf(requestId: string): LoggedRequest {
  return {
    requestId,
    answerId: requestId,
    atMs: NOW_MS,
    endpoint: 'answer',
    keyId: 'busy',
    organizationId: 'busy',
    tag: null,
    budgets: ['user'],
    byok: true,
    modelAsked: null,
    model: null,
    provider: null,
    status: 200,
    reason: null,
    stream: false,
    cache: null,
    cost: null,
    upstreamCost: null,
    loss: 0n,
    durationMs: 1,
    upstreamMs: 1,
    firstPartMs: null,
    cause: null,
    attempted: [],
    attemptCount: 0,
    rescued: false,
    attempts: [],
  };
}
