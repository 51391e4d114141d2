/**
 * Installs the older version of each step, has the newer one planned and applied by the manager, and compares the audit log
 * with the plans. All steps of a run go on side by side in one cluster.
 */
import { gunzipSync } from 'node:zlib';
import { createSlots, inSlots } from '../../apply/slots.ts';
import type { Plan } from '../../plan/model.ts';
import { NEVER } from '../../api/testing/never.ts';
import type { Revision } from '../../api/revision.ts';
import type { TestCluster } from '../cluster/cluster.ts';
import { installSlipway, startManager, SYSTEM } from '../lib/manager.ts';
import { catalogOf, condition, get, isReady, runs, subscriptionTo, waitFor, type Judged } from '../lib/objects.ts';
import { packageDocuments, publishBundle, publishCatalog } from '../lib/publish.ts';
import { apply, makeNamespaces, remove } from '../lib/writes.ts';
import type { Step } from './steps.ts';
import { differencesOf, readWrites, unclaimed, type Differences, type Written } from './written.ts';

/** A step with its comparison, or the reason why it was not compared. */
export interface StepOutcome extends Differences {
  readonly step: Step;
  readonly skipped?: string;
}

export interface RunOutcome {
  readonly outcomes: readonly StepOutcome[];
  /** Writes of objects that belong to no plan. */
  readonly unclaimed: readonly Written[];
}

const ACCOUNT = `system:serviceaccount:${SYSTEM}:slipway-manager`;
const PUBLISHED_AT_ONCE = 4;

/** The cluster needs an audit log, and has nothing of ours yet. @param seconds For each of the two phases. */
export async function runSteps(cluster: TestCluster, steps: readonly Step[], seconds: number): Promise<RunOutcome> {
  await publish(cluster, steps);
  await installSlipway(cluster);
  await makeNamespaces(cluster, steps.map(namespaceOf));
  // Bundles are tried without their dependencies, whose absence no fake Pod notices.
  const manager = await startManager(cluster);
  try {
    await apply(cluster, catalogOf('steps', `${cluster.registry}/steps:latest`));
    await waitFor(cluster, { kind: 'catalog', name: 'steps' }, isReady);
    const installed = await Promise.all(steps.map((step) => install(cluster, step, seconds)));
    const ready = steps.filter((_, at) => installed[at] === true);
    await Promise.all(steps.filter((one) => !ready.includes(one)).map((step) => giveUp(cluster, step)));
    const since = new Date();
    const plans = await Promise.all(ready.map((step) => upgrade(cluster, step, seconds)));
    return compare(cluster, { steps, ready, plans, since });
  } finally {
    await manager.stop();
  }
}

async function publish({ registry }: TestCluster, steps: readonly Step[]): Promise<void> {
  const documents = await inSlots(
    { signal: NEVER, slots: createSlots(PUBLISHED_AT_ONCE) },
    [...steps],
    async (step) => {
      const push = ({ version, folder }: Step['from']): Promise<string> =>
        publishBundle(folder, `${registry}/${step.name}:${version.replaceAll('+', '_')}`);
      const { from, to } = step;
      return packageDocuments(step.package, [
        { version: from.version, image: await push(from) },
        { version: to.version, image: await push(to), replaces: from.version },
      ]);
    },
  );
  await publishCatalog(documents.flat(), `${registry}/steps:latest`);
}

function namespaceOf({ name }: Step): string {
  return `step-${name}`.slice(0, 63);
}

function request(step: Step, version: string): object {
  return JSON.parse(
    subscriptionTo('step', namespaceOf(step), {
      package: step.package,
      catalog: 'steps',
      version,
      dependencies: 'Ignore',
      upgradePolicy: { automatic: 'All' },
      crdUpgradeSafety: { enforcement: 'None' },
      onFailure: { strategy: 'Hold', bakeTime: '1s' },
    }),
  ) as object;
}

async function install(cluster: TestCluster, step: Step, timeoutSeconds: number): Promise<boolean> {
  await apply(cluster, request(step, step.from.version));
  const wanted = { kind: 'subscription', name: 'step', namespace: namespaceOf(step), timeoutSeconds };
  const end = await waitFor(cluster, wanted, (one) => runs(step.from.version)(one) || isStalled(one)).catch(
    () => undefined,
  );
  return end !== undefined && runs(step.from.version)(end);
}

function isStalled(object: Judged): boolean {
  return condition(object, 'Stalled') !== undefined;
}

async function giveUp(cluster: TestCluster, step: Step): Promise<void> {
  const wanted = { kind: 'subscription', name: 'step', namespace: namespaceOf(step) };
  await remove(cluster, wanted).catch(() => undefined);
}

/** The plan of the upgrade, once everything of it is applied and pruned; undefined if it failed. */
async function upgrade(cluster: TestCluster, step: Step, timeoutSeconds: number): Promise<Plan | undefined> {
  await apply(cluster, request(step, step.to.version));
  const namespace = namespaceOf(step);
  const wanted = { kind: 'subscription', name: 'step', namespace, timeoutSeconds };
  const isOver = (one: Judged): boolean => runs(step.to.version)(one) && condition(one, 'Reconciling') === undefined;
  const end = await waitFor(cluster, wanted, (one) => isOver(one) || isStalled(one)).catch(() => undefined);
  if (end === undefined || !isOver(end)) return undefined;
  const revision = await waitForPruned(cluster, namespace, end.status?.installed?.revision ?? '', timeoutSeconds);
  const { secret } = revision.status?.plan ?? {};
  const { data } = await get<{ readonly data: { readonly plan: string } }>(
    cluster,
    'secret',
    secret ?? 'none',
    namespace,
  );
  return (JSON.parse(gunzipSync(Buffer.from(data.plan, 'base64')).toString()) as { readonly plan: Plan }).plan;
}

/** Leftovers are pruned after the bake time. */
async function waitForPruned(
  cluster: TestCluster,
  namespace: string,
  name: string,
  timeoutSeconds: number,
): Promise<Revision> {
  const wanted = { kind: 'revision', name, namespace, timeoutSeconds };
  const isPruned = (one: Judged): boolean => isReady(one) && condition(one, 'Reconciling') === undefined;
  return (await waitFor(cluster, wanted, isPruned)) as unknown as Revision;
}

interface Upgraded {
  readonly steps: readonly Step[];
  readonly ready: readonly Step[];
  /** Of each step that is ready. */
  readonly plans: readonly (Plan | undefined)[];
  readonly since: Date;
}

function compare(cluster: TestCluster, { steps, ready, plans, since }: Upgraded): RunOutcome {
  const written = readWrites(cluster.folder, ACCOUNT, since);
  const outcomes = steps.map((step): StepOutcome => {
    const nothing = { missing: [], more: [] };
    if (!ready.includes(step)) return { step, ...nothing, skipped: `${step.from.version} was not installed` };
    const plan = plans[ready.indexOf(step)];
    if (plan === undefined) return { step, ...nothing, skipped: `${step.to.version} did not become ready` };
    return { step, ...differencesOf(plan, written) };
  });
  const compared = plans.filter((plan) => plan !== undefined);
  const skipped = outcomes.filter((one) => one.skipped !== undefined).map(({ step }) => `${namespaceOf(step)}/`);
  const others = unclaimed(compared, written).filter(
    ({ object }) => !skipped.some((one) => object.includes(` ${one}`)),
  );
  return { outcomes, unclaimed: others };
}
