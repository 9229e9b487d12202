import type { MeteredUsage } from '../base/metered-usage.js';
import { fromTokenParts, type NanoUsd, tokenPart } from '../base/money.js';
import type { CompiledPrice, CompiledPrices, CompiledUnitRates } from './compile-prices.js';

/** What a call other than a question asks for, in the units of prices; also what came of it. An absent unit is 0. */
export interface Units extends Pick<MeteredUsage, 'results' | 'pages' | 'searchUnits'> {
  /** Of texts to sort or to make vectors of: an estimate until the provider has counted. */
  readonly tokens?: number | undefined;
}

/** The units of a call before it is made. */
export interface AskedUnits {
  /** What is assumed to be billed where the provider counts nothing. */
  readonly likely: Units;
  /** What is held. */
  readonly held: Units;
  /** The highest counts of a provider that are believed. */
  readonly most: Units;
}

/** A multiple that no true cost or count has of the most that is listed: a wrong unit is off by far more. */
export const IMPLAUSIBLE_FACTOR = 20;

/** Units that are known before the call. A vendor may count more of them: further pages of a document, results in steps. */
export function askedFor(units: Units): AskedUnits {
  const most = Object.entries(units).map(([unit, asked = 0]) => [unit, asked * IMPLAUSIBLE_FACTOR]);
  return { likely: units, held: units, most: Object.fromEntries(most) as Units };
}

/** The price row at a time: the last row that has begun. */
export function priceAt(prices: CompiledPrices, nowMs: number): CompiledPrice {
  return prices.findLast(({ validFromMs }) => validFromMs <= nowMs) ?? prices[0];
}

/**
 * The listed cost of a call before markup: the flat price, or a figure of a dynamic price.
 *
 * @param units what is asked for; `undefined` for answers.
 */
export function listPrice(price: CompiledPrice, units?: Units, figure: 'typical' | 'ceiling' = 'typical'): NanoUsd {
  if (price.kind === 'dynamic') return scaled(price[figure], units);
  const { request, rates } = price;
  return rates === null || units === undefined ? request : request + unitFees(rates, units);
}

/** What units cost by the rates. */
export function unitFees(rates: CompiledUnitRates, units: Units): NanoUsd {
  const { results = 0, pages = 0, searchUnits = 0, tokens = 0 } = units;
  const steps = Math.ceil(Math.max(0, results - rates.includedResults) / rates.resultStep);
  return (
    BigInt(steps) * BigInt(rates.resultStep) * rates.perResult +
    BigInt(pages) * rates.perPage +
    BigInt(searchUnits) * rates.perSearchUnit +
    fromTokenParts(tokenPart(tokens, rates.perMillionTokens))
  );
}

/** `typical` and `ceiling` of a search model are of so many results, and a smaller search is held and charged as such a one. */
const TYPICAL_RESULTS = 10n;

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

/** @returns `null` for a value that is no number of tokens: an adapter of another package may return any value. */
export function tokenCount(count: number | undefined): number | null {
  return count !== undefined && Number.isSafeInteger(count) && count >= 0 ? count : null;
}
