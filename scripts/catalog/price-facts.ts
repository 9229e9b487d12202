import { LISTED_ROWS } from '../../packages/core/src/catalog/listed-rows.js';
import type { Provenance } from '../../packages/core/src/catalog/model-entry.js';
import type { Provider } from '../../packages/core/src/provider-kit/provider.js';
import { everyProvider } from './every-provider.js';
import { listedPriceText, priceText } from './price-text.js';

/** What is known of one price of a model: one row of a provider's model, or a row of the listed catalog. */
export interface PriceFact extends Provenance {
  readonly slug: string;
  readonly price: string;
  /** ISO date; `null` for "since always". */
  readonly validFrom: string | null;
  /** When the model's next row takes its place; `null` when none does. */
  readonly validUntil: string | null;
}

/** Every price that ships. */
export function shippedPriceFacts(): PriceFact[] {
  return [...listedFacts(), ...answerFacts(everyProvider())];
}

/** The prices of providers' answer models. */
export function answerFacts(providers: readonly Provider[]): PriceFact[] {
  return providers.flatMap(({ models }) =>
    models.flatMap(({ slug, prices }) =>
      prices.map((price, index) => ({
        ...price,
        slug,
        price: priceText(price),
        validFrom: price.validFrom ?? null,
        validUntil: prices[index + 1]?.validFrom ?? null,
      })),
    ),
  );
}

function listedFacts(): PriceFact[] {
  return Object.values(LISTED_ROWS)
    .flat()
    .map(({ id, pricing, provenance }) => ({
      ...provenance,
      slug: id,
      price: listedPriceText(pricing),
      validFrom: null,
      validUntil: null,
    }));
}
