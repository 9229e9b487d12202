import type { Pair, Result, Row } from './build-report.js';
import { grouped } from './build-report.js';
import type { Difference, Interval } from './statistics.js';

/** A table for people, in Markdown as on the page. The first line has the titles. */
export type Cells = readonly (readonly string[])[];

interface Column<T> {
  readonly title: string;
  /** `null`: does not apply. A column without any value is left out. */
  of(row: T): string | null;
}

const percent = (share: number) => `${(share * 100).toFixed(0)} %`;
const optional = (value: number | null, show: (value: number) => string) => (value === null ? null : show(value));
const seconds = (ms: number | null) => optional(ms, (value) => `${(value / 1_000).toFixed(2)} s`);
const both = (one: string | null, other: string | null) => (one === null ? null : `${one} / ${other}`);
const range = (value: Interval | null) =>
  value === null ? null : `${percent(value.value)} (${percent(value.low)} to ${percent(value.high)})`;

function difference(value: Difference | null, show: (value: number) => string): string | null {
  if (value === null) return null;
  const [middle, low, high] = [value.value, value.low, value.high].map((each) => (each > 0 ? '+' : '') + show(each));
  return `${middle} (${low} to ${high})${value.distinguishable ? ', distinguishable' : ''}`;
}

const ROWS: readonly Column<Row>[] = [
  { title: 'Model', of: ({ model }) => model },
  { title: 'Category', of: ({ category }) => category ?? 'all' },
  { title: 'Questions', of: ({ questions, calls }) => `${questions} (${calls} calls)` },
  { title: 'Right', of: ({ right }) => range(right) },
  { title: 'Answered', of: ({ answered }) => range(answered) },
  { title: 'Cost', of: ({ cost }) => `$${cost}` },
  { title: 'Cost of a call', of: ({ costPerCall }) => `$${costPerCall.toFixed(5)}` },
  { title: 'p50 / p95', of: ({ p50Ms, p95Ms }) => both(seconds(p50Ms), seconds(p95Ms)) },
  { title: 'First text', of: (row) => both(seconds(row.firstTextP50Ms), seconds(row.firstTextP95Ms)) },
  { title: 'Citations', of: ({ citations }) => optional(citations, (count) => count.toFixed(1)) },
  { title: 'Hosts', of: ({ citations, hosts }) => (citations === null ? null : String(hosts)) },
  { title: 'Supported', of: ({ supported }) => optional(supported, percent) },
  { title: 'Recall', of: ({ recall }) => optional(recall, percent) },
  { title: 'Mean 1/rank', of: ({ reciprocalRank }) => optional(reciprocalRank, (rank) => rank.toFixed(2)) },
  {
    title: 'Errors',
    of: ({ errors }) =>
      Object.entries(errors)
        .map(([name, count]) => `${name} ×${count}`)
        .join(', ') || null,
  },
];

const PAIRS: readonly Column<Pair>[] = [
  { title: 'Models', of: ({ models }) => models.join(' − ') },
  { title: 'Questions', of: ({ questions }) => String(questions) },
  { title: 'Right', of: ({ right }) => difference(right, percent) },
  { title: 'Answered', of: ({ answered }) => difference(answered, percent) },
  { title: 'Cost of a call', of: ({ cost }) => difference(cost, (usd) => usd.toFixed(5)) },
  { title: 'Same addresses', of: ({ sameUrls }) => optional(sameUrls, percent) },
  { title: 'Same hosts', of: ({ sameHosts }) => optional(sameHosts, percent) },
];

export const rowCells = (rows: readonly Row[]): Cells => cellsOf(ROWS, rows);
export const pairCells = (pairs: readonly Pair[]): Cells => cellsOf(PAIRS, pairs);

/** A line for each question: how many of its calls each model had right, else answered. */
export function questionCells(results: readonly Result[]): Cells {
  const models = [...new Set(results.map(({ model }) => model))];
  const lines = [...grouped(results, ({ question }) => question)].map(([{ id, query }, calls]) => {
    const counts = models.map((model) => {
      const own = calls.filter((call) => call.model === model);
      const good = own.filter(({ right, outcome }) => right ?? outcome.reply !== undefined);
      return own.length === 0 ? '–' : `${good.length} / ${own.length}`;
    });
    return [id, query, ...counts];
  });
  return [['Id', 'Question', ...models], ...lines];
}

function cellsOf<T>(columns: readonly Column<T>[], rows: readonly T[]): Cells {
  const filled = columns.filter(({ of }) => rows.some((row) => of(row) !== null));
  return [filled.map(({ title }) => title), ...rows.map((row) => filled.map(({ of }) => of(row) ?? '–'))];
}
