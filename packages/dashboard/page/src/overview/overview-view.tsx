import type { ComponentChildren } from 'preact';
import type {
  Alert,
  Health,
  OrganizationView,
  Page,
  Session,
  Statistics,
  UsageTable,
} from '../../../src/api/contract.js';
import { linkTo, type Params } from '../address.js';
import { apiUrl, getJson, type Query } from '../api.js';
import { aboutUsd, count, minute, percent, utcDay } from '../format.js';
import { ProviderState, useHealth } from '../health/health-view.js';
import { rangeParams } from '../time-range.js';
import { ShareBar } from '../ui/charts.js';
import { onlyOrganization } from '../ui/organization-field.js';
import { Empty, ErrorNotice, Money, Skeleton, Tile, Tiles } from '../ui/parts.js';
import { TimeChart } from '../ui/time-chart.js';
import { type Loaded, useLoad } from '../use-load.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** A balance below this share of the credits is low. */
const LOW_SHARE = 0.1;

/** What an operator wants to know first: today and this month, each with the way to what explains it, and what needs attention. */
export function OverviewView({ session }: { session: Session }) {
  const health = useHealth();
  const organizations = useLoad('organizations', () => getJson<Page<OrganizationView>>('organizations'));
  const month = useUsage({ by: 'organization', from: `${utcDay(new Date()).slice(0, 7)}-01` });
  const lastDay = useLastDay(session);
  return (
    <>
      <Today month={month} lastDay={lastDay} />
      {lastDay.data !== undefined && lastDay.data.total.calls > 0 && <LastDay statistics={lastDay.data} />}
      <div class="columns overview-columns">
        {onlyOrganization(session) === undefined && <Largest month={month} />}
        <LowBalances organizations={organizations} />
        <Paused health={health} />
        <Alerts health={health} />
      </div>
    </>
  );
}

function useUsage(query: Query): Loaded<UsageTable> {
  return useLoad(apiUrl('usage', query), () => getJson<UsageTable>('usage', query));
}

/** Of whole hours; it has all of today. */
function useLastDay({ has_requests }: Session): Loaded<Statistics> {
  const query = { since: `${new Date(Date.now() - DAY_MS).toISOString().slice(0, 13)}:00:00Z` };
  return useLoad(has_requests ? apiUrl('statistics', query) : null, () => getJson<Statistics>('statistics', query));
}

function Today({ month, lastDay }: { month: Loaded<UsageTable>; lastDay: Loaded<Statistics> }) {
  const day = utcDay(new Date());
  const usage = useUsage({ by: 'day', from: utcDay(new Date(), -29) });
  const today = usage.data?.data.at(-1);
  const ofMonth = month.data?.total;
  const error = usage.error ?? month.error ?? lastDay.error;
  if (today === undefined || ofMonth === undefined)
    return error === undefined ? <Skeleton what="the usage" /> : <ErrorNotice error={error} onRetry={usage.reload} />;
  const { data } = lastDay;
  const slots = data?.total.slots.filter((_, at) => data.times[at]?.startsWith(day)) ?? [];
  const sum = (name: keyof Tries) => slots.reduce((total, slot) => total + (slot[name] ?? 0), 0);
  const since = { from: `${day}T00:00:00Z` };
  const thisMonth = { by: 'organization', range: 'month' };
  const forecast = usage.data?.forecast ?? null;
  const tiles: readonly TileEntry[] = [
    ['Cost today', <Money key="cost" amount={today.charged} />, '', { by: 'model', ...since }],
    ['Requests today', count(today.requests), 'charged', { measure: 'calls', by: 'model', ...since }],
    ...(data === undefined
      ? []
      : triesOf({ calls: sum('calls'), failures: sum('failures'), rescued: sum('rescued') }, since)),
    ['Cost this month', <Money key="month" amount={ofMonth.charged} />, '', thisMonth],
    ['Requests this month', count(ofMonth.requests), 'charged', { measure: 'calls', ...thisMonth }],
    ['Lost this month', <Money key="lost" amount={ofMonth.lost} />, 'paid to providers, not charged', LOSSES],
    ...(forecast === null
      ? []
      : [['Forecast', aboutUsd(forecast), 'of this month', { by: 'none', range: 'month' }] as const]),
  ];
  return (
    <>
      <ErrorNotice error={error} onRetry={usage.reload} />
      <div class="overview-tiles">
        <Tiles>
          {tiles.map(([name, figure, note, to]) => (
            <Tile key={name} name={name} note={note}>
              <a class="figure" href={linkTo('explore', to)} title={`Explore: ${name}`}>
                {figure}
              </a>
            </Tile>
          ))}
        </Tiles>
      </div>
      {usage.data?.total.requests === 0 && (data?.total.calls ?? 0) === 0 && (
        <Empty>
          Nothing was used in the last 30 days. <a href={linkTo('keys')}>Create a key</a> for a program, or{' '}
          <a href={linkTo('playground')}>ask something</a>.
        </Empty>
      )}
    </>
  );
}

