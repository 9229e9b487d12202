import { isDeepStrictEqual } from 'node:util';
import type { FieldIssue } from '../../base/errors/error-details.js';
import { RequestError } from '../../base/errors/request-error.js';
import { nearField } from '../../base/options/near-field.js';
import { wellFormed } from '../../base/options/well-formed.js';
import { SEARCH_READERS } from '../../base/search-options/read-search-options.js';
import { ROUTING_READERS } from '../../routing/read-routing-preferences.js';
import { HARMLESS, NO_SLIPS, REFUSED_FIELDS } from './refused-fields.js';

type PlaceOf = (name: string) => string | null | undefined;

/** More than the length of every listed name. */
const MAX_NAME_LENGTH = 64;
/** Most unknown names of a request that are checked for misspelled field names. */
const MOST_COMPARED = 100;

/** Builds the lookup of the field to use in place of a name. @param more names that only this transport refuses. */
export function createPlaces(
  nameOf: (field: string) => string,
  more: Iterable<readonly [name: string, place: string | null]> = [],
): PlaceOf {
  const places = new Map([...REFUSED_FIELDS, ...more].map(named));
  for (const place of OPTIONS) places.set(plainName(lastOf(place)), nameOf(place));
  return (name) => (name.length > MAX_NAME_LENGTH ? undefined : places.get(plainName(name)));

  function named([name, place]: readonly [string, string | null]): [string, string | null] {
    return [plainName(name), place === null ? null : nameOf(place)];
  }
}

/** A name that is no field of this API, with its value. */
export interface OtherField {
  /** As {@link plainName} writes it. */
  readonly name: string;
  /** The field to use in place of the name; `null` when no field fits. */
  readonly place: string | null;
  /** Neither `null` nor `undefined`. */
  readonly value: unknown;
}

export interface FieldNames {
  /** The transport's names of its request fields. */
  readonly fields: readonly string[];
  /** Gives the transport's name of a field or an option. */
  nameOf(field: string): string;
  readonly placeOf: PlaceOf;
  /** Nested fields, by their paths. Default: the options of the search and the routing. */
  readonly options?: readonly string[] | undefined;
  /** Whether a field asks for something. Default: every field does. */
  readonly asks?: ((field: OtherField) => boolean) | undefined;
}

/**
 * Builds the check of the names of a request's fields. Refuses foreign names of filters, limits, instructions and costs, and misspelled names of this API.
 * Ignores all other unknown names.
 *
 * @returns a function that throws RequestError `unsupported_field` or `invalid_field`.
 */
export function createNamesCheck({
  fields,
  nameOf,
  placeOf,
  options = OPTIONS,
  asks = () => true,
}: FieldNames): (given: object) => void {
  const known = new Set(fields);
  const written = new Map(fields.map((field) => [plainName(field), field]));
  const nearestTo = slipFinder(fields, new Map(options.map((place) => [nameOf(lastOf(place)), nameOf(place)])));

  return (given) => {
    let compared = 0;
    const slipOf = (name: string) => (compared++ < MOST_COMPARED ? nearestTo(name) : undefined);
    for (const [name, value] of Object.entries(given)) {
      if (known.has(name) || value === undefined || value === null || name.length > MAX_NAME_LENGTH) continue;
      const plain = plainName(name);
      const place = placeOf(name);
      if (place === undefined) {
        const meant = written.get(plain) ?? slipOf(name);
        if (meant !== undefined && asks({ name: plain, place: meant, value })) throw misspeltField(name, meant);
      } else if (!isHarmless(plain, value) && asks({ name: plain, place, value })) throw unsupportedField(name, place);
    }
  };
}

/** Finds the field or option that a misspelled name probably means. */
function slipFinder(
  fields: readonly string[],
  options: ReadonlyMap<string, string>,
): (name: string) => string | undefined {
  const places = new Map([...options, ...fields.map((field) => [field, field] as const)].map(lowerCased));
  return (name) => {
    const lower = name.toLowerCase().replaceAll('-', '_');
    const near = NO_SLIPS.has(lower) ? undefined : nearField(lower, places.keys());
    return near === undefined ? undefined : places.get(near);
  };
}

function lowerCased([name, place]: readonly [string, string]): [string, string] {
  return [name.toLowerCase(), place];
}

const HARMLESS_VALUES = new Map([...HARMLESS].map(([name, values]) => [plainName(name), values]));

function isHarmless(name: string, value: unknown): boolean {
  return HARMLESS_VALUES.get(name)?.some((harmless) => isDeepStrictEqual(harmless, value)) === true;
}

/** Options of the search and the routing: nested fields, which are refused at the top level. */
const OPTIONS = [
  ...Object.keys(SEARCH_READERS).map((option) => `search.${option}`),
  ...Object.keys(ROUTING_READERS).map((option) => `routing.${option}`),
];

function lastOf(place: string): string {
  return place.slice(place.indexOf('.') + 1);
}

/** Writes `include_domains`, `includeDomains`, `Include-Domains` and the query string's `include_domains[]` alike. */
function plainName(name: string): string {
  return name.replaceAll(/[-_]|\[.*$/gs, '').toLowerCase();
}

/** @param place the field to use instead; `null` when no field fits. */
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
