import type {
  Alert,
  Health,
  OrganizationView,
  Page,
  Performance,
  Session,
  UsageTable,
} from '../../../src/api/contract.js';
import { linkTo } from '../address.js';
import { apiUrl, getJson } from '../api.js';
import { aboutUsd, count, minute, percent, usd, utcDay } from '../format.js';
import { ProviderState, useHealth } from '../health/health-view.js';
import { DayChart } from '../ui/charts.js';
import { Empty, ErrorNotice, Skeleton, Tile, Tiles } from '../ui/parts.js';
import { type Loaded, useLoad } from '../use-load.js';

/** A balance below this share of the credits is low. */
const LOW_SHARE = 0.1;

/** What an operator wants to know first: money of today and this month, and what needs attention. */
export function OverviewView({ session }: { session: Session }) {
  const usage = useUsage(30);
  const health = useHealth();
  const organizations = useLoad('organizations', () => getJson<Page<OrganizationView>>('organizations'));
  return (
    <>
      <Money usage={usage} session={session} />
      <div class="columns">
        <LowBalances organizations={organizations} />
        <Paused health={health} />
        <Alerts health={health} />
      </div>
    </>
  );
}

function useUsage(days: number): Loaded<UsageTable> {
  const query = { by: 'day', from: utcDay(new Date(), 1 - days) };
  return useLoad(apiUrl('usage', query), () => getJson<UsageTable>('usage', query));
}

function Money({ usage, session }: { usage: Loaded<UsageTable>; session: Session }) {
  const month = utcDay(new Date()).slice(0, 7);
  const query = { by: 'model', from: `${month}-01` };
  const ofMonth = useLoad(apiUrl('usage', query), () => getJson<UsageTable>('usage', query));
  const today = usage.data?.data.at(-1);
  return (
    <>
      <ErrorNotice error={usage.error ?? ofMonth.error} onRetry={usage.reload} />
      {today === undefined || ofMonth.data === undefined ? (
        usage.error === undefined && ofMonth.error === undefined && <Skeleton what="the usage" />
      ) : (
        <Tiles>
          <Tile name="Today" note={`${count(today.requests)} requests`}>
            {usd(today.charged)}
          </Tile>
          <Tile name="This month" note={`${count(ofMonth.data.total.requests)} requests`}>
            {usd(ofMonth.data.total.charged)}
          </Tile>
          {usage.data?.forecast != null && (
            <Tile name="Forecast" note="of this month">
              {aboutUsd(usage.data.forecast)}
            </Tile>
          )}
          <Tile name="Lost this month" note="paid to providers, not charged">
            {usd(ofMonth.data.total.lost)}
          </Tile>
          {session.has_requests && <Failures />}
        </Tiles>
      )}
      {usage.data !== undefined && usage.data.total.requests > 0 && (
        <DayChart rows={usage.data.data} label="Chart: charged by day. Spend has the numbers." />
      )}
      {usage.data?.total.requests === 0 && (
        <Empty>
          Nothing was used in the last 30 days. <a href={linkTo('keys')}>Create a key</a> for a program, or{' '}
          <a href={linkTo('playground')}>ask something</a>.
        </Empty>
      )}
    </>
  );
}

function Failures() {
  const query = { by: 'provider', hours: '24' };
  const { data } = useLoad(apiUrl('performance', query), () => getJson<Performance>('performance', query));
  const sum = (name: 'calls' | 'failures') => (data?.data ?? []).reduce((total, row) => total + row[name], 0);
  return (
    <Tile name="Failed, last day" note={`${count(sum('failures'))} of ${count(sum('calls'))} calls`}>
      {sum('failures') === 0 ? (
        percent(0, sum('calls'))
      ) : (
        <a href={linkTo('requests', { status: '5', hours: '24' })}>{percent(sum('failures'), sum('calls'))}</a>
      )}
    </Tile>
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
            <a class="cut" title={id} href={linkTo('keys', { organization: id })}>
              {id}
            </a>
            <span class="number bad">{usd(balance)}</span>
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
  return <a href={linkTo('keys', { organization: organization_id })}>{organization_id}</a>;
}
