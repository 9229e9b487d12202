import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Session } from '../../src/api/contract.js';
import { linkTo, useAddress } from './address.js';
import { getJson } from './api.js';
import { ChangesView } from './changes/changes-view.js';
import { ExploreView } from './explore/explore-view.js';
import { HealthView } from './health/health-view.js';
import { KeysView } from './keys/key-page.js';
import { NewSecrets } from './keys/new-secrets.js';
import { OrganizationsView } from './organizations/organization-page.js';
import { OutageBar } from './outage/outage-bar.js';
import { OverviewView } from './overview/overview-view.js';
import { PlaygroundView } from './playground/playground-view.js';
import { RequestsView } from './requests/requests-view.js';
import { sharedParams } from './time-range.js';
import { ErrorNotice, ExactAmounts, Skeleton } from './ui/parts.js';
import { RangePicker } from './ui/range-picker.js';
import { useLoad } from './use-load.js';

interface ViewEntry {
  readonly title: string;
  readonly View: (props: { session: Session }) => ComponentChildren;
  /** Whether it shows the time of the address. */
  readonly hasRange?: boolean;
}

const VIEWS = {
  overview: { title: 'Overview', View: OverviewView },
  playground: { title: 'Playground', View: PlaygroundView },
  explore: { title: 'Explore', View: ExploreView, hasRange: true },
  organizations: { title: 'Organizations', View: OrganizationsView },
  keys: { title: 'Keys', View: KeysView },
  requests: { title: 'Requests', View: RequestsView, hasRange: true },
  changes: { title: 'Changes', View: ChangesView },
  health: { title: 'Health', View: HealthView },
} as const satisfies Record<string, ViewEntry>;

type ViewName = keyof typeof VIEWS;

const VIEW_NAMES = Object.keys(VIEWS) as ViewName[];

export function App() {
  const session = useLoad('session', () => getJson<Session>('session'));
  const { view } = useAddress();
  const name = Object.hasOwn(VIEWS, view) ? (view as ViewName) : 'overview';
  const { View, hasRange, title }: ViewEntry = VIEWS[name];
  const [isExact, setExact] = useState(false);
  useEffect(() => {
    document.title = `${title} · Searchgate`;
  }, [title]);
  return (
    <ExactAmounts.Provider value={isExact}>
      <Header session={session.data} current={name} isExact={isExact} onExact={setExact} />
      <main id="main" tabIndex={-1}>
        <div class="title-row">
          <h1>{title}</h1>
          {hasRange && <RangePicker />}
        </div>
        <OutageBar />
        {session.data === undefined && session.isLoading && <Skeleton what="your session" />}
        <ErrorNotice error={session.error} onRetry={session.reload} />
        <NewSecrets>{session.data !== undefined && <View session={session.data} />}</NewSecrets>
      </main>
    </ExactAmounts.Provider>
  );
}

interface HeaderProps {
  readonly session: Session | undefined;
  readonly current: ViewName;
  readonly isExact: boolean;
  readonly onExact: (isExact: boolean) => void;
}

function Header({ session, current, isExact, onExact }: HeaderProps) {
  const { params } = useAddress();
  // A host that authenticates callers has its own keys.
  const names = VIEW_NAMES.filter((name) => name !== 'keys' || session?.has_keys !== false);
  return (
    <header>
      <span class="brand">Searchgate</span>
      <nav aria-label="Views">
        {names.map((name) => (
          <a key={name} href={linkTo(name, sharedParams(params))} aria-current={name === current ? 'page' : undefined}>
            {VIEWS[name].title}
          </a>
        ))}
      </nav>
      {session !== undefined && (
        <span class="role">
          <button type="button" aria-pressed={isExact} onClick={() => onExact(!isExact)}>
            Exact amounts
          </button>
          <span>
            {session.actor.replace(/^page:/, '')} ({session.role})
          </span>
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
