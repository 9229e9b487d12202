import type { NanoUsd } from '../base/money.js';
import { describeValue } from '../base/options/parse-options.js';
import { type Category, hostPriceOf } from './categories.js';
import type { DynamicPrice, PriceRow, Provenance, UnitRates } from './model-entry.js';
import type { HostDynamicPrice, HostPrice } from './model-overrides.js';
import { ESTIMATE, PER_MILLION, PER_REQUEST, type PriceReader } from './price-reader.js';

/** A fixed price per call, in nanodollars. */
export interface CompiledFlatPrice {
  readonly kind: 'flat';
  /** `-Infinity` for "since always". */
  readonly validFromMs: number;
  readonly request: NanoUsd;
  /** `null` for a price per call alone. */
  readonly rates: CompiledUnitRates | null;
  /** True for a price that the host set: charged without change, whatever the provider reports. */
  readonly fixed: boolean;
}

/** Rates in nanodollars; 0 for a rate that the model does not have. */
export interface CompiledUnitRates extends Readonly<Record<UnitRate, NanoUsd>> {
  readonly includedResults: number;
  /** Results beyond these are billed in whole steps of so many. */
  readonly resultStep: number;
  /** The most pages that are billed for each page that is asked for. */
  readonly heldPages: number;
}

type DynamicRate = Exclude<keyof HostDynamicPrice, 'typical' | 'ceiling'>;

/** Rates in nanodollars; `null` for a rate that the model does not have. */
export interface CompiledDynamicPrice extends Readonly<Record<DynamicRate, NanoUsd | null>> {
  readonly kind: 'dynamic';
  readonly validFromMs: number;
  /** `null` for no rates of units. */
  readonly rates: CompiledUnitRates | null;
  readonly typical: NanoUsd;
  readonly ceiling: NanoUsd;
  /** Held of a million tokens beyond what `typical` foresees. Default: the rate of input tokens, else that of the dearest model. */
  readonly heldPerMillionInputTokens?: NanoUsd | null;
}

export type CompiledPrice = CompiledFlatPrice | CompiledDynamicPrice;

/** In order of `validFromMs`; the first row has no beginning. */
export type CompiledPrices = readonly [CompiledPrice, ...CompiledPrice[]];

/**
 * Parses the price rows of a model. Reports to the reader: amounts that are no plain decimals, finer than a nanodollar or implausibly high, `typical` above
 * `ceiling`, estimates of zero, a wrong or repeated `validFrom`, no row without `validFrom`. The result is only valid without problems.
 *
 * @param path the path of the rows in the options, for error messages.
 */
export function compilePrices(reader: PriceReader, rows: readonly PriceRow[], path: string): CompiledPrices {
  const compiled = rows.map((row, index) => compileRow(reader, row, `${path}[${index}]`));
  compiled.sort((a, b) => a.validFromMs - b.validFromMs);
  const [first, ...later] = compiled;
  if (first?.validFromMs !== Number.NEGATIVE_INFINITY) {
    const found = rows.length === 0 ? 'no price' : 'only prices with a validFrom';
    reader.problem({ path, found, expected: 'a price row without validFrom, which holds since always' });
  }
  if (later.some(({ validFromMs }, index) => validFromMs === compiled[index]?.validFromMs)) {
    const found = 'two price rows that begin at the same time';
    reader.problem({ path, found, expected: 'a validFrom of its own for each row' });
  }
  return [first as CompiledPrice, ...later];
}

/** Parses the price that the host set for a model; reports problems to the reader. */
export function compileHostPrice(
  reader: PriceReader,
  price: HostPrice,
  { path, category }: { readonly path: string; readonly category: Category },
): CompiledPrices {
  const validFromMs = Number.NEGATIVE_INFINITY;
  if (typeof price !== 'string') return [{ kind: 'dynamic', validFromMs, ...compileRates(reader, price, path) }];
  const rate = hostPriceOf(category);
  const amount = reader.usd(price, path, rate === 'perMillionTokens' ? PER_MILLION : PER_REQUEST);
  const priced =
    rate === undefined ? { request: amount, rates: null } : { request: 0n, rates: { ...NO_RATES, [rate]: amount } };
  return [{ kind: 'flat', validFromMs, ...priced, fixed: true }];
}

