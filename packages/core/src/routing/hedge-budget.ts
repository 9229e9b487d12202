import { madeIn } from '../base/made-in.js';
import { StateMap } from '../base/state-map.js';

export type HedgeBudget = ReturnType<typeof createHedgeBudget>;

/** The number of latest calls that the share refers to. */
const REMEMBERED = 1_000;

interface State {
  /** A ring: the number of hedged calls between the beginning of each of the latest calls and the next call. */
  readonly hedged: Uint16Array;
  calls: number;
  /** Sum of the ring. */
  sum: number;
}

/** Limits the share of each model's latest calls that are hedged by a second model. */
export function createHedgeBudget(maxShare: number) {
  const states = new StateMap<State>();

  const newState = (): State => ({ hedged: new Uint16Array(REMEMBERED), calls: 0, sum: 0 });
  const stateOf = (model: string | object) => madeIn(states, model, newState);

  return {
    /** Counts a call of the model. */
    began(model: string | object): void {
      const state = stateOf(model);
      state.calls += 1;
      const index = state.calls % REMEMBERED;
      state.sum -= state.hedged[index] ?? 0;
      state.hedged[index] = 0;
    },
    /** Whether another call of the model may be hedged. */
    hasRoom(model: string | object): boolean {
      const { calls, sum } = stateOf(model);
      return sum + 1 <= maxShare * Math.min(calls, REMEMBERED);
    },
    /** Counts a hedged call. */
    hedged(model: string | object): void {
      const state = stateOf(model);
      const index = state.calls % REMEMBERED;
      state.hedged[index] = (state.hedged[index] ?? 0) + 1;
      state.sum += 1;
    },
  };
}
