import { useEffect, useState } from 'preact/hooks';
import type { Session } from '../../src/api/contract.js';
import { getJson } from './api.js';
import { HealthView } from './health/health-view.js';
import { KeysView } from './keys/keys-view.js';
import { NewSecrets } from './keys/new-secrets.js';
import { LiveView } from './live/live-view.js';
import { PlaygroundView } from './playground/playground-view.js';
import { SpendView } from './spend/spend-view.js';
import { ErrorNotice, Loading } from './ui/notice.js';
import { useLoad } from './use-load.js';

const VIEWS = {
  playground: { title: 'Playground', View: PlaygroundView },
  spend: { title: 'Spend', View: SpendView },
  keys: { title: 'Keys', View: KeysView },
  health: { title: 'Health', View: HealthView },
  live: { title: 'Live', View: LiveView },
} as const;

type ViewName = keyof typeof VIEWS;

export function App() {
  const session = useLoad('session', () => getJson<Session>('session'));
  const name = useViewName();
  const { title, View } = VIEWS[name];
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
        {Object.entries(VIEWS).map(([name, { title }]) => (
          <a key={name} href={`#/${name}`} aria-current={name === current ? 'page' : undefined}>
            {title}
          </a>
        ))}
      </nav>
      {session !== undefined && (
        <span class="role">
          {session.role}
          {session.logoutUrl !== null && (
            <form method="post" action={session.logoutUrl}>
              <button type="submit">Sign out</button>
            </form>
          )}
        </span>
      )}
    </header>
  );
}

/** The view that the hash of the address names: `#/spend`. */
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
  const name = location.hash.replace(/^#\/?/, '');
  return Object.hasOwn(VIEWS, name) ? (name as ViewName) : 'playground';
}
