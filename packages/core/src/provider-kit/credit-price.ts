import type { z } from 'zod';
import { divideUp, formatUsd, parseUsd } from '../base/money.js';
import type { DynamicPrice, FlatPrice, ModelRow } from '../catalog/model-entry.js';
import { outcomeCost, type ReportedUsage } from './compose-answer.js';
import { textLike } from './define-provider.js';
import type { OutcomeCost } from './provider.js';

/** The setting for what an account pays for a credit, in USD as a decimal string. @param listed the default: the price of the catalog's rows. */
export function creditPrice(listed: string): z.ZodDefault<z.ZodString> {
  const expected = `a decimal string of US dollars above 0 with at most 9 decimals, such as "${listed}"`;
  return textLike(/^(?=.*[1-9])\d(?:\.\d{1,9})?$/, expected).default(listed);
}

/** A model with its flat prices, or its dynamic prices, changed. */
export function withPrices(model: ModelRow, change: PriceChange): ModelRow {
  const { flat = (row) => row, dynamic = (row) => row } = change;
  return { ...model, prices: model.prices.map((row) => (row.kind === 'flat' ? flat(row) : dynamic(row))) };
}

interface PriceChange {
  readonly flat?: (row: FlatPrice) => FlatPrice;
  readonly dynamic?: (row: DynamicPrice) => DynamicPrice;
}

/** The price of what costs `price` where a unit costs `listed`, if the account pays `paid` for the unit. In USD, as decimal strings. */
export function atPaidPrice(price: string, { listed, paid }: PaidUnit): string {
  return formatUsd(divideUp(parseUsd(price) * parseUsd(paid), parseUsd(listed)));
}

interface PaidUnit {
  readonly listed: string;
  readonly paid: string;
}

/** A model at the price that an account pays for a credit, for vendors all of whose flat prices are of credits. */
export function atCreditPrice(model: ModelRow, credit: PaidUnit): ModelRow {
  const at = (price: string | undefined) => price && atPaidPrice(price, credit);
  return withPrices(model, {
    flat: (row) => ({ ...row, request: at(row.request), perResult: at(row.perResult), perPage: at(row.perPage) }),
  });
}

/** The cost of a call whose vendor reports credits. @param credits any other number, or none, counts as no report. */
export function creditCost(
  credits: number | null | undefined,
  usdPerCredit: string,
  usage?: ReportedUsage,
): OutcomeCost {
  return outcomeCost((credits ?? Number.NaN) * Number(usdPerCredit), usage);
}
