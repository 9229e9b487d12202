/** A caller's preferences for choosing models. Absent fields use the operator's settings. */
export interface RoutingPreferences {
  /** 0 to 4 slugs or aliases to try, in order, after the model has failed, instead of the operator's fallbacks. `[]` for no fallbacks. */
  readonly fallbacks?: readonly string[] | undefined;
  /** `['error']` goes on to the next model only after a failure, where the operator also does after an empty list. */
  readonly fallbackOn?: FallbackOn | undefined;
  /** Tries the model and its fallbacks in this order: cheapest first, or lately fastest first. */
  readonly sort?: RouteSort | undefined;
  /** USD as a decimal string such as `"0.01"`: models with a higher hold are not asked. */
  readonly maxCost?: string | undefined;
  /** 1 to 8 policies, such as `zdr`: only models whose provider has all of them are asked. */
  readonly require?: readonly string[] | undefined;
  /**
   * `own` asks only with keys that the organization has at vendors itself, `shared` only with those of the operator. Default: the organization's own where it
   * has one, then the operator's where the operator allows it.
   */
  readonly keys?: RouteKeys | undefined;
}

export const ROUTE_KEYS = ['own', 'shared'] as const;
/** Whose key of a vendor is used. */
export type RouteKeys = (typeof ROUTE_KEYS)[number];

export const ROUTE_SORTS = ['price', 'latency'] as const;
export type RouteSort = (typeof ROUTE_SORTS)[number];

export const FALLBACK_CAUSES = ['error', 'empty'] as const;
/** What leads to the next model: always a failure; with `empty` also a list without results, which is charged. */
export type FallbackOn = readonly (typeof FALLBACK_CAUSES)[number][];

/** The most fallbacks that a caller may name. */
export const MAX_ASKED_FALLBACKS = 4;
