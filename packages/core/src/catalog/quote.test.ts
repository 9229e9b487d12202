import { describe, expect, it } from 'vitest';
import { NO_MARKUP, parseMultiplier } from '../base/money.js';
import type { CompiledPrice, CompiledPrices } from './compile-prices.js';
import { createCostHistory } from './cost-history.js';
import { quote } from './quote.js';
import { priceAt } from './units.js';

const PLAIN = { markup: NO_MARKUP };
const flat = (request: bigint, { validFromMs = Number.NEGATIVE_INFINITY, fixed = false } = {}): CompiledPrice => ({
  kind: 'flat',
  validFromMs,
  request,
  rates: null,
  fixed,
});
const dynamic = (
  perMillionInputTokens: bigint | null = 250_000_000n,
  heldPerMillionInputTokens: bigint | null = null,
): CompiledPrice => ({
  heldPerMillionInputTokens,
  kind: 'dynamic',
  validFromMs: Number.NEGATIVE_INFINITY,
  rates: null,
  perMillionInputTokens,
  perMillionCachedInputTokens: null,
  perMillionOutputTokens: null,
  perSearch: null,
  typical: 5_000_000n,
  ceiling: 50_000_000n,
});

describe('priceAt', () => {
  const change = Date.UTC(2026, 11, 1);
  const [always, first, second] = [flat(1n), flat(2n, { validFromMs: change }), flat(3n, { validFromMs: change + 1 })];

  it.each<[string, CompiledPrices, number, CompiledPrice]>([
    ['the row without a beginning, also on a clock before 1970', [always, first], -1e15, always],
    ['a row until the next begins', [always, first, second], change - 1, always],
    ['a row from its first millisecond on', [always, first, second], change, first],
    ['a short row', [always, first, second], change + 1, second],
    ['the last row without end', [always, first, second], Number.MAX_SAFE_INTEGER, second],
    ['the first row before any has begun', [first, second], change - 1, first],
  ])('returns %s', (_fact, prices, nowMs, row) => {
    expect(priceAt(prices, nowMs)).toBe(row);
  });
});

describe('quote', () => {
  const more = { markup: 2n * NO_MARKUP, moreTokens: 1_000 };

  it.each<[string, CompiledPrice, bigint[], Parameters<typeof quote>[2], bigint]>([
    ['a flat price', flat(5n), [], PLAIN, 5n],
    ['a flat price while calls do not cost more', flat(5n), [4n], PLAIN, 5n],
    ['the true costs of a flat price if they are higher', flat(5n), [50n], PLAIN, 50n],
    ['a price of the host exactly, whatever calls have cost', flat(5n, { fixed: true }), [9n], PLAIN, 5n],
    ['the typical figure without a cost history', dynamic(), [], PLAIN, 5_000_000n],
    ['the latest costs', dynamic(), [7_000_000n, 9_000_000n], PLAIN, 9_000_000n],
    ['never less than the typical figure', dynamic(), [1n], PLAIN, 5_000_000n],
    ['the latest costs, even above the ceiling', dynamic(), [70_000_000n], PLAIN, 70_000_000n],
    ['further tokens of a question', dynamic(), [], more, 10_500_000n],
    ['further tokens beside the latest costs', dynamic(), [70_000_000n], more, 140_500_000n],
    ['further tokens at the dearest rate where the row has none', dynamic(null), [], more, 26_000_000n],
    ['further tokens at the rate of a long prompt', dynamic(250_000_000n, 500_000_000n), [], more, 11_000_000n],
    ['no further tokens at a flat price', flat(5n), [], more, 10n],
    ['the markup last, rounding up', flat(3n), [], { markup: parseMultiplier('1.1') }, 4n],
    ['the markup of the latest costs', dynamic(), [70_000_000n], { markup: parseMultiplier('1.5') }, 105_000_000n],
  ])('quotes %s', (_fact, price, costs, by, amount) => {
    const history = createCostHistory();
    for (const each of costs) history.record(each);
    expect(quote(price, history, by)).toBe(amount);
  });
});
