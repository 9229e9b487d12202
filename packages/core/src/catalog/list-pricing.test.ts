import { describe, expect, it } from 'vitest';
import { parseMultiplier } from '../base/money.js';
import type { CompiledPrice } from './compile-prices.js';
import { listPricing } from './list-pricing.js';

const DYNAMIC: CompiledPrice = {
  kind: 'dynamic',
  validFromMs: Number.NEGATIVE_INFINITY,
  perMillionInputTokens: null,
  perMillionCachedInputTokens: null,
  perMillionOutputTokens: null,
  perSearch: null,
  rates: null,
  typical: 1n,
  ceiling: 2n,
};

describe('a listed price', () => {
  it.each([
    ['perMillionInputTokens', '0.000000015'],
    ['perMillionOutputTokens', '0.000000015'],
    ['perSearch', '0.000000015'],
  ] as const)('names the rate %s where there is one, with markup', (rate, listed) => {
    const markup = parseMultiplier('1.5');
    expect(listPricing({ ...DYNAMIC, [rate]: 10n }, markup)).toStrictEqual({
      unit: 'USD',
      request: '-1',
      [rate]: listed,
    });
    expect(listPricing(DYNAMIC, markup)).toStrictEqual({ unit: 'USD', request: '-1' });
  });
});
