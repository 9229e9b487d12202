/** Limits the share of each model's latest calls that are hedged by a second model. */
export interface HedgeBudget {
  /** Counts a call of the model. */
  began(slug: string): void;
  /** Whether another call of the model may be hedged. */
  hasRoom(slug: string): boolean;
  /** Counts a hedged call. */
  hedged(slug: string): void;
}

/** The number of latest calls that the share refers to. */
const REMEMBERED = 1_000;

interface State {
  /** A ring: the number of hedged calls between the beginning of each of the latest calls and the next call. */
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
      const index = state.calls % REMEMBERED;
      state.sum -= state.hedged[index] ?? 0;
      state.hedged[index] = 0;
    },
    hasRoom(slug) {
      const { calls, sum } = stateOf(slug);
      return sum + 1 <= maxShare * Math.min(calls, REMEMBERED);
    },
    hedged(slug) {
      const state = stateOf(slug);
      const index = state.calls % REMEMBERED;
      state.hedged[index] = (state.hedged[index] ?? 0) + 1;
      state.sum += 1;
    },
  };
}
