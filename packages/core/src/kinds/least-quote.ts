import type { NanoUsd } from '../base/money.js';
import type { CallableModel } from '../catalog/catalog.js';
import { type ModelTerms, quoteModel } from '../catalog/quote.js';
import { askedFor } from '../catalog/units.js';
import { KIND_LIST } from './kinds.js';

/** By category; absent for answers. */
const SMALLEST = new Map(KIND_LIST.map(([, { category, smallest }]) => [category as string, smallest]));

type PricedModel = Pick<CallableModel, 'category' | 'model' | 'prices' | 'histories'>;

/** The amount to hold for the cheapest call of any model that costs something; 0 without such models. */
export function leastQuote(models: Iterable<PricedModel>, terms: Omit<ModelTerms, 'unitsOf'>): NanoUsd {
  let least: NanoUsd | undefined;
  for (const model of models) {
    const units = SMALLEST.get(model.category);
    const { amount } = quoteModel(model, { ...terms, unitsOf: units && (() => askedFor(units)) });
    if (amount > 0n && (least === undefined || amount < least)) least = amount;
  }
  return least ?? 0n;
}
