import type { Health, ProviderHealth, Session } from '../../../src/api/contract.js';
import { linkTo } from '../address.js';
import { getJson } from '../api.js';
import { count, milliseconds, minute, percent, plural } from '../format.js';
import { Bars } from '../ui/charts.js';
import { type Column, DataTable } from '../ui/data-table.js';
import { Empty, ErrorNotice, Skeleton, Tile, Tiles } from '../ui/parts.js';
import { type Loaded, useLoad, useRefresh } from '../use-load.js';

const COLUMNS: readonly Column<ProviderHealth>[] = [
  { title: 'Provider', cell: ({ id }) => id },
  { title: 'State', cell: (provider) => <ProviderState provider={provider} /> },
  { title: 'Attempts', cell: ({ attempts }) => count(attempts), isNumber: true },
  { title: 'Failures', cell: ({ failures }) => count(failures), isNumber: true },
  { title: 'Error rate', cell: ({ failures, attempts }) => percent(failures, attempts), isNumber: true },
  { title: 'Median', cell: ({ p50_ms }) => milliseconds(p50_ms), isNumber: true },
  { title: '95th percentile', cell: ({ p95_ms }) => milliseconds(p95_ms), isNumber: true },
  { title: 'Last hour', cell: (provider) => <MinuteBars provider={provider} /> },
];

function MinuteBars({ provider: { id, minutes, attempts, failures } }: { provider: ProviderHealth }) {
  const label = `${id}: ${count(attempts)} attempts, ${count(failures)} failed`;
  return <Bars label={label} slots={minutes} />;
}

export function ProviderState({ provider: { state, paused_until, keys } }: { provider: ProviderHealth }) {
  return (
    <>
      <State state={state} until={paused_until} />
      {keys.map((key) => (
        <div key={key.name}>
          {`${key.name}: `}
          <State state={key.state.replaceAll('_', ' ')} until={key.out_until} />
        </div>
      ))}
    </>
  );
}

function State({ state, until }: { state: string; until: string | null }) {
  return (
    <span class={state === 'serving' ? 'good' : 'bad'}>
      {state}
      {until !== null && ` until ${minute(until)} UTC`}
    </span>
  );
}

/** The health of the process that answers, kept up to date while the page is in sight. */
export function useHealth(): Loaded<Health> {
  const health = useLoad('health', () => getJson<Health>('health'));
  useRefresh(health.reload);
  return health;
}

export function HealthView({ session }: { session: Session }) {
  const { data, error, reload } = useHealth();
  return (
    <>
      <ErrorNotice error={error} onRetry={reload} />
      {data === undefined && error === undefined && <Skeleton what="the state of the gateway" />}
      {data !== undefined && <HealthReport health={data} />}
      {session.has_requests && (
        <p>
          <a href={linkTo('explore', { of: 'attempts', by: 'provider', measure: 'p95_ms', range: '24h' })}>
            Latencies and failures of each provider over time
          </a>
          , of all processes.
        </p>
      )}
    </>
  );
}

function Instances({ health: { instance, others } }: { health: Health }) {
  const of = ({ name, started_at }: Health['instance']) => `${name}, since ${minute(started_at)} UTC`;
  if (others === null || others.length === 0)
    return <p class="hint">{`This is ${of(instance)}: the only process known here.`}</p>;
  return <p class="hint">{`This is ${of(instance)}. Others on the same ledger: ${others.map(of).join('; ')}.`}</p>;
}

function HealthReport({ health }: { health: Health }) {
  const { ledger, in_flight, settles_waiting, is_closing, since_minutes, providers } = health;
  return (
    <>
      {is_closing && <p class="notice error">The gateway is shutting down: it takes no new requests.</p>}
      <Tiles>
        <Tile name="Ledger" note={ledger.is_reachable ? `read in ${milliseconds(ledger.read_ms)}` : ledger.reason}>
          <span class={ledger.is_reachable ? 'good' : 'bad'}>
            {ledger.is_reachable ? 'reachable' : 'not reachable'}
          </span>
        </Tile>
        <Tile name="Requests in flight" note="of this process">
          {count(in_flight)}
        </Tile>
        <Tile
          name="Settles waiting"
          note={settles_waiting === 0 ? 'all charges are written' : 'unwritten charges, which are retried'}
        >
          {count(settles_waiting)}
        </Tile>
      </Tiles>
      {providers.length === 0 ? (
        <Empty>No provider is configured. Add one to the gateway's options.</Empty>
      ) : (
        <DataTable
          caption={`Providers, as this process has seen them in the last ${since_minutes <= 1 ? 'minute' : plural(since_minutes, 'minute')}`}
          columns={COLUMNS}
          rows={providers}
          rowKey={({ id }) => id}
        />
      )}
      <Instances health={health} />
    </>
  );
}
