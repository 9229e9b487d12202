import { z } from 'zod';
import { createSearchReader } from '../base/search-options/read-search-options.js';
import type { SearchOptions } from '../base/search-options/search-options.js';
import { invalidFields, issuesOf } from '../kinds/fields.js';
import type { FieldsForm, ListedKind } from '../kinds/kind.js';
import { createRoutingReader } from '../routing/read-routing-preferences.js';
import type { AnswerFields } from './answer-fields.js';
import { kindNames } from './field-names.js';

export type ReadFields = (given: Readonly<Record<string, unknown>>) => Omit<AnswerFields, 'stream'>;

/** Builds the check of the fields of a kind of calls once. @returns a function that throws RequestError `unsupported_field`, `invalid_field`. */
export function kindFieldsReader({ request }: Pick<ListedKind, 'request'>, form: FieldsForm): ReadFields {
  const { nameOf, maxQueryCharacters, defaultModel, otherFields = [] } = form;
  const { hasSearch, foreignNames } = request;
  const schema = request.fields(maxQueryCharacters);
  const own = Object.keys(schema.shape);
  const fields = [...own, ...(hasSearch ? ['search'] : []), 'routing', ...otherFields];
  const { replacementOf, refuseUnknown } = kindNames(fields, foreignNames, nameOf);
  const readSearch = createSearchReader(nameOf, replacementOf);
  const readRouting = createRoutingReader(nameOf, replacementOf);
  // Made and compiled for the first request, so that building a gateway takes no longer for it.
  let compiled: typeof schema | undefined;

  return (given) => {
    refuseUnknown(given);
    compiled ??= z.compile(schema);
    const sent = (field: string) => (Object.hasOwn(given, nameOf(field)) ? given[nameOf(field)] : undefined);
    request.check?.(sent, form);
    const model = sent('model') ?? defaultModel;
    const result = compiled.safeParse({ ...Object.fromEntries(own.map((field) => [field, sent(field)])), model });
    const search: { value: SearchOptions | undefined; issues: readonly { path: string; message: string }[] } = hasSearch
      ? readSearch(sent('search'))
      : { value: undefined, issues: [] };
    const routing = readRouting(sent('routing'));
    if (!result.success || search.issues.length > 0 || routing.issues.length > 0) {
      const ofFields = result.success ? [] : issuesOf(result.error, nameOf);
      throw invalidFields([...ofFields, ...search.issues, ...routing.issues]);
    }
    const { tag } = result.data;
    const capability = request.callOf(result.data, form);
    const { query = '' } = capability.input as { readonly query?: string };
    const asked = { model: result.data.model, query, includeCitations: false, tag, capability };
    return { ...asked, search: search.value, routing: routing.value };
  };
}
