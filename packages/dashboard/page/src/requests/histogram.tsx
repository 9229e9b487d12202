import type { Statistics } from '../../../src/api/contract.js';
import type { Query } from '../api.js';
import { count } from '../format.js';
import { rangeParams, type TimeRange, useTimeRange } from '../time-range.js';
import { ErrorNotice, Skeleton } from '../ui/parts.js';
import { TimeChart } from '../ui/time-chart.js';
import type { Loaded } from '../use-load.js';
import { type Filters, filterNames } from './filters.js';

/** With the axis. */
const HEIGHT = 124;
const STEPS_MS = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };
/** The filters that sums know. */
const KNOWN = ['organization', 'model', 'provider'];

/** Which sums belong to the list. */
export function sumsQuery(filters: Filters, { since, until }: TimeRange): Query {
  const known = Object.fromEntries(KNOWN.map((name) => [name, filters[name]]));
  return { of: 'calls', since, until, ...known };
}

/** The calls of the time, in which a brush chooses a part. */
export function Histogram({ loaded, filters }: { loaded: Loaded<Statistics>; filters: Filters }) {
  const { choose } = useTimeRange();
  const { data, error, reload } = loaded;
  if (data === undefined)
    return error === undefined ? <Skeleton what="the chart" /> : <ErrorNotice error={error} onRetry={reload} />;
  const { total, times, step } = data;
  const failures = total.slots.map((slot) => slot.failures ?? 0);
  const ignored = Object.keys(filters).filter((name) => !KNOWN.includes(name));
  const stepMs = STEPS_MS[step];
  return (
    <div class="histogram">
      <TimeChart
        label={`${count(total.calls)} calls, of which ${count(total.failures ?? 0)} failed or were refused. Drag over a part to choose its time.`}
        times={times.map((time) => Date.parse(time))}
        stepMs={stepMs}
        height={HEIGHT}
        shape="bars"
        format={count}
        series={[
          { name: 'Failed', values: failures, color: 'bad' },
          {
            name: 'Answered',
            values: total.slots.map(({ calls }, at) => calls - (failures[at] ?? 0)),
            color: 'series-1',
          },
        ]}
        onChosen={(sinceMs, untilMs) => choose(rangeParams(sinceMs, untilMs))}
      />
      <p class="hint">
        {ignored.length === 0
          ? `Calls by ${step}. Drag over a part, or click on one, to choose its time.`
          : `All calls of this time by ${step}: the chart knows no filter by ${filterNames(ignored)}.`}
      </p>
    </div>
  );
}
