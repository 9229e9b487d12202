import type { MeteredUsage } from '../base/metered-usage.js';
import { fromTokenParts, multiply, type NanoUsd, NO_MARKUP, parseUsd, tokenPart, unmultiply } from '../base/money.js';
import type { CompiledDynamicPrice, CompiledPrice } from './compile-prices.js';
import type { CostHistory } from './cost-history.js';
import type { OutcomeCost } from './model-entry.js';
import { type Fee, feeOf } from './own-key.js';
import { type AskedUnits, askedFor, IMPLAUSIBLE_FACTOR, listPrice, type Units, unitFees } from './units.js';

/** The source of a figure. All sources except `ceiling` are true costs. */
type FigureSource = 'reported' | 'computed' | 'flat' | 'ceiling';

/** A part of a call that the provider bills by itself. */
export interface BilledPart {
  readonly cost: OutcomeCost | undefined;
  /** What is billed where the provider counts nothing; `undefined` for answers. */
  readonly units: Units | undefined;
}

/** The host's settings about charges. */
export interface ChargeTerms {
  /** In billionths, see `parseMultiplier`. */
  readonly markup: bigint;
  /** The highest charge, with markup; `null` for no bound. */
  readonly mostCharged: NanoUsd | null;
  /** What a call is charged for where its provider says nothing; `undefined` for answers. */
  readonly units?: Units | undefined;
  /** What was asked. Default: {@link askedFor} the units. */
  readonly asked?: AskedUnits | undefined;
  /** The billed parts, whose costs and units are summed. Default: the call is one part. */
  readonly parts?: readonly BilledPart[] | undefined;
  /** Whether the provider may have given this for nothing: a reported cost of 0 counts. Default `false`. */
  readonly mayBeFree?: boolean | undefined;
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
  /** True if the provider reported an implausibly high cost or count: the ceiling, or the most that the call allows, is charged. */
  readonly isImplausible: boolean;
  readonly costSource: FigureSource;
  /** The cost by the price row, to compare with a reported figure; `null` without a computed cost, or for the host's price. */
  readonly computed: NanoUsd | null;
  /** The list price of the units that were billed; `null` for answers. */
  readonly listed: NanoUsd | null;
  /** What the vendor bills to the organization, whose own key it was. Absent where it was the operator's. */
  readonly tenantCost?: NanoUsd | undefined;
}

/** No call costs more. A higher figure has a wrong unit and is ignored. */
export const MAX_CALL_COST: NanoUsd = parseUsd('10000');

/**
 * The charge after an answer was delivered, by the best figure: reported by the provider, else computed from usage and the price row, else the flat price, else
 * the ceiling (for which the caller of this function raises an event). Of several parts, the figures are added, and the weakest source is named.
 *
 * Zero counts as a figure only if the row's flat price is zero. A provider that suddenly reports 0 for a priced model, or no tokens for an answer, has far
 * more likely changed its reply than its prices, and all callers would be served for free without notice. The host's price is charged for what came and was
 * counted, whatever cost is reported, because callers see that price.
 *
 * A cost far above the row's ceiling is not trusted: the ceiling is charged. Nor is a count above what was asked allows: that much is charged. The rest is
 * `uncovered`.
 *
 * Never throws and never returns less than zero, whatever an adapter returns.
 */
export function charge(price: CompiledPrice, cost: OutcomeCost | undefined, terms: ChargeTerms): ChargedCost {
  const { units, asked = units && askedFor(units), parts = [{ cost, units }] } = terms;
  const isFixed = price.kind === 'flat' && price.fixed;
  const isFree = terms.mayBeFree === true || (price.kind === 'flat' && price.request === 0n && price.rates === null);
  const others: BilledPart[] = [];
  let reported = 0n;
  for (const each of parts) {
    const amount = plausibleCost(each.cost?.reported, isFree);
    if (amount === undefined) others.push(each);
    else reported += amount;
  }
  const whole = figureOf(price, parts, asked);
  const rest = others.length === parts.length ? whole : figureOf(price, others, asked);
  const believed = isFixed ? whole.amount : reported + rest.amount;
  // The length of an answer has no bound that is known before: what is computed from its tokens is believed.
  const isBounded = !isFixed && (units !== undefined || others.length === 0);
  const mostBelieved = listPrice(price, asked?.held, 'ceiling') * BigInt(IMPLAUSIBLE_FACTOR);
  const isTooHigh = isBounded && believed > mostBelieved;
  const figure = isTooHigh ? listPrice(price, units, 'ceiling') : believed;
  const listedSource = price.kind === 'flat' ? 'flat' : 'ceiling';
  const upstreamCost = reported + rest.told;
  const { charged, covered } = bounded(figure, terms);
  const shortfall = upstreamCost > covered ? upstreamCost - covered : 0n;
  const absorbed = figure - covered;
  const counted = isFixed ? whole : rest;
  const all = countedUnits(price, parts);
  const { searchUnits, tokens } = asked?.held ?? {};
  return {
    charged,
    beforeMarkup: covered,
    upstreamCost,
    // The host's own price may be below a reported cost: then only what was absorbed of the price is a loss.
    uncovered: isFixed && reported > 0n && absorbed < shortfall ? absorbed : shortfall,
    isImplausible: isTooHigh || counted.told > counted.amount,
    costSource: isFixed || isTooHigh ? listedSource : rest.source,
    computed: isFixed || whole.source === 'ceiling' ? null : whole.amount,
    // Bounds stay what they were held for, because the history corrects later holds.
    listed: all === undefined ? null : listPrice(price, { ...all, searchUnits, tokens }),
  };
}

