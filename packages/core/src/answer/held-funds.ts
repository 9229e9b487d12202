import type { NanoUsd } from '../base/money.js';
import type { CallableModel } from '../catalog/catalog.js';
import type { CompiledPrice } from '../catalog/compile-prices.js';
import { priceAt, quote } from '../catalog/pricing.js';
import { MAX_SMALLER_AMOUNTS } from '../ledger/ledger.js';
import type { RoutePlan } from '../routing/route-plan.js';
import { type HoldDeps, type HoldingCall, holdAmount } from './hold-amount.js';

declare const held: unique symbol;

/** Proof that money has been set aside. The only function that reaches a provider demands one. */
export interface HeldFunds {
  readonly holdId: string;
  readonly amount: NanoUsd;
  /** The candidates, and hedges of them, whose quote the amount covers: only these may be asked. */
  readonly route: RoutePlan;
  /** The price row of a candidate at the time of the hold: it is charged by this one, also when another row has begun since. */
  priceOf(candidate: CallableModel): CompiledPrice;
  readonly [held]: true;
}

export interface HoldInput extends HoldingCall {
  /** Of the plan, arranged. */
  readonly route: RoutePlan;
  /** Whose prices count. Milliseconds since the Unix epoch. */
  readonly nowMs: number;
  readonly markup: bigint;
}

/** A candidate with its price row of this moment and what to hold for it. */
interface QuotedCandidate {
  readonly candidate: CallableModel;
  readonly price: CompiledPrice;
  readonly amount: NanoUsd;
}

/**
 * Sets aside the price of the dearest candidate the budget has room for, against the organization's balance and the key's limit in one
 * step. Candidates that cost more than what could be held drop out of the route.
 *
 * @throws RequestError as `holdAmount` does.
 */
export async function holdFunds(deps: HoldDeps, input: HoldInput): Promise<HeldFunds> {
  const { holdId, plan, route, nowMs, markup, trace } = input;
  const quoted = quoteAll(route, nowMs, markup);
  const { amount: dearest, acceptableAmounts } = amountsOf(quoted);
  const wanted = { amount: dearest, acceptableAmounts, model: route.candidates[0].model.slug };
  const amount = await holdAmount(deps, { holdId, plan, trace, wanted });
  // All of them, in most calls.
  const affordable = amount === dearest ? quoted : quoted.filter((each) => each.amount <= amount);
  return {
    holdId,
    amount,
    route: affordable === quoted ? route : coveredRoute(route, affordable),
    priceOf(candidate) {
      for (const { candidate: known, price } of affordable) if (known === candidate) return price;
      throw new Error(`${candidate.model.slug} is no candidate of this call`);
    },
  } as HeldFunds;
}

function coveredRoute(route: RoutePlan, affordable: readonly QuotedCandidate[]): RoutePlan {
  const isCovered = (model: CallableModel) => affordable.some(({ candidate }) => candidate === model);
  const candidates = route.candidates.filter(isCovered) as [CallableModel, ...CallableModel[]];
  return { ...route, candidates, hedges: route.hedges?.filter(({ second }) => isCovered(second)) };
}

/** All that may answer. Nothing is held for second models alone, which are asked only beside a candidate. */
function quoteAll({ candidates, hedges = [] }: RoutePlan, nowMs: number, markup: bigint): QuotedCandidate[] {
  const quoteOf = (candidate: CallableModel): QuotedCandidate => {
    const price = priceAt(candidate.prices, nowMs);
    return { candidate, price, amount: quote(price, candidate.history, markup) };
  };
  const quoted = candidates.map(quoteOf);
  if (hedges.length === 0) return quoted;
  const least = quoted.reduce(
    (smallest, { amount }) => (amount < smallest ? amount : smallest),
    quoted[0]?.amount ?? 0n,
  );
  const others = new Set(hedges.map(({ second }) => second).filter((second) => !candidates.includes(second)));
  // One that costs less than every candidate is covered by what is held for any of them.
  const seconds = [...others].map(quoteOf).map((each) => (each.amount < least ? { ...each, amount: least } : each));
  return [...quoted, ...seconds];
}

/** The dearest quote, and the others in descending order. Of very many the smallest are named, so that what can be served is served. */
function amountsOf(quoted: readonly QuotedCandidate[]): { amount: NanoUsd; acceptableAmounts?: readonly NanoUsd[] } {
  const [only, another] = quoted;
  if (only !== undefined && another === undefined) return { amount: only.amount };
  const [amount = 0n, ...smaller] = [...new Set(quoted.map((each) => each.amount))].sort((a, b) => (a < b ? 1 : -1));
  return smaller.length === 0 ? { amount } : { amount, acceptableAmounts: smaller.slice(-MAX_SMALLER_AMOUNTS) };
}
