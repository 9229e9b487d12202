import { STEPS_MS, type StatisticsEntry, type StatisticsStep } from './request-statistics.js';

/** In this order: a text is half as long without the names of the fields. */
function valuesOf(entry: StatisticsEntry) {
  const { of, atMs, endpoint, organizationId, model, provider, outcome, count, cost, rescued, durations } = entry;
  return [of, atMs, endpoint, organizationId, model, provider, outcome, count, `${cost}`, rescued, durations] as const;
}

/** Sums of hours as a text: as logs keep those of a batch until many are merged, which is cheaper than to add each batch to what it counts in. */
export function textOfSums(entries: Iterable<StatisticsEntry>): string {
  return JSON.stringify(Array.from(entries, valuesOf));
}

/** The sums of the text. Of days, some may be of the same one. */
export function sumsOfText(text: string, step: StatisticsStep): StatisticsEntry[] {
  return (JSON.parse(text) as ReturnType<typeof valuesOf>[]).map(
    ([of, hourMs, endpoint, organizationId, model, provider, outcome, count, cost, rescued, durations]) => {
      const atMs = hourMs - (hourMs % STEPS_MS[step]);
      const group = { of, step, atMs, endpoint, organizationId, model, provider, outcome };
      return { ...group, count, cost: BigInt(cost), rescued, durations };
    },
  );
}