/**
 * The charge of a call with an organization's own key: the fee of a cost without markup. The vendor bills the organization, so the operator owes and loses
 * nothing.
 */
export function chargeFee(fee: Fee, cost: ChargedCost, mostCharged: NanoUsd | null): ChargedCost {
  const whole = feeOf(fee, cost.charged);
  const charged = mostCharged === null || whole <= mostCharged ? whole : mostCharged;
  return { ...cost, charged, beforeMarkup: 0n, upstreamCost: 0n, uncovered: 0n, tenantCost: cost.upstreamCost };
}

/**
 * The operator's cost of an attempt without an answer, by the same order of figures as {@link charge}: reported, else computed from usage, else the flat price.
 * A reported zero is trusted here, because many failures are free.
 *
 * @returns `undefined` if the provider reports neither a cost nor a usage: no cost is invented.
 */
export function failureCost(price: CompiledPrice, cost: OutcomeCost, units: Units | undefined): NanoUsd | undefined {
  const { reported, usage } = cost;
  const stated = plausibleCost(reported, true);
  if (stated !== undefined || usage === undefined) return stated;
  if (price.kind === 'dynamic') return plausibleCost(computeCost(price, usage), false);
  if (!Object.values(usage).some((used) => used > 0)) return undefined;
  return plausibleCost(listPrice(price, countedUnits(price, [{ cost: { usage }, units }])), true);
}

/** The charge for a figure, and the part of the figure that the charge covers. */
function bounded(figure: NanoUsd, { markup, mostCharged }: ChargeTerms): { charged: NanoUsd; covered: NanoUsd } {
  const charged = multiply(figure, markup);
  if (mostCharged === null || charged <= mostCharged) return { charged, covered: figure };
  return { charged: mostCharged, covered: unmultiply(mostCharged, markup) };
}

interface Figure {
  readonly amount: NanoUsd;
  readonly source: FigureSource;
  /** The amount by all that the provider counts, also if more than is believed. */
  readonly told: NanoUsd;
}

/** What parts cost by the price row: the sum of their units at a flat price, the sum of their costs at a dynamic price. */
function figureOf(price: CompiledPrice, parts: readonly BilledPart[], asked: AskedUnits | undefined): Figure {
  if (parts.length === 0) return { amount: 0n, source: 'reported', told: 0n };
  // A call that asks for no tokens, such as an extract, has no bound of them.
  if (price.kind === 'dynamic') return dynamicFigure(price, parts, asked?.most.tokens || undefined);
  const units = countedUnits(price, parts);
  const amount = listPrice(price, units && asked && atMost(units, asked.most));
  const told = listPrice(price, units);
  const source = (price.rates?.perMillionTokens ?? 0n) > 0n ? 'computed' : 'flat';
  return { amount, source, told: told > MAX_CALL_COST && amount < MAX_CALL_COST ? MAX_CALL_COST : told };
}

/** @param mostTokens that are believed of all parts. Default: no bound, as for answers. */
function dynamicFigure(price: CompiledDynamicPrice, parts: readonly BilledPart[], mostTokens?: number): Figure {
  let [amount, told, tokensLeft] = [0n, 0n, mostTokens ?? Number.POSITIVE_INFINITY];
  let source: FigureSource = 'computed';
  for (const { cost, units } of parts) {
    let computed = plausibleCost(computeCost(price, cost?.usage), false);
    told += computed ?? listPrice(price, units, 'ceiling');
    if (computed === undefined) source = 'ceiling';
    else {
      computed = computeCost(price, cost?.usage, tokensLeft);
      tokensLeft -= Math.min(tokensLeft, count(cost?.usage?.inputTokens) ?? 0);
    }
    amount += computed ?? listPrice(price, units, 'ceiling');
  }
  return { amount, source, told };
}

/**
 * The units of all parts: as the provider counts, else what is known here. The host's price is of the results that were asked for, and of the pages that came.
 * @returns `undefined` for answers.
 */
