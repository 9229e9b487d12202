import { useMemo, useState } from 'preact/hooks';
import type { KeyRow, Page, RequestRow, Session, Statistics } from '../../../src/api/contract.js';
import { linkTo, useAddress } from '../address.js';
import { apiUrl, getJson, type Query } from '../api.js';
import { count } from '../format.js';
import { rangeOf, sharedParams } from '../time-range.js';
import { LoadedTable, MoreButton } from '../ui/data-table.js';
import { Empty } from '../ui/parts.js';
import { useLoad, usePages, useRefresh } from '../use-load.js';
import { ColumnMenu, columnsOf, type KeyLabels, useHiddenColumns } from './columns.js';
import { FilterBar, filtersOf } from './filters.js';
import { Histogram, sumsQuery } from './histogram.js';
import { RequestPanel } from './request-panel.js';
import { useRowKeys } from './use-row-keys.js';

/** What the server gives at once. */
const PAGE = 100;

/** The calls in the request log, newest first. */
export function RequestsView({ session }: { session: Session }) {
  if (!session.has_requests) {
    return (
      <Empty>
        There is no request log. Give the gateway one with <code>requestLog: {'{ log: ledger.requests }'}</code>, and
        the administration the same log.
      </Empty>
    );
  }
  return <LoggedRequests session={session} />;
}

function LoggedRequests({ session }: { session: Session }) {
  const { params, change } = useAddress();
  const [tick, setTick] = useState(0);
  const { range: name, from, to, request: opened } = params;
  const range = useMemo(() => rangeOf({ range: name, from, to }), [name, from, to, tick]);
  const filters = filtersOf(params);
  const query = { ...filters, since: range.since, until: range.until };
  const labels = useKeyLabels(session);
  const sums = sumsQuery(filters, range);
  const statistics = useLoad(apiUrl('statistics', sums), () => getJson<Statistics>('statistics', sums));
  const hiding = useHiddenColumns();
  const pages = usePages<RequestRow>('requests', query);
  const rows = pages.data?.data ?? [];
  const follow = () => {
    setTick(tick + 1);
    pages.reload();
  };
  // A time up to now moves on, unless pages after the first would be lost.
  useRefresh(follow, range.until === null && rows.length <= PAGE);

  const linkOf = ({ request_id }: RequestRow) => linkTo('requests', { ...params, request: request_id });
  const close = () => change({ request: '' });
  const open = (id: string) => change({ request: id }, 'replace');
  useRowKeys({ ids: rows.map(({ request_id }) => request_id), opened, open, close });
  const longestMs = Math.max(1, ...rows.map(({ duration_ms }) => duration_ms));
  const columns = columnsOf({ labels, longestMs, shared: sharedParams(params), linkOf });
  const [first, ...choosable] = columns.map(({ title }) => title);
  return (
    <section class="requests" aria-label="Requests">
      <Histogram loaded={statistics} filters={filters} />
      <div class="title-row">
        <FilterBar session={session} filters={filters} labels={labels} />
        <div class="buttons">
          <ColumnMenu titles={choosable} {...hiding} />
          <a class="button" href={apiUrl('requests.csv', { ...query, id: '' })} download="">
            CSV
          </a>
        </div>
      </div>
      <LoadedTable
        loaded={pages}
        caption={`${count(rows.length)} requests, newest first`}
        columns={columns.filter(({ title }) => title === first || !hiding.hidden.includes(title))}
        rowKey={({ request_id }) => request_id}
        opensRows
        current={opened}
        empty={
          pages.data?.next_cursor === null
            ? 'No request fits. Widen the time or the filters, or ask something in the playground.'
            : 'No request fits among the newest. Older ones follow.'
        }
      />
      <MoreButton key={apiUrl('requests', query)} pages={pages} />
      {opened !== undefined && <RequestPanel session={session} id={opened} labels={labels} onClose={close} />}
    </section>
  );
}

const LABELS: Query = { limit: '1000' };

/** Of the first 1,000 keys, where the gateway has keys. */
function useKeyLabels({ has_keys }: Session): KeyLabels {
  const { data } = useLoad(has_keys ? 'keys' : null, () => getJson<Page<KeyRow>>('keys', LABELS));
  return useMemo(() => new Map(data?.data.map(({ id, label }) => [id, label])), [data]);
}
