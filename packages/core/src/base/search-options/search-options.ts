/** Options that narrow the pages of a search: checked, normalized, and with only the requested options. @default of each: no limit */
export interface SearchOptions {
  /** Only these hosts and the hosts below them. Lower case, international names as A-labels, sorted, without repetitions. */
  readonly includeDomains?: readonly string[] | undefined;
  /** None of these hosts and none of the hosts below them; never together with `includeDomains`. */
  readonly excludeDomains?: readonly string[] | undefined;
  /** Published within the last day, week, month or year. */
  readonly freshness?: Freshness | undefined;
  /** `YYYY-MM-DD`, the first day that counts; never together with `freshness`. */
  readonly publishedAfter?: string | undefined;
  /** `YYYY-MM-DD`, the last day that counts. */
  readonly publishedBefore?: string | undefined;
  /** Searches as if from this country: ISO 3166-1 alpha-2, upper case. */
  readonly country?: string | undefined;
  /** Language of the pages: ISO 639-1, lower case. */
  readonly language?: string | undefined;
  /** Only news. */
  readonly topic?: 'news' | undefined;
}

export const FRESHNESS = ['day', 'week', 'month', 'year'] as const;
/** How old a page may be. */
export type Freshness = (typeof FRESHNESS)[number];

/** Every option, in the order in which they are named to callers. */
export const SEARCH_OPTIONS = [
  'includeDomains',
  'excludeDomains',
  'freshness',
  'publishedAfter',
  'publishedBefore',
  'country',
  'language',
  'topic',
] as const satisfies readonly (keyof SearchOptions)[];

export type SearchOption = (typeof SEARCH_OPTIONS)[number];
