import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { MeteredUsage } from '../base/metered-usage.js';
import { NO_MARKUP } from '../base/money.js';
import { type ChargedCost, type ChargeTerms, charge, failureCost, isMismatch, MAX_CALL_COST } from './charge.js';
import type { CompiledDynamicPrice, CompiledFlatPrice, CompiledPrice } from './compile-prices.js';
import type { OutcomeCost } from './model-entry.js';

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
const NO_RATES = { perResult: 0n, includedResults: 0, resultStep: 1, perPage: 0n, heldPages: 1, perSearchUnit: 0n };
const terms = (markup: bigint, rest: Partial<ChargeTerms> = {}): ChargeTerms => ({
  markup,
  mostCharged: null,
  ...rest,
});
const TERMS = terms(NO_MARKUP);
const chargeUsage = (usage: MeteredUsage, price: CompiledPrice = dynamic()) => charge(price, { usage }, TERMS);

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
  /** All fields, of a charge that is the reported cost. */
  const whole = (figure: bigint): ChargedCost => ({
    charged: figure,
    beforeMarkup: figure,
    upstreamCost: figure,
    uncovered: 0n,
    isImplausible: false,
    costSource: 'reported',
    computed: null,
    listed: null,
  });
  const double = terms(2n * NO_MARKUP);
  const hosts = flat(20n, { fixed: true });
  const everything = { inputTokens: 2_800, cachedInputTokens: 800, outputTokens: 60, searches: 1, otherFees: 500_000n };

  it.each<[string, CompiledPrice, OutcomeCost, ChargeTerms, ChargedCost]>([
    [
      'the reported cost first',
      dynamic(),
      { reported: 3_350_000n, usage: { inputTokens: 1_000 } },
      TERMS,
      { ...whole(3_350_000n), computed: 250_000n },
    ],
    ['the reported cost before a flat price', flat(5n), { reported: 7n }, TERMS, { ...whole(7n), computed: 5n }],
    // 2,000 × 250 + 800 × 62.5 + 60 × 2,500 + 2,500,000 + 500,000 nanodollars
    [
      'the usage next',
      dynamic(),
      { usage: everything },
      TERMS,
      { ...whole(3_700_000n), costSource: 'computed', computed: 3_700_000n },
    ],
    ['the ceiling without a figure', dynamic(), {}, TERMS, { ...whole(50_000_000n), costSource: 'ceiling' }],
    ['up to 20 times the flat price', flat(5n), { reported: 100n }, TERMS, { ...whole(100n), computed: 5n }],
    [
      'the flat price for a higher report',
      flat(5n),
      { reported: 101n },
      TERMS,
      { ...whole(5n), upstreamCost: 101n, uncovered: 96n, isImplausible: true, costSource: 'flat', computed: 5n },
    ],
    [
      'the ceiling for a report above 20 times the ceiling, with markup',
      dynamic(),
      { reported: 1_000_000_001n, usage: { searches: 1 } },
      double,
      {
        ...whole(50_000_000n),
        charged: 100_000_000n,
        upstreamCost: 1_000_000_001n,
        uncovered: 950_000_001n,
        isImplausible: true,
        costSource: 'ceiling',
        computed: 2_500_000n,
      },
    ],
    [
      'at most the maximum of the host',
      flat(5n),
      { reported: 50n },
      { ...double, mostCharged: 7n },
      { ...whole(3n), charged: 7n, upstreamCost: 50n, uncovered: 47n, computed: 5n },
    ],
    [
      'less than the maximum of the host',
      flat(5n),
      { reported: 3n },
      { ...double, mostCharged: 7n },
      { ...whole(3n), charged: 6n, computed: 5n },
    ],
    [
      "the host's own price, with the provider's figure as the cost",
      hosts,
      { reported: 5n },
      TERMS,
      { ...whole(20n), upstreamCost: 5n, costSource: 'flat' },
    ],
    ["the host's own price with markup", hosts, {}, double, { ...whole(20n), charged: 40n, costSource: 'flat' }],
  ])('charges %s', (_fact, price, cost, by, expected) => {
    expect(charge(price, cost, by)).toEqual(expected);
  });

  const ceiling: Partial<ChargedCost> = { charged: 50_000_000n, costSource: 'ceiling', computed: null };
  const listed: Partial<ChargedCost> = { charged: 5n, costSource: 'flat' };

  it.each<[string, CompiledPrice, unknown, Partial<ChargedCost>]>([
    ['usage without a rate of its price', dynamic({ perSearch: null }), { usage: { searches: 3 } }, ceiling],
    ['tokens without a rate', dynamic({ perMillionOutputTokens: null }), { usage: { outputTokens: 3 } }, ceiling],
    ['no usage', dynamic(), { usage: {} }, ceiling],
    [
      'a reported cost of 0 beside usage',
      dynamic(),
      { reported: 0n, usage: { searches: 1 } },
      { costSource: 'computed' },
    ],
    ['a reported cost of 0', dynamic(), { reported: 0n }, ceiling],
    ['a reported cost of 0 at a flat price', flat(5n), { reported: 0n }, listed],
    ['usage of 0', dynamic(), { usage: { inputTokens: 0, outputTokens: 0, searches: 0 } }, ceiling],
    ['fees of 0', dynamic(), { usage: { otherFees: 0n } }, ceiling],
    ['usage at a flat price', flat(5n), { usage: { inputTokens: 9 } }, listed],
    ['a negative cost', flat(5n), { reported: -1n }, listed],
    ['a cost that no call has', flat(5n), { reported: MAX_CALL_COST + 1n }, listed],
    ['a cost that is no whole number', flat(5n), { reported: 0.005 }, listed],
    [
      'counts that are none',
      dynamic(),
      { usage: { inputTokens: Number.NaN, outputTokens: -4, searches: 1 / 0 } },
      ceiling,
    ],
    ['a count that no call has', dynamic(), { usage: { inputTokens: Number.MAX_VALUE } }, ceiling],
    ['a count of null', dynamic(), { usage: { inputTokens: null, searches: 1 } }, { charged: 2_500_000n }],
    ['usage of null', dynamic(), { usage: null }, ceiling],
    ['no cost at all', dynamic(), undefined, ceiling],
    [
      'more cached tokens than tokens',
      dynamic(),
      { usage: { inputTokens: 10, cachedInputTokens: 1_000 } },
      { charged: 62_500n },
    ],
    ['cached tokens alone', dynamic(), { usage: { cachedInputTokens: 1_000 } }, { charged: 62_500n }],
  ])('is not led astray by %s', (_fact, price, cost, expected) => {
    expect(charge(price, cost as OutcomeCost, TERMS)).toMatchObject(expected);
  });

  it('trusts a reported cost of 0 for a free model, whose callers pay nothing whatever is reported', () => {
    expect(charge(flat(0n), { reported: 0n }, TERMS)).toMatchObject({ charged: 0n, costSource: 'reported' });
    expect(charge(flat(0n), {}, TERMS)).toMatchObject({ charged: 0n, costSource: 'flat' });
    expect(charge(flat(0n), { reported: 3n }, TERMS)).toMatchObject({ charged: 0n, uncovered: 3n });
  });

  it('believes no more tokens than a call can have, whatever the form of the price', () => {
    const asked = { likely: { tokens: 250 }, held: { tokens: 1_008 }, most: { tokens: 1_008 } };
    const rates = { ...NO_RATES, perMillionTokens: 250_000_000n };
    for (const price of [dynamic(), flat(0n, { rates }), flat(0n, { rates, fixed: true })]) {
      const by = { ...TERMS, units: asked.likely, asked };
      const parts = [700, 700].map((inputTokens) => ({ cost: { usage: { inputTokens } }, units: { tokens: 125 } }));
      const told = charge(price, undefined, { ...by, parts });
      expect(told).toMatchObject({ charged: 252_000n, isImplausible: true });
      expect(charge(price, { usage: { inputTokens: 1_008 } }, by)).toMatchObject({
        charged: 252_000n,
        isImplausible: false,
      });
    }
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
});

describe('isMismatch', () => {
  it('tolerates a fifth of the reported cost and no more', () => {
    expect([79n, 80n, 100n, 120n, 121n].map((computed) => isMismatch(100n, computed))).toEqual([
      true,
      false,
      false,
      false,
      true,
    ]);
    expect([0n, 1n].map((computed) => isMismatch(0n, computed))).toEqual([false, true]);
  });
});
