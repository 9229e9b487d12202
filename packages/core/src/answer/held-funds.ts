import type { RunnableModel } from '../catalog/catalog.js';
import type { CompiledPrice } from '../catalog/compile-prices.js';
import { priceAt, quote } from '../catalog/pricing.js';
import { RequestError } from '../errors/request-error.js';
import type { Logger } from '../events/logger.js';
import { type HoldRefused, type HoldResult, type Ledger, MAX_SMALLER_AMOUNTS } from '../ledger/ledger.js';
import type { NanoUsd } from '../money/money.js';
import type { RoutePlan } from '../routing/route-plan.js';
import type { LimitReset } from '../time/limit-window.js';
import type { AnswerPlan } from './plan-answer.js';

declare const held: unique symbol;

/** Proof that money has been set aside. The only function that reaches a provider demands one. */
export interface HeldFunds {
  readonly holdId: string;
  readonly amount: NanoUsd;
  /** The candidates whose quote the amount covers: only these may be asked. */
  readonly route: RoutePlan;
  /** The price row of a candidate at the time of the hold: it is charged by this one, also when another row has begun since. */
  priceOf(candidate: RunnableModel): CompiledPrice;
  readonly [held]: true;
}

export interface HoldDeps {
  readonly ledger: Ledger;
  readonly logger: Logger;
}

export interface HoldInput {
  readonly holdId: string;
  readonly plan: Pick<AnswerPlan, 'request' | 'expiresAtMs'>;
  /** Of the plan, arranged. */
  readonly route: RoutePlan;
  /** Whose prices count. Milliseconds since the Unix epoch. */
  readonly nowMs: number;
  readonly markup: bigint;
}

/** A candidate with its price row of this moment and what to hold for it. */
interface QuotedCandidate {
  readonly candidate: RunnableModel;
  readonly price: CompiledPrice;
  readonly amount: NanoUsd;
}

const RETRY_AFTER_MS = 1_000;

/**
 * Sets aside the price of the dearest candidate the budget has room for, against the organization's balance and the key's limit in one
 * step. Candidates that cost more than what could be held drop out of the route.
 *
 * @throws RequestError `organization_credits_exhausted`, `key_limit_reached`, `budget_in_flight` or `ledger_unavailable`.
 */
export async function holdFunds(deps: HoldDeps, input: HoldInput): Promise<HeldFunds> {
  const { holdId, plan, route, nowMs, markup } = input;
  const { request, expiresAtMs } = plan;
  const quoted = quoteAll(route, nowMs, markup);
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
      ...amountsOf(quoted),
      expiresAtMs,
      model,
    });
  } catch (error) {
    deps.logger.error({ error, holdId }, 'the ledger failed to hold');
    throw new RequestError('ledger_unavailable', { retryAfterMs: RETRY_AFTER_MS, cause: error });
  }
  if (result.status === 'refused') throw refusal(result, keyLimitReset);
  const affordable = quoted.filter(({ amount }) => amount <= result.amount);
  if (affordable.length === 0) {
    deps.logger.error({ holdId, amount: result.amount }, 'the ledger held another amount than it was asked for');
    throw new RequestError('ledger_unavailable', { retryAfterMs: RETRY_AFTER_MS });
  }
  return heldFunds(holdId, result.amount, { route, affordable });
}

function heldFunds(
  holdId: string,
  amount: NanoUsd,
  { route, affordable }: { route: RoutePlan; affordable: readonly QuotedCandidate[] },
): HeldFunds {
  const candidates = affordable.map(({ candidate }) => candidate) as [RunnableModel, ...RunnableModel[]];
  return {
    holdId,
    amount,
    route: candidates.length === route.candidates.length ? route : { ...route, candidates },
    priceOf(candidate) {
      const found = affordable.find((each) => each.candidate === candidate);
      if (found === undefined) throw new Error(`${candidate.model.slug} is no candidate of this call`);
      return found.price;
    },
  } as HeldFunds;
}

function quoteAll({ candidates }: RoutePlan, nowMs: number, markup: bigint): QuotedCandidate[] {
  return candidates.map((candidate) => {
    const price = priceAt(candidate.prices, nowMs);
    return { candidate, price, amount: quote(price, candidate.history, markup) };
  });
}

/** The dearest quote, and the others in descending order. Of very many the smallest are named, so that what can be served is served. */
function amountsOf(quoted: readonly QuotedCandidate[]): { amount: NanoUsd; smallerAmounts?: readonly NanoUsd[] } {
  const [only, another] = quoted;
  if (only !== undefined && another === undefined) return { amount: only.amount };
  const [amount = 0n, ...smaller] = [...new Set(quoted.map((each) => each.amount))].sort((a, b) => (a < b ? 1 : -1));
  return smaller.length === 0 ? { amount } : { amount, smallerAmounts: smaller.slice(-MAX_SMALLER_AMOUNTS) };
}

function refusal(refused: HoldRefused, keyLimitReset: LimitReset | null): RequestError {
  const { by, limit, usage, required, resetsAtMs, fitsWithoutHolds } = refused;
  const limitReset = by === 'key_limit' ? keyLimitReset : null;
  const details = { limit, usage, required, limitReset, resetsAtMs };
  if (fitsWithoutHolds) return new RequestError('budget_in_flight', { details, retryAfterMs: RETRY_AFTER_MS });
  return new RequestError(by === 'key_limit' ? 'key_limit_reached' : 'organization_credits_exhausted', { details });
}
