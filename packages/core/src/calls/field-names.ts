import type { FieldIssue } from '../errors/error-details.js';
import { RequestError } from '../errors/request-error.js';
import { nearField } from '../options/near-field.js';
import type { PlaceOf } from '../options/read-request-options.js';
import { wellFormed } from '../options/well-formed.js';
import { ROUTING_READERS } from '../routing/read-routing-preferences.js';
import { SEARCH_READERS } from '../search-options/read-search-options.js';
import { NO_SLIPS, REFUSED_FIELDS } from './refused-fields.js';

/** Longer than any name in the lists. */
const MAX_NAME_LENGTH = 64;
/** Most unknown names of a request that are compared with those of the fields. */
const MOST_COMPARED = 100;

/** @param more names that only this transport refuses. */
export function createPlaces(
  nameOf: (field: string) => string,
  more: Iterable<readonly [name: string, place: string | null]> = [],
): PlaceOf {
  const places = new Map([...REFUSED_FIELDS, ...more].map(named));
  for (const place of OPTIONS) places.set(plain(lastOf(place)), nameOf(place));
  return (name) => (name.length > MAX_NAME_LENGTH ? undefined : places.get(plain(name)));

  function named([name, place]: readonly [string, string | null]): [string, string | null] {
    return [plain(name), place === null ? null : nameOf(place)];
  }
}

export interface FieldNames {
  /** What the transport calls the fields of its requests. */
  readonly fields: readonly string[];
  /** What it calls a field or an option. */
  nameOf(field: string): string;
  readonly placeOf: PlaceOf;
  /** Fields of fields, by their places. Default: the options of the search and the routing. */
  readonly options?: readonly string[] | undefined;
  /** Whether a value of a field that is not ours asks for something. Default: all but `null` and `undefined`. */
  readonly asks?: ((name: string, value: unknown) => boolean) | undefined;
}

/**
 * Builds the check of the names of a request's fields. Names of filters, limits, instructions and costs that are no fields of ours are refused, and so are
 * slips of our own. All others are ignored.
 *
 * @returns a function that throws RequestError `unsupported_field` or `invalid_field`.
 */
export function createNamesCheck({
  fields,
  nameOf,
  placeOf,
  options = OPTIONS,
  asks = isGiven,
}: FieldNames): (given: object) => void {
  const known = new Set(fields);
  const places = new Map(options.map((place) => [nameOf(lastOf(place)), nameOf(place)]));
  for (const field of fields) places.set(field, field);

  return (given) => {
    let compared = 0;
    for (const [name, value] of Object.entries(given)) {
      if (known.has(name) || !asks(name, value)) continue;
      const place = placeOf(name);
      if (place !== undefined) throw unsupportedField(name, place);
      if (compared >= MOST_COMPARED || NO_SLIPS.has(name)) continue;
      compared += 1;
      const near = nearField(name, places.keys());
      if (near !== undefined) throw misspeltField(name, places.get(near) ?? near);
    }
  };
}

/** Options of the search and the routing: fields of ours that are no fields by themselves. */
const OPTIONS = [
  ...Object.keys(SEARCH_READERS).map((option) => `search.${option}`),
  ...Object.keys(ROUTING_READERS).map((option) => `routing.${option}`),
];

function lastOf(place: string): string {
  return place.slice(place.indexOf('.') + 1);
}

/** The same for `include_domains` and `includeDomains`. */
function plain(name: string): string {
  return name.replaceAll('_', '').toLowerCase();
}

function isGiven(_name: string, value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** @param place what to use instead; `null` for nothing. */
function unsupportedField(param: string, place: string | null): RequestError {
  const note = place === null ? `Leave out ${param}.` : `In place of ${param}, use ${place}.`;
  return new RequestError('unsupported_field', { param, note });
}

function misspeltField(name: string, meant: string): RequestError {
  const path = wellFormed(name);
  const issue: FieldIssue = { path, message: `is no field: did you mean "${meant}"?` };
  const note = `${path} ${issue.message}`;
  return new RequestError('invalid_field', { param: path, note, details: { issues: [issue] } });
}
