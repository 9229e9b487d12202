import type { ForeignNames } from '../kinds/kind.js';
import { fieldNames, plainName, unsupportedField } from '../request/field-names.js';
import foreignParameters from './foreign-parameters.json' with { type: 'json' };

const { usage } = foreignParameters;
const PARAMETERS_OF_USAGE = Object.keys(usage.replacements);
/** None of `GET /usage` is one of the account's. */
const ACCOUNT: ForeignNames = {
  replacements: {},
  refused: [...usage.refused, ...PARAMETERS_OF_USAGE, ...Object.values(usage.replacements).flat()],
};

/**
 * Builds the check of the names of a query string. Refuses names that would filter, sort or limit the list. Ignores all other unknown names, because
 * a host's own code may read them.
 *
 * @returns a function that throws RequestError `unsupported_field`.
 */
function parametersCheck(parameters: readonly string[], foreign: ForeignNames): (query: URLSearchParams) => void {
  const { refuseMeant } = fieldNames(parameters, [foreign], (name) => name);
  const refused = new Set(foreign.refused?.map(plainName));
  return (query) => {
    for (const name of query.keys()) {
      if (parameters.includes(name)) continue;
      refuseMeant(name);
      if (refused.has(plainName(name))) throw unsupportedField(name, (param) => `Leave out ${param}.`);
    }
  };
}

/** Check the parameters of `GET /models` and `GET /usage`. @throws RequestError `unsupported_field`. */
export const checkModelsNames = parametersCheck(['category', 'callable'], foreignParameters.models);
export const checkUsageNames = parametersCheck(PARAMETERS_OF_USAGE, usage);
const checkAccountNames = parametersCheck([], ACCOUNT);

/** Refuses filters of `GET /key` and `GET /credits`, which have no parameters. @throws RequestError `unsupported_field`. */
export function checkNoFilters(query: string): void {
  if (query !== '') checkAccountNames(new URLSearchParams(query));
}
