import { formatUsd, multiply, type NanoUsd } from '../base/money.js';
import { type CompiledPrice, type CompiledUnitRates, compileUnitRates } from './compile-prices.js';
import type { ListedPricing, WrittenPricing } from './model-entry.js';
import { PER_REQUEST, type PriceReader } from './price-reader.js';

/** The listed price of a call whose price only the upstream's reply tells. No amount: no markup applies. */
const DYNAMIC = '-1';

/** The price of a listed-only model in nanodollars; `null` for a price that it does not have. */
export interface CompiledListedPricing {
  readonly kind: 'listed';
  readonly request: NanoUsd | typeof DYNAMIC | null;
  readonly rates: CompiledUnitRates | null;
}

/** Parses the price of a listed-only model; reports problems to the reader. */
export function readListedPricing(reader: PriceReader, pricing: WrittenPricing, path: string): CompiledListedPricing {
  const { request } = pricing;
  const rates = compileUnitRates(reader, pricing, path);
  if (request === undefined && rates === null) {
    reader.problem({ path, found: 'no price', expected: 'request, or a price of a unit such as perMillionTokens' });
  }
  return {
    kind: 'listed',
    request: request === DYNAMIC ? DYNAMIC : reader.optionalUsd(request, `${path}.request`, PER_REQUEST),
    rates,
  };
}

/** Prints a price as callers pay it: with markup, rounded up to the nanodollar. A dynamic price is `"-1"` with its rates. */
export function listPricing(price: CompiledPrice | CompiledListedPricing, markup: bigint): ListedPricing {
  const print = (amount: NanoUsd) => formatUsd(multiply(amount, markup));
  const unitRates = listUnitRates(price.rates, print);
  switch (price.kind) {
    case 'flat':
      // Of a price per unit alone, the price of a call would be misleading.
      if (price.request === 0n && price.rates !== null) return { unit: 'USD', ...unitRates };
      return { unit: 'USD', request: print(price.request), ...unitRates };
    case 'dynamic':
      return {
        unit: 'USD',
        request: DYNAMIC,
        ...(price.perMillionInputTokens !== null && { perMillionInputTokens: print(price.perMillionInputTokens) }),
        ...(price.perMillionOutputTokens !== null && { perMillionOutputTokens: print(price.perMillionOutputTokens) }),
        ...(price.perSearch !== null && { perSearch: print(price.perSearch) }),
        ...unitRates,
      };
    case 'listed':
      return {
        unit: 'USD',
        ...(price.request !== null && { request: price.request === DYNAMIC ? DYNAMIC : print(price.request) }),
        ...unitRates,
      };
  }
}

function listUnitRates(rates: CompiledUnitRates | null, print: (amount: NanoUsd) => string): Partial<ListedPricing> {
  if (rates === null) return {};
  const { perResult, perPage, perSearchUnit, perMillionTokens } = rates;
  return {
    ...(perResult > 0n && { perResult: print(perResult) }),
    ...(perPage > 0n && { perPage: print(perPage) }),
    ...(perSearchUnit > 0n && { perSearchUnit: print(perSearchUnit) }),
    ...(perMillionTokens > 0n && { perMillionTokens: print(perMillionTokens) }),
  };
}
