import type { Clock } from '../time/clock.js';

/** How long each model has lately taken to answer, and the order that follows from it. In memory, bounded, of this process alone. */
export interface Latencies {
  /** Remembers how long an attempt took that was answered, or that used up its deadline. */
  record(slug: string, durationMs: number): void;
  /** The median of what is remembered; what is older counts for less. `undefined` where nothing is. */
  medianMs(slug: string): number | undefined;
  /**
   * Sorts models by their medians, those without one behind, equal ones as they stand. About one call in twenty begins with another
   * model instead, so that one that has become faster is found again: the one whose last try is longest ago.
   */
  sort<Item>(items: readonly Item[], about: SortedModel<Item>): Item[];
}

/** What sorting asks about an item. */
interface SortedModel<Item> {
  slugOf(item: Item): string;
  /** Whether a call may begin with it: one that is paused is not probed. */
  isUsable(item: Item): boolean;
}

export interface LatenciesOptions {
  readonly clock: Pick<Clock, 'monotonic'>;
  /** From 0 to below 1. */
  readonly random: () => number;
}

/** Of a model. More than half of them new, and the median is new too. */
const REMEMBERED = 16;
/** After this time a duration counts for half. */
const HALF_LIFE_MS = 10_000;
/** After this time it counts for nothing. */
const FORGOTTEN_AFTER_MS = 300_000;
/** Calls between two probes: 20 on average, spread so that callers who take turns do not all get the same part of them. */
const PROBE_GAP = { least: 10, spread: 21 } as const;

interface State {
  /** Rings of equal length. */
  readonly durations: Float64Array;
  readonly takenAtMs: Float64Array;
  count: number;
  /** Calls that still begin with this model before one begins with another. */
  callsToProbe: number;
  /** The number of its last record or probe: the smaller, the longer ago. */
  triedAt: number;
}

export function createLatencies({ clock, random }: LatenciesOptions): Latencies {
  const states = new Map<string, State>();
  let tries = 0;

  const gap = () => PROBE_GAP.least + Math.floor(random() * PROBE_GAP.spread);

  function stateOf(slug: string): State {
    let state = states.get(slug);
    if (state === undefined) states.set(slug, (state = newState(gap())));
    return state;
  }

  function tried(state: State): void {
    tries += 1;
    state.triedAt = tries;
  }

  const medianMs = (slug: string) => {
    const state = states.get(slug);
    return state === undefined ? undefined : weightedMedian(state, clock.monotonic());
  };

  return {
    record(slug, durationMs) {
      const state = stateOf(slug);
      const place = state.count % REMEMBERED;
      state.durations[place] = durationMs;
      state.takenAtMs[place] = clock.monotonic();
      state.count += 1;
      tried(state);
    },
    medianMs,
    sort(items, { slugOf, isUsable }) {
      const sorted = items
        .map((item) => ({
          item,
          state: stateOf(slugOf(item)),
          median: medianMs(slugOf(item)) ?? Number.POSITIVE_INFINITY,
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
  const [durations, takenAtMs] = [new Float64Array(REMEMBERED), new Float64Array(REMEMBERED)];
  return { durations, takenAtMs, count: 0, callsToProbe, triedAt: 0 };
}

/** The duration at which half of the weight is reached, the shortest counted first. */
function weightedMedian({ durations, takenAtMs, count }: State, nowMs: number): number | undefined {
  const samples: { durationMs: number; weight: number }[] = [];
  let total = 0;
  for (let place = 0; place < Math.min(count, REMEMBERED); place += 1) {
    const ageMs = nowMs - (takenAtMs[place] ?? 0);
    if (ageMs >= FORGOTTEN_AFTER_MS) continue;
    const weight = 2 ** (-ageMs / HALF_LIFE_MS);
    samples.push({ durationMs: durations[place] ?? 0, weight });
    total += weight;
  }
  samples.sort((a, b) => a.durationMs - b.durationMs);
  let reached = 0;
  return samples.find(({ weight }) => (reached += weight) >= total / 2)?.durationMs;
}
