import type { z } from 'zod';
import { divideUp, formatUsd, parseUsd } from '../base/money.js';
import type { ModelRow } from '../catalog/model-entry.js';
import { textLike } from './setting-schemas.js';

/** The setting for what an account pays for a credit, in USD as a decimal string. @param listed the default: the price of the catalog's rows. */
export function creditPrice(listed: string): z.ZodDefault<z.ZodString> {
  const expected = `a decimal string of US dollars above 0 with at most 9 decimals, such as "${listed}"`;
  return textLike(/^(?=.*[1-9])\d(?:\.\d{1,9})?$/, expected).default(listed);
}

/** The models at the price that an account pays for a credit, for vendors all of whose flat prices are of credits. */
export function atCreditPrice(
  models: readonly ModelRow[],
  { listed, paid }: { readonly listed: string; readonly paid: string },
): ModelRow[] {
  const at = (price: string | undefined) =>
    price && formatUsd(divideUp(parseUsd(price) * parseUsd(paid), parseUsd(listed)));
  return models.map((model) => ({
    ...model,
    prices: model.prices.map((row) =>
      row.kind === 'flat'
        ? { ...row, request: at(row.request), perResult: at(row.perResult), perPage: at(row.perPage) }
        : row,
    ),
  }));
}
