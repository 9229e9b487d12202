import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { MeteredUsage } from '../base/metered-usage.js';
import { NO_MARKUP, parseMultiplier } from '../base/money.js';
import { type ChargeTerms, charge, failureCost, isMismatch, MAX_CALL_COST } from './charge.js';
import type { CompiledDynamicPrice, CompiledFlatPrice, CompiledPrice, CompiledPrices } from './compile-prices.js';
import { createCostHistory } from './cost-history.js';
import { quote } from './quote.js';
import { listPrice, priceAt } from './units.js';

const ALWAYS = Number.NEGATIVE_INFINITY;
const flat = (request: bigint, rest: Partial<CompiledFlatPrice> = {}): CompiledFlatPrice => ({
  kind: 'flat',
  validFromMs: ALWAYS,
  request,
  rates: null,
  fixed: false,
  ...rest,
});
/** $0.25 and $0.0625 (cached) per million in, $2.50 out, $0.0025 per search. */
const dynamic = (rest: Partial<CompiledDynamicPrice> = {}): CompiledDynamicPrice => ({
  kind: 'dynamic',
  validFromMs: ALWAYS,
  rates: null,
  perMillionInputTokens: 250_000_000n,
  perMillionCachedInputTokens: 62_500_000n,
  perMillionOutputTokens: 2_500_000_000n,
  perSearch: 2_500_000n,
  typical: 5_000_000n,
  ceiling: 50_000_000n,
  ...rest,
});
const historyOf = (...costs: bigint[]) => {
  const history = createCostHistory();
  for (const cost of costs) history.record(cost);
  return history;
};
const terms = (markup: bigint, rest: Partial<ChargeTerms> = {}): ChargeTerms => ({
  markup,
  mostCharged: null,
  ...rest,
});
const TERMS = terms(NO_MARKUP);
const chargeUsage = (usage: MeteredUsage, price: CompiledPrice = dynamic()) => charge(price, { usage }, TERMS);

describe('priceAt', () => {
  const change = Date.UTC(2026, 11, 1);
  const prices: CompiledPrices = [flat(1n), flat(2n, { validFromMs: change }), flat(3n, { validFromMs: change + 1 })];

  it('returns a row from its first millisecond on', () => {
    const at = (nowMs: number) => listPrice(priceAt(prices, nowMs), undefined);
    expect([at(0), at(change - 1), at(change), at(change + 1), at(Number.MAX_SAFE_INTEGER)]).toEqual([
      1n,
      1n,
      2n,
      3n,
      3n,
    ]);
  });

  it('returns the row without validFrom on a clock before 1970', () => {
    expect(priceAt(prices, -1e15)).toBe(prices[0]);
  });

  it('returns the first row before any row has begun', () => {
    const dated: CompiledPrices = [flat(1n, { validFromMs: change }), flat(2n, { validFromMs: change + 1 })];
    expect(priceAt(dated, change - 1)).toBe(dated[0]);
  });
});

describe('listPrice', () => {
  it('is the price of a call, or its typical cost', () => {
    expect(listPrice(flat(7n), undefined)).toBe(7n);
    expect(listPrice(dynamic(), undefined)).toBe(5_000_000n);
  });
});

