import listed from './listed-models.json' with { type: 'json' };
import type { ListedRow } from './listed-row.js';
import type { Category } from './model-entry.js';

/**
 * The researched catalog of the categories that are listed but cannot be called: data, a row a line. Answer models come with their
 * providers. A test holds every row to its shape, which the compiler cannot check in JSON.
 *
 * A price per request covers up to ten results of a search, one query with at most 100 documents of a rerank, one page of an extract.
 * Embeddings are priced per million input tokens; `dimensions` is the default length of their vectors.
 */
export const LISTED_ROWS = listed as unknown as Readonly<Record<Exclude<Category, 'answer'>, readonly ListedRow[]>>;
