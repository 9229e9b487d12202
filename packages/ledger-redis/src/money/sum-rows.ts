import { type UsageSums, usageSumsOf } from '@searchgate/core/ledger';

/**
 * Sums as a script gives them: `\n`, the name without its period, a tab, the figures. The name is organization, key, model, a tab, a tag and, behind `\u0001`,
 * budgets.
 */
export interface SumRow {
  readonly owner: string;
  readonly tag: string;
  /** Ids with spaces between; empty for none. */
  readonly budgets: string;
  readonly sums: string;
}

export function* rowsOf(text: string): Generator<SumRow> {
  for (let start = 1; start < text.length; ) {
    const end = text.indexOf('\n', start);
    const stop = end < 0 ? text.length : end;
    const tag = text.indexOf('\t', start) + 1;
    const sums = text.indexOf('\t', tag) + 1;
    const [owner, tagged, figures] = [text.slice(start, tag - 1), text.slice(tag, sums - 1), text.slice(sums, stop)];
    const mark = tagged.indexOf('\u0001');
    if (mark < 0) yield { owner, tag: tagged, budgets: '', sums: figures };
    else yield { owner, tag: tagged.slice(0, mark), budgets: tagged.slice(mark + 1), sums: figures };
    start = stop + 1;
  }
}

/** Digits of a number which a few million of can be added before one is no longer exact. */
const SHORT_DIGITS = 15;
const MOST_SHORT = 2 ** 52;

/** Figures that grow: short ones are added as numbers, which is ten times as fast as bigints, and carried over before they are no longer exact. */
export interface Totals {
  readonly short: number[];
  readonly long: bigint[];
}

export function createTotals(): Totals {
  return { short: [], long: [] };
}

/** @param sums figures with spaces between, as in {@link SumRow}. */
export function addTo(totals: Totals, sums: string): void {
  let place = 0;
  for (let start = 0; start <= sums.length; place += 1) {
    const space = sums.indexOf(' ', start);
    const stop = space < 0 ? sums.length : space;
    if (stop - start <= SHORT_DIGITS) addShort(totals, place, Number(sums.slice(start, stop)));
    else totals.long[place] = (totals.long[place] ?? 0n) + BigInt(sums.slice(start, stop));
    start = stop + 1;
  }
}

function addShort({ short, long }: Totals, place: number, figure: number): void {
  const before = short[place] ?? 0;
  if (Math.abs(before + figure) < MOST_SHORT) {
    short[place] = before + figure;
    return;
  }
  long[place] = (long[place] ?? 0n) + BigInt(before);
  short[place] = figure;
}

/** Its figures are in the order of SUMS. */
export function sumsOf({ short, long }: Totals): UsageSums {
  const figures = Array.from({ length: 8 }, (_, place) => (long[place] ?? 0n) + BigInt(short[place] ?? 0));
  const [charges = 0n, charged = 0n, upstreamCost = 0n, cachedCharges = 0n, cached = 0n, ...others] = figures;
  return usageSumsOf([charges, cachedCharges, charged, cached, upstreamCost, ...others]);
}
