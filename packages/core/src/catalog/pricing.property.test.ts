import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NO_MARKUP } from '../base/money.js';
import type { CompiledDynamicPrice, CompiledFlatPrice, CompiledPrice } from './compile-prices.js';
import { createCostHistory } from './cost-history.js';
import { charge, listPrice, quote, recordCost, type Units } from './pricing.js';

const ALWAYS = Number.NEGATIVE_INFINITY;
const amount = (most: bigint) => fc.bigInt({ min: 0n, max: most });
const rates = fc.record({
  perResult: amount(10_000_000n),
  includedResults: fc.nat({ max: 20 }),
  resultStep: fc.integer({ min: 1, max: 20 }),
  perPage: amount(10_000_000n),
  heldPages: fc.constant(1),
  perSearchUnit: amount(10_000_000n),
  perMillionTokens: amount(500_000_000n),
});
const flat: fc.Arbitrary<CompiledFlatPrice> = fc
  .record({ request: amount(50_000_000n), rates })
  .map((row) => ({ kind: 'flat', validFromMs: ALWAYS, fixed: false, ...row }));
const dynamic: fc.Arbitrary<CompiledDynamicPrice> = fc
  .record({ typical: fc.bigInt({ min: 1n, max: 50_000_000n }), factor: fc.bigInt({ min: 1n, max: 10n }) })
  .map(({ typical, factor }) => ({
    kind: 'dynamic',
    validFromMs: ALWAYS,
    perMillionInputTokens: null,
    perMillionCachedInputTokens: null,
    perMillionOutputTokens: null,
    perSearch: null,
    rates: null,
    typical,
    ceiling: typical * factor,
  }));
const search: fc.Arbitrary<Units> = fc
  .record({ results: fc.integer({ min: 1, max: 100 }), hasContent: fc.boolean() })
  .map(({ results, hasContent }) => ({ results, pages: hasContent ? results : 0 }));
const extract: fc.Arbitrary<Units> = fc.integer({ min: 1, max: 20 }).map((pages) => ({ pages }));
const tokens = fc.integer({ min: 1, max: 1_000_000 });
const rerank: fc.Arbitrary<Units> = fc.record({ searchUnits: fc.integer({ min: 1, max: 10 }), tokens });
const embedding: fc.Arbitrary<Units> = fc.record({ tokens });
/** A price, and calls of one category at this price. */
const calls = fc
  .tuple(fc.oneof<fc.Arbitrary<CompiledPrice>[]>(flat, dynamic), fc.constantFrom(search, extract, rerank, embedding))
  .chain(([price, asked]) => fc.tuple(fc.constant(price), fc.array(asked, { minLength: 1, maxLength: 40 })));
const markup = fc.bigInt({ min: NO_MARKUP / 2n, max: NO_MARKUP * 3n });

/** Holds and charges the calls one after the other. @param costOf what the provider reports; `undefined` for no report. */
function run(
  price: CompiledPrice,
  asked: readonly Units[],
  { costOf, by = NO_MARKUP }: { costOf: (units: Units) => bigint | undefined; by?: bigint },
) {
  const history = createCostHistory();
  return asked.map((units) => {
    const held = quote(price, history, { markup: by, units });
    const cost = charge(price, { reported: costOf(units) }, { markup: by, mostCharged: null, units });
    if (cost.costSource !== 'ceiling') recordCost(history, cost);
    return { units, held, charged: cost.charged };
  });
}

describe('calls that are priced by their units', () => {
  it('hold what a provider reports that charges its list price, whatever was asked before', () => {
    fc.assert(
      fc.property(calls, markup, ([price, asked], by) => {
        for (const { units, held, charged } of run(price, asked, { costOf: (each) => listPrice(price, each), by })) {
          expect(held).toBeGreaterThanOrEqual(charged);
          // No earlier call raises the hold.
          expect(held).toBe(quote(price, createCostHistory(), { markup: by, units }));
        }
      }),
    );
  });

  it('hold for a flat price what is charged without a report', () => {
    fc.assert(
      fc.property(
        fc.tuple(flat, fc.array(fc.oneof(search, extract), { minLength: 1, maxLength: 20 })),
        ([price, asked]) => {
          for (const { held, charged } of run(price, asked, { costOf: () => undefined })) expect(held).toBe(charged);
        },
      ),
    );
  });

  it('hold for a provider that charges a multiple of its list price that multiple of each size, once that is known', () => {
    const times = fc.bigInt({ min: 2n, max: 19n });
    fc.assert(
      fc.property(calls, times, ([price, asked], factor) => {
        const costOf = (units: Units) => listPrice(price, units) * factor;
        const [, ...later] = run(price, [asked[0]!, ...asked], { costOf });
        for (const { units, held, charged } of later) {
          // A list price of 0 has no multiple.
          if (listPrice(price, units) === 0n || listPrice(price, asked[0]) === 0n) continue;
          expect(held).toBeGreaterThanOrEqual(charged);
          // The proportion is rounded up by at most a billionth.
          expect(held - costOf(units)).toBeLessThanOrEqual(1n + listPrice(price, units) / 1_000_000_000n);
        }
      }),
    );
  });

  it('hold more for more', () => {
    fc.assert(
      fc.property(calls, fc.integer({ min: 1, max: 3 }), ([price, [units]], factor) => {
        const larger = Object.fromEntries(
          Object.entries(units!).map(([unit, count]: [string, number]) => [unit, count * factor]),
        );
        const heldFor = (asked: Units) => quote(price, createCostHistory(), { markup: NO_MARKUP, units: asked });
        expect(heldFor(larger)).toBeGreaterThanOrEqual(heldFor(units!));
      }),
    );
  });

  it('are charged at most twenty times the list price of what was asked, whatever usage a provider reports', () => {
    const usage = fc.record({
      results: fc.double(),
      pages: fc.double(),
      searchUnits: fc.double(),
      inputTokens: fc.double(),
    });
    fc.assert(
      fc.property(calls, usage, ([price, [units]], reported) => {
        const { charged, listed } = charge(
          price,
          { usage: reported },
          { markup: NO_MARKUP, mostCharged: null, units: units! },
        );
        const most =
          price.kind === 'flat' ? listPrice(price, units) : listPrice({ ...price, typical: price.ceiling }, units);
        expect(charged).toBeLessThanOrEqual(most * 20n);
        expect(listed).not.toBeNull();
      }),
    );
  });
});
