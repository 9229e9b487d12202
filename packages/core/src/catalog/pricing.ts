import type { MeteredUsage } from '../base/metered-usage.js';
import { fromTokenParts, multiply, type NanoUsd, parseUsd, tokenPart, unmultiply } from '../base/money.js';
import type { CompiledDynamicPrice, CompiledPrice, CompiledPrices } from './compile-prices.js';
import type { CostHistory } from './cost-history.js';
import type { OutcomeCost } from './model-entry.js';

/** Where a figure came from; all but `ceiling` are true costs. */
type FigureSource = 'reported' | 'computed' | 'flat' | 'ceiling';

/** What the host decided about charges. */
export interface ChargeTerms {
  /** In billionths, see `parseMultiplier`. */
  readonly markup: bigint;
  /** The most a caller is charged, with markup; `null` for no bound. */
  readonly mostCharged: NanoUsd | null;
}

/** What a delivered answer costs. */
export interface ChargedCost {
  /** What the caller is charged: the cost with markup, at most {@link ChargeTerms.mostCharged}. */
  readonly charged: NanoUsd;
  /** What `charged` comes from: the same answer is charged by it to a caller with another markup. */
  readonly beforeMarkup: NanoUsd;
  /** What the operator owes the provider, as far as is known: before markup. */
  readonly upstreamCost: NanoUsd;
  /** The part of `upstreamCost` that no caller is charged for: before markup. */
  readonly uncovered: NanoUsd;
  /** True where the provider reported more than can be true of its price row: the ceiling is charged. */
  readonly isImplausible: boolean;
  readonly costSource: FigureSource;
  /** What the price row makes of the call, to hold against a reported figure; `null` when it cannot tell, or is the host's own. */
  readonly computed: NanoUsd | null;
}

/** A reported cost above this many times the row's ceiling is not charged: a wrong unit in a provider's report is off by far more, and no true cost was. */
const IMPLAUSIBLE_FACTOR = 20n;

/** No call costs this much: a higher figure is in a wrong unit and counts as no figure. */
export const MAX_CALL_COST: NanoUsd = parseUsd('10000');

/** The row that holds at a moment: the last one that has begun. */
export function priceAt(prices: CompiledPrices, nowMs: number): CompiledPrice {
  return prices.findLast(({ validFromMs }) => validFromMs <= nowMs) ?? prices[0];
}

/** What a call of this model is listed to cost before markup: its price, or the typical figure of a dynamic price. */
export function listPrice(price: CompiledPrice): NanoUsd {
  return price.kind === 'flat' ? price.request : price.typical;
}

/**
 * What to hold before a call: the list price, or the 99th percentile of what this model has lately cost where that is more, even
 * above the row's ceiling, since what is known to come must be held. A price the host fixed is quoted exactly. Markup comes on top.
 *
 * @param markup in billionths, see `parseMultiplier`.
 */
export function quote(price: CompiledPrice, history: CostHistory, markup: bigint): NanoUsd {
  const listed = listPrice(price);
  if (price.kind === 'flat' && price.fixed) return multiply(listed, markup);
  const usual = history.percentile99() ?? listed;
  return multiply(usual > listed ? usual : listed, markup);
}

/**
 * What to charge after an answer was delivered, by the best figure there is: reported by the provider, else computed from what it used
 * and the price row, else the flat price, else the ceiling (for which the caller of this function raises an event).
 *
 * Zero is a figure only where the row's flat price is zero. A provider that suddenly reports 0 for a priced model, or no tokens for
 * an answer that is there, has far more likely changed its reply than its prices, and every caller would be served for free
 * without notice; so such a zero counts as no figure. The host's own price is charged without change: it is what callers see.
 *
 * A report far above the row's ceiling is not believed: the ceiling is charged, and the rest of the report is `uncovered`.
 *
 * Never throws and never returns less than zero, whatever an adapter hands over.
 */
