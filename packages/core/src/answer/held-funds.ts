import { priceAt, quote } from '../catalog/pricing.js';
import type { Clock } from '../clock.js';
import { RequestError } from '../errors.js';
import type { HoldRefused, HoldResult, Ledger } from '../ledger/ledger.js';
import type { LimitReset } from '../limit-window.js';
import type { Logger } from '../logger.js';
import type { NanoUsd } from '../money.js';
import type { RoutePlan } from '../routing/route-plan.js';
import type { AnswerPlan } from './plan-answer.js';

declare const held: unique symbol;

/** Proof that money has been set aside. The only function that reaches a provider demands one, so there is no door without the meter. */
export interface HeldFunds {
  readonly holdId: string;
  readonly amount: NanoUsd;
  readonly [held]: true;
}

export interface HoldDeps {
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface HoldQuestion {
  readonly holdId: string;
  readonly plan: AnswerPlan;
  readonly markup: bigint;
}

const RETRY_AFTER_MS = 1_000;

/**
 * Sets aside the price of the dearest candidate, against the organisation's balance and the key's limit in one step.
 *
 * @throws RequestError `organization_credits_exhausted`, `key_limit_reached`, `budget_in_flight` or `ledger_unavailable`.
 */
export async function holdFunds(deps: HoldDeps, { holdId, plan, markup }: HoldQuestion): Promise<HeldFunds> {
  const { request, route, expiresAtMs } = plan;
  const amount = dearestQuote(route, deps.clock.now(), markup);
  const { id: keyId, organizationId, limit: keyLimit, limitReset: keyLimitReset } = request.apiKey;
  const model = route.candidates[0].model.slug;
  let result: HoldResult;
  try {
    result = await deps.ledger.hold({
      holdId,
      organizationId,
      keyId,
      keyLimit,
      keyLimitReset,
      amount,
      expiresAtMs,
      model,
    });
  } catch (error) {
    deps.logger.error({ error, holdId }, 'the ledger failed to hold');
    throw new RequestError('ledger_unavailable', { retryAfterMs: RETRY_AFTER_MS, cause: error });
  }
  if (result.status === 'refused') throw refusal(result, keyLimitReset);
  return { holdId, amount } as HeldFunds;
}

function refusal(refused: HoldRefused, keyLimitReset: LimitReset | null): RequestError {
  const { by, limit, usage, required, resetsAtMs, fitsWithoutHolds } = refused;
  const limitReset = by === 'key_limit' ? keyLimitReset : null;
  const details = { limit, usage, required, limitReset, resetsAtMs };
  if (fitsWithoutHolds) return new RequestError('budget_in_flight', { details, retryAfterMs: RETRY_AFTER_MS });
  return new RequestError(by === 'key_limit' ? 'key_limit_reached' : 'organization_credits_exhausted', { details });
}

function dearestQuote({ candidates }: RoutePlan, nowMs: number, markup: bigint): NanoUsd {
  let most = 0n;
  for (const { prices, history } of candidates) {
    const amount = quote(priceAt(prices, nowMs), history, markup);
    if (amount > most) most = amount;
  }
  return most;
}