describe('quote', () => {
  it('quotes a flat price while calls do not cost more', () => {
    expect(quote(flat(5_000_000n), historyOf(), { markup: NO_MARKUP })).toBe(5_000_000n);
    expect(quote(flat(5_000_000n), historyOf(4_000_000n), { markup: NO_MARKUP })).toBe(5_000_000n);
  });

  it('quotes the true costs of a flat price if they are higher', () => {
    expect(quote(flat(5_000_000n), historyOf(50_000_000n), { markup: NO_MARKUP })).toBe(50_000_000n);
  });

  it('quotes a price of the host exactly, whatever calls have cost', () => {
    expect(quote(flat(5_000_000n, { fixed: true }), historyOf(9_000_000n), { markup: NO_MARKUP })).toBe(5_000_000n);
  });

  it('quotes the typical figure without a cost history', () => {
    expect(quote(dynamic(), historyOf(), { markup: NO_MARKUP })).toBe(5_000_000n);
  });

  it('quotes the latest costs', () => {
    expect(quote(dynamic(), historyOf(7_000_000n, 9_000_000n), { markup: NO_MARKUP })).toBe(9_000_000n);
  });

  it('never falls below the typical figure, and rises above the ceiling with the latest costs', () => {
    expect(quote(dynamic(), historyOf(1n), { markup: NO_MARKUP })).toBe(5_000_000n);
    expect(quote(dynamic(), historyOf(70_000_000n), { markup: NO_MARKUP })).toBe(70_000_000n);
  });

  it('adds further tokens of a question, also to the latest costs', () => {
    const more = { markup: 2n * NO_MARKUP, moreTokens: 1_000 };
    expect(quote(dynamic(), historyOf(), more)).toBe(2n * 5_250_000n);
    expect(quote(dynamic(), historyOf(70_000_000n), more)).toBe(2n * 70_250_000n);
    expect(quote(dynamic({ perMillionInputTokens: null }), historyOf(), more)).toBe(2n * 5_000_000n);
    expect(quote(flat(5_000_000n), historyOf(), more)).toBe(2n * 5_000_000n);
  });

  it('adds the markup last, rounding up', () => {
    expect(quote(flat(3n), historyOf(), { markup: parseMultiplier('1.1') })).toBe(4n);
    expect(quote(dynamic(), historyOf(70_000_000n), { markup: parseMultiplier('1.5') })).toBe(105_000_000n);
  });
});

describe('failureCost', () => {
  const usage = { inputTokens: 1_000 };

  it.each<[string, CompiledPrice, Parameters<typeof failureCost>[1], bigint | undefined]>([
    ['prefers what the provider reports', dynamic(), { reported: 7n, usage }, 7n],
    ['believes a reported zero', dynamic(), { reported: 0n, usage }, 0n],
    ['computes from usage next', dynamic(), { usage }, 250_000n],
    ['computes where the report cannot be true', dynamic(), { reported: MAX_CALL_COST + 1n, usage }, 250_000n],
    ['is the flat price where something was used', flat(5n), { usage }, 5n],
    ['is unknown at a flat price where nothing was used', flat(5n), { usage: { inputTokens: 0 } }, undefined],
    ['is unknown where nothing was used', dynamic(), { usage: { inputTokens: 0, outputTokens: 0 } }, undefined],
    ['is unknown where nothing is reported', dynamic(), {}, undefined],
    ['is the flat price where one of several things was used', flat(5n), { usage: { ...usage, searches: 0 } }, 5n],
    ['believes the highest cost there can be', dynamic(), { reported: MAX_CALL_COST }, MAX_CALL_COST],
    ['is never below zero', dynamic(), { reported: -1n }, undefined],
  ])('%s', (_fact, price, cost, expected) => {
    expect(failureCost(price, cost, undefined)).toBe(expected);
  });
});

