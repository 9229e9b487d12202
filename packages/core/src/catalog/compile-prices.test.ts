import { describe, expect, it } from 'vitest';
import { ConfigurationError } from '../base/errors/configuration-error.js';
import { compileHostPrice, compilePrices } from './compile-prices.js';
import type { DynamicPrice, FlatPrice, PriceRow } from './model-entry.js';
import type { HostPrice } from './model-overrides.js';
import { createPriceReader } from './price-reader.js';

const provenance = { source: 'the price list of the test', asOf: '2026-11-20', confidence: 'high' } as const;
const flat = (request: string, validFrom?: string): FlatPrice => ({
  kind: 'flat',
  request,
  ...provenance,
  ...(validFrom !== undefined && { validFrom }),
});
const dynamic = (figures: Partial<DynamicPrice> = {}): DynamicPrice => ({
  kind: 'dynamic',
  typical: '0.01',
  ceiling: '0.05',
  ...provenance,
  ...figures,
});

function compile(...rows: PriceRow[]) {
  const reader = createPriceReader();
  const prices = compilePrices(reader, rows, 'prices');
  reader.finish();
  return prices;
}

function problemsOf(run: () => unknown) {
  try {
    run();
  } catch (error) {
    if (error instanceof ConfigurationError)
      return error.problems.map(({ path, found, expected }) => `${path}: ${found} | ${expected}`);
    throw error;
  }
  return [];
}

const problems = (...rows: PriceRow[]) => problemsOf(() => compile(...rows));

