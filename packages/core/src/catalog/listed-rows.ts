import { EMBEDDING_MODELS } from './listed/embedding-models.js';
import { EXTRACT_MODELS } from './listed/extract-models.js';
import { RERANK_MODELS } from './listed/rerank-models.js';
import { SEARCH_MODELS } from './listed/search-models.js';
import type { ListedRow } from './listed-row.js';
import type { Category } from './model-entry.js';

/** The researched catalog (2026-11-20) of the categories that are listed but cannot be called. Answer models come with their providers. */
export const LISTED_ROWS: Readonly<Record<Exclude<Category, 'answer'>, readonly ListedRow[]>> = {
  search: SEARCH_MODELS,
  embedding: EMBEDDING_MODELS,
  rerank: RERANK_MODELS,
  extract: EXTRACT_MODELS,
};