describe('charge', () => {
  it('prefers the reported cost, also for flat prices', () => {
    const usage = { inputTokens: 1_000 };
    expect(charge(dynamic(), { reported: 3_350_000n, usage }, TERMS)).toEqual({
      charged: 3_350_000n,
      beforeMarkup: 3_350_000n,
      upstreamCost: 3_350_000n,
      uncovered: 0n,
      isImplausible: false,
      costSource: 'reported',
      computed: 250_000n,
      listed: null,
    });
    expect(charge(flat(5_000_000n), { reported: 7_000_000n }, TERMS)).toEqual({
      charged: 7_000_000n,
      beforeMarkup: 7_000_000n,
      upstreamCost: 7_000_000n,
      uncovered: 0n,
      isImplausible: false,
      costSource: 'reported',
      computed: 5_000_000n,
      listed: null,
    });
  });

  it('computes from usage next', () => {
    const usage = { inputTokens: 2_800, cachedInputTokens: 800, outputTokens: 60, searches: 1, otherFees: 500_000n };
    // 2,000 × 250 + 800 × 62.5 + 60 × 2,500 + 2,500,000 + 500,000 nanodollars
    expect(chargeUsage(usage)).toMatchObject({ charged: 3_700_000n, costSource: 'computed', computed: 3_700_000n });
  });

  it('falls back on the flat price', () => {
    expect(charge(flat(5_000_000n), {}, TERMS)).toMatchObject({ charged: 5_000_000n, costSource: 'flat' });
    expect(charge(flat(5_000_000n), { usage: { inputTokens: 9 } }, TERMS)).toMatchObject({
      charged: 5_000_000n,
      costSource: 'flat',
    });
  });

  it('charges the ceiling without any figure', () => {
    expect(charge(dynamic(), {}, TERMS)).toEqual({
      charged: 50_000_000n,
      beforeMarkup: 50_000_000n,
      upstreamCost: 50_000_000n,
      uncovered: 0n,
      isImplausible: false,
      costSource: 'ceiling',
      computed: null,
      listed: null,
    });
  });

  it('ignores usage that the row has no rate for', () => {
    expect(chargeUsage({})).toMatchObject({ costSource: 'ceiling' });
    expect(chargeUsage({ searches: 3 }, dynamic({ perSearch: null }))).toMatchObject({ costSource: 'ceiling' });
    expect(chargeUsage({ outputTokens: 3 }, dynamic({ perMillionOutputTokens: null }))).toMatchObject({
      costSource: 'ceiling',
    });
  });

  it('does not trust a reported cost of 0 for a priced call', () => {
    expect(charge(dynamic(), { reported: 0n, usage: { searches: 1 } }, TERMS)).toMatchObject({
      costSource: 'computed',
    });
    expect(charge(dynamic(), { reported: 0n }, TERMS)).toMatchObject({
      charged: 50_000_000n,
      costSource: 'ceiling',
    });
    expect(charge(flat(5_000_000n), { reported: 0n }, TERMS)).toMatchObject({
      charged: 5_000_000n,
      costSource: 'flat',
    });
    expect(chargeUsage({ inputTokens: 0, outputTokens: 0, searches: 0 })).toMatchObject({ costSource: 'ceiling' });
  });

  it('trusts a reported cost of 0 for a free model, whose callers pay nothing whatever is reported', () => {
    expect(charge(flat(0n), { reported: 0n }, TERMS)).toMatchObject({ charged: 0n, costSource: 'reported' });
    expect(charge(flat(0n), {}, TERMS)).toMatchObject({ charged: 0n, costSource: 'flat' });
    expect(charge(flat(0n), { reported: 3n }, TERMS)).toMatchObject({ charged: 0n, uncovered: 3n });
  });

  it('charges a report up to 20 times the flat price, and above that the flat price', () => {
    expect(charge(flat(5n), { reported: 100n }, TERMS)).toMatchObject({ charged: 100n, isImplausible: false });
    expect(charge(flat(5n), { reported: 101n }, TERMS)).toEqual({
      charged: 5n,
      beforeMarkup: 5n,
      upstreamCost: 101n,
      uncovered: 96n,
      isImplausible: true,
      costSource: 'flat',
      computed: 5n,
      listed: null,
    });
  });

  it('charges the ceiling of a dynamic price for a report above 20 times the ceiling, with markup', () => {
    const call = { reported: 1_000_000_001n, usage: { searches: 1 } };
    expect(charge(dynamic(), call, terms(parseMultiplier('2')))).toEqual({
      charged: 100_000_000n,
      beforeMarkup: 50_000_000n,
      upstreamCost: 1_000_000_001n,
      uncovered: 950_000_001n,
      isImplausible: true,
      costSource: 'ceiling',
      computed: 2_500_000n,
      listed: null,
    });
  });

  it('charges at most the maximum of the host, and returns the uncovered cost', () => {
    const bounded = terms(parseMultiplier('2'), { mostCharged: 7n });
    expect(charge(flat(5n), { reported: 50n }, bounded)).toMatchObject({
      charged: 7n,
      beforeMarkup: 3n,
      uncovered: 47n,
    });
    expect(charge(flat(5n), { reported: 3n }, bounded)).toMatchObject({ charged: 6n, uncovered: 0n });
  });

  it("charges the host's own price without change and keeps the provider's figure as the cost", () => {
    const price = flat(20_000_000n, { fixed: true });
    expect(charge(price, { reported: 5_000_000n }, TERMS)).toEqual({
      charged: 20_000_000n,
      beforeMarkup: 20_000_000n,
      upstreamCost: 5_000_000n,
      uncovered: 0n,
      isImplausible: false,
      costSource: 'flat',
      computed: null,
      listed: null,
    });
    expect(charge(price, {}, terms(parseMultiplier('2')))).toMatchObject({
      charged: 40_000_000n,
      upstreamCost: 20_000_000n,
    });
  });

  it('ignores implausible figures', () => {
    expect(charge(flat(5n), { reported: -1n }, TERMS)).toMatchObject({ costSource: 'flat' });
    expect(charge(flat(5n), { reported: MAX_CALL_COST + 1n }, TERMS)).toMatchObject({ costSource: 'flat' });
    expect(charge(flat(5n), { reported: 0.005 as unknown as bigint }, TERMS)).toMatchObject({ costSource: 'flat' });
    expect(
      chargeUsage({ inputTokens: Number.NaN, outputTokens: -4, searches: Number.POSITIVE_INFINITY }),
    ).toMatchObject({ costSource: 'ceiling' });
    expect(chargeUsage({ inputTokens: Number.MAX_VALUE })).toMatchObject({ costSource: 'ceiling' });
    expect(chargeUsage({ inputTokens: null, searches: 1 } as unknown as MeteredUsage)).toMatchObject({
      charged: 2_500_000n,
    });
    expect(charge(dynamic(), { usage: null } as never, TERMS)).toMatchObject({ costSource: 'ceiling' });
    expect(charge(dynamic(), undefined, TERMS)).toMatchObject({ costSource: 'ceiling' });
  });

  it('ignores fees of zero', () => {
    expect(chargeUsage({ otherFees: 0n })).toMatchObject({ costSource: 'ceiling', computed: null, listed: null });
  });

  it('never subtracts more cached tokens than input tokens', () => {
    expect(chargeUsage({ inputTokens: 10, cachedInputTokens: 1_000 }).charged).toBe(62_500n);
    expect(chargeUsage({ cachedInputTokens: 1_000 }).charged).toBe(62_500n);
  });

  it('rounds up once, at the end', () => {
    const price = dynamic({ perMillionInputTokens: 400_000n, perMillionOutputTokens: 400_000n });
    expect(chargeUsage({ inputTokens: 1, outputTokens: 1 }, price).charged).toBe(1n);
  });
});

