import type { UsageLine, UsageTable } from '../../../src/api/contract.js';
import { aboutUsd, count, percent, plural, usd } from '../format.js';
import { type Column, DataTable } from '../ui/data-table.js';
import { Empty } from '../ui/notice.js';
import { Tile, Tiles } from '../ui/tiles.js';
import { UsageChart } from './usage-chart.js';

const TITLES: Readonly<Record<UsageTable['by'], string>> = {
  day: 'Day (UTC)',
  model: 'Model',
  key: 'Key',
  tag: 'Tag',
  organization: 'Organization',
};

/** Usage as numbers, a chart and a table. */
export function UsageReport({ table }: { table: UsageTable }) {
  const { by, rows, total, omitted, forecast } = table;
  const columns: readonly Column<UsageLine>[] = [
    { title: TITLES[by], cell: ({ group }) => group ?? 'none' },
    { title: 'Requests', cell: ({ requests }) => count(requests), isNumber: true },
    { title: 'Cached', cell: ({ cachedRequests }) => count(cachedRequests), isNumber: true },
    { title: 'Charged', cell: ({ charged }) => usd(charged), isNumber: true },
    { title: 'Upstream cost', cell: ({ upstreamCost }) => usd(upstreamCost), isNumber: true },
    { title: 'Lost', cell: ({ lost }) => usd(lost), isNumber: true },
    { title: 'Granted', cell: ({ granted }) => usd(granted), isNumber: true },
    { title: 'Adjusted', cell: ({ adjusted }) => usd(adjusted), isNumber: true },
  ];
  return (
    <>
      <Tiles>
        <Tile name="Charged">{usd(total.charged)}</Tile>
        <Tile name="Requests" note={`${percent(total.cachedRequests, total.requests)} from the cache`}>
          {count(total.requests)}
        </Tile>
        <Tile name="Upstream cost">{usd(total.upstreamCost)}</Tile>
        <Tile name="Lost" note="paid to providers, not charged">
          {usd(total.lost)}
        </Tile>
        {forecast !== null && (
          <Tile name="Forecast" note="this month, as in the last seven days">
            {aboutUsd(forecast)}
          </Tile>
        )}
      </Tiles>
      {total.requests > 0 && <UsageChart table={table} />}
      {rows.length === 0 || (by === 'day' && total.requests === 0) ? (
        <Empty>Nothing was used in this time. Choose a longer range, or ask something in the playground.</Empty>
      ) : (
        <DataTable
          caption={`Usage by ${by}, in USD`}
          columns={columns}
          rows={by === 'day' ? rows.toReversed() : rows}
          rowKey={({ group }) => group ?? ''}
          total={{ ...total, group: 'Total' }}
        />
      )}
      {omitted > 0 && <p class="hint">{plural(omitted, 'group')} with less usage are left out.</p>}
    </>
  );
}
