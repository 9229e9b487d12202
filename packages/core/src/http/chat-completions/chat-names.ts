import { createNamesCheck, createPlaces, type OtherField } from '../../request/field-names.js';

const FIELDS = ['model', 'messages', 'stream', 'stream_options', 'include_citations', 'search', 'routing', 'tag'];

/** Names refused here, in addition to those that `POST /answer` refuses. */
const MORE: ReadonlyMap<string, string> = new Map([['query', 'query']]);

/** Features that are on unless a field is `false`: by the equivalent field here, else by the refused name. */
const ON_BY_DEFAULT: ReadonlySet<string> = new Set([
  'include_citations',
  'search',
  'routing',
  'routing.fallbacks',
  'cache',
  'enablesearch',
]);

/**
 * Builds the check of the names of a chat completion's fields. Ignores fields that only affect sampling, such as `temperature`, and fields that only
 * concern the service, such as `store` and `service_tier`.
 */
export function chatNamesCheck(nameOf: (field: string) => string): (body: object) => void {
  return createNamesCheck({ fields: FIELDS, nameOf, placeOf: createPlaces(nameOf, MORE), asks });
}

function asks({ name, place, value }: OtherField): boolean {
  // OpenAI only stores `metadata`.
  if (name === 'metadata') return false;
  if (value === false) return ON_BY_DEFAULT.has(place ?? name);
  // Clients send empty lists, objects and texts in fields that they do not use.
  return typeof value === 'object' && value !== null ? Object.keys(value).length > 0 : value !== '';
}