const amount = fc.bigInt({ min: 1n, max: 10n ** 9n });
const rate = fc.option(fc.bigInt({ min: 0n, max: 10n ** 12n }), { nil: null });
const price: fc.Arbitrary<CompiledPrice> = fc.oneof(
  fc
    .record({ request: fc.bigInt({ min: 0n, max: 10n ** 10n }), fixed: fc.boolean() })
    .map(({ request, fixed }) => flat(request, { fixed })),
  fc
    .record({
      perMillionInputTokens: rate,
      perMillionCachedInputTokens: rate,
      perMillionOutputTokens: rate,
      perSearch: rate,
      typical: amount,
      ceiling: amount,
    })
    .map(({ typical, ceiling, ...rates }) =>
      dynamic({
        ...rates,
        typical: typical < ceiling ? typical : ceiling,
        ceiling: typical < ceiling ? ceiling : typical,
      }),
    ),
);
const tokens = fc.option(fc.nat(2_000_000), { nil: undefined });
const usage = fc.record({
  inputTokens: tokens,
  cachedInputTokens: tokens,
  outputTokens: tokens,
  searches: fc.option(fc.nat(50), { nil: undefined }),
  otherFees: fc.option(fc.bigInt({ min: 0n, max: 10n ** 9n }), { nil: undefined }),
}) as fc.Arbitrary<MeteredUsage>;
const cost = fc.record({
  reported: fc.option(fc.bigInt({ min: -10n, max: 10n ** 14n }), { nil: undefined }),
  usage,
}) as fc.Arbitrary<{
  reported: bigint;
  usage: MeteredUsage;
}>;
const markup = fc.bigInt({ min: 0n, max: 10n * NO_MARKUP });

