/** The bar at the top of every page: where one can go, whether the data are live, who is signed in. */
import { useLocation } from 'preact-iso/router';
import type { Connection } from '../live/stream.ts';
import { Icon } from '../parts/icon.tsx';
import { showShortcuts } from './shortcuts.tsx';
import { live, signedIn } from './state.ts';
import { ThemeButton } from './theme.tsx';

/** Views that the bar leads to, with the beginnings of the paths that belong to them. */
const PLACES = [
  { path: '/overview', words: 'Overview', belongs: ['/overview', '/subscriptions', '/revisions'] },
  { path: '/catalog', words: 'Catalog', belongs: ['/catalog', '/subscribe'] },
  { path: '/events', words: 'Events', belongs: ['/events'] },
  { path: '/slipway', words: 'Slipway', belongs: ['/slipway'] },
] as const;

export function Bar() {
  const { path } = useLocation();
  return (
    <header class="bar">
      <a class="brand" href="/overview" aria-label="Slipway: overview">
        <svg viewBox="0 0 32 32" aria-hidden="true">
          <path class="brand-hull" d="M4 22h24l-4 5.5H8z" />
          <path class="brand-sail" d="M15 4v15H6zM17 4v15h8z" />
        </svg>
        <span>Slipway</span>
      </a>
      <nav aria-label="Views">
        {PLACES.map(({ path: target, words, belongs }) => (
          <a
            key={target}
            href={target}
            {...(belongs.some((start) => path.startsWith(start)) && { 'aria-current': 'page' as const })}
          >
            {words}
          </a>
        ))}
      </nav>
      <div class="bar-end">
        <ConnectionStatus connection={live.connection.value} />
        <ThemeButton />
        <button type="button" class="quiet bar-button" title="Keys" onClick={showShortcuts}>
          <Icon name="help" />
          <span class="hidden">Show the keys of the console</span>
        </button>
        <Person />
      </div>
    </header>
  );
}

const CONNECTION_WORDS: Readonly<Record<Connection, string>> = {
  connecting: 'Connecting',
  live: 'Live',
  lost: 'Not connected',
};

function ConnectionStatus({ connection }: { readonly connection: Connection }) {
  return (
    <span class={`connection connection-${connection}`} role="status">
      <span class="dot" aria-hidden="true" />
      {CONNECTION_WORDS[connection]}
    </span>
  );
}

/** Below the bar while the data may be old. */
export function LostNotice() {
  if (live.connection.value !== 'lost' || signedIn.ended.value !== undefined) return null;
  return (
    <div class="lost">
      <p>
        Not connected to the console. The page shows the last data that it has received, and connects again by itself.
      </p>
      <button type="button" onClick={() => live.refresh()}>
        Connect now
      </button>
    </div>
  );
}

function Person() {
  const session = signedIn.session.value;
  if (session === undefined) return null;
  return (
    <details class="person">
      <summary>
        <span class="person-name">{session.user}</span>
        {session.readOnly && <span class="tag">read-only</span>}
      </summary>
      <div class="person-card">
        <p>
          Signed in as <strong>{session.user}</strong>. The console reads and acts with the rights of this user.
        </p>
        {session.readOnly && <p>The console runs read-only: no button of it changes the cluster.</p>}
        {session.groups.length > 0 && <p class="muted">Groups: {session.groups.join(', ')}</p>}
        <p class="muted">Slipway {session.version}</p>
        {session.canLogOut && (
          <button type="button" onClick={() => void signedIn.logOut()}>
            Log out
          </button>
        )}
      </div>
    </details>
  );
}
