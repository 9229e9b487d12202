import type { Performance, Session } from '../../../src/api/contract.js';
import { useAddress } from '../address.js';
import { apiUrl, getJson } from '../api.js';
import { count, milliseconds, minute, percent } from '../format.js';
import { Bars, LatencyBars } from '../ui/charts.js';
import { type Column, LoadedTable } from '../ui/data-table.js';
import { Select } from '../ui/field.js';
import { Cut } from '../ui/parts.js';
import { useLoad } from '../use-load.js';

type Row = Performance['data'][number];

const COLUMNS: readonly Column<Row>[] = [
  { title: 'Name', cell: ({ group }) => <Cut>{group}</Cut> },
  { title: 'Attempts', cell: ({ calls }) => count(calls), isNumber: true },
  { title: 'Failed', cell: ({ calls, failures }) => percent(failures, calls), isNumber: true },
  { title: 'Rescued', cell: ({ rescued }) => count(rescued), isNumber: true },
  { title: 'Median', cell: ({ p50_ms }) => milliseconds(p50_ms), isNumber: true },
  { title: '95th percentile', cell: ({ p95_ms }) => milliseconds(p95_ms), isNumber: true },
  { title: 'Attempts and failures', cell: (row) => <CallBars row={row} /> },
  { title: '95th percentile over time', cell: ({ group, slots }) => <LatencyBars group={group} slots={slots} /> },
];

function CallBars({ row: { group, slots } }: { row: Row }) {
  const bars = slots.map(({ calls, failures }) => ({
    value: calls,
    failures,
    title: `${calls} attempts, ${failures} failed`,
  }));
  return <Bars label={`Attempts at ${group} over time`} slots={bars} />;
}

const RANGES = [
  ['24', 'last day'],
  ['168', 'last 7 days'],
  ['720', 'last 30 days'],
] as const;

const GROUPINGS = [
  ['model', 'model'],
  ['provider', 'provider'],
] as const;

/** Latencies and failures by model or provider, from the request log. */
export function PerformanceSection({ session }: { session: Session }) {
  const { params, change } = useAddress();
  const { by = 'model', hours = '24' } = params;
  const query = { by, hours };
  const loaded = useLoad(session.has_requests ? apiUrl('performance', query) : null, () =>
    getJson<Performance>('performance', query),
  );
  const { data } = loaded;
  return (
    <section aria-label="Latency and failures">
      <div class="title-row">
        <h2>Latency and failures</h2>
        {session.has_requests && (
          <div class="toolbar">
            <Select label="By" value={by} onValue={(value) => change({ by: value })} options={GROUPINGS} />
            <Select label="Time" value={hours} onValue={(value) => change({ hours: value })} options={RANGES} />
          </div>
        )}
      </div>
      {session.has_requests ? (
        <LoadedTable
          loaded={loaded}
          caption={
            data === undefined ? 'Attempts' : `All processes, ${minute(data.since)} to ${minute(data.until)} UTC`
          }
          columns={COLUMNS}
          rowKey={({ group }) => group}
          empty="No attempt in this time. Choose a longer one, or ask something in the playground."
        />
      ) : (
        <p class="hint">Latencies and failures by model need a request log.</p>
      )}
    </section>
  );
}