describe('every charge', () => {
  it('is at least zero, and zero only for a free price or a markup of zero', () => {
    fc.assert(
      fc.property(price, cost, markup, (row, call, multiplier) => {
        const { charged, upstreamCost } = charge(row, call, terms(multiplier));
        const isFree = row.kind === 'flat' && row.request === 0n;
        expect(charged >= 0n && upstreamCost >= 0n).toBe(true);
        expect(charged > 0n || isFree || multiplier === 0n).toBe(true);
      }),
    );
  });

  it('covers the cost without markup, except the uncovered part', () => {
    const mostCharged = fc.option(fc.bigInt({ min: 0n, max: 10n ** 10n }), { nil: null });
    fc.assert(
      fc.property(price, cost, mostCharged, (row, call, most) => {
        fc.pre(!(row.kind === 'flat' && row.fixed));
        const { charged, upstreamCost, uncovered } = charge(row, call, terms(NO_MARKUP, { mostCharged: most }));
        expect(charged + uncovered).toBe(upstreamCost);
        expect(most === null || charged <= most).toBe(true);
      }),
    );
  });

  it('loses nothing by rounding and gains less than a nanodollar', () => {
    fc.assert(
      fc.property(price, cost, markup, (row, call, multiplier) => {
        fc.pre(!(row.kind === 'flat' && row.fixed));
        const { charged, upstreamCost, uncovered } = charge(row, call, terms(multiplier));
        const excess = charged * NO_MARKUP - (upstreamCost - uncovered) * multiplier;
        expect(excess >= 0n && excess < NO_MARKUP).toBe(true);
      }),
    );
  });

  it('computed from usage loses nothing by rounding and gains less than a nanodollar', () => {
    const counted = fc.record({
      inputTokens: fc.nat(2_000_000),
      outputTokens: fc.nat(2_000_000),
      searches: fc.integer({ min: 1, max: 9 }),
    });
    fc.assert(
      fc.property(counted, fc.bigInt({ min: 1n, max: 10n ** 12n }), (used, perMillion) => {
        const row = dynamic({ perMillionInputTokens: perMillion, perMillionOutputTokens: 3n * perMillion });
        const exactTimesMillion =
          BigInt(used.inputTokens) * perMillion +
          BigInt(used.outputTokens) * 3n * perMillion +
          BigInt(used.searches) * 2_500_000_000_000n;
        const excess = chargeUsage(used, row).charged * 1_000_000n - exactTimesMillion;
        expect(excess >= 0n && excess < 1_000_000n).toBe(true);
      }),
    );
  });

  it('never falls with more usage', () => {
    const field = fc.constantFrom('inputTokens' as const, 'outputTokens' as const, 'searches' as const);
    const used = fc.record({
      inputTokens: fc.nat(99_999),
      outputTokens: fc.nat(99_999),
      searches: fc.integer({ min: 1, max: 50 }),
    });
    fc.assert(
      fc.property(used, field, fc.nat(99_999), (before, more, extra) => {
        const after = { ...before, [more]: before[more] + extra };
        expect(chargeUsage(after).charged >= chargeUsage(before).charged).toBe(true);
      }),
    );
  });

  it('never falls below the quote of a flat price', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 10n }), markup, (request, multiplier) => {
        expect(charge(flat(request), {}, terms(multiplier)).charged).toBe(
          quote(flat(request), historyOf(), { markup: multiplier }),
        );
      }),
    );
  });
});

describe('isMismatch', () => {
  it('tolerates a fifth of the reported cost and no more', () => {
    expect([isMismatch(100n, 80n), isMismatch(100n, 120n), isMismatch(100n, 100n)]).toEqual([false, false, false]);
    expect([isMismatch(100n, 79n), isMismatch(100n, 121n)]).toEqual([true, true]);
  });

  it('distinguishes zero from more than zero', () => {
    expect(isMismatch(0n, 0n)).toBe(false);
    expect(isMismatch(0n, 1n)).toBe(true);
  });
});
