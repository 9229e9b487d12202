import { useEffect } from 'preact/hooks';
import type { Health, ProviderHealth } from '../../../src/api/contract.js';
import { getJson } from '../api.js';
import { count, milliseconds, minute, percent, plural } from '../format.js';
import { type Column, DataTable } from '../ui/data-table.js';
import { Empty, ErrorNotice, Loading } from '../ui/notice.js';
import { Tile, Tiles } from '../ui/tiles.js';
import { useLoad } from '../use-load.js';
import { MinuteBars } from './minute-bars.js';

const REFRESH_MS = 5_000;

const COLUMNS: readonly Column<ProviderHealth>[] = [
  { title: 'Provider', cell: ({ id }) => id },
  { title: 'State', cell: (provider) => <State provider={provider} /> },
  { title: 'Last hour', cell: (provider) => <MinuteBars provider={provider} /> },
  { title: 'Attempts', cell: ({ attempts }) => count(attempts), isNumber: true },
  { title: 'Failures', cell: ({ failures }) => count(failures), isNumber: true },
  { title: 'Error rate', cell: ({ failures, attempts }) => percent(failures, attempts), isNumber: true },
  { title: 'Median', cell: ({ p50Ms }) => milliseconds(p50Ms), isNumber: true },
  { title: '95th percentile', cell: ({ p95Ms }) => milliseconds(p95Ms), isNumber: true },
];

export function HealthView() {
  const { data, error, reload } = useLoad('health', () => getJson<Health>('health'));
  useEffect(() => {
    const timer = setInterval(() => document.visibilityState === 'visible' && reload(), REFRESH_MS);
    return () => clearInterval(timer);
  }, [reload]);
  return (
    <>
      <ErrorNotice error={error} onRetry={reload} />
      {data === undefined && error === undefined && <Loading what="the state of the gateway" />}
      {data !== undefined && <HealthReport health={data} />}
    </>
  );
}

function HealthReport({ health }: { health: Health }) {
  const { ledger, inFlight, settlesWaiting, isClosing, sinceMinutes, providers } = health;
  return (
    <>
      {isClosing && <p class="notice error">The gateway is shutting down: it takes no new requests.</p>}
      <Tiles>
        <Tile name="Ledger" note={ledger.isReachable ? `read in ${milliseconds(ledger.readMs)}` : ledger.reason}>
          <span class={ledger.isReachable ? 'good' : 'bad'}>{ledger.isReachable ? 'reachable' : 'not reachable'}</span>
        </Tile>
        <Tile name="Requests in flight">{count(inFlight)}</Tile>
        <Tile
          name="Settles waiting"
          note={settlesWaiting === 0 ? 'all charges are written' : 'charges not written yet; they are tried again'}
        >
          {count(settlesWaiting)}
        </Tile>
      </Tiles>
      {providers.length === 0 ? (
        <Empty>No provider is configured. Add one to the gateway's options.</Empty>
      ) : (
        <DataTable
          caption={`Providers, as this process has seen them in the last ${sinceMinutes <= 1 ? 'minute' : plural(sinceMinutes, 'minute')}`}
          columns={COLUMNS}
          rows={providers}
          rowKey={({ id }) => id}
        />
      )}
    </>
  );
}

function State({ provider: { state, pausedUntil } }: { provider: ProviderHealth }) {
  return (
    <span class={state === 'serving' ? 'good' : 'bad'}>
      {state}
      {pausedUntil !== null && ` until ${minute(pausedUntil)} UTC`}
    </span>
  );
}
