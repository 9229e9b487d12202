import type { MeteredUsage } from '../base/metered-usage.js';
import { fromTokenParts, multiply, type NanoUsd, NO_MARKUP, parseUsd, tokenPart, unmultiply } from '../base/money.js';
import type {
  CompiledDynamicPrice,
  CompiledFlatPrice,
  CompiledPrice,
  CompiledPrices,
  CompiledUnitRates,
} from './compile-prices.js';
import type { CostHistories, CostHistory } from './cost-history.js';
import type { Category, ModelRow, OutcomeCost } from './model-entry.js';

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
}

/** A cost above this multiple of the row's ceiling is not charged: a wrong unit is off by far more, and no true cost was ever higher. */
const IMPLAUSIBLE_FACTOR = 20n;

/** No call costs more. A higher figure has a wrong unit and is ignored. */
export const MAX_CALL_COST: NanoUsd = parseUsd('10000');

/** What is asked of a call that is no question, in the units of prices; also what came of it. An absent unit is 0. */
export interface Units {
  /** Results of a search. */
  readonly results?: number | undefined;
  /** Pages whose text is wanted. */
  readonly pages?: number | undefined;
  /** Of a rerank: a query with up to 100 documents is one. */
  readonly searchUnits?: number | undefined;
  /** Of a rerank or of embeddings: an estimate until the provider has counted. */
  readonly tokens?: number | undefined;
}

const UNITS = ['results', 'pages', 'searchUnits', 'tokens'] as const;

/** The units of a call that is no question, before it is made. */
export interface AskedUnits {
  /** What is assumed to be billed where the provider counts nothing. */
  readonly likely: Units;
  /** What is held. */
  readonly held: Units;
  /** The highest counts of a provider that are believed. */
  readonly most: Units;
}

/** Units that are known before the call. A vendor may count more of them: further pages of a document, results in steps. */
export function askedFor(units: Units): AskedUnits {
  const most = Object.entries(units).map(([unit, asked = 0]) => [unit, asked * Number(IMPLAUSIBLE_FACTOR)]);
  return { likely: units, held: units, most: Object.fromEntries(most) as Units };
}

/** `typical` and `ceiling` of a search model are of so many results, and a smaller search is held and charged as such a one. */
const TYPICAL_RESULTS = 10n;

/** The price row at a time: the last row that has begun. */
export function priceAt(prices: CompiledPrices, nowMs: number): CompiledPrice {
  return prices.findLast(({ validFromMs }) => validFromMs <= nowMs) ?? prices[0];
}

/**
 * The listed cost of a call before markup: the flat price, or the typical figure of a dynamic price.
 *
 * @param units what is asked for; `undefined` for answers.
 */
export function listPrice(price: CompiledPrice, units: Units | undefined): NanoUsd {
  return price.kind === 'flat' ? flatPrice(price, units) : scaled(price.typical, units);
}

function flatPrice({ request, rates }: CompiledFlatPrice, units: Units | undefined): NanoUsd {
  return rates === null || units === undefined ? request : request + unitFees(rates, units);
}

function unitFees(rates: CompiledUnitRates, { results = 0, pages = 0, searchUnits = 0, tokens = 0 }: Units): NanoUsd {
  const steps = Math.ceil(Math.max(0, results - rates.includedResults) / rates.resultStep);
  return (
    BigInt(steps) * BigInt(rates.resultStep) * rates.perResult +
    BigInt(pages) * rates.perPage +
    BigInt(searchUnits) * rates.perSearchUnit +
    fromTokenParts(tokenPart(tokens, rates.perMillionTokens))
  );
}

/** A figure of a dynamic price, for what is asked. */
function scaled(figure: NanoUsd, units: Units | undefined): NanoUsd {
  if (units === undefined) return figure;
  const { results = 0, pages = 0, searchUnits = 0, tokens = 0 } = units;
  if (results === 0) {
    const countsTokens = searchUnits === 0 && tokens > 0;
    return countsTokens ? fromTokenParts(tokenPart(tokens, figure)) : figure * BigInt(Math.max(1, pages, searchUnits));
  }
  const asked = BigInt(results);
  return asked <= TYPICAL_RESULTS ? figure : (figure * asked + TYPICAL_RESULTS - 1n) / TYPICAL_RESULTS;
}

