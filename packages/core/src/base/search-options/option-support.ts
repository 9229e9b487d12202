import { SEARCH_OPTIONS, type SearchOption, type SearchOptions } from './search-options.js';

/** How a model supports a search option. */
export interface SupportedOption {
  /** The field of the vendor's API, as the vendor writes it: `max_age`, or `tools[].filters.domains` for a nested field. */
  readonly as: string;
  /** The values that the vendor takes, spelled as in {@link SearchOptions}; absent for all values. */
  readonly values?: readonly string[] | undefined;
  /** The most domains that the vendor takes; absent for the 20 that callers may send. */
  readonly max?: number | undefined;
}

/** The supported search options of a model. An absent option is not supported. */
export type OptionSupport = { readonly [Option in SearchOption]?: SupportedOption | undefined };

/** The options of a call that a model does not support, in the order of `SEARCH_OPTIONS`; empty if the model supports all of them. */
export function unsupportedOptions(search: SearchOptions, support: OptionSupport = {}): SearchOption[] {
  return SEARCH_OPTIONS.filter((option) => {
    const given = search[option];
    return given !== undefined && !isSupported([given].flat(), support[option]);
  });
}

function isSupported(given: readonly string[], supported: SupportedOption | undefined): boolean {
  if (supported === undefined) return false;
  const { values, max = given.length } = supported;
  return given.length <= max && given.every((value) => values?.includes(value) ?? true);
}

/** The options that a model supports, some of them perhaps not with every value. */
export function supportedOptions(support: OptionSupport = {}): SearchOption[] {
  return SEARCH_OPTIONS.filter((option) => support[option] !== undefined);
}
