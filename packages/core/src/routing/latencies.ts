import { madeIn } from '../base/made-in.js';
import { StateMap } from '../base/state-map.js';
import type { Clock } from '../base/time/clock.js';

export type Latencies = ReturnType<typeof createLatencies>;

/** Functions that sorting needs of an item. */
interface SortedModel<Item> {
  /** As `modelAt`. */
  nameOf(item: Item): string | object;
  /** Whether a call may begin with the item. The model of a paused provider is not probed. */
  isUsable(item: Item): boolean;
}

export interface LatenciesOptions {
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
  /** From 0 to below 1. */
  readonly random: () => number;
}

/** The number of remembered answers of a model. */
const MOST_ANSWERS = 128;
/** The number of latest answers for the median. Once more than half of them are new, the median is new too. */
const OF_MEDIAN = 16;
/** The least number of answers for a 95th percentile. */
const LEAST_OF_PERCENTILE = 20;
/** After this time a duration has half of its weight. */
const HALF_LIFE_MS = 10_000;
/** After this time a duration is ignored. */
const FORGOTTEN_AFTER_MS = 300_000;
/** Calls between two probes: 20 on average, with a random spread, so that alternating callers share the probes. */
const PROBE_GAP = { least: 10, spread: 21 } as const;

interface MeasuredAnswer {
  readonly durationMs: number;
  readonly takenAtMs: number;
}

interface State {
  /** Rings of equal length. */
  readonly durations: Float64Array;
  readonly takenAtMs: Float64Array;
  count: number;
  /** The number of calls that begin with this model before the next probe. */
  callsToProbe: number;
  /** The sequence number of its last record or probe: smaller is older. */
  triedAt: number;
}

/** The latest durations of each model's answers, and sorting by them. In memory, bounded. */
export function createLatencies({ clock, random }: LatenciesOptions) {
  const states = new StateMap<State>();
  let tries = 0;

  const gap = () => PROBE_GAP.least + Math.floor(random() * PROBE_GAP.spread);

  const firstState = () => newState(gap());
  const stateOf = (model: string | object) => madeIn(states, model, firstState);

  function tried(state: State): void {
    tries += 1;
    state.triedAt = tries;
  }

  /** The median duration, in which older durations weigh less; `undefined` without records. */
  const medianMs = (model: string | object): number | undefined => {
    const state = states.get(model);
    return state === undefined ? undefined : weightedMedian(state, clock.monotonic());
  };

  return {
    /** Records the duration of an attempt that was answered or timed out. */
    record(model: string | object, durationMs: number): void {
      const state = stateOf(model);
      remember(state, { durationMs, takenAtMs: clock.monotonic() });
      tried(state);
    },
    medianMs,
    /** The 95th percentile of the durations; `undefined` with fewer than 20 records. */
    percentile95Ms(model: string | object): number | undefined {
      const state = states.get(model);
      return state === undefined ? undefined : nearestRank95(state, clock.monotonic());
    },
    /**
     * Sorts models by their medians; models without a median come last, equal models keep their order. About one call in twenty begins with another model
     * instead, the model with the oldest try, to find a model that has become faster.
     */
    sort<Item>(items: readonly Item[], { nameOf, isUsable }: SortedModel<Item>): Item[] {
      const sorted = items
        .map((item) => ({
          item,
          state: stateOf(nameOf(item)),
          median: medianMs(nameOf(item)) ?? Number.POSITIVE_INFINITY,
        }))
        .sort((a, b) => (a.median === b.median ? 0 : a.median - b.median));
      const [first, ...others] = sorted;
      if (first === undefined || others.length === 0) return [...items];
      first.state.callsToProbe -= 1;
      const probes = first.state.callsToProbe > 0 ? [] : others.filter(({ item }) => isUsable(item));
      if (probes.length === 0) return sorted.map(({ item }) => item);
      first.state.callsToProbe = gap();
      const probe = probes.reduce((oldest, each) => (each.state.triedAt < oldest.state.triedAt ? each : oldest));
      tried(probe.state);
      return [probe, ...sorted.filter((each) => each !== probe)].map(({ item }) => item);
    },
  };
}

function newState(callsToProbe: number): State {
  const [durations, takenAtMs] = [new Float64Array(MOST_ANSWERS), new Float64Array(MOST_ANSWERS)];
  return { durations, takenAtMs, count: 0, callsToProbe, triedAt: 0 };
}

function remember(state: State, { durationMs, takenAtMs }: MeasuredAnswer): void {
  const place = state.count % MOST_ANSWERS;
  state.durations[place] = durationMs;
  state.takenAtMs[place] = takenAtMs;
  state.count += 1;
}

/** The latest answers within {@link FORGOTTEN_AFTER_MS}, oldest first. */
function latestOf({ durations, takenAtMs, count }: State, most: number, nowMs: number): MeasuredAnswer[] {
  const answers: MeasuredAnswer[] = [];
  for (let record = Math.max(0, count - most); record < count; record += 1) {
    const place = record % MOST_ANSWERS;
    const answer = { durationMs: durations[place] ?? 0, takenAtMs: takenAtMs[place] ?? 0 };
    if (nowMs - answer.takenAtMs < FORGOTTEN_AFTER_MS) answers.push(answer);
  }
  return answers;
}

function nearestRank95({ durations, takenAtMs, count }: State, nowMs: number): number | undefined {
  const isKnown = (_duration: number, place: number) =>
    place < count && nowMs - (takenAtMs[place] ?? 0) < FORGOTTEN_AFTER_MS;
  const known = durations.filter(isKnown).sort();
  return known.length < LEAST_OF_PERCENTILE ? undefined : known[Math.ceil(known.length * 0.95) - 1];
}

/** The duration at which half of the weight is reached, from the shortest duration on. */
function weightedMedian(state: State, nowMs: number): number | undefined {
  const weighted = latestOf(state, OF_MEDIAN, nowMs)
    .map(({ durationMs, takenAtMs }) => ({ durationMs, weight: 2 ** ((takenAtMs - nowMs) / HALF_LIFE_MS) }))
    .sort((a, b) => a.durationMs - b.durationMs);
  const total = weighted.reduce((sum, { weight }) => sum + weight, 0);
  let reached = 0;
  return weighted.find(({ weight }) => (reached += weight) >= total / 2)?.durationMs;
}
