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
const usage = { inputTokens: 1_000 };
const chargeUsage = (used: MeteredUsage, price: CompiledPrice = dynamic()) => charge(price, { usage: used }, TERMS);

describe('failureCost', () => {
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

  const capped = { ...double, mostCharged: 7n };
  /** 2,000 × 250 + 800 × 62.5 + 60 × 2,500 + 2,500,000 + 500,000 nanodollars */
  const total = 3_700_000n;

  it.each<[string, CompiledPrice, OutcomeCost, ChargedCost, ChargeTerms?]>([
    [
      'the reported cost first',
      dynamic(),
      { reported: 3_350_000n, usage },
      { ...whole(3_350_000n), computed: 250_000n },
    ],
    ['the reported cost before a flat price', flat(5n), { reported: 7n }, { ...whole(7n), computed: 5n }],
    ['the usage next', dynamic(), { usage: everything }, { ...whole(total), costSource: 'computed', computed: total }],
    ['the ceiling without a figure', dynamic(), {}, { ...whole(50_000_000n), costSource: 'ceiling' }],
    ['up to 20 times the flat price', flat(5n), { reported: 100n }, { ...whole(100n), computed: 5n }],
    [
      'the flat price for a higher report',
      flat(5n),
      { reported: 101n },
      { ...whole(5n), upstreamCost: 101n, uncovered: 96n, isImplausible: true, costSource: 'flat', computed: 5n },
    ],
    [
      'the ceiling for a report above 20 times the ceiling, with markup',
      dynamic(),
      { reported: 1_000_000_001n, usage: { searches: 1 } },
      {
        ...whole(50_000_000n),
        charged: 100_000_000n,
        upstreamCost: 1_000_000_001n,
        uncovered: 950_000_001n,
        isImplausible: true,
        costSource: 'ceiling',
        computed: 2_500_000n,
      },
      double,
    ],
    [
      'at most the maximum of the host',
      flat(5n),
      { reported: 50n },
      { ...whole(3n), charged: 7n, upstreamCost: 50n, uncovered: 47n, computed: 5n },
      capped,
    ],
    ['less than that maximum', flat(5n), { reported: 3n }, { ...whole(3n), charged: 6n, computed: 5n }, capped],
    ["the host's price", hosts, { reported: 5n }, { ...whole(20n), upstreamCost: 5n, costSource: 'flat' }],
    ["the host's price with markup", hosts, {}, { ...whole(20n), charged: 40n, costSource: 'flat' }, double],
  ])('charges %s', (_fact, price, cost, expected, by = TERMS) => {
    expect(charge(price, cost, by)).toEqual(expected);
  });

  const ceiling: Partial<ChargedCost> = { charged: 50_000_000n, costSource: 'ceiling', computed: null };
  const listed: Partial<ChargedCost> = { charged: 5n, costSource: 'flat' };

  it.each<[string, unknown, Partial<ChargedCost>, CompiledPrice?]>([
    ['usage without a rate of its price', { usage: { searches: 3 } }, ceiling, dynamic({ perSearch: null })],
    ['tokens without a rate', { usage: { outputTokens: 3 } }, ceiling, dynamic({ perMillionOutputTokens: null })],
    ['no usage', { usage: {} }, ceiling],
    ['a reported cost of 0 beside usage', { reported: 0n, usage: { searches: 1 } }, { costSource: 'computed' }],
    ['a reported cost of 0', { reported: 0n }, ceiling],
    ['a reported cost of 0 at a flat price', { reported: 0n }, listed, flat(5n)],
    ['usage of 0', { usage: { inputTokens: 0, outputTokens: 0, searches: 0 } }, ceiling],
    ['fees of 0', { usage: { otherFees: 0n } }, ceiling],
    ['usage at a flat price', { usage: { inputTokens: 9 } }, listed, flat(5n)],
    ['a negative cost', { reported: -1n }, listed, flat(5n)],
    ['a cost that no call has', { reported: MAX_CALL_COST + 1n }, listed, flat(5n)],
    ['a cost that is no whole number', { reported: 0.005 }, listed, flat(5n)],
    ['counts that are none', { usage: { inputTokens: Number.NaN, outputTokens: -4, searches: 1 / 0 } }, ceiling],
    ['a count that no call has', { usage: { inputTokens: Number.MAX_VALUE } }, ceiling],
    ['a count of null', { usage: { inputTokens: null, searches: 1 } }, { charged: 2_500_000n }],
    ['usage of null', { usage: null }, ceiling],
    ['no cost at all', undefined, ceiling],
    ['more cached tokens than tokens', { usage: { inputTokens: 10, cachedInputTokens: 1_000 } }, { charged: 62_500n }],
    ['cached tokens alone', { usage: { cachedInputTokens: 1_000 } }, { charged: 62_500n }],
  ])('is not led astray by %s', (_fact, cost, expected, price = dynamic()) => {
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
      const told = [charge(price, undefined, { ...by, parts }), charge(price, { usage: { inputTokens: 1_008 } }, by)];
      expect(told.map(({ charged, isImplausible }) => [charged, isImplausible])).toEqual([
        [252_000n, true],
        [252_000n, false],
      ]);
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
    .map(({ typical, ceiling, ...rates }) => {
      const [less, more] = typical < ceiling ? [typical, ceiling] : [ceiling, typical];
      return dynamic({ ...rates, typical: less, ceiling: more });
    }),
);
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const tokens = maybe(fc.nat(2_000_000));
const anyUsage = fc.record({
  inputTokens: tokens,
  cachedInputTokens: tokens,
  outputTokens: tokens,
  searches: maybe(fc.nat(50)),
  otherFees: maybe(fc.bigInt({ min: 0n, max: 10n ** 9n })),
});
const reported = maybe(fc.bigInt({ min: -10n, max: 10n ** 14n }));
const cost = fc.record({ reported, usage: anyUsage }) as fc.Arbitrary<Required<OutcomeCost>>;
const markup = fc.bigInt({ min: 0n, max: 10n * NO_MARKUP });

describe('every charge', () => {
  it('is zero only for a free price or a markup of zero, loses nothing by rounding and gains less than a nanodollar', () => {
    fc.assert(
      fc.property(price, cost, markup, (row, call, multiplier) => {
        const { charged, upstreamCost, uncovered } = charge(row, call, terms(multiplier));
        const isFree = row.kind === 'flat' && row.request === 0n;
        expect(charged > 0n || (charged === 0n && (isFree || multiplier === 0n))).toBe(true);
        const excess = charged * NO_MARKUP - (upstreamCost - uncovered) * multiplier;
        expect((row.kind === 'flat' && row.fixed) || (excess >= 0n && excess < NO_MARKUP)).toBe(true);
      }),
    );
  });

  const searches = fc.integer({ min: 1, max: 50 });
  const counted = fc.record({ inputTokens: fc.nat(2_000_000), outputTokens: fc.nat(2_000_000), searches });

  it('computed from usage loses nothing by rounding and gains less than a nanodollar', () => {
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
    fc.assert(
      fc.property(counted, field, fc.nat(99_999), (before, more, extra) => {
        const after = { ...before, [more]: before[more] + extra };
        expect(chargeUsage(after).charged >= chargeUsage(before).charged).toBe(true);
      }),
    );
  });
});

describe('isMismatch', () => {
  it('tolerates a fifth of the reported cost and no more', () => {
    expect([79n, 80n, 100n, 120n, 121n].filter((computed) => isMismatch(100n, computed))).toEqual([79n, 121n]);
    expect([0n, 1n].map((computed) => isMismatch(0n, computed))).toEqual([false, true]);
  });
});
