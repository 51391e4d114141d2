/** Gathers the input of a plan from the cluster: the Revisions of a Subscription with their manifests, and facts. */
import { ReasonedError } from '../../../api/errors.ts';
import { parseObject } from '../../../api/kind.ts';
import { activeOf, REVISION, type Revision } from '../../../api/revision.ts';
import { leavesObjects, SUBSCRIPTION, type Subscription } from '../../../api/subscription.ts';
import { ownerUidOf } from '../../../controllers/owner.ts';
import { gatherFacts } from '../../../controllers/plan/facts.ts';
import { inputOf, sideOfRevision } from '../../../controllers/plan/input.ts';
import { isBetweenVersions } from '../../../controllers/plan/observe.ts';
import type { Client } from '../../../kube/client/client.ts';
import { needSubscription, revisionsOf } from '../admin/objects.ts';
import { comingOf, describeIdle } from '../../../report/targets.ts';
import { asAdditions, findGiven } from '../adopt/given.ts';
import type { Environment } from '../environment.ts';
import { withCluster, type Connection } from '../input/connection.ts';
import { invalidInput } from '../../../api/invalid-input.ts';
import type { PlanInput } from '../../../plan/input.ts';
import type { PlanFlags } from './flags.ts';
import type { Planned } from './planned.ts';

/**
 * The plan of the Revision that comes next, or of an uninstall. @throws ReasonedError InputInvalid, KubeconfigInvalid,
 * ManifestsMissing, Planning while versions are switched, and errors of the API server
 */
export function planFromCluster(environment: Environment, subject: string, flags: PlanFlags): Promise<Planned> {
  const { signal } = environment;
  return withCluster(environment, flags, async (connection) => {
    const subscription = parseObject(SUBSCRIPTION, await needSubscription(connection, subject, signal));
    return planOf(connection.client, subscription, flags, signal);
  });
}

async function planOf(
  client: Client,
  subscription: Subscription,
  flags: PlanFlags,
  signal: AbortSignal,
): Promise<Planned> {
  const revisions = await ownRevisions(client, subscription, signal);
  refuseSwitching(subscription, revisions);
  const active = activeOf(revisions);
  const next = flags.uninstall === true ? undefined : comingOf(subscription, revisions);
  const base = inputOf(subscription);
  const about = { subscription: base.subscription, package: base.package };
  if (flags.uninstall === true ? active === undefined || leavesObjects(subscription) : next === undefined)
    return { ...about, message: describeIdle(active, flags.uninstall === true), inputs: [] };
  const input = {
    ...base,
    ...(active !== undefined && { from: await sideOfRevision(client, active) }),
    ...(next !== undefined && { to: await sideOfRevision(client, next) }),
  };
  const clients = { acting: client, cluster: client };
  const facts = await gatherFacts(clients, { input, subscription, inventory: active?.status?.inventory ?? [], signal });
  const message = next === undefined ? 'an uninstall' : `${next.spec.bundle} comes next`;
  const givenByOlm = next === undefined ? asAdditions(await findGiven(client, subscription, flags.systemNamespace, signal)) : []; // prettier-ignore
  return {
    ...about,
    message,
    inputs: [{ ...input, facts: { ...facts, ...(givenByOlm.length > 0 && { givenByOlm }) } }],
  };
}

/** A Subscription with the change that comes next for it, or that is being made. */
export interface ChangeInCluster {
  readonly subscription: Subscription;
  readonly input: PlanInput;
}

/** @throws ReasonedError InputInvalid, ManifestsMissing, and errors of the API server */
export async function findChange(
  connection: Connection,
  subject: string,
  signal: AbortSignal,
): Promise<ChangeInCluster> {
  const { client } = connection;
  const subscription = parseObject(SUBSCRIPTION, await needSubscription(connection, subject, signal));
  const revisions = await ownRevisions(client, subscription, signal);
  refuseSwitching(subscription, revisions);
  const active = activeOf(revisions);
  const next = revisions.find(({ metadata }) => metadata.name === subscription.status?.pending?.revision) ?? active;
  if (next === undefined) throw invalidInput(`the manager has prepared no Revision of Subscription ${subject} yet`);
  const from = active === undefined || active === next ? {} : { from: await sideOfRevision(client, active) };
  return { subscription, input: { ...inputOf(subscription), ...from, to: await sideOfRevision(client, next) } };
}

/** The version before is not known at such a moment: a plan would be that of a first installation. */
function refuseSwitching({ metadata }: Subscription, revisions: readonly Revision[]): void {
  if (!isBetweenVersions(revisions)) return;
  throw new ReasonedError({
    reason: 'Planning',
    retry: 'backoff',
    message: `Subscription ${metadata.namespace ?? ''}/${metadata.name} is switching versions, and none is active at this moment`,
    hint: 'Ask again in a few seconds',
  });
}

/** The Revisions that the Subscription controls; any other of that name belongs to an earlier one. */
async function ownRevisions(
  client: Client,
  subscription: Subscription,
  signal: AbortSignal,
): Promise<readonly Revision[]> {
  const { uid } = subscription.metadata;
  const named = await revisionsOf(client, subscription, signal);
  return named.filter((revision) => ownerUidOf(revision) === uid).map((revision) => parseObject(REVISION, revision));
}
