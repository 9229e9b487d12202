import type { UsageDimensions } from './usage.js';
import { hasDay, latestDay, type UsageSeries } from './usage-series.js';

/** What a key has used, by organization, model and tag. */
export interface KeyUsage {
  series: UsageSeries[];
  /** The same by name, where there are more than a few. */
  byName: Map<string, UsageSeries> | undefined;
  latestDay: number;
  /** How many series with a tag have an entry on that day. */
  tagged: number;
}

/** So many series are looked through faster than a name is put together. */
const FEW_SERIES = 8;

export function newKeyUsage(): KeyUsage {
  return { series: [], byName: undefined, latestDay: 0, tagged: 0 };
}

export function findSeries({ series, byName }: KeyUsage, of: UsageDimensions): UsageSeries | undefined {
  return byName === undefined ? series.find((one) => isOf(one, of)) : byName.get(nameOf(of));
}

export function addToKey(key: KeyUsage, series: UsageSeries): void {
  // One that is written out has room for one, which is all that very many keys need: one that grows has room for 17.
  if (key.series.length === 0) key.series = [series];
  else key.series.push(series);
  if (key.series.length > FEW_SERIES) key.byName ??= new Map(key.series.map((one) => [nameOf(one), one]));
  key.byName?.set(nameOf(series), series);
}

/** How many series with a tag a key has on a day: counted only where the clock was set back. */
export function taggedOn(key: KeyUsage, day: number): number {
  if (day > key.latestDay) {
    key.latestDay = day;
    key.tagged = 0;
  }
  if (day === key.latestDay) return key.tagged;
  return key.series.filter((series) => series.tag !== '' && hasDay(series, day)).length;
}

/** Of what one key has used. No id has a space, and no tag a line end. */
function nameOf({ organizationId, model, tag }: Omit<UsageDimensions, 'day'>): string {
  return `${organizationId} ${tag}\n${model}`;
}

function isOf(series: UsageSeries, { organizationId, model, tag }: UsageDimensions): boolean {
  return series.model === model && series.tag === tag && series.organizationId === organizationId;
}

/** Whether it has an entry of that day, so that nothing is to be decided. */
export function isLatest(series: UsageSeries, of: UsageDimensions): boolean {
  return latestDay(series) === of.day && isOf(series, of);
}
