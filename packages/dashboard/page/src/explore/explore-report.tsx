import type { Figures, Statistics } from '../../../src/api/contract.js';
import { linkTo, useAddress } from '../address.js';
import { count, milliseconds, minute, percent, plural } from '../format.js';
import { rangeParams, STEPS_MS, sharedParams, useTimeRange } from '../time-range.js';
import { type Column, DataTable } from '../ui/data-table.js';
import { Cut, Empty, Money } from '../ui/parts.js';
import { type Series, TimeChart } from '../ui/time-chart.js';
import { type Choice, FIELDS, MEASURES, requestsOf, valueOf } from './measures.js';

type Group = Statistics['data'][number];

interface ReportProps {
  readonly statistics: Statistics;
  readonly choice: Choice;
}

/** A chart of the largest groups, and a table of all. */
export function Report({ statistics, choice }: ReportProps) {
  const { by, data, total, omitted, step, since, until } = statistics;
  if (total.calls === 0 && data.length === 0)
    return <Empty>Nothing was called in this time. Choose a longer one, or remove a filter.</Empty>;
  const rows = by.length === 0 ? spansOf(statistics) : data;
  const source = choice.isOfLedger
    ? 'Charges from the ledger, by whole days.'
    : `From the request log of all processes, by ${step}.`;
  return (
    <>
      <MeasureChart statistics={statistics} choice={choice} />
      <p class="hint">{`${source} Drag over a part of the chart, or click on one, to choose its time.`}</p>
      <DataTable
        caption={`${choice.of === 'calls' ? 'Calls' : 'Attempts'}, ${minute(since)} to ${minute(until)} UTC`}
        columns={columnsOf(statistics, choice)}
        rows={rows}
        rowKey={({ group }) => group.join('\n')}
        total={{ ...total, group: [], slots: null }}
      />
      <p class="hint">
        {data[0]?.slots === null && 'They are too many for a chart of each. '}
        {omitted > 0 && `${plural(omitted, 'group')} with less are left out. `}
        {choice.of === 'attempts' &&
          'Attempts that failed by what a caller asked, and hedges that lost, are not counted.'}
      </p>
    </>
  );
}

/** The spans as groups, the newest first. */
function spansOf({ times, total }: Statistics): readonly Group[] {
  return total.slots.map((figures, at) => ({ ...figures, group: [minute(times[at] ?? '')], slots: null })).toReversed();
}

/** Measures over time, in which a brush chooses a part. */
function MeasureChart({ statistics, choice: { measure } }: ReportProps) {
  const { choose } = useTimeRange();
  const { times, step, total, by } = statistics;
  const { title, format, isSum } = MEASURES[measure];
  const series = seriesOf(statistics, measure);
  const largest = series.map(({ name }) => name).join(', ');
  return (
    <TimeChart
      label={`Chart: ${title.toLowerCase()} by ${step}, in all ${format(valueOf(total, measure) ?? 0)}${by.length > 0 ? `, of ${largest}` : ''}. The table has the numbers.`}
      times={times.map((time) => Date.parse(time))}
      stepMs={STEPS_MS[step]}
      height={260}
      shape={isSum ? 'bars' : 'lines'}
      format={format}
      series={series}
      onChosen={(sinceMs, untilMs) => choose(rangeParams(sinceMs, untilMs))}
    />
  );
}

/** The largest groups that have some of it, and the rest where they add up. Without figures of groups their total. */
function seriesOf({ by, data, total }: Statistics, measure: Choice['measure']): readonly Series[] {
  const values = (slots: readonly Figures[]) => slots.map((figures) => valueOf(figures, measure));
  const all = values(total.slots);
  const groups = data.flatMap(({ slots, ...row }) =>
    slots === null || !valueOf(row, measure) ? [] : [{ name: nameOf(row, by), values: values(slots) }],
  );
  if (groups.length === 0) return [{ name: 'All', values: all, color: 'series-1' }];
  const shown = groups.map((group, at) => ({ ...group, color: `series-${at + 1}` }));
  const some = data.filter((row) => valueOf(row, measure)).length;
  if (!MEASURES[measure].isSum || groups.length === some) return shown;
  const rest = all.map((sum, at) => groups.reduce((left, group) => left - (group.values[at] ?? 0), sum ?? 0));
  return [...shown, { name: 'The rest', values: rest.map((value) => Math.max(0, value)), color: 'series-rest' }];
}

/** Labels are not unique. */
function nameOf({ group, label, organization }: Omit<Group, 'slots'>, by: Statistics['by']): string {
  if (label !== undefined) return `${label} (${organization})`;
  return group.map((name, at) => wordOf(by[at], name)).join(' · ');
}

const wordOf = (field: Statistics['by'][number] | undefined, name = '') =>
  (field === 'outcome' ? name.replaceAll('_', ' ') : name) || 'none';

function columnsOf({ by }: Statistics, choice: Choice): readonly Column<Group>[] {
  const fields = by.map(
    (field, at): Column<Group> => ({
      title: FIELDS[field],
      cell: (row) =>
        at === 0 ? (
          <GroupLink row={row} choice={choice} />
        ) : (
          <Cut>{row.group.length === 0 ? '' : wordOf(field, row.group[at])}</Cut>
        ),
    }),
  );
  const head = by.length > 0 ? fields : [{ title: 'Time (UTC)', cell: ({ group }: Group) => group[0] ?? 'Total' }];
  return [...head, ...(choice.isOfLedger ? FIGURES.slice(0, 2) : FIGURES)];
}

const FIGURES: readonly Column<Group>[] = [
  { title: 'Cost', cell: ({ cost }) => <Money amount={cost} />, isNumber: true },
  { title: 'Calls', cell: ({ calls }) => count(calls), isNumber: true },
  {
    title: 'Failures',
    cell: ({ failures, calls }) => (failures ? `${count(failures)} (${percent(failures, calls)})` : '0'),
    isNumber: true,
  },
  { title: 'Rescued', cell: ({ rescued }) => count(rescued ?? 0), isNumber: true },
  { title: 'Median', cell: ({ p50_ms }) => milliseconds(p50_ms), isNumber: true },
  { title: '95th percentile', cell: ({ p95_ms }) => milliseconds(p95_ms), isNumber: true },
];

/** The name of a group, with the way to its requests. No list can be asked for what has no name. */
function GroupLink({ row, choice }: { row: Group; choice: Choice }) {
  const { params } = useAddress();
  const { by } = choice;
  if (row.group.length === 0) return 'Total';
  const to = linkTo('requests', { ...sharedParams(params), ...requestsOf(choice, row.group) });
  return (
    <Cut href={row.group.includes('') ? undefined : to}>
      {by.length > 1 ? wordOf(by[0], row.group[0]) : nameOf(row, by)}
    </Cut>
  );
}
