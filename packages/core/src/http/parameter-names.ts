import { createNamesCheck } from '../calls/field-names.js';

/**
 * Builds the check of the names of a query string: others than its parameters are ignored, save those that would narrow down, sort or cut what is listed.
 *
 * @param refused such names, by the parameter to use instead; those for which there is none by the empty text.
 * @returns a function that throws RequestError `unsupported_field` or `invalid_field`.
 */
export function createParametersCheck(
  parameters: readonly string[],
  refused: Readonly<Record<string, readonly string[]>>,
): (query: URLSearchParams) => void {
  const places = new Map(
    Object.entries(refused).flatMap(([place, names]) => names.map((name) => [name, place === '' ? null : place])),
  );
  const check = createNamesCheck({
    fields: parameters,
    nameOf: (name) => name,
    placeOf: (name) => places.get(name),
    options: [],
  });
  return (query) => check(Object.fromEntries(query));
}
