import { createNamesCheck, createPlaces, type OtherField } from '../../request/field-names.js';

const FIELDS = ['model', 'messages', 'stream', 'stream_options', 'include_citations', 'search', 'routing', 'tag'];

/** Beside what `POST /answer` refuses too. */
const MORE: ReadonlyMap<string, string> = new Map([['query', 'query']]);

/** What is there unless `false` asks to leave it out: by the field that belongs to a name, and the names of those for which there is none. */
const ON_BY_DEFAULT: ReadonlySet<string> = new Set([
  'include_citations',
  'search',
  'routing',
  'routing.fallbacks',
  'cache',
  'enablesearch',
]);

/**
 * Builds the check of the names of a chat completion's fields. What only samples how a model writes, such as `temperature`, is ignored, and so is what only
 * concerns the service, such as `store` and `service_tier`.
 */
export function chatNamesCheck(nameOf: (field: string) => string): (body: object) => void {
  return createNamesCheck({ fields: FIELDS, nameOf, placeOf: createPlaces(nameOf, MORE), asks });
}

function asks({ name, place, value }: OtherField): boolean {
  // The service only keeps it.
  if (name === 'metadata') return false;
  if (value === false) return ON_BY_DEFAULT.has(place ?? name);
  // Clients send empty lists, objects and texts for what they do not use.
  return typeof value === 'object' && value !== null ? Object.keys(value).length > 0 : value !== '';
}
