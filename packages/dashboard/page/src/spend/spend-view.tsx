import type { Session, UsageLine, UsageTable } from '../../../src/api/contract.js';
import { linkTo, useAddress } from '../address.js';
import { apiUrl, getJson, type Query } from '../api.js';
import { aboutUsd, count, percent, plural, usd, utcDay } from '../format.js';
import { DayChart, ShareBar } from '../ui/charts.js';
import { type Column, DataTable } from '../ui/data-table.js';
import { Field, Select } from '../ui/field.js';
import { OrganizationField, onlyOrganization } from '../ui/organization-field.js';
import { Cut, Empty, ErrorNotice, Money, Skeleton, Tile, Tiles } from '../ui/parts.js';
import { useLoad } from '../use-load.js';

const TITLES: Readonly<Record<UsageTable['by'], string>> = {
  day: 'Day (UTC)',
  model: 'Model',
  key: 'Key',
  tag: 'Tag',
  budget: 'Budget',
  organization: 'Organization',
};

/** Usage as numbers, a chart and a table. */
function UsageReport({ table }: { table: UsageTable }) {
  const { by, data, total, omitted, forecast } = table;
  const rows = by === 'day' ? data.toReversed() : data.toSorted((a, b) => Number(b.charged) - Number(a.charged));
  const most = Math.max(0, ...rows.map(({ charged }) => Number(charged)));
  const share: Column<UsageLine> = {
    title: 'Share',
    cell: ({ charged, group }) => group !== 'Total' && most > 0 && <ShareBar share={Number(charged) / most} />,
  };
  const columns = [
    { title: TITLES[by], cell: (line: UsageLine) => <Group by={by} line={line} /> },
    ...COLUMNS.slice(0, 2),
    ...(by === 'day' ? [] : [share]),
    ...COLUMNS.slice(2),
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
      {total.requests > 0 && by === 'day' && (
        <DayChart rows={data} label="Chart: charged by day. The table has the numbers." />
      )}
      {rows.length === 0 || (by === 'day' && total.requests === 0) ? (
        <Empty>Nothing was used in this time. Choose a longer range, or ask something in the playground.</Empty>
      ) : (
        <DataTable
          caption={`Usage by ${by}, in USD`}
          columns={columns}
          rows={rows}
          rowKey={({ group }) => group ?? ''}
          total={{ ...total, group: 'Total' }}
        />
      )}
      {by === 'budget' && (
        <p class="hint">A request counts in each of its budgets: together they can be more than the total.</p>
      )}
      {omitted > 0 && <p class="hint">{plural(omitted, 'group')} with less usage are left out.</p>}
    </>
  );
}

const COLUMNS: readonly Column<UsageLine>[] = [
  { title: 'Charged', cell: ({ charged }) => <Money amount={charged} />, isNumber: true },
  { title: 'Requests', cell: ({ requests }) => count(requests), isNumber: true },
  { title: 'Cached', cell: ({ cached_requests }) => count(cached_requests), isNumber: true },
  { title: 'Upstream cost', cell: ({ upstream_cost }) => <Money amount={upstream_cost} />, isNumber: true },
  { title: 'Lost', cell: ({ lost }) => <Money amount={lost} />, isNumber: true },
  { title: 'Granted', cell: ({ granted }) => <Money amount={granted} />, isNumber: true },
  { title: 'Adjusted', cell: ({ adjusted }) => <Money amount={adjusted} />, isNumber: true },
];

/** A key by its label, with a link to its page. */
function Group({ by, line: { group, label } }: { by: UsageTable['by']; line: UsageLine }) {
  const organization = by === 'organization' && group !== 'Total' ? group : undefined;
  const params = label === undefined ? organization && { organization } : { key: group };
  return <Cut href={params ? linkTo('keys', params) : undefined}>{label ?? group ?? 'none'}</Cut>;
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
  ['budget', 'budget'],
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
  const { params, change } = useAddress();
  const choice = { by: 'day', organization: onlyOrganization(session) ?? '', ...lastDays(30), ...params } as Choice;
  const query: Query = { ...choice };
  const usage = useLoad(apiUrl('usage', query), () => getJson<UsageTable>('usage', query));
  return (
    <>
      <ChoiceForm session={session} choice={choice} csv={apiUrl('usage.csv', query)} change={change} />
      <ErrorNotice error={usage.error} onRetry={usage.reload} />
      {usage.data === undefined && usage.isLoading && <Skeleton what="the usage" />}
      {usage.data !== undefined && (
        <div aria-busy={usage.isLoading}>
          <UsageReport table={usage.data} />
        </div>
      )}
    </>
  );
}

interface ChoiceFormProps {
  readonly session: Session;
  readonly choice: Choice;
  /** The URL of the same usage as CSV. */
  readonly csv: string;
  readonly change: (part: Readonly<Record<string, string>>) => void;
}

function ChoiceForm({ session, choice, csv, change }: ChoiceFormProps) {
  const range = RANGES.find(
    ([days]) => lastDays(Number(days)).from === choice.from && choice.to === utcDay(new Date()),
  );
  return (
    <div class="toolbar">
      <Select label="By" value={choice.by} onValue={(by) => change({ by })} options={GROUPINGS} />
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
      <a class="button" href={csv} download="">
        CSV
      </a>
    </div>
  );
}

function lastDays(days: number): Pick<Choice, 'from' | 'to'> {
  const today = new Date();
  return { from: utcDay(today, 1 - days), to: utcDay(today) };
}
