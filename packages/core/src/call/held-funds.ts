import { isLedgerError, type LedgerReason } from '../base/errors/ledger-error.js';
import { isRequestError, RequestError } from '../base/errors/request-error.js';
import type { NanoUsd } from '../base/money.js';
import { andThen, immediateOf, type MaybePromise } from '../base/options/open-state.js';
import type { CallableModel } from '../catalog/catalog.js';
import type { CompiledPrice } from '../catalog/compile-prices.js';
import { type ModelTerms, quoteModel } from '../catalog/quote.js';
import { priceAt } from '../catalog/units.js';
import {
  type BudgetRefused,
  type HoldBudget,
  type HoldRefused,
  type HoldRequest,
  type HoldResult,
  type Ledger,
  MAX_ACCEPTABLE_AMOUNTS,
} from '../ledger/ledger.js';
import type { RoutePlan } from '../routing/route-plan.js';
import type { AnswerPlan, AnswerRequest, RequestContext } from './answer.js';
import type { CallerAdmissionDeps } from './caller-admission.js';
import type { CallerLimits } from './caller-limits.js';
import { holdRefusal, isForWantOfBudget } from './hold-refusal.js';
import type { IndeterminateHolds } from './indeterminate-holds.js';

declare const held: unique symbol;

/** Proof that money has been set aside. `attemptCandidates`, the only caller of attempts, demands this proof. */
export interface HeldFunds {
  readonly holdId: string;
  readonly amount: NanoUsd;
  /** The candidates and hedges whose quote the amount covers. Only these may be asked. */
  readonly route: RoutePlan;
  /** The price row of a candidate at the time of the hold. The charge uses this row, even if another row has become valid since. */
  priceOf(candidate: CallableModel): CompiledPrice;
  readonly [held]: true;
}

export interface HoldInput extends HoldingCall, ModelTerms {
  /** The plan's route, sorted. */
  readonly route: RoutePlan;
  /** Most attempts for one call: no more replies have to be paid. */
  readonly maxAttempts: number;
}

/** A candidate with its current price row and the amount to hold for it. */
interface QuotedCandidate {
  readonly candidate: CallableModel;
  readonly price: CompiledPrice;
  readonly amount: NanoUsd;
}

/**
 * Holds the quote of the most expensive candidate that the budget covers, against the organization's balance and the key's limit in one
 * step. Where an empty reply leads to the next candidate, holds the quotes of all that may have to be paid. Candidates that the held amount does not cover
 * drop out of the route.
 *
 * @throws RequestError as `holdAmount` does.
 */
export function holdFunds(deps: HoldDeps, input: HoldInput): MaybePromise<HeldFunds> {
  const { holdId, plan, route, context } = input;
  const quoted = quoteAll(route, input);
  const mostPaid = route.isNextOnEmpty ? input.maxAttempts : 1;
  // Most calls have one candidate.
  const isOne = quoted.length === 1;
  const maxCost = route.order?.maxCost ?? null;
  const amounts = isOne ? quoted.map(({ amount }) => amount) : amountsOf(quoted, { mostPaid, maxCost });
  const acceptableAmounts = amounts.length > 1 ? amounts.slice(1).slice(-MAX_ACCEPTABLE_AMOUNTS) : undefined;
  const wanted = { amount: amounts[0] ?? 0n, acceptableAmounts, model: route.candidates[0].model.slug };
  return andThen(holdAmount(deps, { holdId, plan, context, wanted }), (amount) => {
    // Most budgets cover every candidate.
    const affordable = isOne || amount === mostOf(quoted, mostPaid) ? quoted : coveredBy(amount, quoted, mostPaid);
    return {
      holdId,
      amount,
      route: affordable === quoted ? route : coveredRoute(route, affordable),
      priceOf(candidate) {
        for (const { candidate: known, price } of affordable) if (known === candidate) return price;
        throw new Error(`${candidate.model.slug} is no candidate of this call`);
      },
    } as HeldFunds;
  });
}

/** The part of a hold that is for another model, at the prices of the time of the hold. */
export function heldForPart({ holdId, amount }: HeldFunds, route: RoutePlan, atMs: number): HeldFunds {
  return { holdId, amount, route, priceOf: ({ prices }) => priceAt(prices, atMs) } as HeldFunds;
}

