import { useEffect, useState } from 'preact/hooks';
import type { Health, ProviderHealth, Session } from '../../src/api/contract.js';
import { getJson } from './api.js';
import { count, milliseconds, minute, percent, plural } from './format.js';
import { KeysSection } from './keys/keys-section.js';
import { NewSecrets } from './keys/new-secrets.js';
import { OrganizationsSection } from './keys/organizations-section.js';
import { PlaygroundView } from './playground/playground-view.js';
import { RequestsView } from './requests/requests-view.js';
import { SpendView } from './spend/spend-view.js';
import { type Column, DataTable } from './ui/data-table.js';
import { OrganizationField, onlyOrganization } from './ui/organization-field.js';
import { Empty, ErrorNotice, Loading, Tile, Tiles } from './ui/parts.js';
import { useLoad } from './use-load.js';

const HEIGHT = 24;
const WIDTH = 3;

/** A bar per minute: all attempts, with the failed attempts at its bottom. */
function MinuteBars({ provider: { id, minutes, attempts, failures } }: { provider: ProviderHealth }) {
  const most = Math.max(1, ...minutes.map((one) => one.attempts));
  const bar = (value: number, index: number, name: string) => {
    const height = (value / most) * HEIGHT;
    return value === 0 ? null : (
      <rect
        key={`${name}${index}`}
        class={name}
        x={index * WIDTH}
        y={HEIGHT - height}
        width={WIDTH - 1}
        height={height}
      />
    );
  };
  const label = `${id}: ${count(attempts)} attempts, ${count(failures)} failed`;
  return (
    <svg class="bars" role="img" aria-label={label} width={minutes.length * WIDTH} height={HEIGHT}>
      <rect class="base" y={HEIGHT - 1} width={minutes.length * WIDTH} height={1} />
      {minutes.map((one, index) => bar(one.attempts, index, 'attempts'))}
      {minutes.map((one, index) => bar(one.failures, index, 'failures'))}
    </svg>
  );
}

const REFRESH_MS = 5_000;

const COLUMNS: readonly Column<ProviderHealth>[] = [
  { title: 'Provider', cell: ({ id }) => id },
  { title: 'State', cell: (provider) => <State provider={provider} /> },
  { title: 'Last hour', cell: (provider) => <MinuteBars provider={provider} /> },
  { title: 'Attempts', cell: ({ attempts }) => count(attempts), isNumber: true },
  { title: 'Failures', cell: ({ failures }) => count(failures), isNumber: true },
  { title: 'Error rate', cell: ({ failures, attempts }) => percent(failures, attempts), isNumber: true },
  { title: 'Median', cell: ({ p50_ms }) => milliseconds(p50_ms), isNumber: true },
  { title: '95th percentile', cell: ({ p95_ms }) => milliseconds(p95_ms), isNumber: true },
];

function HealthView() {
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
        <Tile name="Requests in flight">{count(in_flight)}</Tile>
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
    </>
  );
}

function State({ provider: { state, paused_until } }: { provider: ProviderHealth }) {
  return (
    <span class={state === 'serving' ? 'good' : 'bad'}>
      {state}
      {paused_until !== null && ` until ${minute(paused_until)} UTC`}
    </span>
  );
}

const VIEWS = {
  playground: { title: 'Playground', View: PlaygroundView },
  spend: { title: 'Spend', View: SpendView },
  keys: { title: 'Keys', View: KeysView },
  requests: { title: 'Requests', View: RequestsView },
  health: { title: 'Health', View: HealthView },
} as const;

type ViewName = keyof typeof VIEWS;

const VIEW_NAMES = Object.keys(VIEWS) as ViewName[];

/** A host that authenticates callers has its own keys. */
function titleOf(name: ViewName, session: Session | undefined): string {
  return name === 'keys' && session?.has_keys === false ? 'Organizations' : VIEWS[name].title;
}

export function App() {
  const session = useLoad('session', () => getJson<Session>('session'));
  const name = useViewName();
  const { View } = VIEWS[name];
  const title = titleOf(name, session.data);
  useEffect(() => {
    document.title = `${title} · Searchgate`;
  }, [title]);
  return (
    <>
      <Header session={session.data} current={name} />
      <main id="main" tabIndex={-1}>
        <h1>{title}</h1>
        {session.data === undefined && session.isLoading && <Loading what="your session" />}
        <ErrorNotice error={session.error} onRetry={session.reload} />
        <NewSecrets>{session.data !== undefined && <View session={session.data} />}</NewSecrets>
      </main>
    </>
  );
}

function Header({ session, current }: { session: Session | undefined; current: ViewName }) {
  return (
    <header>
      <span class="brand">Searchgate</span>
      <nav aria-label="Views">
        {VIEW_NAMES.map((name) => (
          <a key={name} href={`#/${name}`} aria-current={name === current ? 'page' : undefined}>
            {titleOf(name, session)}
          </a>
        ))}
      </nav>
      {session !== undefined && (
        <span class="role">
          {session.role}
          {session.logout_url !== null && (
            <form method="post" action={session.logout_url}>
              <button type="submit">Sign out</button>
            </form>
          )}
        </span>
      )}
    </header>
  );
}

/** The view in the hash of the address, such as `#/spend`. */
function useViewName(): ViewName {
  const [name, setName] = useState(viewName);
  useEffect(() => {
    const onHash = () => setName(viewName());
    addEventListener('hashchange', onHash);
    return () => removeEventListener('hashchange', onHash);
  }, []);
  return name;
}

function viewName(): ViewName {
  const [name = ''] = location.hash.replace(/^#\/?/, '').split('?', 1);
  return Object.hasOwn(VIEWS, name) ? (name as ViewName) : 'playground';
}

function KeysView({ session }: { session: Session }) {
  const [organization, setOrganization] = useState(onlyOrganization(session) ?? '');
  return (
    <>
      <div class="toolbar">
        <OrganizationField session={session} value={organization} onChosen={setOrganization} />
      </div>
      {session.has_keys && <KeysSection session={session} organization={organization} />}
      <OrganizationsSection session={session} chosen={organization} onChosen={setOrganization} />
    </>
  );
}
