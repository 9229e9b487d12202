import listed from './listed-models.json' with { type: 'json' };
import type { ListedRow } from './listed-row.js';
import type { Category } from './model-entry.js';

/**
 * The researched catalog of the categories that are listed but not callable. Answer models come with their providers. A test checks the shape of every row,
 * because the compiler cannot check JSON.
 *
 * A price per request covers up to ten results of a search, a query with at most 100 documents to sort, or a page of an extract.
 * Embeddings are priced per million input tokens; `dimensions` is the default length of their vectors.
 */
export const LISTED_ROWS = listed as unknown as Readonly<Record<Exclude<Category, 'answer'>, readonly ListedRow[]>>;
