import { z } from 'zod';
import type { FieldsForm, ListedKind } from '../kinds/kind.js';
import { createAskedReader } from './asked-options.js';
import { type FormFields, formNamesCheck, kindNames } from './field-names.js';
import type { CallFields } from './handle-answer.js';

export type ReadFields = (given: Readonly<Record<string, unknown>>) => CallFields;

/**
 * Checks the fields of a kind of calls. The first call builds the check, so that building a gateway takes no longer for it.
 *
 * @returns a function that throws RequestError `unsupported_field`, `invalid_field`.
 */
export function kindFieldsReader(kind: Pick<ListedKind, 'request'>, form: FieldsForm): ReadFields {
  let read: ReadFields | undefined;
  return (given) => {
    read ??= buildReader(kind, form);
    return read(given);
  };
}

/** Checks the names of a kind's fields in the form of another service. @returns a function that gives the number of names that mean nothing here. */
export function kindFormNames(
  { request }: Pick<ListedKind, 'request'>,
  given: Pick<FieldsForm, 'nameOf' | 'maxQueryCharacters'> & { readonly form: FormFields },
): (given: object) => number {
  const { form, nameOf, maxQueryCharacters } = given;
  const { hasSearch, foreignNames: foreign } = request;
  const own = Object.keys(request.fields(maxQueryCharacters).shape);
  const fields = [...own, ...(hasSearch ? ['search'] : []), 'routing', ...form.read];
  return formNamesCheck(form, { fields, foreign, nameOf });
}

function buildReader({ request }: Pick<ListedKind, 'request'>, form: FieldsForm): ReadFields {
  const { nameOf, maxQueryCharacters, defaultModel, otherFields = [] } = form;
  const { hasSearch, foreignNames } = request;
  const schema = request.fields(maxQueryCharacters);
  const own = Object.keys(schema.shape);
  const fields = [...own, ...(hasSearch ? ['search'] : []), 'routing', ...otherFields];
  const { replacementOf, refuseUnknown } = kindNames(fields, foreignNames, nameOf);
  const readAsked = createAskedReader(nameOf, replacementOf);
  const compiled = z.compile(schema);

  return (given) => {
    refuseUnknown(given);
    const sent = (field: string) => (Object.hasOwn(given, nameOf(field)) ? given[nameOf(field)] : undefined);
    request.check?.(sent, form);
    const model = sent('model') ?? defaultModel;
    const result = compiled.safeParse({ ...Object.fromEntries(own.map((field) => [field, sent(field)])), model });
    const asked = { search: hasSearch ? sent('search') : undefined, routing: sent('routing') };
    const { data, search, routing } = readAsked(result, asked);
    return { model: data.model, call: request.callOf(data, form), search, routing, tag: data.tag };
  };
}