const NO_RATES: CompiledUnitRates = {
  perResult: 0n,
  includedResults: 0,
  resultStep: 1,
  perPage: 0n,
  heldPages: 1,
  perSearchUnit: 0n,
  perMillionTokens: 0n,
};

function compileRow(reader: PriceReader, row: PriceRow, path: string): CompiledPrice {
  const validFromMs = reader.dateMs(row.validFrom, `${path}.validFrom`);
  if (row.kind === 'dynamic') return { kind: 'dynamic', validFromMs, ...compileRates(reader, row, path) };
  const rates = compileUnitRates(reader, row, path);
  const { request = rates === null ? undefined : '0' } = row;
  const amount = reader.usd(request, `${path}.request`, PER_REQUEST);
  return { kind: 'flat', validFromMs, request: amount, rates, fixed: false };
}

/** Parses the rates of units; reports problems to the reader. */
export function compileUnitRates(reader: PriceReader, row: UnitRates, path: string): CompiledUnitRates | null {
  const { includedResults = 0, resultStep = 1, heldPages = 1 } = row;
  for (const [name, count, least] of [
    ['includedResults', includedResults, 0],
    ['resultStep', resultStep, 1],
    ['heldPages', heldPages, 1],
  ] as const) {
    if (Number.isSafeInteger(count) && count >= least) continue;
    reader.wrong(`${path}.${name}`, count, `a whole number from ${least}`);
  }
  if (UNIT_RATES.every((name) => row[name] === undefined)) return null;
  const rate = (name: UnitRate) =>
    reader.optionalUsd(row[name], `${path}.${name}`, name === 'perMillionTokens' ? PER_MILLION : PER_REQUEST) ?? 0n;
  const rates = Object.fromEntries(UNIT_RATES.map((name) => [name, rate(name)])) as Record<UnitRate, NanoUsd>;
  return { ...rates, includedResults, resultStep, heldPages };
}

export const UNIT_RATES = ['perResult', 'perPage', 'perSearchUnit', 'perMillionTokens'] as const;
type UnitRate = (typeof UNIT_RATES)[number];

type Rates = Omit<CompiledDynamicPrice, 'kind' | 'validFromMs'>;

type WrittenRates = Omit<DynamicPrice, 'kind' | 'validFrom' | keyof Provenance>;

function compileRates(reader: PriceReader, price: WrittenRates, path: string): Rates {
  const perMillion = (name: keyof HostDynamicPrice | 'heldPerMillionInputTokens') =>
    reader.optionalUsd(price[name], `${path}.${name}`, PER_MILLION);
  const input = perMillion('perMillionInputTokens');
  const cached = perMillion('perMillionCachedInputTokens');
  const typical = reader.usd(price.typical, `${path}.typical`, ESTIMATE);
  const ceiling = reader.usd(price.ceiling, `${path}.ceiling`, ESTIMATE);
  if (cached !== null && input === null) {
    reader.problem({ path, found: 'perMillionCachedInputTokens alone', expected: 'perMillionInputTokens beside it' });
  }
  // A ceiling of 0 has been reported already.
  if (ceiling > 0n && typical > ceiling) {
    const expected = `at most the ceiling, ${describeValue(price.ceiling)}`;
    reader.wrong(`${path}.typical`, price.typical, expected);
  }
  return {
    perMillionInputTokens: input,
    heldPerMillionInputTokens: perMillion('heldPerMillionInputTokens'),
    perMillionCachedInputTokens: cached ?? input,
    perMillionOutputTokens: perMillion('perMillionOutputTokens'),
    perSearch: reader.optionalUsd(price.perSearch, `${path}.perSearch`, PER_REQUEST),
    rates: compileUnitRates(reader, price, path),
    typical,
    ceiling,
  };
}
