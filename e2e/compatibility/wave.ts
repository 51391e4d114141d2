/**
 * Carries out the trials of a wave side by side: each is installed, upgraded if it is to be, and removed, and the cluster
 * then holds what it held before. Judges the outcome of none; what is wrong whatever the outcome is a fault.
 */
import type { Revision } from '../../api/revision.ts';
import type { TestCluster } from '../cluster/cluster.ts';
import { condition, list, subscriptionTo, type Judged } from '../lib/objects.ts';
import { snapshot } from '../lib/snapshot.ts';
import { until } from '../lib/until.ts';
import { apply, makeNamespaces, startRemoval } from '../lib/writes.ts';
import { awaitLeftovers, type Leftover } from './leftovers.ts';
import { planTrials, type Trial } from './plan.ts';
import { awaitSettled, NAME, type Settled } from './settle.ts';
import type { Outcome } from './verdict.ts';
import type { Wave } from './waves.ts';

export interface Result {
  readonly trial: Trial;
  readonly outcome: Outcome;
  /** Names of the bundles that were installed, in order. */
  readonly steps: readonly string[];
  /** Names of the packages that were there already, for the kinds that it uses. */
  readonly beside: readonly string[];
  /** What may not be, whether it becomes Ready or is refused; none if all is well. */
  readonly faults: readonly string[];
  /** From the Subscription to the outcome. */
  readonly seconds: number;
}

/** Name of the Catalog that has all packages. */
export const CATALOG = 'corpus';

/** The results in the order of the trials. A Subscription that does not go away is a fault. */
export async function runWave(cluster: TestCluster, { trials, beside }: Wave): Promise<readonly Result[]> {
  const companions = beside.flatMap((one) => planTrials(one)[0] ?? []);
  await makeNamespaces(cluster, [...companions, ...trials].map(namespaceOf));
  await bringAll(cluster, companions);
  const results = await runTrialsOf(cluster, trials);
  await removeAll(cluster, companions);
  return results.map((result) => ({ ...result, beside: beside.map(({ name }) => name) }));
}

async function runTrialsOf(cluster: TestCluster, trials: readonly Trial[]): Promise<readonly Result[]> {
  const before = await snapshot(cluster);
  const settled = await bringAll(cluster, trials);
  const seen = await Promise.all(trials.map((trial) => inspect(cluster, trial, settled.get(trial) as Settled)));
  const staying = await removeAll(cluster, trials);
  const leftovers = [...staying, ...(await awaitLeftovers(cluster, before, trials.map(namespaceOf)))];
  return seen.map((result) => ({
    ...result,
    faults: [...result.faults, ...leftovers.filter(isOf(result.trial)).map(({ what }) => `left: ${what}`)],
  }));
}

function isOf(trial: Trial): (leftover: { readonly namespaces: readonly string[] }) => boolean {
  return ({ namespaces }) => namespaces.includes(namespaceOf(trial));
}

function namespaceOf({ of }: Trial): string {
  return of.name;
}

/** Installs the first bundle of each route; each package that becomes Ready is then upgraded to the head. */
async function bringAll(cluster: TestCluster, trials: readonly Trial[]): Promise<ReadonlyMap<Trial, Settled>> {
  const first = await subscribeAll(cluster, trials, (trial) => ({ bundle: trial.from.name, spec: pinOf(trial) }));
  const onwards = trials.filter((trial) => trial.kind === 'upgrade' && first.get(trial)?.outcome.outcome === 'Ready');
  const second = await subscribeAll(cluster, onwards, (trial) => ({ bundle: trial.head.name, spec: {} }));
  return new Map([...first, ...second]);
}

function pinOf({ from }: Trial): object {
  return { version: from.version };
}

