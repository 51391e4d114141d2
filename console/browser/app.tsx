/** The page: bar, view, live region, dialogs. There is one row for each view. */
import type { ComponentType } from 'preact';
import { LocationProvider, useLocation } from 'preact-iso/router';
import { useEffect } from 'preact/hooks';
import { LiveRegion } from './shell/announce.tsx';
import { Bar, LostNotice } from './shell/bar.tsx';
import { Heading, page } from './shell/frame.tsx';
import { Shortcuts } from './shell/shortcuts.tsx';
import { CatalogView } from './views/catalog.tsx';
import { EventsView } from './views/events.tsx';
import { GraphView } from './views/graph.tsx';
import { OverviewView } from './views/overview.tsx';
import { PackageView } from './views/package.tsx';
import { PlanView } from './views/plan.tsx';
import { RevisionView } from './views/revision.tsx';
import { SlipwayView } from './views/slipway.tsx';
import { SubscribeView } from './views/subscribe.tsx';
import { SubscriptionView } from './views/subscription.tsx';
import { UninstallView } from './views/uninstall.tsx';

/** The view of each address; a part that begins with a colon is a name. */
const VIEWS: readonly (readonly [path: string, view: ComponentType])[] = [
  ['/', Start],
  ['/overview', page(OverviewView)],
  ['/subscriptions/:namespace/:name', page(SubscriptionView)],
  ['/subscriptions/:namespace/:name/graph', page(GraphView)],
  ['/subscriptions/:namespace/:name/plan', page(PlanView)],
  ['/subscriptions/:namespace/:name/uninstall', page(UninstallView)],
  ['/revisions/:namespace/:name', page(RevisionView)],
  ['/catalog', page(CatalogView)],
  ['/catalog/:catalog/:package', page(PackageView)],
  ['/subscribe', page(SubscribeView)],
  ['/events', page(EventsView)],
  ['/slipway', page(SlipwayView)],
];

export function App() {
  return (
    <LocationProvider>
      <a class="skip" href="#main">
        Go to the content
      </a>
      <Bar />
      <LostNotice />
      <main id="main" tabIndex={-1}>
        <View />
      </main>
      <LiveRegion />
      <Shortcuts />
    </LocationProvider>
  );
}

/** Another path is another view, even if the same component draws it: it begins at its heading. */
function View() {
  const { path } = useLocation();
  const [, Found = Nowhere] = VIEWS.find(([pattern]) => matches(path, pattern)) ?? [];
  return <Found key={path} />;
}

function matches(path: string, pattern: string): boolean {
  const [parts, wanted] = [path.split('/'), pattern.split('/')];
  return (
    parts.length === wanted.length &&
    wanted.every((part, index) => part === parts[index] || (part.startsWith(':') && parts[index] !== ''))
  );
}

function Start() {
  const { route } = useLocation();
  useEffect(() => route('/overview', true), []);
  return null;
}

function Nowhere() {
  const { path } = useLocation();
  return (
    <>
      <Heading title="This view does not exist" />
      <div class="problem">
        <p>The console has no view with the address {path}. The overview leads to every view.</p>
        <a class="button" href="/overview">
          Overview
        </a>
      </div>
    </>
  );
}