function countedUnits(price: CompiledPrice, parts: readonly BilledPart[]): Units | undefined {
  const countsPages = price.kind === 'dynamic' || !price.fixed;
  const sum = { results: 0, pages: 0, searchUnits: 0, tokens: 0 };
  for (const { cost, units } of parts) {
    if (units === undefined) return undefined;
    const { usage } = cost ?? {};
    sum.results += (countsPages ? count(usage?.results) : undefined) ?? units.results ?? 0;
    sum.pages += (countsPages ? count(usage?.pages) : undefined) ?? units.pages ?? 0;
    sum.searchUnits += count(usage?.searchUnits) || units.searchUnits || 0;
    sum.tokens += count(usage?.inputTokens) || units.tokens || 0;
  }
  return sum;
}

const UNITS = ['results', 'pages', 'searchUnits', 'tokens'] as const;

function atMost(units: Units, most: Units): Units {
  return Object.fromEntries(UNITS.map((unit) => [unit, Math.min(units[unit] ?? 0, most[unit] ?? 0)])) as Units;
}

/** Whether a reported cost and the cost by the price row differ by more than a fifth of the reported cost. */
export function isMismatch(reported: NanoUsd, computed: NanoUsd): boolean {
  const difference = reported > computed ? reported - computed : computed - reported;
  return difference * 5n > reported;
}

/** The cost of the usage by the row; `undefined` if the row has no rate for the usage. Rounded up once, at the end. */
function computeCost(price: CompiledDynamicPrice, usage?: MeteredUsage, mostTokens?: number): NanoUsd | undefined {
  const cached = count(usage?.cachedInputTokens, mostTokens);
  const input = count(usage?.inputTokens, mostTokens) ?? cached;
  // Below zero if more cached tokens than input tokens are reported: `tokenPart` counts that as 0.
  const uncached = input === undefined ? undefined : input - (cached ?? 0);
  const tokens = sumOf([
    part(uncached, price.perMillionInputTokens),
    part(cached, price.perMillionCachedInputTokens),
    part(count(usage?.outputTokens), price.perMillionOutputTokens),
  ]);
  const fees = sumOf([
    part(count(usage?.searches), price.perSearch),
    unitFeesOf(price, usage),
    plausibleCost(usage?.otherFees, false),
  ]);
  return sumOf([tokens === undefined ? undefined : fromTokenParts(tokens), fees]);
}

/** The fees of the units that the provider reports; `undefined` where it reports none, or the row has no rate for units. */
function unitFeesOf({ rates }: CompiledDynamicPrice, usage: MeteredUsage | undefined): NanoUsd | undefined {
  const [results, pages, searchUnits] = [count(usage?.results), count(usage?.pages), count(usage?.searchUnits)];
  if (rates === null || (results ?? pages ?? searchUnits) === undefined) return undefined;
  return unitFees(rates, { results, pages, searchUnits });
}

function part(used: number | undefined, rate: NanoUsd | null): bigint | undefined {
  return used === undefined || rate === null ? undefined : tokenPart(used, rate);
}

/** A sum of what is known; `undefined` where nothing is. */
function sumOf(amounts: readonly (bigint | undefined)[]): bigint | undefined {
  return amounts.reduce((sum, amount) => (amount === undefined ? sum : (sum ?? 0n) + amount), undefined);
}

/** A count of usage; any other value of an adapter counts as absent. */
function count(value: unknown, most = Number.MAX_SAFE_INTEGER): number | undefined {
  const isCount = typeof value === 'number' && Number.isFinite(value) && value >= 0;
  return isCount ? Math.min(Math.ceil(value), most, Number.MAX_SAFE_INTEGER) : undefined;
}

/** An amount that can be the cost of a call; any other value counts as absent. */
function plausibleCost(value: unknown, mayBeZero: boolean): NanoUsd | undefined {
  if (typeof value !== 'bigint' || value < 0n || value > MAX_CALL_COST) return undefined;
  return value > 0n || mayBeZero ? value : undefined;
}

/** Feeds later quotes of the model with the true cost of a call; a cost for units, in proportion to their list price. */
export function recordCost(history: CostHistory, { upstreamCost, listed }: ChargedCost): void {
  if (listed === null) history.record(upstreamCost);
  // A cost of what is free is in no proportion to a list price.
  else if (listed > 0n) history.record(proportion(upstreamCost, listed));
}

/** The smallest proportion in billionths by which `multiply` makes at least `cost` of `listed`. Bounded by what a history can remember. */
function proportion(cost: NanoUsd, listed: NanoUsd): bigint {
  const billionths = (cost * NO_MARKUP + listed - 1n) / listed;
  return billionths < MAX_REMEMBERED ? billionths : MAX_REMEMBERED;
}

const MAX_REMEMBERED = 2n ** 63n - 1n;
