import {
  fitsStatistics,
  MAX_STATISTICS_ROWS,
  STEPS_MS,
  type StatisticsEntry,
  type StatisticsQuery,
  type StatisticsRow,
  type StatisticsStep,
  type StatisticsSums,
} from './request-statistics.js';

/** A sum that grows. */
export interface Packed {
  /** Nanodollars. */
  cost: bigint;
  /** How many, how many rescued, and how many for each of the spans of durations. */
  readonly counts: number[];
}

/** Sums by names, which are {@link nameOfSum}s: they are added up, and become texts, in a fifth of the time that entries take. */
export type PackedSums = Map<string, Packed>;

/** What tells sums of one step apart. @param span its begin as a text. */
export function nameOfSum(
  span: string,
  {
    of,
    organizationId,
    endpoint,
    model,
    provider,
    outcome,
  }: Omit<StatisticsEntry, 'step' | 'atMs' | 'count' | 'cost' | 'rescued' | 'durations'>,
): string {
  return `${of}\n${span}\n${organizationId}\n${endpoint}\n${model}\n${provider}\n${outcome}`;
}

/** Adds to the sum of this name. @param added is kept, and changed, where it is the first. */
export function addPacked(sums: PackedSums, name: string, added: Packed): void {
  const sum = sums.get(name);
  if (sum === undefined) {
    sums.set(name, added);
    return;
  }
  const { cost, counts } = added;
  sum.cost += cost;
  for (let at = 0; at < counts.length; at += 1) sum.counts[at] = (sum.counts[at] ?? 0) + (counts[at] ?? 0);
}

/** A text of sums, as logs keep them. */
export function textOfSums(sums: Iterable<readonly [string, Packed]>): string {
  return JSON.stringify(Array.from(sums, ([name, { cost, counts }]) => [name, `${cost}`, counts]));
}

/** Adds the sums of a text of {@link textOfSums}. */
export function addText(sums: PackedSums, text: string): void {
  for (const sum of JSON.parse(text) as [string, string, number[]][])
    addPacked(sums, sum[0], { cost: BigInt(sum[1]), counts: sum[2] });
}

/** The sums as entries of a step that is as long as theirs, or longer: then some may be of the same group. */
export function entriesOf(sums: PackedSums, step: StatisticsStep): StatisticsEntry[] {
  return Array.from(sums, ([name, { cost, counts }]) => {
    const [of, span, organizationId = '', endpoint = '', model = '', provider = '', outcome = ''] = name.split('\n');
    const [count = 0, rescued = 0, ...durations] = counts;
    const atMs = Math.floor(Number(span) / STEPS_MS[step]) * STEPS_MS[step];
    const kind = of === 'calls' ? of : 'attempts';
    return {
      of: kind,
      step,
      atMs,
      organizationId,
      endpoint,
      model,
      provider,
      outcome,
      count,
      cost,
      rescued,
      durations,
    };
  });
}

/** A row that grows. */
type Sum = { -readonly [Name in 'count' | 'cost' | 'rescued']: StatisticsSums[Name] } & {
  readonly durations: number[];
};

/** The sums of longer spans. */
export function inLongerSteps(sums: PackedSums, step: StatisticsStep): PackedSums {
  const longer: PackedSums = new Map();
  for (const [name, { cost, counts }] of sums) {
    const [of, span, ...group] = name.split('\n');
    const begin = Math.floor(Number(span) / STEPS_MS[step]) * STEPS_MS[step];
    addPacked(longer, [of, begin, ...group].join('\n'), { cost, counts: [...counts] });
  }
  return longer;
}

/** Adds up the sums that a query asks for. @returns functions that take sums of spans that are as long as asked, or shorter, and that give the rows of the answer. */
export function collectStatistics(query: StatisticsQuery) {
  const rows = new Map<string, Sum>();
  /** @param row fits the query. */
  function addRow(row: StatisticsRow): void {
    const name = query.by.map((field) => row[field]).join('\n');
    const { count, cost, rescued, durations } = row;
    const sum = rows.get(name);
    if (sum === undefined) {
      const known = Object.fromEntries(query.by.map((field) => [field, row[field]]));
      rows.set(name, { ...known, count, cost, rescued, durations: [...durations] });
    } else {
      sum.count += count;
      sum.cost += cost;
      sum.rescued += rescued;
      for (const [at, counted] of durations.entries()) sum.durations[at] = (sum.durations[at] ?? 0) + counted;
    }
  }
  return {
    addRow,
    add(sums: PackedSums): void {
      for (const entry of entriesOf(sums, query.step)) if (fitsStatistics(entry, query)) addRow(entry);
    },
    rows: (): StatisticsRow[] => [...rows.values()].sort((a, b) => b.count - a.count).slice(0, MAX_STATISTICS_ROWS),
  };
}
