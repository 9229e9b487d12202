import { SEARCH_OPTIONS, type SearchOption, type SearchOptions } from './search-options.js';

/** How a model honors one option. */
export interface SupportedOption {
  /** The field of the vendor's API that it becomes, as the vendor writes it: `max_age`, or `tools[].filters.domains` for one within. */
  readonly as: string;
  /** The only values the vendor takes, spelled as in {@link SearchOptions}; left out for all that a caller may send. */
  readonly values?: readonly string[] | undefined;
  /** The most domains the vendor takes; left out where it takes the 20 that callers may send. */
  readonly max?: number | undefined;
  /** Options that must be given too, as where a vendor takes a range of dates but no open one. */
  readonly needs?: readonly SearchOption[] | undefined;
}

/** What a model honors. An option that is left out is not honored. */
export type OptionSupport = { readonly [Option in SearchOption]?: SupportedOption | undefined };

/** The options of a question that a model does not honor, in the order of `SEARCH_OPTIONS`: none when it may be asked. */
export function unsupportedOptions(search: SearchOptions, support: OptionSupport = {}): SearchOption[] {
  return SEARCH_OPTIONS.filter((option) => {
    const given = search[option];
    return given !== undefined && !isHonored([given].flat(), support[option], search);
  });
}

function isHonored(given: readonly string[], supported: SupportedOption | undefined, search: SearchOptions): boolean {
  if (supported === undefined) return false;
  const { values, max = given.length, needs = [] } = supported;
  return (
    given.length <= max &&
    given.every((value) => values?.includes(value) ?? true) &&
    needs.every((other) => search[other] !== undefined)
  );
}

/** The names of the options that a model honors, some of them perhaps not with every value. */
export function supportedOptions(support: OptionSupport = {}): SearchOption[] {
  return SEARCH_OPTIONS.filter((option) => support[option] !== undefined);
}