export function charge(price: CompiledPrice, cost: OutcomeCost | undefined, terms: ChargeTerms): ChargedCost {
  const isFree = price.kind === 'flat' && price.request === 0n;
  const reported = plausibleCost(cost?.reported, isFree);
  if (price.kind === 'flat' && price.fixed) {
    const charged = multiply(price.request, terms.markup);
    const upstreamCost = reported ?? price.request;
    const beforeMarkup = price.request;
    return {
      charged,
      beforeMarkup,
      upstreamCost,
      uncovered: 0n,
      isImplausible: false,
      costSource: 'flat',
      computed: null,
    };
  }
  const computed = price.kind === 'flat' ? price.request : plausibleCost(computeCost(price, cost?.usage), false);
  const [ceiling] = listedMost(price);
  const isImplausible = reported !== undefined && reported > ceiling * IMPLAUSIBLE_FACTOR;
  const [figure, costSource] = isImplausible ? listedMost(price) : bestFigure(price, reported, computed);
  const upstreamCost = isImplausible ? reported : figure;
  const { charged, covered } = bounded(figure, terms);
  const uncovered = upstreamCost > covered ? upstreamCost - covered : 0n;
  return {
    charged,
    beforeMarkup: covered,
    upstreamCost,
    uncovered,
    isImplausible,
    costSource,
    computed: computed ?? null,
  };
}

/**
 * What an attempt without an answer costs the operator, by the same order of figures as {@link charge}: reported, else computed from what it
 * used, else the flat price. A zero that is reported is believed here, since providers bill many failures with nothing.
 *
 * @returns `undefined` where the provider reports neither a cost nor a usage: no cost is invented.
 */
export function failureCost(price: CompiledPrice, { reported, usage }: OutcomeCost): NanoUsd | undefined {
  const stated = plausibleCost(reported, true);
  if (stated !== undefined || usage === undefined) return stated;
  if (price.kind === 'dynamic') return plausibleCost(computeCost(price, usage), false);
  return Object.values(usage).some((used) => used > 0) ? price.request : undefined;
}

/** What is charged for a figure, and how much of the figure that covers. */
function bounded(figure: NanoUsd, { markup, mostCharged }: ChargeTerms): { charged: NanoUsd; covered: NanoUsd } {
  const charged = multiply(figure, markup);
  if (mostCharged === null || charged <= mostCharged) return { charged, covered: figure };
  return { charged: mostCharged, covered: unmultiply(mostCharged, markup) };
}

function bestFigure(
  price: CompiledPrice,
  reported: NanoUsd | undefined,
  computed: NanoUsd | undefined,
): [NanoUsd, FigureSource] {
  if (reported !== undefined) return [reported, 'reported'];
  if (price.kind === 'flat' || computed === undefined) return listedMost(price);
  return [computed, 'computed'];
}

/** The most a call costs by its row. */
function listedMost(price: CompiledPrice): [NanoUsd, FigureSource] {
  return price.kind === 'flat' ? [price.request, 'flat'] : [price.ceiling, 'ceiling'];
}

/** Whether a reported cost and the one by our price row differ by more than a fifth of the reported one. */
export function isMismatch(reported: NanoUsd, computed: NanoUsd): boolean {
  const difference = reported > computed ? reported - computed : computed - reported;
  return difference * 5n > reported;
}

/** The cost of the usage by the row; `undefined` when it holds nothing that the row has a rate for. Rounded up once, at the end. */
function computeCost(price: CompiledDynamicPrice, usage: MeteredUsage | undefined): NanoUsd | undefined {
  const cached = count(usage?.cachedInputTokens);
  const input = count(usage?.inputTokens) ?? cached;
  // Below zero where more is said to be cached than there was: `tokenPart` counts that as none.
  const uncached = input === undefined ? undefined : input - (cached ?? 0);
  const tokenParts = [
    part(uncached, price.perMillionInputTokens),
    part(cached, price.perMillionCachedInputTokens),
    part(count(usage?.outputTokens), price.perMillionOutputTokens),
  ].filter((sum) => sum !== undefined);
  const searches = count(usage?.searches);
  const fees = [
    searches === undefined || price.perSearch === null ? undefined : BigInt(searches) * price.perSearch,
    plausibleCost(usage?.otherFees, false),
  ].filter((fee) => fee !== undefined);
  if (tokenParts.length + fees.length === 0) return undefined;
  return fromTokenParts(add(tokenParts)) + add(fees);
}

function part(tokens: number | undefined, perMillion: NanoUsd | null): bigint | undefined {
  return tokens === undefined || perMillion === null ? undefined : tokenPart(tokens, perMillion);
}

/** A number of things used; anything else an adapter may hand over counts as not given. */
function count(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? Math.ceil(value) : undefined;
}

/** An amount that can be what a call cost; anything else counts as not given. */
function plausibleCost(value: unknown, mayBeZero: boolean): NanoUsd | undefined {
  if (typeof value !== 'bigint' || value < 0n || value > MAX_CALL_COST) return undefined;
  return value > 0n || mayBeZero ? value : undefined;
}

function add(amounts: readonly bigint[]): bigint {
  return amounts.reduce((sum, amount) => sum + amount, 0n);
}
