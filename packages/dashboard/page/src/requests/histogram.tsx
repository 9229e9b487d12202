import type { Statistics } from '../../../src/api/contract.js';
import type { Params } from '../address.js';
import type { Query } from '../api.js';
import { count } from '../format.js';
import { rangeParams, STEPS_MS, type TimeRange, useTimeRange } from '../time-range.js';
import { ErrorNotice, Skeleton } from '../ui/parts.js';
import { TimeChart } from '../ui/time-chart.js';
import type { Loaded } from '../use-load.js';
import { type Filters, filterNames } from './filters.js';

/** With the axis. */
const HEIGHT = 124;
/** The filters that sums know. */
const KNOWN = ['organization', 'model', 'provider'];

/** Which sums belong to the list. */
export function sumsQuery(filters: Filters, { since, until }: TimeRange): Query {
  const known = Object.fromEntries(KNOWN.map((name) => [name, filters[name]]));
  return { of: 'calls', since, until, ...known };
}

interface CallsChartProps {
  readonly statistics: Statistics;
  readonly label: string;
  readonly height?: number;
  readonly onChosen: (range: Params) => void;
}

/** Calls over time, those that failed apart. A brush chooses a part. */
export function CallsChart({ statistics: { total, times, step }, label, height, onChosen }: CallsChartProps) {
  const failures = total.slots.map((slot) => slot.failures ?? 0);
  const answered = total.slots.map(({ calls }, at) => calls - (failures[at] ?? 0));
  return (
    <TimeChart
      label={`${count(total.calls)} calls${label}, of which ${count(total.failures ?? 0)} failed or were refused. Drag over a part to choose its time.`}
      times={times.map((time) => Date.parse(time))}
      stepMs={STEPS_MS[step]}
      height={height}
      shape="bars"
      format={count}
      series={[
        { name: 'Failed', values: failures, color: 'bad' },
        { name: 'Answered', values: answered, color: 'series-1' },
      ]}
      onChosen={(sinceMs, untilMs) => onChosen(rangeParams(sinceMs, untilMs))}
    />
  );
}

/** The calls of the time, in which a brush chooses a part. */
export function Histogram({ loaded, filters }: { loaded: Loaded<Statistics>; filters: Filters }) {
  const { choose } = useTimeRange();
  const { data, error, reload } = loaded;
  if (data === undefined)
    return error === undefined ? <Skeleton what="the chart" /> : <ErrorNotice error={error} onRetry={reload} />;
  const ignored = Object.keys(filters).filter((name) => !KNOWN.includes(name));
  return (
    <div class="histogram">
      <CallsChart statistics={data} label="" height={HEIGHT} onChosen={choose} />
      <p class="hint">
        {ignored.length === 0
          ? `Calls by ${data.step}. Drag over a part, or click on one, to choose its time.`
          : `All calls of this time by ${data.step}: the chart knows no filter by ${filterNames(ignored)}.`}
      </p>
    </div>
  );
}
