/** The page: bar, view, live region, dialogs. The router has one row for each view. */
import { LocationProvider, Route, Router, useLocation } from 'preact-iso/router';
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

const Overview = page(OverviewView);
const Subscription = page(SubscriptionView);
const Graph = page(GraphView);
const Plan = page(PlanView);
const Uninstall = page(UninstallView);
const Revision = page(RevisionView);
const Catalog = page(CatalogView);
const Package = page(PackageView);
const Subscribe = page(SubscribeView);
const Events = page(EventsView);
const Slipway = page(SlipwayView);

export function App() {
  return (
    <LocationProvider>
      <a class="skip" href="#main">
        Go to the content
      </a>
      <Bar />
      <LostNotice />
      <main id="main" tabIndex={-1}>
        <Router>
          <Route path="/overview" component={Overview} />
          <Route path="/subscriptions/:namespace/:name" component={Subscription} />
          <Route path="/subscriptions/:namespace/:name/graph" component={Graph} />
          <Route path="/subscriptions/:namespace/:name/plan" component={Plan} />
          <Route path="/subscriptions/:namespace/:name/uninstall" component={Uninstall} />
          <Route path="/revisions/:namespace/:name" component={Revision} />
          <Route path="/catalog" component={Catalog} />
          <Route path="/catalog/:catalog/:package" component={Package} />
          <Route path="/subscribe" component={Subscribe} />
          <Route path="/events" component={Events} />
          <Route path="/slipway" component={Slipway} />
          <Route path="/" component={Start} />
          <Route default component={Nowhere} />
        </Router>
      </main>
      <LiveRegion />
      <Shortcuts />
    </LocationProvider>
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
