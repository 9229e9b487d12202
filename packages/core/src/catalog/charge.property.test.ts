import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NO_MARKUP } from '../base/money.js';
import { type BilledPart, charge, recordCost } from './charge.js';
import type { CompiledDynamicPrice, CompiledFlatPrice, CompiledPrice } from './compile-prices.js';
import { createCostHistory } from './cost-history.js';
import type { OutcomeCost } from './model-entry.js';
import { quote } from './quote.js';
import { askedFor, listPrice, type Units } from './units.js';

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

const reportedCost: fc.Arbitrary<OutcomeCost | undefined> = fc.option(
  fc.record(
    {
      reported: fc.oneof(amount(10n ** 14n), fc.constant(0n), fc.bigInt()),
      usage: fc.record(
        {
          results: fc.double(),
          pages: fc.nat({ max: 500 }),
          searchUnits: fc.oneof(fc.nat({ max: 500 }), fc.double()),
          inputTokens: fc.oneof(fc.nat({ max: 10 ** 9 }), fc.double()),
        },
        { requiredKeys: [] },
      ),
    },
    { requiredKeys: [] },
  ),
  { nil: undefined },
);
const inParts = (units: fc.Arbitrary<Units | undefined>): fc.Arbitrary<BilledPart[]> =>
  fc.array(fc.record({ cost: reportedCost, units }), { minLength: 1, maxLength: 6 });
/** Parts of one category, or an answer. */
const anyParts = fc.oneof(
  ...[search, extract, rerank, embedding].map(inParts),
  inParts(fc.constant(undefined)).map(([part]) => [part!]),
);
const free: fc.Arbitrary<CompiledFlatPrice> = flat.map((price) => ({ ...price, request: 0n, rates: null }));
const ratedDynamic = fc.tuple(dynamic, rates, amount(10n ** 9n)).map(([price, unitRates, perMillion]) => ({
  ...price,
  rates: unitRates,
  perMillionInputTokens: perMillion,
}));
const anyPrice = fc.oneof<fc.Arbitrary<CompiledPrice>[]>(
  flat,
  flat.map((price) => ({ ...price, fixed: true })),
  flat.map((price) => ({ ...price, rates: null })),
  flat.map((price) => ({ ...price, rates: null, fixed: true })),
  free,
  free.map((price) => ({ ...price, fixed: true })),
  dynamic,
  ratedDynamic,
);

function sumOf(parts: readonly BilledPart[]): Units | undefined {
  if (parts[0]?.units === undefined) return undefined;
  const sum = (unit: keyof Units) => parts.reduce((total, { units }) => total + (units?.[unit] ?? 0), 0);
  return { results: sum('results'), pages: sum('pages'), searchUnits: sum('searchUnits'), tokens: sum('tokens') };
}

/** As a kind whose bound of tokens and search units is held. */
function chargeParts(price: CompiledPrice, parts: readonly BilledPart[], by: bigint, mostCharged: bigint | null) {
  const units = sumOf(parts);
  const { searchUnits = 0, tokens: likely = 0 } = units ?? {};
  const held = units && { ...units, searchUnits: 3 * searchUnits, tokens: 4 * likely };
  const asked = held && { likely: units, held, most: { ...askedFor(held).most, ...bounds(held) } };
  const most = quote(price, undefined, { markup: by, units: held });
  return { ...charge(price, parts[0]?.cost, { markup: by, mostCharged, units, asked, parts }), most, held };
}

const bounds = ({ searchUnits, tokens: most }: Units): Units => ({ searchUnits, tokens: most });

describe('a charge of any price, by any report, in any parts', () => {
  it('is never negative, never above what is absorbed, and with the uncovered part never less than is owed', () => {
    const most = fc.option(amount(10n ** 11n), { nil: null });
    fc.assert(
      fc.property(anyPrice, anyParts, fc.oneof(markup, fc.constant(0n)), most, (price, parts, by, mostCharged) => {
        const { charged, upstreamCost, uncovered, beforeMarkup } = chargeParts(price, parts, by, mostCharged);
        expect(charged >= 0n && uncovered >= 0n && uncovered <= upstreamCost).toBe(true);
        expect(mostCharged === null || charged <= mostCharged).toBe(true);
        // Of a reported cost that the host's own price does not cover, only what was absorbed is uncovered.
        const isOwn = price.kind === 'flat' && price.fixed && parts.some(({ cost }) => cost?.reported !== undefined);
        expect(isOwn || beforeMarkup + uncovered === upstreamCost).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it('is at most what is held where the host fixed the price, whatever is reported', () => {
    const fixed = fc
      .constantFrom(1n, 1_000_000n)
      .chain((scale) =>
        flat.map((price): CompiledFlatPrice => ({ ...price, request: price.request * scale, fixed: true })),
      );
    fc.assert(
      fc.property(fixed, anyParts, markup, (price, parts, by) => {
        const { charged, most } = chargeParts(price, parts, by, null);
        expect(charged).toBeLessThanOrEqual(most);
      }),
      { numRuns: 1_000 },
    );
  });

  it('is the sum of what its parts are charged, by the weakest of their sources', () => {
    const SOURCES = ['reported', 'computed', 'flat', 'ceiling'];
    const believable = fc.oneof<fc.Arbitrary<OutcomeCost | undefined>[]>(
      fc.constant(undefined),
      fc.record({ reported: fc.bigInt({ min: 1n, max: 20n }) }),
      fc.record({ usage: fc.record({ pages: fc.constantFrom(1, 2), inputTokens: fc.constantFrom(1, 3) }) }),
    );
    const parts = fc.array(fc.record({ cost: believable, units: fc.constantFrom<Units>({ pages: 1 }, { pages: 2 }) }), {
      minLength: 1,
      maxLength: 8,
    });
    const whole = fc.nat({ max: 50 }).map((nanos) => BigInt(nanos + 1) * 1_000_000n);
    const none = { perResult: 0n, includedResults: 0, resultStep: 1, heldPages: 1, perSearchUnit: 0n };
    // Whole nanodollars per token: no part is rounded.
    const prices = fc.oneof<fc.Arbitrary<CompiledPrice>[]>(
      fc.tuple(flat, whole, whole, fc.boolean()).map(([price, perPage, perMillionTokens, fixed]) => ({
        ...price,
        request: 0n,
        fixed,
        rates: { ...none, perPage, perMillionTokens },
      })),
      // An estimate far above the costs: none of them is implausible.
      whole.map((perMillionInputTokens): CompiledDynamicPrice => {
        const rateless = {
          perMillionCachedInputTokens: null,
          perMillionOutputTokens: null,
          perSearch: null,
          rates: null,
        };
        const estimates = { typical: 1_000n, ceiling: 50_000n, perMillionInputTokens };
        return { kind: 'dynamic', validFromMs: ALWAYS, ...rateless, ...estimates };
      }),
    );
    fc.assert(
      fc.property(prices, parts, (price, each) => {
        const sum = charge(price, undefined, { markup: NO_MARKUP, mostCharged: null, units: sumOf(each), parts: each });
        const single = each.map(({ cost, units }) =>
          charge(price, cost, { markup: NO_MARKUP, mostCharged: null, units }),
        );
        expect(sum.charged).toBe(single.reduce((total, { charged }) => total + charged, 0n));
        const ranks = single.map(({ costSource }) => SOURCES.indexOf(costSource));
        expect(sum.costSource).toBe(SOURCES[Math.max(...ranks)]);
      }),
      { numRuns: 1_000 },
    );
  });
});