async function subscribeAll(
  cluster: TestCluster,
  trials: readonly Trial[],
  wish: (trial: Trial) => { readonly bundle: string; readonly spec: object },
): Promise<ReadonlyMap<Trial, Settled>> {
  await apply(cluster, ...trials.map((trial) => subscriptionTo(NAME, namespaceOf(trial), specOf(trial, wish(trial)))));
  const wanted = new Map(trials.map((trial) => [namespaceOf(trial), wish(trial).bundle]));
  const settled = await awaitSettled(cluster, wanted);
  return new Map(trials.map((trial) => [trial, settled.get(namespaceOf(trial)) as Settled]));
}

/** Failures stay as they are, to be seen; what came along goes along. */
function specOf({ of, channel }: Trial, { spec }: { readonly spec: object }): object {
  return {
    package: of.package,
    catalog: CATALOG,
    channel,
    onFailure: { strategy: 'Hold', bakeTime: '0s', progressDeadline: '80s' },
    uninstall: { dependencies: 'Delete' },
    ...spec,
  };
}

async function inspect(cluster: TestCluster, trial: Trial, { outcome, seconds }: Settled): Promise<Result> {
  const namespace = namespaceOf(trial);
  const revisions = (await list<Revision>(cluster, 'revision', { namespace }))
    .filter(({ spec }) => spec.package === trial.of.package)
    .toSorted((a, b) => a.spec.number - b.spec.number);
  const steps = revisions.map(({ spec }) => spec.bundle);
  const faults = outcome.outcome === 'Ready' ? await faultsOf(cluster, trial, revisions) : [];
  return { trial, outcome, steps, beside: [], faults, seconds };
}

/** Of what became Ready: every step along an edge, every step Ready before the next, every Deployment available. */
async function faultsOf(
  cluster: TestCluster,
  trial: Trial,
  revisions: readonly Revision[],
): Promise<readonly string[]> {
  const bundles = revisions.map(({ spec }) => spec.bundle);
  const astray = bundles
    .slice(1)
    .flatMap((to, at) => (trial.leads(bundles[at]!, to) ? [] : [`${bundles[at]} → ${to}`]));
  const never = revisions.filter(({ status }) => status?.firstReadyTime === undefined).map(({ spec }) => spec.bundle);
  const unavailable = await unavailableIn(cluster, namespaceOf(trial));
  return [
    ...(bundles.at(0) === trial.from.name ? [] : [`began with ${bundles.at(0)}`]),
    ...astray.map((edge) => `no edge: ${edge}`),
    ...never.map((bundle) => `never Ready: ${bundle}`),
    ...unavailable.map((name) => `not available: ${name}`),
  ];
}

interface Deployment {
  readonly metadata: { readonly name: string };
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

async function unavailableIn(cluster: TestCluster, namespace: string): Promise<readonly string[]> {
  const found = await list<Deployment>(cluster, 'deployment', { namespace });
  const isAvailable = ({ status }: Deployment): boolean =>
    status?.conditions?.some((one) => one.type === 'Available' && one.status === 'True') === true;
  return found.filter((one) => !isAvailable(one)).map(({ metadata }) => metadata.name);
}

const GONE_WITHIN_SECONDS = 180;

/** Deletes the Subscriptions; resolves with those that are not removed, dependencies included. */
async function removeAll(cluster: TestCluster, trials: readonly Trial[]): Promise<readonly Leftover[]> {
  for (const trial of trials) {
    await startRemoval(cluster, { kind: 'subscription', name: NAME, namespace: namespaceOf(trial) });
  }
  const places = new Set(trials.map(namespaceOf));
  let open: readonly Judged[] = [];
  const areGone = async (): Promise<boolean> => {
    open = (await list(cluster, 'subscription')).filter((one) => places.has(placeOf(one)));
    return open.length === 0;
  };
  await until('all Subscriptions are gone', areGone, { timeoutSeconds: GONE_WITHIN_SECONDS }).catch(() => false);
  return open.map((one) => ({
    what: `${placeOf(one)} Subscription ${one.metadata.name}: ${condition(one, 'Ready')?.message}`,
    namespaces: [placeOf(one)],
  }));
}

function placeOf({ metadata }: Judged): string {
  return (metadata as { readonly namespace?: string }).namespace ?? '';
}
