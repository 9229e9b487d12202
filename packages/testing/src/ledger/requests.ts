import type { Adjustment, Charge, Grant, HoldRequest, Loss } from '@searchgate/core/ledger';

/** Later than any test: holds until then end only explicitly. 2100-01-01. */
export const FAR_AHEAD_MS = Date.UTC(2100, 0, 1);

/** 100 nanodollars for `acme`, with the given changes. */
export function grantOf(changes: Partial<Grant> = {}): Grant {
  return { grantId: 'grant-1', organizationId: 'acme', amount: 100n, note: 'a purchase', ...changes };
}

/** 5 nanodollars more usage for `acme`, without a key, with the given changes. */
export function adjustmentOf(changes: Partial<Adjustment> = {}): Adjustment {
  return { adjustmentId: 'adjustment-1', organizationId: 'acme', amount: 5n, note: 'a correction', ...changes };
}

/** 10 nanodollars for `key-1` of `acme`, without a limit, with the given changes. */
export function holdOf(changes: Partial<HoldRequest> = {}): HoldRequest {
  return {
    holdId: 'hold-1',
    organizationId: 'acme',
    keyId: 'key-1',
    keyLimit: null,
    amount: 10n,
    expiresAtMs: FAR_AHEAD_MS,
    model: 'exa/answer',
    ...changes,
  };
}

/** A reported charge of 7 nanodollars, with the given changes. */
export function chargeOf(changes: Partial<Charge> = {}): Charge {
  return { cost: 7n, model: 'exa/answer-fast', provider: 'exa', costSource: 'reported', ...changes };
}

/** Two failed attempts, of 3 and of 0 nanodollars. */
export const TWO_LOSSES: readonly Loss[] = [
  { model: 'perplexity/sonar', provider: 'perplexity', cost: 3n, reason: 'upstream_timeout' },
  { model: 'exa/answer', provider: 'exa', cost: 0n, reason: 'upstream_error' },
];

export const RELEASE = { reason: 'upstream_timeout' };
