import { SCRAPE_EVERY_MS, type Series } from './prometheus.js';

/** A line of `input_series` of promtool, one value per scrape. */
interface InputSeries {
  readonly series: string;
  readonly values: string;
}

/** The selector of all series that a file of alert rules names. */
export function selectorOf(rules: string): string {
  const names = new Set(rules.match(/\bsearchgate_\w+|\bup\b(?=\{)/g));
  return `{job="searchgate",__name__=~"${[...names].join('|')}"}`;
}

/** The series as promtool reads them. Left out: what says nothing, such as a gauge that never changes. */
export function inputSeries(recorded: readonly Series[], startedAt: number): InputSeries[] {
  const instances = new Set(recorded.map(({ metric }) => metric['instance']));
  return recorded
    .map(({ metric, values }) => ({ metric, values: byScrape(values, startedAt) }))
    .filter(({ metric, values }) => isTelling(metric['__name__'] ?? '', values))
    .map(({ metric, values }) => ({ series: nameOf(metric, instances.size > 1), values: inRuns(values) }))
    .sort((one, other) => (one.series < other.series ? -1 : 1));
}

function byScrape(values: Series['values'], startedAt: number): (string | undefined)[] {
  const byIndex: (string | undefined)[] = [];
  for (const [at, value] of values)
    byIndex[Math.round(((at - startedAt) * 1_000) / SCRAPE_EVERY_MS)] = String(Math.round(Number(value) * 10) / 10);
  // As many as the test needs.
  return Array.from(byIndex).slice(0, 17);
}

function isTelling(name: string, values: readonly (string | undefined)[]): boolean {
  if (values.some((value) => value !== values[0])) return true;
  return /_(?:total|bucket)$/.test(name) && values[0] !== '0';
}

function nameOf({ __name__: name = '', job: _, ...labels }: Series['metric'], hasInstances: boolean): string {
  const shown = Object.entries(labels).filter(([label]) => label !== 'instance' || hasInstances);
  const all = name === 'up' ? [['job', 'searchgate'], ...shown] : shown;
  return `${name}{${all.map(([label, value]) => `${label}="${value}"`).join(',')}}`;
}

/** Runs of one value as `5x2`, which is three times 5; `_` for a scrape without the series. */
function inRuns(values: readonly (string | undefined)[]): string {
  const runs: { value: string; more: number }[] = [];
  for (const value of values.map((each) => each ?? '_')) {
    const last = runs.at(-1);
    if (last?.value === value) last.more += 1;
    else runs.push({ value, more: 0 });
  }
  // `_x2` are two missing values, but `5x2` are three of 5.
  return runs.map(({ value, more }) => (more === 0 ? value : `${value}x${value === '_' ? more + 1 : more}`)).join(' ');
}