interface QuoteTerms {
  /** In billionths, see `parseMultiplier`. */
  readonly markup: bigint;
  /** As for {@link listPrice}. */
  readonly units?: Units | undefined;
  /** Tokens of a question beyond those of a query, which the price of an answer does not foresee. Default 0. */
  readonly moreTokens?: number | undefined;
}

/**
 * The amount to hold before a call: the list price, or the 99th percentile of the model's latest costs if higher, even above the row's ceiling, because an
 * expected cost must be held. A price that the host fixed is quoted exactly. Of pages, as many are held as the vendor may bill. Further tokens of a question
 * are added, and markup.
 *
 * With units, the history is of costs in proportion to their list price: an earlier large call does not raise the hold of a small call.
 */
export function quote(price: CompiledPrice, history: CostHistory | undefined, terms: QuoteTerms): NanoUsd {
  const { markup, units, moreTokens = 0 } = terms;
  const pagesEach = price.rates?.heldPages ?? 1;
  const listed = listPrice(price, units && { ...units, pages: (units.pages ?? 0) * pagesEach });
  if (price.kind === 'flat' && price.fixed) return multiply(listed, markup);
  const rate = price.kind === 'dynamic' ? (price.perMillionInputTokens ?? 0n) : 0n;
  const more = fromTokenParts(tokenPart(moreTokens, rate));
  const figure = history?.percentile99() ?? 0n;
  const usual = units === undefined ? figure : multiply(listed, figure);
  return multiply((usual > listed ? usual : listed) + more, markup);
}

/** Who asks for what, and when. */
export interface ModelTerms extends Pick<QuoteTerms, 'markup' | 'moreTokens'> {
  readonly organizationId: string;
  /** The prices of this time apply. Milliseconds since the Unix epoch. */
  readonly nowMs: number;
  /** What a call asks of a model; absent for answers. */
  readonly unitsOf?: ((model: ModelRow) => AskedUnits) | undefined;
}

/** The price row of a model, and the amount to hold for a call of the organization. */
export function quoteModel(
  { model, prices, histories }: Pick<PricedModel, 'model' | 'prices' | 'histories'>,
  { organizationId, nowMs, unitsOf, markup, moreTokens }: ModelTerms,
): { readonly price: CompiledPrice; readonly amount: NanoUsd } {
  const price = priceAt(prices, nowMs);
  const terms = { markup, moreTokens, units: unitsOf?.(model).held };
  return { price, amount: quote(price, histories.find(organizationId), terms) };
}

/** The smallest call of a category; absent for answers. */
const SMALLEST: Readonly<Partial<Record<Category, Units>>> = {
  search: { results: 1 },
  extract: { pages: 1 },
  // Texts of one character.
  rerank: { searchUnits: 1, tokens: 118 },
  embedding: { tokens: 9 },
};

interface PricedModel {
  readonly category: Category;
  readonly model: ModelRow;
  readonly prices: CompiledPrices;
  readonly histories: CostHistories;
}

/** The amount to hold for the cheapest call of any model; 0 without models. */
export function leastQuote(models: Iterable<PricedModel>, terms: Omit<ModelTerms, 'unitsOf'>): NanoUsd {
  let least: NanoUsd | undefined;
  for (const model of models) {
    const units = SMALLEST[model.category];
    const { amount } = quoteModel(model, { ...terms, unitsOf: units && (() => askedFor(units)) });
    if (least === undefined || amount < least) least = amount;
  }
  return least ?? 0n;
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
  const isTooHigh = isBounded && believed > listedMost(price, asked?.held)[0] * IMPLAUSIBLE_FACTOR;
  const [figure, costSource] = isTooHigh ? listedMost(price, units) : [believed, isFixed ? 'flat' : rest.source];
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
    costSource,
    computed: isFixed || whole.source === 'ceiling' ? null : whole.amount,
    // Bounds stay what they were held for, because the history corrects later holds.
    listed: all === undefined ? null : listPrice(price, { ...all, searchUnits, tokens }),
  };
}

