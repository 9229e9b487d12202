import type { ListedRow } from '../../packages/core/src/catalog/listed-row.js';
import type { PriceRow } from '../../packages/core/src/catalog/model-entry.js';

/** A price in USD per answer: one figure, or from what a call typically costs to the most it is held at. */
export function priceText(price: PriceRow): string {
  if (price.kind === 'flat') return price.request;
  return price.typical === price.ceiling ? price.ceiling : `${price.typical} to ${price.ceiling}`;
}

/** The price of a model that is only listed. */
export function listedPriceText({ request, perMillionTokens }: ListedRow['pricing']): string {
  const parts = [
    request === undefined ? [] : [request === '-1' ? 'dynamic' : request],
    perMillionTokens === undefined ? [] : [`${perMillionTokens} per 1M tokens`],
  ];
  return parts.flat().join(', ') || 'unknown';
}
