import type { z } from 'zod';
import type { ReplacementOf } from '../base/options/read-request-options.js';
import { createSearchReader } from '../base/search-options/read-search-options.js';
import { invalidFields, issuesOf } from '../kinds/fields.js';
import { createRoutingReader } from '../routing/read-routing-preferences.js';

/**
 * Builds the check of what calls of every kind may have beside the fields of their kind.
 *
 * @returns a function that throws RequestError `invalid_field` with all that is wrong, in those fields too.
 */
export function createAskedReader(nameOf: (field: string) => string, replacementOf: ReplacementOf) {
  const readSearch = createSearchReader(nameOf, replacementOf);
  const readRouting = createRoutingReader(nameOf, replacementOf);

  return <T>(fields: z.ZodSafeParseResult<T>, asked: { readonly search?: unknown; readonly routing?: unknown }) => {
    const search = readSearch(asked.search);
    const routing = readRouting(asked.routing);
    if (!fields.success || search.issues.length > 0 || routing.issues.length > 0) {
      const ofFields = fields.success ? [] : issuesOf(fields.error, nameOf);
      throw invalidFields([...ofFields, ...search.issues, ...routing.issues]);
    }
    return { data: fields.data, search: search.value, routing: routing.value };
  };
}
