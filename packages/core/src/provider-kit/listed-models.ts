import type { ListedRow } from '../catalog/listed-row.js';
import { LISTED_ROWS } from '../catalog/listed-rows.js';
import type { Category, ModelRow, PriceRow } from '../catalog/model-entry.js';

interface ListedModels {
  readonly category: Exclude<Category, 'answer'>;
  /** The id of the provider. */
  readonly provider: string;
  /** Fields of all models, which come before those of the catalog. */
  readonly shared: Pick<ModelRow, 'timeoutMs'> & Partial<ModelRow>;
  /**
   * Fields by the part of the slug behind the slash, which come before `shared`. `prices` are needed where the catalog has no flat price, because only the
   * vendor's reply tells it.
   */
  readonly models: Readonly<Record<string, Partial<ModelRow>>>;
}

/**
 * The models of a built-in provider that the researched catalog lists: name, description, features, limits and price are those of the catalog, so that they
 * stand in one place. A provider of another package writes its rows with `modelRows`.
 */
export function listedModels({ category, provider, shared, models }: ListedModels): readonly ModelRow[] {
  return Object.entries(models).map(([name, fields]) => {
    const slug = `${provider}/${name}`;
    const row = LISTED_ROWS[category].find(({ id }) => id === slug);
    if (row === undefined) throw new Error(`the catalog lists no model ${slug} of category ${category}`);
    const { id: _id, pricing: _pricing, provenance: _provenance, ...facts } = row;
    const prices = fields.prices ?? shared.prices ?? [priceOf(row, category)];
    return { contextLength: null, ...facts, ...shared, ...fields, slug, prices };
  });
}

function priceOf({ id, pricing, provenance }: ListedRow, category: Category): PriceRow {
  const { perMillionTokens, ...flat } = pricing;
  const isOfTokens = perMillionTokens !== undefined && (category === 'rerank' || category === 'embedding');
  if (flat.request === '-1' || (perMillionTokens !== undefined && !isOfTokens))
    throw new Error(`${id} has no flat price: give prices`);
  return { kind: 'flat', ...flat, ...(isOfTokens && { perMillionTokens }), ...provenance };
}