function coveredRoute(route: RoutePlan, affordable: readonly QuotedCandidate[]): RoutePlan {
  const isCovered = (model: CallableModel) => affordable.some(({ candidate }) => candidate === model);
  const candidates = route.candidates.filter(isCovered) as [CallableModel, ...CallableModel[]];
  return { ...route, candidates, hedges: route.hedges?.filter(({ second }) => isCovered(second)) };
}

/** Quotes candidates and second models. A second model is quoted at least like the cheapest candidate, because it is never asked without one. */
function quoteAll({ candidates, hedges = [] }: RoutePlan, terms: ModelTerms): QuotedCandidate[] {
  const quoteOf = (candidate: CallableModel): QuotedCandidate => ({ candidate, ...quoteModel(candidate, terms) });
  const quoted = candidates.map(quoteOf);
  if (hedges.length === 0) return quoted;
  const [least = 0n] = quoted.map(({ amount }) => amount).sort((one, other) => descending(other, one));
  const others = new Set(hedges.map(({ second }) => second).filter((second) => !candidates.includes(second)));
  // A second model cheaper than every candidate needs no larger hold.
  const seconds = [...others].map(quoteOf).map((each) => (each.amount < least ? { ...each, amount: least } : each));
  return [...quoted, ...seconds];
}

const descending = (one: NanoUsd, other: NanoUsd) => (one < other ? 1 : -1);

/** What these cost at most, if so many of them have to be paid. */
function mostOf(quoted: readonly QuotedCandidate[], mostPaid: number): NanoUsd {
  const dearest = quoted.map(({ amount }) => amount).sort(descending);
  return dearest.slice(0, mostPaid).reduce((sum, amount) => sum + amount, 0n);
}

/** The amounts for the first candidates, and for cheaper ones alone, in descending order: a small budget still gets an answer. */
function amountsOf(
  quoted: readonly QuotedCandidate[],
  { mostPaid, maxCost }: { readonly mostPaid: number; readonly maxCost: NanoUsd | null },
): NanoUsd[] {
  const all = quoted.flatMap((each, at) => [each.amount, mostOf(quoted.slice(0, at + 1), mostPaid)]);
  const isNeeded = (amount: NanoUsd) =>
    mostPaid === 1 || mostOf(coveredBy(amount, quoted, mostPaid), mostPaid) === amount;
  const affordable = [...new Set(all)].filter((amount) => maxCost === null || amount <= maxCost);
  return affordable.filter(isNeeded).sort(descending);
}

/** The candidates that an amount covers, the first ones before the others. */
function coveredBy(amount: NanoUsd, quoted: readonly QuotedCandidate[], mostPaid: number): readonly QuotedCandidate[] {
  const covered: QuotedCandidate[] = [];
  for (const each of quoted) if (mostOf([...covered, each], mostPaid) <= amount) covered.push(each);
  return covered;
}

export interface HoldDeps extends Omit<CallerAdmissionDeps, 'ledger'> {
  readonly ledger: Pick<Ledger, 'hold'>;
  readonly indeterminateHolds: Pick<IndeterminateHolds, 'release'>;
  /** Called with each refusal for want of budget. Must not throw. */
  budgetRefused(apiKey: AnswerRequest['apiKey'], refusal: BudgetRefused): void;
}

/** The call that pays, and the id of its hold. */
export interface HoldingCall {
  readonly holdId: string;
  readonly plan: Pick<AnswerPlan, 'request' | 'expiresAtMs'>;
  readonly context: RequestContext;
}

/** The amounts to hold, and their model. */
type WantedHold = Pick<HoldRequest, 'amount' | 'acceptableAmounts' | 'usesSlot' | 'model'>;

const RETRY_AFTER_MS = 1_000;

/**
 * Holds an amount against the organization's balance, the key's limit and its budgets, takes a slot, and counts against the rate limits, in one step.
 *
 * @returns the held amount: the wanted amount, or the largest acceptable amount that fits.
 * @throws RequestError `organization_credits_exhausted`, `key_limit_reached`, `budget_exceeded`, `budget_in_flight`, `too_many_budgets`, `rate_limited`,
 * `concurrency_limited` or `ledger_unavailable`.
 */
