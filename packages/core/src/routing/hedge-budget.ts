/** How many of the latest calls of each model had a second model asked beside it. */
export interface HedgeBudget {
  /** A call begins to ask the model. */
  began(slug: string): void;
  /** Whether one more of the model's calls may be hedged. */
  hasRoom(slug: string): boolean;
  /** One is. */
  hedged(slug: string): void;
}

/** Calls of a model that the share is counted in. */
const REMEMBERED = 1_000;

interface State {
  /** A ring: how many were hedged since each of the latest calls began, and before the next one did. */
  readonly hedged: Uint16Array;
  calls: number;
  /** Sum of the ring. */
  sum: number;
}

export function createHedgeBudget(maxShare: number): HedgeBudget {
  const states = new Map<string, State>();

  function stateOf(slug: string): State {
    let state = states.get(slug);
    if (state === undefined) states.set(slug, (state = { hedged: new Uint16Array(REMEMBERED), calls: 0, sum: 0 }));
    return state;
  }

  return {
    began(slug) {
      const state = stateOf(slug);
      state.calls += 1;
      const place = state.calls % REMEMBERED;
      state.sum -= state.hedged[place] ?? 0;
      state.hedged[place] = 0;
    },
    hasRoom(slug) {
      const { calls, sum } = stateOf(slug);
      return sum + 1 <= maxShare * Math.min(calls, REMEMBERED);
    },
    hedged(slug) {
      const state = stateOf(slug);
      const place = state.calls % REMEMBERED;
      state.hedged[place] = (state.hedged[place] ?? 0) + 1;
      state.sum += 1;
    },
  };
}
