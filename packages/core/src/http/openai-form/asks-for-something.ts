import type { OtherField } from './field-names.js';

/** Features that are on unless a field is `false`: by the equivalent field here, else by the refused name. */
const ON_BY_DEFAULT: ReadonlySet<string> = new Set([
  'include_citations',
  'search',
  'routing',
  'routing.fallbacks',
  'cache',
  'enablesearch',
]);

/** Whether a field of a request in OpenAI's form asks for something. */
export function asksForSomething({ name, place, value }: OtherField): boolean {
  // OpenAI only stores `metadata`.
  if (name === 'metadata') return false;
  if (value === false) return ON_BY_DEFAULT.has(place ?? name);
  // Clients send empty lists, objects and texts in fields that they do not use.
  return typeof value === 'object' && value !== null ? Object.keys(value).length > 0 : value !== '';
}
