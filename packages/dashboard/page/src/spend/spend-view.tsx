import { useState } from 'preact/hooks';
import type { Session, UsageLine, UsageTable } from '../../../src/api/contract.js';
import { apiUrl, getJson, type Query } from '../api.js';
import { aboutUsd, count, percent, plural, usd, utcDay } from '../format.js';
import { type Column, DataTable } from '../ui/data-table.js';
import { Field, Select } from '../ui/field.js';
import { OrganizationField, onlyOrganization } from '../ui/organization-field.js';
import { Empty, ErrorNotice, Loading, Tile, Tiles } from '../ui/parts.js';
import { useLoad } from '../use-load.js';
import { Balance } from './balance.js';
import { UsageChart } from './usage-chart.js';

const TITLES: Readonly<Record<UsageTable['by'], string>> = {
  day: 'Day (UTC)',
  model: 'Model',
  key: 'Key',
  tag: 'Tag',
  organization: 'Organization',
};

/** Usage as numbers, a chart and a table. */
function UsageReport({ table }: { table: UsageTable }) {
  const { by, data: rows, total, omitted, forecast } = table;
  const columns: readonly Column<UsageLine>[] = [
    { title: TITLES[by], cell: ({ group }) => group ?? 'none' },
    { title: 'Requests', cell: ({ requests }) => count(requests), isNumber: true },
    { title: 'Cached', cell: ({ cached_requests }) => count(cached_requests), isNumber: true },
    { title: 'Charged', cell: ({ charged }) => usd(charged), isNumber: true },
    { title: 'Upstream cost', cell: ({ upstream_cost }) => usd(upstream_cost), isNumber: true },
    { title: 'Lost', cell: ({ lost }) => usd(lost), isNumber: true },
    { title: 'Granted', cell: ({ granted }) => usd(granted), isNumber: true },
    { title: 'Adjusted', cell: ({ adjusted }) => usd(adjusted), isNumber: true },
  ];
  return (
    <>
      <Tiles>
        <Tile name="Charged">{usd(total.charged)}</Tile>
        <Tile name="Requests" note={`${percent(total.cached_requests, total.requests)} from the cache`}>
          {count(total.requests)}
        </Tile>
        <Tile name="Upstream cost">{usd(total.upstream_cost)}</Tile>
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

interface Choice {
  readonly by: UsageTable['by'];
  readonly organization: string;
  /** First day in UTC; `to` is the last. */
  readonly from: string;
  readonly to: string;
}

const GROUPINGS = [
  ['day', 'day'],
  ['model', 'model'],
  ['key', 'key'],
  ['tag', 'tag'],
  ['organization', 'organization'],
] as const;

/** Length in days of each range up to today. */
const RANGES = [
  ['7', '7 days'],
  ['30', '30 days'],
  ['90', '90 days'],
  ['365', '365 days'],
] as const;

export function SpendView({ session }: { session: Session }) {
  const [choice, setChoice] = useState<Choice>(() => ({
    by: 'day',
    organization: onlyOrganization(session) ?? '',
    ...lastDays(30),
  }));
  const query: Query = { ...choice };
  const usage = useLoad(apiUrl('usage', query), () => getJson<UsageTable>('usage', query));
  return (
    <>
      <ChoiceForm session={session} choice={choice} onChoice={setChoice} />
      {choice.organization === '' ? (
        <p class="hint">Choose an organization to see its balance.</p>
      ) : (
        <Balance organization={choice.organization} />
      )}
      <ErrorNotice error={usage.error} onRetry={usage.reload} />
      {usage.data === undefined && usage.isLoading && <Loading what="the usage" />}
      {usage.data !== undefined && (
        <div aria-busy={usage.isLoading}>
          <UsageReport table={usage.data} />
          <p>
            <a href={apiUrl('usage.csv', query)} download="">
              Download as CSV
            </a>
          </p>
        </div>
      )}
    </>
  );
}

interface ChoiceFormProps {
  readonly session: Session;
  readonly choice: Choice;
  readonly onChoice: (choice: Choice) => void;
}

function ChoiceForm({ session, choice, onChoice }: ChoiceFormProps) {
  const change = (part: Partial<Choice>) => onChoice({ ...choice, ...part });
  const range = RANGES.find(
    ([days]) => lastDays(Number(days)).from === choice.from && choice.to === utcDay(new Date()),
  );
  return (
    <div class="toolbar">
      <Select
        label="By"
        value={choice.by}
        onValue={(by) => change({ by: by as UsageTable['by'] })}
        options={GROUPINGS}
      />
      <Select
        label="Range"
        value={range?.[0] ?? ''}
        onValue={(days) => days !== '' && change(lastDays(Number(days)))}
        options={range === undefined ? [['', 'chosen'], ...RANGES] : RANGES}
      />
      <Field
        label="From"
        type="date"
        value={choice.from}
        max={choice.to}
        onValue={(from) => from && change({ from })}
      />
      <Field label="To" type="date" value={choice.to} min={choice.from} onValue={(to) => to && change({ to })} />
      <OrganizationField
        session={session}
        value={choice.organization}
        onChosen={(organization) => change({ organization })}
      />
    </div>
  );
}

function lastDays(days: number): Pick<Choice, 'from' | 'to'> {
  const today = new Date();
  return { from: utcDay(today, 1 - days), to: utcDay(today) };
}
