import type { ComponentChildren, JSX } from 'preact';
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
import { CallsChart } from '../requests/histogram.js';
import { Cut, Empty, ErrorNotice, Money, Skeleton, Tile, Tiles } from '../ui/parts.js';
import { type Loaded, useLoad } from '../use-load.js';

const DAY_MS = 24 * 3_600_000;
/** A balance below this share of the credits is low. */
const LOW_SHARE = 0.1;

/** What an operator wants to know first: today and this month, each with the way to what explains it, and what needs attention. */
export function OverviewView({ session }: { session: Session }) {
  const health = useHealth();
  const organizations = useLoad('organizations', () => getJson<Page<OrganizationView>>('organizations'));
  const lastDay = useLastDay(session);
  return (
    <>
      <Today lastDay={lastDay} />
      {lastDay.data === undefined && lastDay.isLoading && <Skeleton what="the chart" />}
      {lastDay.data !== undefined && lastDay.data.total.calls > 0 && (
        <CallsChart
          statistics={lastDay.data}
          label=" of the last day"
          onChosen={(range) => {
            location.hash = linkTo('requests', range);
          }}
        />
      )}
      <div class="columns overview-columns">
        <LowBalances organizations={organizations} />
        <Paused health={health} />
        <Alerts health={health} />
      </div>
    </>
  );
}

/** Of whole hours; it has all of today. */
function useLastDay({ has_requests }: Session): Loaded<Statistics> {
  const query = { since: `${new Date(Date.now() - DAY_MS).toISOString().slice(0, 13)}:00:00Z` };
  return useLoad(has_requests ? apiUrl('statistics', query) : null, () => getJson<Statistics>('statistics', query));
}

function Today({ lastDay }: { lastDay: Loaded<Statistics> }) {
  const day = utcDay(new Date());
  const query: Query = { by: 'day', from: `${day.slice(0, 7)}-01` };
  const usage = useLoad(apiUrl('usage', query), () => getJson<UsageTable>('usage', query));
  const { data: days = [], total: month, forecast = null } = usage.data ?? {};
  const today = days.at(-1);
  const error = usage.error ?? lastDay.error;
  if (today === undefined || month === undefined)
    return error === undefined ? <Skeleton what="the usage" /> : <ErrorNotice error={error} onRetry={usage.reload} />;
  const { data } = lastDay;
  const slots = data?.total.slots.filter((_, at) => data.times[at]?.startsWith(day)) ?? [];
  const sum = (name: 'calls' | 'failures' | 'rescued') => slots.reduce((total, slot) => total + (slot[name] ?? 0), 0);
  const since = { from: `${day}T00:00:00Z` };
  const thisMonth = { by: 'organization', range: 'month' };
  const tiles: readonly TileEntry[] = [
    ['Cost today', <Money key="cost" amount={today.charged} />, '', { by: 'model', ...since }],
    ['Requests today', count(today.requests), 'charged', { measure: 'calls', by: 'model', ...since }],
    ...(data === undefined && !lastDay.isLoading
      ? []
      : ([
          [
            'Failed today',
            data === undefined ? '…' : count(sum('failures')),
            `${percent(sum('failures'), sum('calls'))} of ${count(sum('calls'))} calls`,
            { measure: 'failures', by: 'outcome,model', ...since },
          ],
          [
            'Rescued today',
            data === undefined ? '…' : count(sum('rescued')),
            'answered after a failure',
            { measure: 'rescued', by: 'provider', ...since },
          ],
        ] as const)),
    ['Cost this month', <Money key="month" amount={month.charged} />, '', thisMonth],
    ['Requests this month', count(month.requests), 'charged', { measure: 'calls', ...thisMonth }],
    ['Lost this month', <Money key="lost" amount={month.lost} />, 'paid to providers, not charged', LOSSES],
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
      {month.requests === 0 && (data?.total.calls ?? 0) === 0 && (
        <Empty>
          Nothing was used this month. <a href={linkTo('keys')}>Create a key</a> for a program, or{' '}
          <a href={linkTo('playground')}>ask something</a>.
        </Empty>
      )}
    </>
  );
}

/** A figure, and what Explore shows to explain it. */
type TileEntry = readonly [name: string, figure: ComponentChildren, note: string, to: Params];

const LOSSES = { of: 'attempts', measure: 'failures', by: 'provider', range: 'month' };

interface AttentionProps {
  readonly title: string;
  readonly loaded: Loaded<unknown>;
  /** What it means that there is nothing. */
  readonly none: string;
  readonly items: readonly JSX.Element[];
}

/** What needs attention, or that nothing does. */
function Attention({ title, loaded: { data, error, reload }, none, items }: AttentionProps) {
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      <ErrorNotice error={error} onRetry={reload} />
      {data !== undefined && items.length === 0 && <p class="hint">{none}</p>}
      <ul class="list">{items}</ul>
    </section>
  );
}

function LowBalances({ organizations }: { organizations: Loaded<Page<OrganizationView>> }) {
  const { data = [], next_cursor = null } = organizations.data ?? {};
  const low = data.filter(
    ({ balance, credits, operator_pays }) => !operator_pays && Number(balance) < LOW_SHARE * Number(credits),
  );
  return (
    <Attention
      title={next_cursor === null ? 'Low balances' : 'Low balances of the first 100 organizations'}
      loaded={organizations}
      none="No balance is below a tenth of its credits."
      items={low.map(({ id, balance }) => (
        <li key={id}>
          <Cut href={linkTo('organizations', { organization: id })}>{id}</Cut>
          <Money amount={balance} />
        </li>
      ))}
    />
  );
}

function Paused({ health }: { health: Loaded<Health> }) {
  const paused = (health.data?.providers ?? []).filter(({ state }) => state !== 'serving');
  return (
    <Attention
      title="Paused providers"
      loaded={health}
      none="All providers serve this process."
      items={paused.map((provider) => (
        <li key={provider.id}>
          <a href={linkTo('health')}>{provider.id}</a>
          <ProviderState provider={provider} />
        </li>
      ))}
    />
  );
}

function Alerts({ health }: { health: Loaded<Health> }) {
  return (
    <Attention
      title="Last alerts"
      // Paused providers has it.
      loaded={{ ...health, error: undefined }}
      none="None since this process began."
      items={(health.data?.alerts ?? []).map((alert) => (
        <li key={`${alert.at} ${alert.type} ${alert.message}`}>
          <span>
            <AlertSubject alert={alert} /> {alert.message}
          </span>
          <time class="hint" dateTime={alert.at}>
            {minute(alert.at)}
          </time>
        </li>
      ))}
    />
  );
}

function AlertSubject({ alert: { provider, key_id, organization_id } }: { alert: Alert }) {
  if (provider !== null) return <a href={linkTo('requests', { provider })}>{provider}</a>;
  if (key_id !== null) return <a href={linkTo('keys', { key: key_id })}>{key_id}</a>;
  return <a href={linkTo('organizations', { organization: organization_id })}>{organization_id}</a>;
}
