import type { OptionSupport, SupportedOption } from '../base/search-options/option-support.js';
import { byPort, isOfTokens, type ProviderPort } from '../catalog/categories.js';
import { LISTED_ROWS, type ListedRow } from '../catalog/listed-rows.js';
import type { Category, ModelRow, PriceRow } from '../catalog/model-entry.js';
import { SEARCH_COUNTRIES, SEARCH_LANGUAGE_TAGS } from './search-lists.js';

/** `values`: the name of one of {@link LISTS}, or words. */
type OptionTable = Readonly<Record<string, Omit<SupportedOption, 'values'> & { readonly values?: string }>>;

/** A model, or what models share. `options` is the name of a table of the file. */
interface Fields extends Partial<Omit<ModelRow, 'slug' | 'options'>> {
  readonly notes?: string;
  readonly options?: string;
}

/** The models of a category: fields of a model come before shared fields, and these before those of the catalog. `price` is part of every price. */
interface Section {
  readonly shared?: Fields;
  readonly price?: Partial<PriceRow>;
  /** By the part of the slug behind the slash. */
  readonly models: Readonly<Record<string, Fields>>;
}

type ModelFile = { readonly options?: Readonly<Record<string, OptionTable>> } & {
  readonly [C in Category]?: Section;
};

/** Values that several vendors take. */
const LISTS: Readonly<Record<string, readonly string[]>> = {
  countries: SEARCH_COUNTRIES,
  languages: [...SEARCH_LANGUAGE_TAGS.keys()],
};

/**
 * The models of a built-in provider by their ports, of its `models.json`. What the researched catalog lists too (name, description, features, limits, flat
 * price) stands there alone. A test and the build check the shape of the files, so that no start has to.
 */
export function readModels(provider: string, file: object): Readonly<Record<ProviderPort, readonly ModelRow[]>> {
  const { options = {}, ...sections } = file as ModelFile;
  const support = new Map(Object.entries(options).map(([name, table]) => [name, supportOf(table)]));
  const rowsOf = (category: Category): ModelRow[] => {
    const { shared, price, models } = sections[category] ?? { models: {} };
    return Object.entries(models).map(([name, own]) => {
      const slug = `${provider}/${name}`;
      const { notes: _notes, options: table, prices, ...fields } = { ...shared, ...own };
      const listed = category === 'answer' ? {} : listedFields(slug, category, prices !== undefined);
      const written = { ...listed, ...fields, ...(prices && { prices: prices.map((row) => ({ ...price, ...row })) }) };
      return { ...written, slug, ...(table && { options: support.get(table) }) } as ModelRow;
    });
  };
  return byPort(rowsOf);
}

function supportOf({ notes: _notes, ...table }: OptionTable): OptionSupport {
  const support = Object.entries(table).map(([option, { values, ...supported }]) => {
    return [option, { ...supported, ...(values !== undefined && { values: LISTS[values] ?? values.split(' ') }) }];
  });
  return Object.fromEntries(support) as OptionSupport;
}

/** @param own whether the file has prices of its own. */
function listedFields(slug: string, category: Exclude<Category, 'answer'>, own: boolean): Partial<ModelRow> {
  const row = LISTED_ROWS[category].find(({ id }) => id === slug);
  if (row === undefined) throw new Error(`the catalog lists no model ${slug} of category ${category}`);
  const { id: _id, pricing: _pricing, provenance: _provenance, ...facts } = row;
  return { contextLength: null, ...facts, prices: own ? [] : [priceOf(row, category)] };
}

function priceOf({ id, pricing, provenance }: ListedRow, category: Category): PriceRow {
  if (pricing.request === '-1' || (pricing.perMillionTokens !== undefined && !isOfTokens(category)))
    throw new Error(`${id} has no flat price: give prices`);
  return { kind: 'flat', ...pricing, ...provenance };
}
