import type { Category } from '@searchgate/core';

/** The last part of the path of a category's calls. */
export function pathOf(category: Category): string {
  return category === 'embedding' ? 'embeddings' : category;
}
