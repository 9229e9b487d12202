import type { MeteredUsage } from '../base/metered-usage.js';
import { fromTokenParts, multiply, type NanoUsd, parseUsd, tokenPart, unmultiply } from '../base/money.js';
import type { CompiledDynamicPrice, CompiledPrice, CompiledPrices } from './compile-prices.js';
import type { CostHistory } from './cost-history.js';
import type { OutcomeCost } from './model-entry.js';

/** The source of a figure. All sources except `ceiling` are true costs. */
type FigureSource = 'reported' | 'computed' | 'flat' | 'ceiling';

/** The host's settings about charges. */
export interface ChargeTerms {
  /** In billionths, see `parseMultiplier`. */
  readonly markup: bigint;
  /** The highest charge, with markup; `null` for no bound. */
  readonly mostCharged: NanoUsd | null;
}

/** The costs of a delivered answer. */
export interface ChargedCost {
  /** The charge: the cost with markup, at most {@link ChargeTerms.mostCharged}. */
  readonly charged: NanoUsd;
  /** `charged` before markup: the base of the charge for callers with another markup. */
  readonly beforeMarkup: NanoUsd;
  /** The operator's debt to the provider, as far as known, before markup. */
  readonly upstreamCost: NanoUsd;
  /** The part of `upstreamCost` that no caller is charged for, before markup. */
  readonly uncovered: NanoUsd;
  /** True if the provider reported an implausibly high cost for its price row: the ceiling is charged. */
  readonly isImplausible: boolean;
  readonly costSource: FigureSource;
  /** The cost by the price row, to compare with a reported figure; `null` without a computed cost, or for the host's price. */
  readonly computed: NanoUsd | null;
}

/** A reported cost above this multiple of the row's ceiling is not charged: a wrong unit is off by far more, and no true cost was ever higher. */
const IMPLAUSIBLE_FACTOR = 20n;

/** No call costs more. A higher figure has a wrong unit and is ignored. */
export const MAX_CALL_COST: NanoUsd = parseUsd('10000');

/** The price row at a time: the last row that has begun. */
export function priceAt(prices: CompiledPrices, nowMs: number): CompiledPrice {
  return prices.findLast(({ validFromMs }) => validFromMs <= nowMs) ?? prices[0];
}

/** The listed cost of a call before markup: the flat price, or the typical figure of a dynamic price. */
export function listPrice(price: CompiledPrice): NanoUsd {
  return price.kind === 'flat' ? price.request : price.typical;
}

/**
 * The amount to hold before a call: the list price, or the 99th percentile of the model's latest costs if higher, even above the row's ceiling, because an
 * expected cost must be held. A price that the host fixed is quoted exactly. Markup is added.
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
 * The charge after an answer was delivered, by the best figure: reported by the provider, else computed from usage and the price row, else the flat price, else
 * the ceiling (for which the caller of this function raises an event).
 *
 * Zero counts as a figure only if the row's flat price is zero. A provider that suddenly reports 0 for a priced model, or no tokens for an answer, has far
 * more likely changed its reply than its prices, and all callers would be served for free without notice. The host's price is charged without change, because
 * callers see that price.
 *
 * A report far above the row's ceiling is not trusted: the ceiling is charged, and the rest of the report is `uncovered`.
 *
 * Never throws and never returns less than zero, whatever an adapter returns.
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
 * The operator's cost of an attempt without an answer, by the same order of figures as {@link charge}: reported, else computed from usage, else the flat price.
 * A reported zero is trusted here, because many failures are free.
 *
 * @returns `undefined` if the provider reports neither a cost nor a usage: no cost is invented.
 */
export function failureCost(price: CompiledPrice, { reported, usage }: OutcomeCost): NanoUsd | undefined {
  const stated = plausibleCost(reported, true);
  if (stated !== undefined || usage === undefined) return stated;
  if (price.kind === 'dynamic') return plausibleCost(computeCost(price, usage), false);
  return Object.values(usage).some((used) => used > 0) ? price.request : undefined;
}

/** The charge for a figure, and the part of the figure that the charge covers. */
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

/** The highest cost of a call by its row. */
function listedMost(price: CompiledPrice): [NanoUsd, FigureSource] {
  return price.kind === 'flat' ? [price.request, 'flat'] : [price.ceiling, 'ceiling'];
}

/** Whether a reported cost and the cost by the price row differ by more than a fifth of the reported cost. */
export function isMismatch(reported: NanoUsd, computed: NanoUsd): boolean {
  const difference = reported > computed ? reported - computed : computed - reported;
  return difference * 5n > reported;
}

/** The cost of the usage by the row; `undefined` if the row has no rate for the usage. Rounded up once, at the end. */
function computeCost(price: CompiledDynamicPrice, usage: MeteredUsage | undefined): NanoUsd | undefined {
  const cached = count(usage?.cachedInputTokens);
  const input = count(usage?.inputTokens) ?? cached;
  // Below zero if more cached tokens than input tokens are reported: `tokenPart` counts that as 0.
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

/** A count of usage; any other value of an adapter counts as absent. */
function count(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? Math.ceil(value) : undefined;
}

/** An amount that can be the cost of a call; any other value counts as absent. */
function plausibleCost(value: unknown, mayBeZero: boolean): NanoUsd | undefined {
  if (typeof value !== 'bigint' || value < 0n || value > MAX_CALL_COST) return undefined;
  return value > 0n || mayBeZero ? value : undefined;
}

function add(amounts: readonly bigint[]): bigint {
  return amounts.reduce((sum, amount) => sum + amount, 0n);
}