/**
 * The operator's cost of an attempt without an answer, by the same order of figures as {@link charge}: reported, else computed from usage, else the flat price.
 * A reported zero is trusted here, because many failures are free.
 *
 * @returns `undefined` if the provider reports neither a cost nor a usage: no cost is invented.
 */
export function failureCost(
  price: CompiledPrice,
  { reported, usage }: OutcomeCost,
  units: Units | undefined,
): NanoUsd | undefined {
  const stated = plausibleCost(reported, true);
  if (stated !== undefined || usage === undefined) return stated;
  if (price.kind === 'dynamic') return plausibleCost(computeCost(price, usage), false);
  if (!Object.values(usage).some((used) => used > 0)) return undefined;
  return plausibleCost(flatPrice(price, countedUnits(price, [{ cost: { usage }, units }])), true);
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
  if (price.kind === 'dynamic') {
    let amount = 0n;
    let source: FigureSource = 'computed';
    for (const { cost, units } of parts) {
      const computed = plausibleCost(computeCost(price, cost?.usage), false);
      if (computed === undefined) source = 'ceiling';
      amount += computed ?? scaled(price.ceiling, units);
    }
    return { amount, source, told: amount };
  }
  const units = countedUnits(price, parts);
  const amount = flatPrice(price, units && asked && atMost(units, asked.most));
  const told = flatPrice(price, units);
  const source = (price.rates?.perMillionTokens ?? 0n) > 0n ? 'computed' : 'flat';
  return { amount, source, told: told > MAX_CALL_COST && amount < MAX_CALL_COST ? MAX_CALL_COST : told };
}

/** The highest cost of a call by its row. */
function listedMost(price: CompiledPrice, units: Units | undefined): [amount: NanoUsd, source: FigureSource] {
  return price.kind === 'flat' ? [flatPrice(price, units), 'flat'] : [scaled(price.ceiling, units), 'ceiling'];
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

function atMost(units: Units, most: Units): Units {
  return Object.fromEntries(UNITS.map((unit) => [unit, Math.min(units[unit] ?? 0, most[unit] ?? 0)])) as Units;
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
    unitFeesOf(price, usage),
    plausibleCost(usage?.otherFees, false),
  ].filter((fee) => fee !== undefined);
  if (tokenParts.length + fees.length === 0) return undefined;
  return fromTokenParts(add(tokenParts)) + add(fees);
}

/** The fees of the units that the provider reports; `undefined` where it reports none, or the row has no rate for units. */
function unitFeesOf({ rates }: CompiledDynamicPrice, usage: MeteredUsage | undefined): NanoUsd | undefined {
  const [results, pages, searchUnits] = [count(usage?.results), count(usage?.pages), count(usage?.searchUnits)];
  if (rates === null || (results ?? pages ?? searchUnits) === undefined) return undefined;
  return unitFees(rates, { results, pages, searchUnits });
}

function part(tokens: number | undefined, perMillion: NanoUsd | null): bigint | undefined {
  return tokens === undefined || perMillion === null ? undefined : tokenPart(tokens, perMillion);
}

/** A count of usage; any other value of an adapter counts as absent. */
function count(value: unknown): number | undefined {
  const isCount = typeof value === 'number' && Number.isFinite(value) && value >= 0;
  return isCount ? Math.min(Math.ceil(value), Number.MAX_SAFE_INTEGER) : undefined;
}

/** An amount that can be the cost of a call; any other value counts as absent. */
function plausibleCost(value: unknown, mayBeZero: boolean): NanoUsd | undefined {
  if (typeof value !== 'bigint' || value < 0n || value > MAX_CALL_COST) return undefined;
  return value > 0n || mayBeZero ? value : undefined;
}

function add(amounts: readonly bigint[]): bigint {
  return amounts.reduce((sum, amount) => sum + amount, 0n);
}
