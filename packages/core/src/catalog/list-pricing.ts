import { formatUsd, multiply, type NanoUsd } from '../base/money.js';
import { type CompiledPrice, type CompiledUnitRates, compileUnitRates, UNIT_RATES } from './compile-prices.js';
import type { ListedPricing, WrittenPricing } from './model-entry.js';
import { PER_REQUEST, type PriceReader } from './price-reader.js';

/** The listed price of a call whose price only the upstream's reply tells. No amount: no markup applies. */
export const DYNAMIC = '-1';

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
  if (request === undefined && rates === null)
    reader.problem({ path, found: 'no price', expected: 'request, or a price of a unit such as perMillionTokens' });
  return {
    kind: 'listed',
    request: request === DYNAMIC ? DYNAMIC : reader.optionalUsd(request, `${path}.request`, PER_REQUEST),
    rates,
  };
}

/** Prints a price as callers pay it: with markup, rounded up to the nanodollar. A dynamic price is `"-1"` with its rates. */
export function listPricing(price: CompiledPrice | CompiledListedPricing, markup: bigint): ListedPricing {
  const print = (amount: NanoUsd) => formatUsd(multiply(amount, markup));
  const request = price.kind === 'dynamic' ? DYNAMIC : price.request;
  // Of a price per unit alone, the price of a call would be misleading.
  const isListed = request !== null && !(price.kind === 'flat' && request === 0n && hasRates(price));
  const listed: Record<string, string> = isListed ? { request: request === DYNAMIC ? DYNAMIC : print(request) } : {};
  if (price.kind === 'dynamic')
    for (const name of DYNAMIC_RATES) if (price[name] !== null) listed[name] = print(price[name]);
  for (const name of UNIT_RATES)
    if (price.rates !== null && price.rates[name] > 0n) listed[name] = print(price.rates[name]);
  return { unit: 'USD', ...listed };
}

/** Whether a call costs nothing, whatever it asks for. */
export function isFree(price: CompiledPrice | CompiledListedPricing): boolean {
  return price.kind !== 'dynamic' && (price.request === 0n || price.request === null) && !hasRates(price);
}

function hasRates({ rates }: CompiledPrice | CompiledListedPricing): boolean {
  return rates !== null && UNIT_RATES.some((name) => rates[name] > 0n);
}

const DYNAMIC_RATES = ['perMillionInputTokens', 'perMillionOutputTokens', 'perSearch'] as const;
