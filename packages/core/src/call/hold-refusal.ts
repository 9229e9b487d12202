import type { LimitScope } from '../base/errors/error-details.js';
import { RequestError } from '../base/errors/request-error.js';
import { msUntilNext, type RateLimit, SECOND_MS } from '../base/time/rate-limit.js';
import type {
  AdmissionRefused,
  BudgetRefused,
  HoldBudget,
  HoldRefused,
  HoldRequest,
  RatesUsed,
} from '../ledger/ledger.js';

/** The limits of the hold request: a refusal does not repeat them. */
export type AskedLimits = Pick<
  HoldRequest,
  'keyLimitReset' | 'keyRateLimit' | 'organizationRateLimit' | 'keyMaxConcurrent' | 'organizationMaxConcurrent'
> & { readonly budgets?: readonly Pick<HoldBudget, 'id' | 'limitReset'>[] | undefined };

const RETRY_AFTER_MS = 1_000;

/** The error of a refused hold. */
export function holdRefusal(refused: HoldRefused, asked: AskedLimits): RequestError {
  return isForWantOfBudget(refused) ? budgetRefusal(refused, asked) : admissionRefusal(refused, asked);
}

export function isForWantOfBudget(refused: HoldRefused): refused is BudgetRefused {
  return Object.hasOwn(EXHAUSTED, refused.by);
}

/** The error of a request without a free slot, or over a rate limit. */
export function admissionRefusal({ by, ratesUsed }: AdmissionRefused, asked: AskedLimits): RequestError {
  switch (by) {
    case 'key_concurrency':
      return concurrencyLimited('key', asked.keyMaxConcurrent ?? 0);
    case 'organization_concurrency':
      return concurrencyLimited('organization', asked.organizationMaxConcurrent ?? 0);
    case 'key_rate':
      return rateLimited('key', ratesUsed, asked.keyRateLimit);
    case 'organization_rate':
      return rateLimited('organization', ratesUsed, asked.organizationRateLimit);
  }
}

const EXHAUSTED = {
  key_limit: 'key_limit_reached',
  budget: 'budget_exceeded',
  organization_credits: 'organization_credits_exhausted',
} as const;

function budgetRefusal(refused: BudgetRefused, { keyLimitReset = null, budgets }: AskedLimits): RequestError {
  const { by, budget, limit, usage, required, resetsAtMs, fitsWithoutHolds } = refused;
  const resets = { key_limit: keyLimitReset, budget: budgets?.find(({ id }) => id === budget)?.limitReset ?? null };
  const limitReset = by === 'organization_credits' ? null : resets[by];
  const details = { ...(budget !== undefined && { budget }), limit, usage, required, limitReset, resetsAtMs };
  if (fitsWithoutHolds) return new RequestError('budget_in_flight', { details, retryAfterMs: RETRY_AFTER_MS });
  return new RequestError(EXHAUSTED[by], { details });
}

function concurrencyLimited(scope: LimitScope, limit: number): RequestError {
  return new RequestError('concurrency_limited', { details: { scope, limit }, retryAfterMs: RETRY_AFTER_MS });
}

function rateLimited(
  scope: LimitScope,
  used: RatesUsed | undefined,
  limit: RateLimit | null | undefined,
): RequestError {
  if (limit == null) throw new TypeError(`the ledger refused by a rate of the ${scope} that it was not given`);
  const retryAfterMs = msUntilNext(used?.[scope] ?? limit.requests, limit);
  const retryAfterSeconds = Math.max(1, Math.ceil(retryAfterMs / 1_000));
  const details = { scope, limit: limit.requests, periodSeconds: limit.periodMs / SECOND_MS, retryAfterSeconds };
  return new RequestError('rate_limited', { details, retryAfterMs });
}
