import { formatUsd, multiply, type NanoUsd } from '../base/money.js';
import type { CompiledPrice } from './compile-prices.js';
import type { ListedPricing } from './model-entry.js';
import { PER_MILLION, PER_REQUEST, type PriceReader } from './price-reader.js';

/** What an entry says where only the upstream's reply tells the price. A value, not an amount: no markup applies to it. */
const DYNAMIC = '-1';

/** The price of a listed-only model in nanodollars; `null` where it has no such price. */
export interface CompiledListedPricing {
  readonly kind: 'listed';
  readonly request: NanoUsd | typeof DYNAMIC | null;
  readonly perMillionTokens: NanoUsd | null;
}

/** A listed-only model's price as it is written down. */
export type WrittenPricing = { readonly [Key in 'request' | 'perMillionTokens']?: string | undefined };

/** Parses the price of a listed-only model; problems go to the reader. */
export function readListedPricing(reader: PriceReader, pricing: WrittenPricing, path: string): CompiledListedPricing {
  const { request, perMillionTokens } = pricing;
  if (request === undefined && perMillionTokens === undefined) {
    reader.problem({ path, found: 'no price', expected: 'request, perMillionTokens or both' });
  }
  return {
    kind: 'listed',
    request: request === DYNAMIC ? DYNAMIC : reader.optionalUsd(request, `${path}.request`, PER_REQUEST),
    perMillionTokens: reader.optionalUsd(perMillionTokens, `${path}.perMillionTokens`, PER_MILLION),
  };
}

/** Prints a price as callers pay it: markup included, rounded up to the nanodollar; rates of a dynamic price stand beside its `"-1"`. */
export function listPricing(price: CompiledPrice | CompiledListedPricing, markup: bigint): ListedPricing {
  const print = (amount: NanoUsd) => formatUsd(multiply(amount, markup));
  switch (price.kind) {
    case 'flat':
      return { unit: 'USD', request: print(price.request) };
    case 'dynamic':
      return {
        unit: 'USD',
        request: DYNAMIC,
        ...(price.perMillionInputTokens !== null && { perMillionInputTokens: print(price.perMillionInputTokens) }),
        ...(price.perMillionOutputTokens !== null && { perMillionOutputTokens: print(price.perMillionOutputTokens) }),
        ...(price.perSearch !== null && { perSearch: print(price.perSearch) }),
      };
    case 'listed':
      return {
        unit: 'USD',
        ...(price.request !== null && { request: price.request === DYNAMIC ? DYNAMIC : print(price.request) }),
        ...(price.perMillionTokens !== null && { perMillionTokens: print(price.perMillionTokens) }),
      };
  }
}
