import { isLedgerError, type LedgerReason } from '../base/errors/ledger-error.js';
import { RequestError } from '../base/errors/request-error.js';
import type { Logger } from '../base/events/logger.js';
import type { NanoUsd } from '../base/money.js';
import type { HoldRefused, HoldRequest, HoldResult, Ledger } from '../ledger/ledger.js';
import type { AnswerRequest, RequestContext } from './answer.js';
import type { CallerLimits } from './caller-limits.js';
import { holdRefusal } from './hold-refusal.js';
import type { IndeterminateHolds } from './indeterminate-holds.js';
import type { AnswerPlan } from './plan-answer.js';
import type { RateLimitCache } from './rate-limit-cache.js';

export interface HoldDeps {
  readonly ledger: Ledger;
  readonly logger: Logger;
  readonly refusals: RateLimitCache;
  readonly indeterminateHolds: Pick<IndeterminateHolds, 'release'>;
  limitsOf(apiKey: AnswerRequest['apiKey']): CallerLimits;
}

/** Who pays, and under which id. */
export interface HoldingCall {
  readonly holdId: string;
  readonly plan: Pick<AnswerPlan, 'request' | 'expiresAtMs'>;
  readonly trace: RequestContext;
}

/** What is held, and for which model. */
type WantedHold = Pick<HoldRequest, 'amount' | 'acceptableAmounts' | 'usesSlot' | 'model'>;

const RETRY_AFTER_MS = 1_000;

/**
 * Sets an amount aside against the organization's balance and the key's limit, and takes a slot and a part of the rates, in one step.
 *
 * @returns what is held: the amount, or the largest of the smaller ones that fits.
 * @throws RequestError `organization_credits_exhausted`, `key_limit_reached`, `budget_in_flight`, `rate_limited`, `concurrency_limited` or
 * `ledger_unavailable`.
 */
export async function holdAmount(
  deps: HoldDeps,
  call: HoldingCall & { readonly wanted: WantedHold },
): Promise<NanoUsd> {
  const { holdId, plan, trace, wanted } = call;
  const { apiKey } = plan.request;
  const limits = deps.limitsOf(apiKey);
  let result: HoldResult;
  try {
    result = await deps.ledger.hold(requestOf(call, wanted, limits));
  } catch (error) {
    deps.logger.error({ error, holdId }, 'the ledger failed to hold');
    if (!isRefused(error)) deps.indeterminateHolds.release(holdId);
    throw new RequestError('ledger_unavailable', { retryAfterMs: RETRY_AFTER_MS, cause: error });
  }
  if (result.ratesUsed !== undefined) trace.rates = { ...limits, used: result.ratesUsed };
  if (result.status === 'refused') throw refused(deps, { result, apiKey, limits });
  const isAsked = result.amount === wanted.amount || wanted.acceptableAmounts?.includes(result.amount) === true;
  if (isAsked) return result.amount;
  deps.logger.error({ holdId, amount: result.amount }, 'the ledger held another amount than it was asked for');
  deps.indeterminateHolds.release(holdId);
  throw new RequestError('ledger_unavailable', { retryAfterMs: RETRY_AFTER_MS });
}

/** What a ledger says before it places anything. Whatever else it says, it may say of the reply, such as `schema_mismatch`. */
const NOT_PLACED: ReadonlySet<LedgerReason> = new Set<LedgerReason>([
  'duplicate_hold',
  'invalid_amount',
  'invalid_id',
  'invalid_argument',
]);

function isRefused(error: unknown): boolean {
  return isLedgerError(error) && NOT_PLACED.has(error.reason);
}

/** Written out: made of parts that are spread, it would be an object whose fields are slow to read, for every answer and in every ledger. */
function requestOf({ holdId, plan }: HoldingCall, wanted: WantedHold, limits: CallerLimits): HoldRequest {
  const { id, organizationId, limit, limitReset } = plan.request.apiKey;
  return {
    holdId,
    organizationId,
    keyId: id,
    keyLimit: limit,
    keyLimitReset: limitReset,
    amount: wanted.amount,
    acceptableAmounts: wanted.acceptableAmounts,
    expiresAtMs: plan.expiresAtMs,
    model: wanted.model,
    keyRateLimit: limits.keyRateLimit,
    organizationRateLimit: limits.organizationRateLimit,
    keyMaxConcurrent: limits.keyMaxConcurrent,
    organizationMaxConcurrent: limits.organizationMaxConcurrent,
    usesSlot: wanted.usesSlot,
    tag: plan.request.tag,
  };
}

interface Refusal {
  readonly result: HoldRefused;
  readonly apiKey: AnswerRequest['apiKey'];
  readonly limits: CallerLimits;
}

function refused({ refusals }: HoldDeps, { result, apiKey, limits }: Refusal): RequestError {
  if (result.by === 'key_rate' || result.by === 'organization_rate')
    refusals.note(apiKey, limits, { ...result, by: result.by });
  return holdRefusal(result, { keyLimitReset: apiKey.limitReset, ...limits });
}