describe('compilePrices', () => {
  it('parses a flat price to nanodollars', () => {
    expect(compile(flat('0.005'))).toEqual([
      { kind: 'flat', validFromMs: Number.NEGATIVE_INFINITY, request: 5_000_000n, rates: null, fixed: false },
    ]);
  });

  it('parses a dynamic price, with null for absent rates', () => {
    expect(compile(dynamic({ perMillionInputTokens: '0.25', perMillionOutputTokens: '2.50' }))).toEqual([
      {
        kind: 'dynamic',
        heldPerMillionInputTokens: null,
        validFromMs: Number.NEGATIVE_INFINITY,
        perMillionInputTokens: 250_000_000n,
        perMillionCachedInputTokens: 250_000_000n,
        perMillionOutputTokens: 2_500_000_000n,
        perSearch: null,
        rates: null,
        typical: 10_000_000n,
        ceiling: 50_000_000n,
      },
    ]);
  });

  it('orders rows by the day they begin, in UTC', () => {
    const prices = compile(flat('0.003', '2027-01-01'), flat('0.001'), flat('0.002', '2026-12-01'));
    expect(prices.map(({ validFromMs }) => validFromMs)).toEqual([
      Number.NEGATIVE_INFINITY,
      Date.UTC(2026, 11, 1),
      Date.UTC(2027, 0, 1),
    ]);
    expect(prices.map((price) => price.kind === 'flat' && price.request)).toEqual([1_000_000n, 2_000_000n, 3_000_000n]);
  });

  it('keeps a free model free', () => {
    expect(compile(flat('0'))[0]).toMatchObject({ request: 0n });
  });

  it('requires a row without validFrom', () => {
    const wanted = 'a price row without validFrom, which holds since always';
    expect(problems()).toEqual([`prices: no price | ${wanted}`]);
    expect(problems(flat('0.001', '2026-12-01'))).toEqual([`prices: only prices with a validFrom | ${wanted}`]);
  });

  it('refuses two rows that begin together', () => {
    expect(problems(flat('0.001'), flat('0.002'))).toHaveLength(1);
    expect(problems(flat('0.001'), flat('0.002', '2026-12-01'), dynamic({ validFrom: '2026-12-01' }))).toEqual([
      'prices: two price rows that begin at the same time | a validFrom of its own for each row',
    ]);
  });

  it.each(['2026-02-30', '2026-13-01', '1 December 2026', '2026-12-01T00:00:00Z', ''])(
    'refuses the date %j',
    (validFrom) => {
      const [problem] = problems(flat('0.001'), flat('0.002', validFrom));
      expect(problem).toBe(`prices[1].validFrom: ${JSON.stringify(validFrom)} | an ISO date such as "2027-01-01"`);
    },
  );

  it.each(['', 'free', '-0.001', '-1', '1e-3', '0,005', '0.0000000001', '.5', 'Infinity'])(
    'refuses the amount %j',
    (amount) => {
      const [problem, ...more] = problems(flat(amount));
      expect(problem).toContain(`prices[0].request: ${JSON.stringify(amount)} | a decimal string of US dollars`);
      expect(more).toEqual([]);
    },
  );

  it('refuses a number, as a provider without types may give', () => {
    expect(problems(flat(0.005 as unknown as string))[0]).toContain('prices[0].request: 0.005 | a decimal string');
  });

  it('refuses amounts that must have a wrong unit', () => {
    expect(problems(flat('10'))).toEqual([]);
    expect(problems(flat('10.000000001'))[0]).toContain('from "0" to "10"');
    expect(problems(dynamic({ perMillionInputTokens: '1000', perSearch: '10', ceiling: '10' }))).toEqual([]);
    expect(problems(dynamic({ perMillionOutputTokens: '1000.01' }))[0]).toContain(
      'prices[0].perMillionOutputTokens: "1000.01"',
    );
    expect(problems(dynamic({ perSearch: '14' }))[0]).toContain('prices[0].perSearch: "14"');
    expect(problems(dynamic({ ceiling: '35' }))[0]).toContain('prices[0].ceiling: "35"');
  });

  it.each([
    ['includedResults', -1, 0],
    ['resultStep', 0, 1],
    ['heldPages', 1.5, 1],
  ])('refuses a %s of %d', (name, count, least) => {
    expect(problems({ ...flat('0.001'), perPage: '0.001', [name]: least })).toEqual([]);
    expect(problems({ ...flat('0.001'), perPage: '0.001', [name]: count })).toEqual([
      `prices[0].${name}: ${count} | a whole number from ${least}`,
    ]);
  });

  it('refuses a typical figure above the ceiling', () => {
    expect(problems(dynamic({ typical: '0.05', ceiling: '0.05' }))).toEqual([]);
    expect(problems(dynamic({ typical: '0.051', ceiling: '0.05' }))).toEqual([
      'prices[0].typical: "0.051" | at most the ceiling, "0.05"',
    ]);
  });

  it('refuses estimates of zero, which would make a priced call free', () => {
    expect(problems(dynamic({ typical: '0' }))).toHaveLength(1);
    expect(problems(dynamic({ typical: '0.01', ceiling: '0' }))).toHaveLength(1);
  });

  it('refuses a rate for cached tokens without a rate for other tokens', () => {
    expect(problems(dynamic({ perMillionCachedInputTokens: '0.1' }))).toEqual([
      'prices[0]: perMillionCachedInputTokens alone | perMillionInputTokens beside it',
    ]);
  });

  it('names every problem at once', () => {
    expect(problems(flat('x', 'y'), dynamic({ typical: '', ceiling: '11' }))).toHaveLength(4);
  });
});

describe('compileHostPrice', () => {
  function compileHost(price: HostPrice) {
    const reader = createPriceReader();
    const prices = compileHostPrice(reader, price, { path: 'models["a/b"].price', category: 'answer' });
    reader.finish();
    return prices;
  }

  it('makes a string the price of every call', () => {
    expect(compileHost('0.02')).toEqual([
      { kind: 'flat', validFromMs: Number.NEGATIVE_INFINITY, request: 20_000_000n, rates: null, fixed: true },
    ]);
  });

  it('accepts the figures of a dynamic price', () => {
    expect(compileHost({ typical: '0.01', ceiling: '0.02', perSearch: '0.003' })[0]).toMatchObject({
      kind: 'dynamic',
      typical: 10_000_000n,
      ceiling: 20_000_000n,
      perSearch: 3_000_000n,
      perMillionInputTokens: null,
    });
  });

  it('checks figures like those of a provider and names their path', () => {
    expect(problemsOf(() => compileHost('12'))[0]).toMatch(/^models\["a\/b"\]\.price: "12" \| /);
    expect(problemsOf(() => compileHost({ typical: '0.1', ceiling: '0.01' }))[0]).toMatch(
      /^models\["a\/b"\]\.price\.typical: /,
    );
  });
});
