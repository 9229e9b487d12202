import { SCRAPE_EVERY_MS, type Series } from './prometheus.js';

/** As many as the tests need. */
const SCRAPES = 17;
/** No rule asks for less than one second. */
const FINEST_S = 1;

/** A series of one line: its name with labels, the name without `le`, and a value per scrape. */
interface Line {
  readonly series: string;
  readonly family: string;
  readonly values: string;
}

/** The selector of all series that a file of alert rules names. */
export function selectorOf(rules: string): string {
  const names = new Set(rules.match(/\bsearchgate_\w+|\bup\b(?=\{)/g));
  return `{job="searchgate",__name__=~"${[...names].join('|')}"}`;
}

/**
 * The series as promtool reads them, without those that change no rule: gauges that never change, and buckets that are empty as well as the buckets beside them.
 *
 * @param startedAt the first scrape, in seconds since the Unix epoch.
 */
export function inputSeries(recorded: readonly Series[], startedAt: number): readonly Line[] {
  const hasInstances = new Set(recorded.map(({ metric }) => metric['instance'])).size > 1;
  const lines = recorded
    .filter((series) => boundOf(series) >= FINEST_S)
    .toSorted((one, other) => boundOf(one) - boundOf(other))
    .map(({ metric: { job: _job, instance, le, ...metric }, values }) => {
      const labels = hasInstances ? { ...metric, instance } : metric;
      const family = nameOf(labels);
      return {
        series: le === undefined ? family : nameOf({ ...labels, le }),
        family,
        values: byScrape(values, startedAt),
      };
    });
  lines.sort((one, other) => (one.family === other.family ? 0 : one.family < other.family ? -1 : 1));
  return lines.filter((_, place) => isTelling(lines, place));
}

function boundOf({ metric: { le = '+Inf' } }: Series): number {
  return le === '+Inf' ? Number.POSITIVE_INFINITY : Number(le);
}

function isTelling(lines: readonly Line[], place: number): boolean {
  const [before, own, after] = [lines[place - 1], lines[place], lines[place + 1]];
  if (own === undefined || (isSame(before, own) && isSame(after, own))) return false;
  const values = new Set(own.values.split(' '));
  return values.size > 1 || (/_(?:total|bucket)\b/.test(own.family) && !values.has('0'));
}

function isSame(one: Line | undefined, other: Line): boolean {
  return one?.family === other.family && one.values === other.values;
}

function byScrape(values: Series['values'], startedAt: number): string {
  const byIndex = Array.from({ length: SCRAPES }, () => '_');
  for (const [at, value] of values) {
    const index = Math.round(((at - startedAt) * 1_000) / SCRAPE_EVERY_MS);
    if (index < SCRAPES) byIndex[index] = String(Math.round(Number(value) * 10) / 10);
  }
  return byIndex.join(' ');
}

function nameOf({ __name__: name = '', ...labels }: Record<string, string | undefined>): string {
  const all = name === 'up' ? { job: 'searchgate', ...labels } : labels;
  return `${name}{${Object.entries(all)
    .map(([label, value]) => `${label}="${value}"`)
    .join(',')}}`;
}
