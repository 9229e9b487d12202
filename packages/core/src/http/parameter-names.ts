import { createNamesCheck, plainName } from '../request/field-names.js';

/** Refused names, by the parameter to use instead; the empty text means no parameter. */
export type RefusedParameters = Readonly<Record<string, readonly string[]>>;

/**
 * Builds the check of the names of a query string. Refuses names that would filter, sort or limit the list, and ignores all other unknown names.
 *
 * @returns a function that throws RequestError `unsupported_field` or `invalid_field`.
 */
export function createParametersCheck(
  parameters: readonly string[],
  refused: RefusedParameters,
): (query: URLSearchParams) => void {
  const places = new Map(
    Object.entries(refused).flatMap(([place, names]) =>
      names.map((name) => [plainName(name), place === '' ? null : place] as const),
    ),
  );
  const check = createNamesCheck({
    fields: parameters,
    nameOf: (name) => name,
    placeOf: (name) => places.get(plainName(name)),
    options: [],
  });
  return (query) => check(Object.fromEntries(query));
}

/** Refused by `GET /usage`: names of filters and pages, including those of other services (as of 2026-11-26). */
export const REFUSED_OF_USAGE: RefusedParameters = {
  by: ['group_by', 'group', 'bucket_width', 'granularity', 'interval'],
  from: ['start', 'start_date', 'start_time', 'starting_at', 'from_date', 'date_from', 'since', 'after'],
  to: ['end', 'end_date', 'end_time', 'ending_at', 'to_date', 'date_to', 'until', 'before'],
  '': [
    'model',
    'models',
    'tag',
    'tags',
    'provider',
    'key',
    'key_id',
    'key_ids',
    'api_key',
    'api_key_id',
    'api_key_ids',
    'organization',
    'organization_id',
    'project_id',
    'project_ids',
    'workspace_id',
    'workspace_ids',
    'user_id',
    'user_ids',
    'filter',
    'filters',
    'limit',
    'page',
    'page_size',
    'per_page',
    'offset',
    'cursor',
    'sort',
    'order',
    'days',
    'period',
    'range',
    'month',
    'date',
    'timezone',
    'time_zone',
    'tz',
  ],
};

const checkAccountNames = createParametersCheck([], {
  '': [...Object.keys(REFUSED_OF_USAGE), ...Object.values(REFUSED_OF_USAGE).flat()].filter((name) => name !== ''),
});

/** Refuses filters of `GET /key` and `GET /credits`, which have no parameters. @throws RequestError `unsupported_field`. */
export function checkNoFilters(query: string): void {
  if (query !== '') checkAccountNames(new URLSearchParams(query));
}
