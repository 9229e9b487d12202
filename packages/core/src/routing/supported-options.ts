import { RequestError } from '../base/errors/request-error.js';
import { unsupportedOptions } from '../base/search-options/option-support.js';
import { SEARCH_OPTIONS, type SearchOption, type SearchOptions } from '../base/search-options/search-options.js';
import type { CallableModel } from '../catalog/catalog.js';

/** Whether a model honors all that is asked of the search. */
export function isHonored(search: SearchOptions | undefined, { model }: CallableModel): boolean {
  return search === undefined || unsupportedOptions(search, model.options).length === 0;
}

const MAX_ALTERNATIVES = 5;

export interface AskedSearchOptions {
  readonly search: SearchOptions | undefined;
  /** The key's allow-list of slugs. */
  readonly allowedModels: readonly string[] | null;
}

/** The error for a search that none of the models asked for honors. @param models all there are, for the alternatives it names. */
export function unsupported(
  models: Iterable<CallableModel>,
  asked: readonly CallableModel[],
  { search = {}, allowedModels }: AskedSearchOptions,
): RequestError {
  const options = optionsAtFault(search, asked);
  const alternatives: string[] = [];
  for (const candidate of models) {
    const { slug } = candidate.model;
    if (!(allowedModels?.includes(slug) ?? true) || !isHonored(search, candidate)) continue;
    alternatives.push(slug);
    if (alternatives.length === MAX_ALTERNATIVES) break;
  }
  return new RequestError('unsupported_option', {
    param: `search.${options[0]}`,
    details: { options, models: alternatives },
  });
}

/** What none of the models honors; where each option is honored by one of them, what any of them does not. */
function optionsAtFault(search: SearchOptions, asked: readonly CallableModel[]): SearchOption[] {
  const perModel = asked.map(({ model }) => unsupportedOptions(search, model.options));
  const ofAll = SEARCH_OPTIONS.filter((option) => perModel.every((options) => options.includes(option)));
  return ofAll.length > 0 ? ofAll : SEARCH_OPTIONS.filter((option) => perModel.some((each) => each.includes(option)));
}
