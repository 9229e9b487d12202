import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import type { Session } from '../../src/api/contract.js';
import { linkTo, useAddress } from './address.js';
import { getJson } from './api.js';
import { ChangesView } from './changes/changes-view.js';
import { ExploreView } from './explore/explore-view.js';
import { HealthView, LedgerNotice } from './health/health-view.js';
import { KeysView } from './keys/keys-view.js';
import { NewSecrets } from './keys/new-secrets.js';
import { OverviewView } from './overview/overview-view.js';
import { PlaygroundView } from './playground/playground-view.js';
import { RequestsView } from './requests/requests-view.js';
import { sharedParams } from './time-range.js';
import { ErrorNotice, Skeleton } from './ui/parts.js';
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
  keys: { title: 'Keys', View: KeysView },
  requests: { title: 'Requests', View: RequestsView, hasRange: true },
  changes: { title: 'Changes', View: ChangesView },
  health: { title: 'Health', View: HealthView },
} as const satisfies Record<string, ViewEntry>;

type ViewName = keyof typeof VIEWS;

const VIEW_NAMES = Object.keys(VIEWS) as ViewName[];

/** A host that authenticates callers has its own keys. */
function titleOf(name: ViewName, session: Session | undefined): string {
  return name === 'keys' && session?.has_keys === false ? 'Organizations' : VIEWS[name].title;
}

export function App() {
  const session = useLoad('session', () => getJson<Session>('session'));
  const { view } = useAddress();
  const name = Object.hasOwn(VIEWS, view) ? (view as ViewName) : 'overview';
  const { View, hasRange }: ViewEntry = VIEWS[name];
  const title = titleOf(name, session.data);
  useEffect(() => {
    document.title = `${title} · Searchgate`;
  }, [title]);
  return (
    <>
      <Header session={session.data} current={name} />
      <main id="main" tabIndex={-1}>
        <div class="title-row">
          <h1>{title}</h1>
          {hasRange && <RangePicker />}
        </div>
        <LedgerNotice />
        {session.data === undefined && session.isLoading && <Skeleton what="your session" />}
        <ErrorNotice error={session.error} onRetry={session.reload} />
        <NewSecrets>{session.data !== undefined && <View session={session.data} />}</NewSecrets>
      </main>
    </>
  );
}

function Header({ session, current }: { session: Session | undefined; current: ViewName }) {
  const { params } = useAddress();
  return (
    <header>
      <span class="brand">Searchgate</span>
      <nav aria-label="Views">
        {VIEW_NAMES.map((name) => (
          <a key={name} href={linkTo(name, sharedParams(params))} aria-current={name === current ? 'page' : undefined}>
            {titleOf(name, session)}
          </a>
        ))}
      </nav>
      {session !== undefined && (
        <span class="role">
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