type Tries = Readonly<Record<'calls' | 'failures' | 'rescued', number>>;
/** A figure, and what Explore shows to explain it. */
type TileEntry = readonly [name: string, figure: ComponentChildren, note: string, to: Params];

const LOSSES = { of: 'attempts', measure: 'failures', by: 'provider', range: 'month' };

function triesOf({ calls, failures, rescued }: Tries, since: Params): readonly TileEntry[] {
  const note = `${percent(failures, calls)} of ${count(calls)} calls`;
  return [
    ['Failed today', count(failures), note, { measure: 'failures', by: 'outcome,model', ...since }],
    ['Rescued today', count(rescued), 'answered after a failure', { measure: 'rescued', by: 'provider', ...since }],
  ];
}

function LastDay({ statistics: { times, total } }: { statistics: Statistics }) {
  const failures = total.slots.map((slot) => slot.failures ?? 0);
  const failed = count(total.failures ?? 0);
  return (
    <TimeChart
      label={`Chart: ${count(total.calls)} calls of the last day by hour, of which ${failed} failed. Requests has the calls.`}
      times={times.map((time) => Date.parse(time))}
      stepMs={HOUR_MS}
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
      onChosen={(sinceMs, untilMs) => {
        location.hash = linkTo('requests', rangeParams(sinceMs, untilMs));
      }}
    />
  );
}

/** The organizations that spend most this month. */
function Largest({ month: { data, error, reload } }: { month: Loaded<UsageTable> }) {
  const most = (data?.data ?? [])
    .filter(({ charged }) => Number(charged) > 0)
    .sort((a, b) => Number(b.charged) - Number(a.charged))
    .slice(0, 5);
  return (
    <section aria-label="Most spent this month">
      <h2>Most spent this month</h2>
      <ErrorNotice error={error} onRetry={reload} />
      {data !== undefined && most.length === 0 && <p class="hint">Nothing was charged this month.</p>}
      <ul class="list">
        {most.map(({ group, charged }) => (
          <li key={group}>
            <a class="cut" title={group ?? ''} href={linkTo('explore', { organization: group, range: 'month' })}>
              {group}
            </a>
            <span class="share-cell">
              <ShareBar share={Number(charged) / Number(most[0]?.charged)} />
              <Money amount={charged} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function LowBalances({ organizations: { data, error, reload } }: { organizations: Loaded<Page<OrganizationView>> }) {
  const low = (data?.data ?? []).filter(
    ({ balance, credits, operator_pays }) => !operator_pays && Number(balance) < LOW_SHARE * Number(credits),
  );
  return (
    <section aria-label="Low balances">
      <h2>Low balances</h2>
      <ErrorNotice error={error} onRetry={reload} />
      {data !== undefined && low.length === 0 && <p class="hint">No balance is below a tenth of its credits.</p>}
      <ul class="list">
        {low.map(({ id, balance }) => (
          <li key={id}>
            <a class="cut" title={id} href={linkTo('organizations', { organization: id })}>
              {id}
            </a>
            <Money amount={balance} />
          </li>
        ))}
      </ul>
      {data?.next_cursor != null && <p class="hint">Of the first 100 organizations.</p>}
    </section>
  );
}

function Paused({ health: { data, error, reload } }: { health: Loaded<Health> }) {
  const paused = (data?.providers ?? []).filter(({ state }) => state !== 'serving');
  return (
    <section aria-label="Paused providers">
      <h2>Paused providers</h2>
      <ErrorNotice error={error} onRetry={reload} />
      {data !== undefined && paused.length === 0 && <p class="hint">All providers serve this process.</p>}
      <ul class="list">
        {paused.map((provider) => (
          <li key={provider.id}>
            <a href={linkTo('health')}>{provider.id}</a>
            <ProviderState provider={provider} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Alerts({ health: { data } }: { health: Loaded<Health> }) {
  return (
    <section aria-label="Last alerts">
      <h2>Last alerts</h2>
      {data?.alerts.length === 0 && <p class="hint">None since this process began.</p>}
      <ul class="list">
        {(data?.alerts ?? []).map((alert) => (
          <li key={`${alert.at} ${alert.type} ${alert.message}`}>
            <span>
              <AlertSubject alert={alert} /> {alert.message}
            </span>
            <time class="hint" dateTime={alert.at}>
              {minute(alert.at)}
            </time>
          </li>
        ))}
      </ul>
    </section>
  );
}

function AlertSubject({ alert: { provider, key_id, organization_id } }: { alert: Alert }) {
  if (provider !== null) return <a href={linkTo('requests', { provider })}>{provider}</a>;
  if (key_id !== null) return <a href={linkTo('keys', { key: key_id })}>{key_id}</a>;
  return <a href={linkTo('organizations', { organization: organization_id })}>{organization_id}</a>;
}