export function holdAmount(deps: HoldDeps, call: HoldingCall & { readonly wanted: WantedHold }): MaybePromise<NanoUsd> {
  const limits = deps.limitsOf(call.plan.request.apiKey);
  try {
    const request = requestOf(call, call.wanted, limits);
    const holding = immediateOf(deps.ledger.hold)?.(request) ?? deps.ledger.hold(request);
    if (!(holding instanceof Promise)) return heldAmount(deps, call, { result: holding, limits });
    return holding.then(
      (result) => heldAmount(deps, call, { result, limits }),
      (error: unknown) => {
        throw notHeld(deps, call.holdId, error);
      },
    );
  } catch (error) {
    throw isRequestError(error) ? error : notHeld(deps, call.holdId, error);
  }
}

/** @throws RequestError of a refusal. */
function heldAmount(
  deps: HoldDeps,
  { holdId, plan, context, wanted }: HoldingCall & { readonly wanted: WantedHold },
  { result, limits }: { readonly result: HoldResult; readonly limits: CallerLimits },
): NanoUsd {
  if (result.ratesUsed !== undefined) context.rates = { ...limits, used: result.ratesUsed };
  if (result.status === 'refused') throw refused(deps, { result, apiKey: plan.request.apiKey, limits });
  const isAsked = result.amount === wanted.amount || wanted.acceptableAmounts?.includes(result.amount) === true;
  if (isAsked) return result.amount;
  deps.logger.error({ holdId, amount: result.amount }, 'the ledger held another amount than it was asked for');
  deps.indeterminateHolds.release(holdId);
  throw new RequestError('ledger_unavailable', { retryAfterMs: RETRY_AFTER_MS });
}

function notHeld(deps: HoldDeps, holdId: string, error: unknown): RequestError {
  if (isLedgerError(error) && error.reason === 'too_many_budgets')
    return new RequestError('too_many_budgets', { cause: error });
  deps.logger.error({ error, holdId }, 'the ledger failed to hold');
  if (!isLedgerError(error) || !NOT_PLACED.has(error.reason)) deps.indeterminateHolds.release(holdId);
  return new RequestError('ledger_unavailable', { retryAfterMs: RETRY_AFTER_MS, cause: error });
}

/** Errors that prove that no hold was placed. After any other error, such as `schema_mismatch`, the hold may exist. */
const NOT_PLACED: ReadonlySet<LedgerReason> = new Set<LedgerReason>([
  'duplicate_hold',
  'invalid_amount',
  'invalid_id',
  'invalid_argument',
]);

/** Names every field instead of spreading: fields of a spread object are slower to read, for every answer and in every ledger. */
function requestOf({ holdId, plan }: HoldingCall, wanted: WantedHold, limits: CallerLimits): HoldRequest {
  const { id, organizationId, operatorPays, limit, limitReset, budgets } = plan.request.apiKey;
  return {
    holdId,
    organizationId,
    keyId: id,
    keyLimit: limit,
    keyLimitReset: limitReset,
    budgets: budgets && holdBudgetsOf(budgets),
    operatorPays,
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

/** A budget that only warns is held without a limit: it counts, and refuses nothing. */
function holdBudgetsOf(budgets: NonNullable<AnswerRequest['apiKey']['budgets']>): readonly HoldBudget[] {
  return budgets.map(({ id, limit, limitReset, mode, isKept = false }) => ({
    id,
    limit: mode === 'warn' ? null : limit,
    limitReset,
    isKept,
  }));
}

interface Refusal {
  readonly result: HoldRefused;
  readonly apiKey: AnswerRequest['apiKey'];
  readonly limits: CallerLimits;
}

function refused({ refusals, budgetRefused }: HoldDeps, { result, apiKey, limits }: Refusal): RequestError {
  if (result.by === 'key_rate' || result.by === 'organization_rate')
    refusals.note(apiKey, limits, { ...result, by: result.by });
  else if (isForWantOfBudget(result)) budgetRefused(apiKey, result);
  return holdRefusal(result, { keyLimitReset: apiKey.limitReset, budgets: apiKey.budgets, ...limits });
}
