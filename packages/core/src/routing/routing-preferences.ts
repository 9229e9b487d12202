/** How a caller wants the models that may answer a question to be chosen. What is left out is as the operator has set it. */
export interface RoutingPreferences {
  /** 0 to 4 slugs or aliases to try, in order, after the model has failed: instead of the operator's fallbacks. `[]` for none. */
  readonly fallbacks?: readonly string[] | undefined;
  /** Tries the model and its fallbacks in this order: the cheapest first, or the one that has lately answered fastest. */
  readonly sort?: RouteSort | undefined;
  /** USD as a decimal string such as `"0.01"`: models for which more would be held are not asked. */
  readonly maxCost?: string | undefined;
}

export const ROUTE_SORTS = ['price', 'latency'] as const;
export type RouteSort = (typeof ROUTE_SORTS)[number];

/** The most models a caller may name as fallbacks. */
export const MAX_ASKED_FALLBACKS = 4;
